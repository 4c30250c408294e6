"""Rules for the objects of the library: who owns them, who may use them, and when they are freed.

An Owner frees its object when nothing refers to the owner any more. For objects in a cycle, the garbage
collector calls `__del__` and the callbacks of weak references while other objects of the cycle can still be
used. So an owner is an empty array of numpy: the collector does not know arrays, and an array is freed with
the last reference to it, after all callbacks. When the interpreter exits, a daemon thread may still be inside the
library. What it uses is not freed, because Python never destroys the frames of this thread, which refer to it.
After a fork(), only the parent frees its objects: the child has none of the threads that an object may wait for.
"""
from __future__ import annotations

import _signal  # because signal.getsignal() takes 50 times as long to look for names of constants
import atexit
import ctypes
import functools
import os
import signal
import sys
import threading
import time
import weakref
from contextlib import contextmanager, nullcontext
from ctypes import c_void_p
from typing import Any, Callable, Iterator, NoReturn, Optional

import numpy as np
from numpy.typing import NDArray

from ._native import ERRORS, LIBRARY, Error, OutOfMemory, WrongOrder

Owner = NDArray[np.uint8]

# Maps the id() of the weak reference to an owner to everything that the object of the owner needs until the
# object is freed.
_owned: dict[int, tuple[Any, ...]] = {}


def _release(reference: weakref.ref[Owner]) -> None:
    """Frees the object of the owner that `reference` refers to, unless the object was freed before or belongs
    to the parent of this process."""
    _reference, process, free, address, *_needed = _owned.pop(id(reference), (None, 0, None, None))
    if free is not None and process == os.getpid():
        free(address)


def own(address: int, free: Callable[[int], None], *needed: object) -> tuple[Owner, Callable[[], Any]]:
    """Makes an owner of the object at `address`. The object uses `needed` until it is freed. Also returns a
    function that frees the object at once, unless it was freed before or belongs to the parent of this process.

    weakref.finalize() is not used: until its attribute `atexit` is set to False, it frees objects at exit."""
    owner = np.empty(0, np.uint8)
    reference = weakref.ref(owner, _release)
    _owned[id(reference)] = reference, os.getpid(), free, address, *needed
    return owner, functools.partial(_release, reference)


class _NotCopied:
    """Refuses copies, because a copy would use the object of the library after the original was closed."""

    def __reduce_ex__(self, _protocol: Any) -> NoReturn:
        raise TypeError(f"{type(self).__name__} objects cannot be copied or pickled")


_forks = 0  # number of calls of fork() between the process that imported the package and this process


def _count_fork() -> None:
    global _forks
    _forks += 1


os.register_at_fork(after_in_child=_count_fork)


class Context(_NotCopied):
    """Counts memory and keeps the last error of the objects that were made with it."""

    def __init__(self, memory_limit: int = 0) -> None:
        self._locks: dict[int, threading.RLock] = {}  # the key is _forks
        pointer = c_void_p()
        if LIBRARY.rd_ctx_new(None, ctypes.byref(pointer)) != 0:
            raise OutOfMemory("out of memory")
        self.address = pointer.value or 0
        self.owner, _ = own(self.address, LIBRARY.rd_ctx_free)
        LIBRARY.rd_ctx_set_limit(self.address, memory_limit)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Gives the objects to one thread at a time, so that a thread reads the message of its own failure.
        Does not wait while the interpreter exits: other threads are stopped then and never release the lock.

        A child process has a lock of its own, because a thread of the parent may have held the parent's lock
        during fork(), and the child does not have this thread. The thread may have been inside the library. That
        does no harm: a profile never changes, and the C library handles a context copied by fork()."""
        lock = self._locks.get(_forks) or self._locks.setdefault(_forks, threading.RLock())
        if not lock.acquire(blocking=not sys.is_finalizing()):
            raise WrongOrder("the object is still in use by a thread, and the interpreter is exiting")
        try:
            yield
        finally:
            lock.release()

    def check(self, status: int) -> None:
        """Raises the exception for a status code, with the library's own message."""
        if status != 0:
            kind = ERRORS[status] if 0 < status < len(ERRORS) else Error
            text = LIBRARY.rd_last_error(self.address).decode(errors="replace")
            raise kind(text or kind.status)


class Handle(_NotCopied):
    """An object of the library and its context. `free` and `needed` are those of own()."""

    def __init__(self, context: Context, pointer: c_void_p, free: Callable[[int], None],
                 *needed: object) -> None:
        self.context = context
        self.address = pointer.value or 0
        self.owner, self._free = own(self.address, free, context.owner, *needed)
        self.closed = False
        self._process = os.getpid()

    def is_inherited(self) -> bool:
        """Returns whether this process is a child that fork() made after the object was created."""
        return self._process != os.getpid()

    def close(self) -> None:
        """Frees the object at once. The method may be called several times."""
        self.closed = True
        self._free()


# ---- calls during which the library calls Python ----

_in_library: set[object] = set()  # calls that may call Python, by threads other than the main thread
_EXIT_SECONDS = 2.0
_exiting = False


def _stop_callbacks() -> None:
    """Stops the calls of daemon threads before the interpreter ends, because a thread that calls Python
    later crashes. Waits for at most _EXIT_SECONDS seconds, because a thread may be waiting for input."""
    global _exiting
    _exiting = True
    end = time.monotonic() + _EXIT_SECONDS
    while _in_library and time.monotonic() < end:
        time.sleep(0.001)


atexit.register(_stop_callbacks)
os.register_at_fork(after_in_child=_in_library.clear)  # a child has none of its parent's threads


_SIGNALS = sorted(signal.valid_signals())


class _Handler:
    """Replaces the program's handler of one signal while the library may call Python. ctypes loses an exception
    that a handler raises on the way into the Python function or out of it, so this handler keeps it then. While
    the function runs, the exception is raised in the function, as in all other Python code."""

    def __init__(self, callback: Callback, number: int, usual: Callable[[int, Any], Any]) -> None:
        self.callback, self.number, self.usual = callback, number, usual

    def __call__(self, number: int, frame: Any) -> Any:
        """Uses no function of this package, because another signal may arrive at any time: its handler has to
        find out whether this one interrupted the function of the program or Callback.run()."""
        place = frame
        while place is not None and place.f_code is _Handler.__call__.__code__:
            place = place.f_back
        in_run = (place is not None and place.f_code is Callback.run.__code__ and
                  place.f_locals.get("self") is self.callback)
        if self.callback.lets_pass and not in_run:
            return self.usual(number, frame)
        try:
            self.usual(number, frame)
        except BaseException as error:
            self.callback.raised = error


class Callback:
    """Lets the library call Python functions. An exception is kept and raised when the library has returned,
    because it cannot pass through C."""

    def __init__(self) -> None:
        self.raised: Optional[BaseException] = None
        self.lets_pass = True  # false while ctypes would lose what a handler of a signal raises
        self._main = True  # true if the main thread called the library

    @contextmanager
    def calling(self) -> Iterator[None]:
        """Surrounds one call of the library, during which the library calls run(). Ends the thread without a
        message if the interpreter exits."""
        self.raised = None
        self._main = threading.current_thread() is threading.main_thread()
        self._enter_library()
        try:
            if not self._must_stop():
                with self._handlers_replaced() if self._main else nullcontext():
                    yield
        finally:
            _in_library.discard(self)
        if _exiting and not self._main:
            raise SystemExit
        raised, self.raised = self.raised, None
        if raised is not None:
            raise raised

    @contextmanager
    def _handlers_replaced(self) -> Iterator[None]:
        """Keeps every exception that a handler of a signal raises outside of the Python function. Only the main
        thread runs handlers."""
        replaced: list[_Handler] = []
        try:
            for number in _SIGNALS:
                usual = _signal.getsignal(number)
                if callable(usual):
                    replaced.append(_Handler(self, number, usual))
                    signal.signal(number, replaced[-1])
            self.lets_pass = False
            yield
        finally:
            self.lets_pass = True
            while replaced:
                try:
                    self._restore(replaced)
                except BaseException as error:  # raised by a handler that was just restored
                    self.raised = error

    @staticmethod
    def _restore(replaced: list[_Handler]) -> None:
        """Restores handlers, except where the Python function set another one."""
        while replaced:
            handler = replaced[-1]
            if _signal.getsignal(handler.number) is handler:
                signal.signal(handler.number, handler.usual)
            replaced.pop()

    def _must_stop(self) -> bool:
        return self.raised is not None or (_exiting and not self._main)

    def _enter_library(self) -> None:
        """Registers the call. The caller asks _must_stop() only afterwards, because _stop_callbacks() sets _exiting
        before it waits for registered calls."""
        if not self._main:
            _in_library.add(self)

    def run(self, function: Callable[..., Any], *arguments: Any) -> bool:
        """Calls the function. Returns False if the library must stop: if the function returns False or
        raises an exception, after a handler of a signal raised one, and when the interpreter exits. Does not call
        the function if the library must already stop."""
        _in_library.discard(self)
        answer: Any = None
        try:
            if not self._must_stop():
                self.lets_pass = True
                answer = function(*arguments)
        except BaseException as error:
            self.raised = error
        self.lets_pass = False
        self._enter_library()
        return not self._must_stop() and not (isinstance(answer, (bool, np.bool_)) and not answer)
