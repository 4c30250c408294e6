"""A child process can use a profile that another thread of its parent uses at the moment of fork()."""
import os
import signal
import threading

import numpy as np

import reusedist as rd

profile = rd.measure(np.arange(3000) % 70, bins="full")
entered, leave = threading.Event(), threading.Event()


def use():
    with profile._context.alone():
        entered.set()
        leave.wait()


def in_child(function):
    """Returns the exit status of a child process that calls `function`; a hanging child dies by SIGALRM."""
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        function()
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def use_in_threads():
    """Uses the profile in two threads of the child process, and in a child of this process."""
    read = [profile.miss_ratio]
    other = threading.Thread(target=lambda: read.append(profile.rebin("log").miss_ratio))
    other.start()
    other.join()
    assert read[0](7) == read[1](7) == 1
    assert in_child(lambda: profile.miss_ratio(70)) == 0


thread = threading.Thread(target=use, daemon=True)
thread.start()
entered.wait()
assert in_child(lambda: (profile.curve(), profile.to_json())) == 0
assert in_child(use_in_threads) == 0
leave.set()
thread.join()

child = -1
with profile._context.alone():  # the thread that forks may be using the profile itself
    child = os.fork()
if child == 0:
    os._exit(profile.miss_ratio(7) != 1)
assert os.waitpid(child, 0)[1] == 0
