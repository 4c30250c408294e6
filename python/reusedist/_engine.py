"""Engines, which are fed block ids and return reuse distances."""
from __future__ import annotations

import ctypes
import weakref
from contextlib import contextmanager, nullcontext
from ctypes import byref, c_void_p
from dataclasses import dataclass
from typing import Any, Callable, Iterator, NoReturn, Optional

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _native
from ._arguments import (address_of, as_block_bytes, as_blocks, as_function, as_room, as_text,
                         as_unsigned)
from ._native import WrongOrder
from ._ownership import Callback, Context, Handle
from ._profile import Profile, parse_bins

COLD = np.uint64(2**64 - 1)  #: infinite distance: a first reference, or a distance of the bound or more

_lib = _native.LIBRARY
_DISTANCES, _LATE = 1, 2  # RD_CAP_DISTANCES, RD_CAP_LATE
_CONTINUE, _STOP = 0, 9   # RD_OK, RD_ECANCELED

Sink = Callable[[NDArray[np.uint64]], Any]


@dataclass(frozen=True)
class EngineInfo:
    """Describes an engine. `error` is "exact", or the meaning of its error bound."""

    name: str
    summary: str
    description: str
    error: str
    gives_distances: bool
    unavailable: Optional[str]  #: the reason why the engine cannot run here; None: it can


def engines() -> list[EngineInfo]:
    """Returns all engines of the library, including engines that cannot run here."""
    found: list[EngineInfo] = []
    while True:
        pointer = _lib.rd_engine_info_at(len(found))
        if not pointer:
            return found
        info, why = pointer.contents, _lib.rd_engine_unavailable(pointer)
        found.append(EngineInfo(info.name.decode(), info.summary.decode(), info.card.decode(),
                                info.error_kind.decode(), bool(info.caps & _DISTANCES),
                                why.decode() if why else None))


def _copy_distances(address: int, n: int) -> NDArray[np.uint64]:
    copy = np.empty(n, np.uint64)
    ctypes.memmove(address_of(copy), address, copy.nbytes)
    return copy


def _as_c_sink(engine: Engine) -> Any:
    """Makes the C function that calls the sink of an engine. The function must not keep the engine
    alive, because the engine keeps the function alive."""
    borrowed = weakref.ref(engine)

    def deliver(_user: Any, distances: int, n: int) -> int:
        engine = borrowed()
        if engine is None:
            return _STOP
        return _CONTINUE if engine._callback.run(engine._receive, distances, n) else _STOP

    return _native.SINK(deliver)


class Engine:
    """An analysis in progress. Feed it with references, then request the profile.

        with reusedist.Engine("auto") as engine:
            for part in parts:
                engine.feed(part)
            profile = engine.profile()

    `spec` is "NAME" or "NAME:key=value,...". Every distance of `bound` or more becomes COLD, unless
    `bound` is 0. Allocations beyond `memory` bytes fail, unless `memory` is 0. `bins` is "full", "log",
    "loglinear", "linear:WIDTH" or "reference:GROUPS". `block_bytes` is the size of a block, for profiles of
    addresses. `sink` is called with arrays of distances, in order.

    Several threads may use an engine: each call waits until all other calls have ended. The sink cannot use its
    engine. An engine cannot be copied or pickled, and a child process cannot use the engines of its parent.
    """

    def __init__(self, spec: str = "auto", *, bound: int = 0, threads: int = 1, memory: int = 0,
                 bins: str = "loglinear", block_bytes: int = 0, sink: Optional[Sink] = None) -> None:
        if hasattr(self, "_handle"):  # a thread or the sink may be using the engine
            raise WrongOrder("an engine can be opened only once; make another one")
        memory = as_unsigned(memory, "memory")
        bytes_of_block, sink = as_block_bytes(block_bytes, "block_bytes"), as_function(sink, "sink")
        context, pointer = Context(memory), c_void_p()
        c_sink = _native.SINK() if sink is None else _as_c_sink(self)
        config = _native.EngineConfig(size=ctypes.sizeof(_native.EngineConfig),
                                      bound=as_unsigned(bound, "bound"),
                                      threads=as_unsigned(threads, "threads", 32), mem_bytes=memory,
                                      binning=parse_bins(context, bins), sink=c_sink)
        context.check(_lib.rd_engine_open(context.address, as_text(spec, "engine"), byref(config),
                                          byref(pointer)))
        self._handle = Handle(context, pointer, _lib.rd_engine_close, c_sink)
        self._block_bytes = bytes_of_block
        self._sink: Optional[Sink] = sink
        self._callback = Callback()
        self._in_use = False
        self._finished = False

    def _receive(self, address: int, n: int) -> None:
        if self._sink is not None:
            self._sink(_copy_distances(address, n))

    @contextmanager
    def _alone(self) -> Iterator[Handle]:
        """Lets one thread at a time use the engine, and refuses a use by its own sink or in a child process,
        which does not have the engine's threads."""
        handle = self._handle
        if handle.is_inherited():
            raise WrongOrder("a child process cannot use an engine of its parent; make another one")
        with handle.context.alone():
            if self._in_use:
                raise WrongOrder("a sink cannot use the engine that calls it")
            self._in_use = True
            try:
                yield handle
            finally:
                self._in_use = False

    def _call(self, function: Callable[..., int], *arguments: Any) -> None:
        """Calls a function of the library with the engine as first argument."""
        with self._alone() as handle:
            if handle.closed:
                raise WrongOrder("the engine is closed")
            with self._callback.calling() if self._sink is not None else nullcontext():
                status = function(handle.address, *arguments)
            handle.context.check(status)

    def feed(self, blocks: ArrayLike, distances: Optional[NDArray[np.uint64]] = None) -> None:
        """Analyzes references: an array of block ids, which are integers of up to 64 bits. Immediate
        engines fill `distances`, an array of uint64 of the same length."""
        ids = as_blocks(blocks)
        room = None if distances is None else as_room(distances, ids.size)
        if room is not None and np.may_share_memory(ids, room):
            ids = ids.copy()  # otherwise the distances would overwrite ids before they are read
        self._call(_lib.rd_engine_feed, address_of(ids), ids.size,
                   None if room is None else address_of(room))

    def finish(self) -> None:
        """Ends the trace. profile() calls it if necessary."""
        if not self._finished:
            self._call(_lib.rd_engine_finish)
            self._finished = True

    def profile(self) -> Profile:
        """Ends the trace and returns the result."""
        self.finish()
        pointer, context = c_void_p(), self._handle.context
        self._call(_lib.rd_engine_profile, byref(pointer))
        profile = Profile._adopt(context, pointer)
        with context.alone():
            context.check(_lib.rd_profile_set_block_bytes(pointer, self._block_bytes))
        return profile

    def _answers_at_once(self) -> bool:
        caps = _lib.rd_engine_info_of(self._handle.address).contents.caps
        return bool(caps & (_DISTANCES | _LATE) == _DISTANCES)

    def close(self) -> None:
        """Frees the memory of the engine. Profiles stay valid. The method may be called several times, and does
        nothing in a child process."""
        if not self._handle.is_inherited():
            with self._alone() as handle:
                handle.close()

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce_ex__(self, _protocol: Any) -> NoReturn:
        raise TypeError("an engine cannot be copied or pickled: copy the profile, or feed two engines")


def measure(blocks: ArrayLike, engine: str = "auto", *, bound: int = 0, threads: int = 1, memory: int = 0,
            bins: str = "loglinear", block_bytes: int = 0, sink: Optional[Sink] = None) -> Profile:
    """Returns the profile of a whole trace, an array of block ids. The options are those of Engine."""
    with Engine(engine, bound=bound, threads=threads, memory=memory, bins=bins, block_bytes=block_bytes,
                sink=sink) as opened:
        opened.feed(blocks)
        return opened.profile()


def distances(blocks: ArrayLike, engine: str = "auto", *, bound: int = 0, threads: int = 1,
              memory: int = 0) -> NDArray[np.uint64]:
    """Returns the distance of every reference, COLD if it is infinite. The options are those of Engine.
    """
    options = {"bound": bound, "threads": threads, "memory": memory}
    ids = as_blocks(blocks)
    out = np.empty(ids.size, np.uint64)
    done = 0

    def keep(part: NDArray[np.uint64]) -> None:
        nonlocal done
        out[done:done + part.size] = part
        done += part.size

    with Engine(engine, **options) as opened:
        if opened._answers_at_once():
            opened.feed(ids, out)
            return out
    with Engine(engine, sink=keep, **options) as opened:
        opened.feed(ids)
        opened.finish()
    return out
