"""An exception that the handler of a signal raises is never lost, whichever instruction the signal interrupts
while the library may call a sink or a progress function. A signal arrives at every instruction, and the
handler raises an exception at the n-th one, for every n."""
import ctypes
import itertools
import os
import signal
import sys
import tempfile

import numpy as np
import reusedist as rd

# As a trace function, it makes a signal arrive at every instruction of a frame. A function in Python cannot do this,
# because the signal would interrupt the trace function.
signal_arrives = ctypes.PyDLL(None).PyErr_SetInterrupt
signal_arrives.argtypes, signal_arrives.restype = [ctypes.py_object] * 3, None

PACKAGE = os.path.dirname(rd.__file__)
# The functions of the package that run during a call of the library that can call a sink or a progress function.
INTERRUPTED = ("calling", "_handlers_replaced", "_restore", "_must_stop", "_enter_library", "run", "deliver", "call",
               "_receive", "_copy_distances")


def trace(frame, _event, _argument):
    code = frame.f_code
    if os.path.dirname(code.co_filename) != PACKAGE or code.co_name not in INTERRUPTED:
        return None
    frame.f_trace_opcodes = True
    return signal_arrives


class TimeLimit(BaseException):
    pass


def raise_at(n):
    """Sets a handler that raises an exception when it is called for the n-th time. Returns a list with the
    number of calls so far, and the handler."""
    calls = [0]

    def handler(_number, _frame):
        calls[0] += 1
        if calls[0] == n:
            raise TimeLimit
    signal.signal(signal.SIGINT, handler)
    return calls, handler


def check(name, use):
    for n in itertools.count(1):
        calls, handler = raise_at(n)
        sys.settrace(trace)
        try:
            use()
        except TimeLimit:
            raised = True
        except rd.Error as error:
            print(f"{name}: call {n} of the handler:", error)
            return n
        else:
            raised = False
        finally:
            sys.settrace(None)
        if raised != (calls[0] >= n):
            print(f"{name}: the exception of call {n} of the handler was lost")
            return n
        current = signal.getsignal(signal.SIGINT)
        if not raised:
            if current is not handler:
                print(f"{name}: {current} is left instead of the handler")
            return n


def use_sink():
    with rd.Engine("stack", sink=lambda distances: None) as engine:
        engine.feed(ids)
        engine.finish()


ids = np.arange(20, dtype=np.uint64) % 7
with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
    file.writelines(f"{i % 7 * 64:#x}\n" for i in range(50))
    file.flush()
    instructions = [check("sink", use_sink),
                    check("progress", lambda: rd.analyze(file.name, progress=lambda *_: None))]
if min(instructions) < 100:
    print(f"the signal arrived at few instructions: {instructions}")
