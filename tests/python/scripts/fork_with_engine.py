"""A child process frees no engine of its parent and cannot use one, but it can use profiles of its parent."""
import gc
import os
import signal

import numpy as np

import reusedist as rd


def in_child(function):
    """Returns the exit status of a child process that calls `function`; a hanging child dies by SIGALRM."""
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        try:
            function()
        except rd.WrongOrder:
            os._exit(7)
        finally:
            gc.collect()
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def drop():
    global engine
    engine = None


def use_as_context():
    with engine:
        pass


profile = rd.measure(np.arange(1000) % 70)
ids = np.random.default_rng(1).integers(0, 1 << 12, 30000)
for spec in ("parda:ranks=4", "geometric", "levels", "relay", "chunks", "stack"):
    engine = rd.Engine(spec, threads=4)
    engine.feed(ids)
    statuses = [in_child(f) for f in (drop, engine.close, use_as_context, lambda: engine.feed(ids),
                                      engine.profile, lambda: rd.measure(ids, spec, threads=4))]
    assert statuses == [0, 0, 0, 7, 7, 0], (spec, statuses)
    assert engine.profile().references == ids.size
    engine.close()
assert in_child(lambda: profile.miss_ratio(7)) == 0
