"""Reuse distances and miss-ratio curves of trace files and numpy arrays.

    import numpy, reusedist
    blocks = addresses >> 6                    # 64-byte cache lines, any 64-bit numbers will do
    profile = reusedist.measure(blocks, block_bytes=64)
    curve = profile.curve()                    # structured array: blocks, miss_ratio
    misses = profile.miss_ratios([512, 16384]) # of caches of these many blocks
    profile = reusedist.analyze("prog.trace.xz", threads=4)    # what `reusedist analyze` does

The reuse distance of a reference is the number of distinct other blocks since the previous reference
to the same block; COLD for a first one. A fully associative LRU cache of C blocks hits if and only if
the distance is below C. Arrays of 64-bit integers are passed as they are, and what comes back lies in
the library's own memory: nothing is copied on the way.
"""
from __future__ import annotations

import ctypes
import operator
import os
import signal
import threading
from ctypes import byref, c_bool, c_char_p, c_double, c_size_t, c_uint64, c_void_p
from dataclasses import dataclass
from typing import Any, Callable, Optional, Sequence, SupportsIndex, Union

import numpy as np
from numpy.typing import NDArray

from . import _native
from ._native import (Canceled, DeviceError, Error, FormatError, InvalidArgument, NumberTooLarge, OutOfMemory,
                      ReadWriteError, Unsupported, WrongOrder)

__all__ = ["COLD", "Canceled", "DeviceError", "Engine", "EngineInfo", "Error", "FormatError", "InvalidArgument",
           "NumberTooLarge", "OutOfMemory", "Profile", "ReadWriteError", "Unsupported", "WrongOrder",
           "analyze", "distances", "engines", "measure", "version"]

COLD = np.uint64(2**64 - 1)  #: infinite distance: a first reference, or beyond the bound
_UNKNOWN = 2**64 - 1
_DISTANCES, _LATE = 1, 2  # RD_CAP_DISTANCES, RD_CAP_LATE

_lib = _native.LIBRARY
_BIN = np.dtype([("low", "<u8"), ("high", "<u8"), ("count", "<u8"), ("sum_low", "<u8"),
                 ("sum_high", "<u8")])
_POINT = np.dtype([("blocks", "<u8"), ("miss_ratio", "<f8")])

Path = Union[str, "os.PathLike[str]"]


def version() -> str:
    """Returns the version of the shared library."""
    return str(_lib.rd_version().decode())


def _unsigned(value: SupportsIndex, name: str, bits: int = 64) -> int:
    """Checks that a number fits into the type of the library; ctypes would truncate it silently."""
    number = operator.index(value)
    if not 0 <= number < 1 << bits:
        raise InvalidArgument(f"{name}: {number} is not from 0 to {(1 << bits) - 1}")
    return number


class _Borrowed:
    """Returns memory of the library as an array that keeps its owner alive."""

    def __init__(self, owner: object, address: Optional[int], dtype: np.dtype[Any], n: int) -> None:
        self.owner = owner
        self.__array_interface__ = {"version": 3, "data": (address or 0, True), "shape": (n,),
                                    "typestr": dtype.str, "descr": dtype.descr}


def _borrow(owner: object, address: Optional[int], dtype: np.dtype[Any], n: int) -> NDArray[Any]:
    return np.asarray(_Borrowed(owner, address, dtype, n)) if n else np.empty(0, dtype)


def _as_blocks(blocks: Any) -> NDArray[np.uint64]:
    """Returns block ids as a contiguous array of 64-bit integers, and copies only if necessary."""
    array = np.ascontiguousarray(blocks).reshape(-1)
    if array.dtype == np.int64:
        return array.view(np.uint64)
    if array.dtype.kind not in "iub" and array.size:
        raise InvalidArgument(f"block ids are integers, not {array.dtype}")
    return array.astype(np.uint64, copy=False)


# ---- engines ----


@dataclass(frozen=True)
class EngineInfo:
    """Describes an engine. `error` is "exact", or the meaning of its error bound."""

    name: str
    summary: str
    description: str
    error: str
    gives_distances: bool
    unavailable: Optional[str]  #: why it cannot run here; None: it can


def engines() -> list[EngineInfo]:
    """Returns all engines of the library, including those that cannot run here."""
    found = []
    while True:
        pointer = _lib.rd_engine_info_at(len(found))
        if not pointer:
            return found
        info, why = pointer.contents, _lib.rd_engine_unavailable(pointer)
        found.append(EngineInfo(info.name.decode(), info.summary.decode(), info.card.decode(),
                                info.error_kind.decode(), bool(info.caps & _DISTANCES),
                                why.decode() if why else None))


class Engine:
    """An analysis in progress: feed it, then ask for the profile.

    with reusedist.Engine("auto") as engine:
        for part in parts:
            engine.feed(part)
        profile = engine.profile()

    `spec` is "NAME" or "NAME:key=value,...". `bound` makes every distance of that and more COLD.
    Allocations beyond `memory` bytes fail. `bins` is "full", "log", "loglinear", "linear:WIDTH" or "reference:GROUPS". `sink` is called with
    arrays of distances, in order, that are valid during the call only.
    """

    def __init__(self, spec: str = "auto", *, bound: int = 0, threads: int = 1, memory: int = 0,
                 bins: str = "loglinear", block_bytes: int = 0,
                 sink: Optional[Callable[[NDArray[np.uint64]], None]] = None) -> None:
        self._pointer: Optional[c_void_p] = None
        memory = _unsigned(memory, "memory")
        self._context = _native.Context(memory)
        self._block_bytes = _unsigned(block_bytes, "block_bytes")
        self._raised: Optional[BaseException] = None
        binning = _native.Binning()
        self._context.check(_lib.rd_binning_parse(self._context.pointer, bins.encode(),
                                                  byref(binning)))
        self._sink = _native.SINK(self._deliver(sink)) if sink else _native.SINK()
        config = _native.EngineConfig(size=ctypes.sizeof(_native.EngineConfig),
                                      bound=_unsigned(bound, "bound"),
                                      threads=_unsigned(threads, "threads", 32), mem_bytes=memory,
                                      binning=binning, sink=self._sink)
        pointer = c_void_p()
        self._context.check(_lib.rd_engine_open(self._context.pointer, spec.encode(), byref(config),
                                                byref(pointer)))
        self._pointer = pointer
        self._finished = False

    def _deliver(self, sink: Callable[[NDArray[np.uint64]], None]) -> Callable[..., int]:
        def deliver(_user: Any, distances: Any, n: int) -> int:
            try:
                sink(np.ctypeslib.as_array(distances, (n,)))
                return 0
            except BaseException as error:  # must not pass through C: raised again after the call
                self._raised = error
                return 7
        return deliver

    def _check(self, status: int) -> None:
        raised, self._raised = self._raised, None
        if raised:
            raise raised
        self._context.check(status)

    def _open(self) -> c_void_p:
        if not self._pointer:
            raise WrongOrder("the engine is closed")
        return self._pointer

    def feed(self, blocks: Any, distances: Optional[NDArray[np.uint64]] = None) -> None:
        """Analyzes references, an array of 64-bit block ids. Immediate engines fill `distances`, an
        array of the same length."""
        ids = _as_blocks(blocks)
        if distances is not None and (distances.dtype != np.uint64 or distances.shape != ids.shape
                                      or not distances.flags.c_contiguous
                                      or not distances.flags.writeable):
            raise InvalidArgument("distances must be a writable array of uint64, as long as blocks")
        self._check(_lib.rd_engine_feed(self._open(), ids.ctypes.data, ids.size,
                                        None if distances is None else distances.ctypes.data))

    def finish(self) -> None:
        """Ends the trace. profile() calls it if necessary."""
        if not self._finished:
            self._check(_lib.rd_engine_finish(self._open()))
            self._finished = True

    def profile(self) -> Profile:
        """Returns the result."""
        self.finish()
        pointer = c_void_p()
        self._check(_lib.rd_engine_profile(self._open(), byref(pointer)))
        _lib.rd_profile_set_block_bytes(pointer, self._block_bytes)
        return Profile(self._context, pointer)

    def _answers_at_once(self) -> bool:
        caps = _lib.rd_engine_info_of(self._open()).contents.caps
        return bool(caps & (_DISTANCES | _LATE) == _DISTANCES)

    def close(self) -> None:
        """Frees the memory. Profiles stay valid."""
        if self._pointer:
            _lib.rd_engine_close(self._pointer)
            self._pointer = None

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()


# ---- profiles ----


class Profile:
    """A histogram of reuse distances with its totals: what `reusedist analyze --out=json` writes."""

    def __init__(self, context: _native.Context, pointer: c_void_p) -> None:
        self._context = context
        self._pointer = pointer

    def __del__(self) -> None:
        if getattr(self, "_pointer", None):
            _lib.rd_profile_free(self._pointer)

    @classmethod
    def read(cls, path: Path) -> Profile:
        """Reads a profile file."""
        context, pointer = _native.Context(), c_void_p()
        context.check(_lib.rd_profile_read(context.pointer, os.fsencode(path), byref(pointer)))
        return cls(context, pointer)

    def to_json(self) -> str:
        """Returns the text of the profile file."""
        text, n = c_void_p(), c_size_t()
        self._context.check(_lib.rd_profile_json(self._pointer, byref(text), byref(n)))
        try:
            return ctypes.string_at(text, n.value).decode()
        finally:
            _lib.rd_text_free(self._context.pointer, text)

    def write(self, path: Path) -> None:
        """Writes a profile file, which appears only when it is complete."""
        text = self.to_json().encode()
        self._context.check(_lib.rd_text_write(self._context.pointer, os.fsencode(path), text,
                                               len(text)))

    def rebin(self, bins: str) -> Profile:
        """Returns the profile in coarser bins."""
        binning, pointer = _native.Binning(), c_void_p()
        self._context.check(_lib.rd_binning_parse(self._context.pointer, bins.encode(),
                                                  byref(binning)))
        self._context.check(_lib.rd_profile_rebin(self._pointer, binning, byref(pointer)))
        return Profile(self._context, pointer)

    # -- totals --

    @property
    def _facts(self) -> _native.Facts:
        facts: _native.Facts = _lib.rd_profile_facts_of(self._pointer).contents
        return facts

    @property
    def references(self) -> int:
        return int(self._facts.references)

    @property
    def blocks(self) -> Optional[int]:
        """Number of distinct blocks; None if a bound hides it."""
        return None if self._facts.blocks == _UNKNOWN else int(self._facts.blocks)

    @property
    def cold(self) -> Optional[int]:
        """Number of first references; None if a bound hides it."""
        return None if self._facts.cold == _UNKNOWN else int(self._facts.cold)

    @property
    def infinite(self) -> int:
        """Number of first references and of distances beyond the bound."""
        return int(self._facts.infinite)

    @property
    def block_bytes(self) -> Optional[int]:
        """Block size; None if a block is an id, not a range of addresses."""
        return int(self._facts.block_bytes) or None

    @property
    def bound(self) -> Optional[int]:
        return int(self._facts.bound) or None

    @property
    def engine(self) -> str:
        return (self._facts.engine or b"").decode()

    @property
    def exact(self) -> bool:
        return bool(self._facts.exact)

    @property
    def error(self) -> tuple[str, float]:
        """The kind of error and the error bound: ("exact", 0.0)."""
        return (self._facts.error_kind or b"").decode(), float(self._facts.error_bound)

    @property
    def binning(self) -> str:
        text = ctypes.create_string_buffer(32)
        _lib.rd_binning_name(self._facts.binning, text)
        return text.value.decode()

    @property
    def seconds(self) -> float:
        return float(self._facts.seconds)

    @property
    def partial(self) -> bool:
        """Whether the analysis ended early; the profile then covers the trace up to that point."""
        return bool(self._facts.partial)

    # -- arrays --

    @property
    def bins(self) -> NDArray[Any]:
        """The histogram: fields low, high (both inclusive) and count, ascending; infinite distances
        are not in it. sum_low and sum_high are the two halves of the sum of distances. Read-only,
        in the library's memory."""
        address = c_void_p()
        n = _lib.rd_profile_bins(self._pointer, byref(address))
        return _borrow(self, address.value, _BIN, n)

    def curve(self) -> NDArray[Any]:
        """The whole miss-ratio curve: fields blocks and miss_ratio, a point wherever its slope
        changes; straight between points, flat after the last. Read-only, in the library's memory."""
        points, n = c_void_p(), c_size_t()
        self._context.check(_lib.rd_mrc_curve(self._context.pointer, self._pointer, byref(points),
                                              byref(n)))
        return _borrow(_Points(self._context, points), points.value, _POINT, n.value)

    def miss_ratio(self, blocks: int) -> float:
        """The miss ratio of a fully associative LRU cache of this many blocks."""
        ratio, interpolated = c_double(), c_bool()
        self._context.check(_lib.rd_mrc_at(self._context.pointer, self._pointer,
                                           c_uint64(_unsigned(blocks, "blocks")), byref(ratio),
                                           byref(interpolated)))
        return ratio.value

    def miss_ratios(self, blocks: Sequence[int]) -> NDArray[np.float64]:
        """The miss ratios of caches of these sizes in blocks."""
        return np.array([self.miss_ratio(size) for size in blocks], dtype=np.float64)

    def __repr__(self) -> str:
        return f"<reusedist.Profile: {self.references} references, {self.blocks} blocks>"


class _Points:
    """Owns the points of a curve."""

    def __init__(self, context: _native.Context, pointer: c_void_p) -> None:
        self._context = context
        self._pointer = pointer

    def __del__(self) -> None:
        _lib.rd_mrc_free(self._context.pointer, self._pointer)


# ---- in one call ----


def measure(blocks: Any, engine: str = "auto", **options: Any) -> Profile:
    """Returns the profile of a whole trace. The options are those of Engine."""
    with Engine(engine, **options) as opened:
        opened.feed(blocks)
        return opened.profile()


def distances(blocks: Any, engine: str = "auto", **options: Any) -> NDArray[np.uint64]:
    """Returns the distance of every reference, COLD if it is infinite. The options are those of Engine.
    """
    ids = _as_blocks(blocks)
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


# ---- trace files ----

_KINDS = {"L": 1, "S": 2, "I": 4}  # RD_LOAD, RD_STORE, RD_FETCH


def _as_block(block: Union[int, str, None]) -> int:
    if block is None:
        return 0
    if block == "addr":
        return _native.BLOCK_ADDRESS
    number = _unsigned(block, "block")  # type: ignore[arg-type]
    if number == 0:
        raise InvalidArgument("block: 0 is neither a power of two nor 'addr'")
    return number


def _as_kinds(kinds: Optional[str]) -> int:
    if kinds is None:
        return 0
    if not kinds or set(kinds) - set(_KINDS):
        raise InvalidArgument(f"kinds: {kinds!r} is not made of the letters L, S and I")
    return sum(_KINDS[letter] for letter in set(kinds))


def _as_path(path: Path) -> bytes:
    name = os.fsencode(path)
    if b"\0" in name:
        raise ValueError("a path with a NUL character names no file")
    return name


class _Watch:
    """Wraps the progress callback for C. An exception is kept and raised again after the call."""

    def __init__(self, callback: Optional[Callable[[int, int, Optional[int]], Any]]) -> None:
        self.raised: Optional[BaseException] = None
        self._callback = callback
        self._usual: Any = None
        self.pointer = _native.PROGRESS(self._call)

    def __enter__(self) -> "_Watch":
        """Keeps Ctrl-C for the next call: raised on the way into it, ctypes would drop it."""
        if (threading.current_thread() is threading.main_thread()
                and signal.getsignal(signal.SIGINT) is signal.default_int_handler):
            self._usual = signal.signal(signal.SIGINT, self._interrupt)
        return self

    def __exit__(self, *_: Any) -> None:
        if self._usual:
            signal.signal(signal.SIGINT, self._usual)

    def _interrupt(self, _number: int, _frame: Any) -> None:
        self.raised = KeyboardInterrupt()

    def _call(self, _user: Any, progress: Any) -> bool:
        now = progress.contents
        try:
            answer = self._callback and self._callback(now.references, now.bytes,
                                                       now.total_bytes or None)
            return self.raised is None and not (isinstance(answer, (bool, np.bool_)) and not answer)
        except BaseException as error:
            self.raised = error
            return False


def analyze(*paths: Path, engine: Optional[str] = None, block: Union[int, str, None] = None,
            kinds: Optional[str] = None, bins: str = "loglinear", bound: int = 0, threads: int = 1,
            format: Optional[str] = None, memory: int = 0, partial: bool = False,
            progress: Optional[Callable[[int, int, Optional[int]], Any]] = None) -> Profile:
    """Analyzes trace files, one after the other as one trace, and returns the profile.

    `block` is the size of a block in bytes, or "addr" for one block per address; without it, 64
    bytes, and one block per id in traces of object ids. `kinds` names those to analyze, of "LSI".
    `format` is found by content. `progress` is called with the references and bytes read so far and
    the bytes in all, None where that is unknown; it cancels the analysis by returning False. With
    `partial`, a damaged or canceled analysis gives the profile of what came before, whose `partial`
    is True, instead of an exception.
    """
    context = _native.Context(_unsigned(memory, "memory"))
    binning, watch = _native.Binning(), _Watch(progress)
    context.check(_lib.rd_binning_parse(context.pointer, bins.encode(), byref(binning)))
    config = _native.AnalysisConfig(
        size=ctypes.sizeof(_native.AnalysisConfig), engine=engine.encode() if engine else None,
        format=format.encode() if format else None, block=_as_block(block), kinds=_as_kinds(kinds),
        binning=binning, bound=_unsigned(bound, "bound"), threads=_unsigned(threads, "threads", 32),
        mem_bytes=memory, partial=partial, progress=watch.pointer)
    analysis, profile = c_void_p(), c_void_p()
    context.check(_lib.rd_analysis_open(context.pointer, byref(config), byref(analysis)))
    try:
        for path in paths:
            context.check(_lib.rd_analysis_add_file(analysis, _as_path(path)))
        with watch:
            status = _lib.rd_analysis_run(analysis)
        if watch.raised is not None:
            raise watch.raised
        if not _lib.rd_analysis_has_profile(analysis):
            context.check(status)
        context.check(_lib.rd_analysis_profile(analysis, byref(profile)))
    finally:
        _lib.rd_analysis_close(analysis)
    return Profile(context, profile)
