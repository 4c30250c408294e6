"""Profiles: the results of an analysis."""
from __future__ import annotations

import ctypes
import functools
from ctypes import byref, c_bool, c_double, c_size_t, c_void_p
from typing import Any, Optional, Sequence, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from . import _native
from ._arguments import Path, as_path, as_text, as_unsigned
from ._ownership import Context, Handle, Owner, own

_lib = _native.LIBRARY
_UNKNOWN = 2**64 - 1
_BIN = np.dtype([("low", "<u8"), ("high", "<u8"), ("count", "<u8"), ("sum_low", "<u8"),
                 ("sum_high", "<u8")])
_POINT = np.dtype([("blocks", "<u8"), ("miss_ratio", "<f8")])


class _Borrowed:
    """Describes memory of the library to numpy and keeps its owner alive."""

    def __init__(self, owner: Owner, address: Optional[int], dtype: np.dtype[Any], n: int) -> None:
        self.owner = owner
        self.__array_interface__ = {"version": 3, "data": (address or 0, True), "shape": (n,),
                                    "typestr": dtype.str, "descr": dtype.descr}


def _borrow(owner: Owner, address: Optional[int], dtype: np.dtype[Any], n: int) -> NDArray[Any]:
    return np.asarray(_Borrowed(owner, address, dtype, n)) if n else np.empty(0, dtype)


def parse_bins(context: Context, bins: str) -> _native.Binning:
    binning = _native.Binning()
    with context.alone():
        context.check(_lib.rd_binning_parse(context.address, as_text(bins, "bins"), byref(binning)))
    return binning


class Profile:
    """A histogram of reuse distances with its totals, as in the file that `reusedist analyze --out=json` writes.

    measure(), analyze(), Engine.profile() and Profile.read() return profiles. A profile never changes, so
    a copy is the profile itself. It can be pickled, and several threads and child processes may use it.
    """

    def __init__(self, handle: Handle) -> None:
        if not isinstance(handle, Handle):
            raise TypeError("a profile cannot be made by Profile(); use measure(), analyze(), Engine.profile(), "
                            "Profile.read() or Profile.from_json()")
        self._handle = handle
        self._context = handle.context

    @classmethod
    def _adopt(cls, context: Context, pointer: c_void_p) -> Profile:
        return cls(Handle(context, pointer, _lib.rd_profile_free))

    # -- files and copies --

    @classmethod
    def read(cls, path: Path) -> Profile:
        """Reads a profile file."""
        context, pointer = Context(), c_void_p()
        context.check(_lib.rd_profile_read(context.address, as_path(path), byref(pointer)))
        return cls._adopt(context, pointer)

    @classmethod
    def from_json(cls, text: str) -> Profile:
        """Returns the profile that to_json() has written as `text`."""
        if not isinstance(text, str):
            raise TypeError(f"text must be a string, not {type(text).__name__}")
        context, pointer, data = Context(), c_void_p(), text.encode()
        context.check(_lib.rd_profile_parse(context.address, b"text", data, len(data), byref(pointer)))
        return cls._adopt(context, pointer)

    def to_json(self) -> str:
        """Returns the text of the profile file."""
        text, n = c_void_p(), c_size_t()
        with self._context.alone():
            self._context.check(_lib.rd_profile_json(self._handle.address, byref(text), byref(n)))
        try:
            return ctypes.string_at(text, n.value).decode()
        finally:
            _lib.rd_text_free(self._context.address, text)

    def write(self, path: Path) -> None:
        """Writes a profile file, which appears only when it is complete."""
        name, text = as_path(path), self.to_json().encode()
        with self._context.alone():
            self._context.check(_lib.rd_text_write(self._context.address, name, text, len(text)))

    def __copy__(self) -> Profile:
        return self

    def __deepcopy__(self, _memo: Any) -> Profile:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).from_json, (self.to_json(),)

    def rebin(self, bins: str) -> Profile:
        """Returns the profile in coarser bins: "log", "loglinear", "linear:WIDTH" or
        "reference:GROUPS"."""
        binning, pointer = parse_bins(self._context, bins), c_void_p()
        with self._context.alone():
            self._context.check(_lib.rd_profile_rebin(self._handle.address, binning, byref(pointer)))
        return self._adopt(self._context, pointer)

    # -- totals --

    @property
    def _facts(self) -> _native.Facts:
        facts: _native.Facts = _lib.rd_profile_facts_of(self._handle.address).contents
        return facts

    @property
    def references(self) -> int:
        """Number of references to blocks."""
        return int(self._facts.references)

    @property
    def blocks(self) -> Optional[int]:
        """Number of distinct blocks; None if it is unknown, for example because the analysis had a bound."""
        return None if self._facts.blocks == _UNKNOWN else int(self._facts.blocks)

    @property
    def cold(self) -> Optional[int]:
        """Number of first references; None if it is unknown, for example because the analysis had a bound."""
        return None if self._facts.cold == _UNKNOWN else int(self._facts.cold)

    @property
    def infinite(self) -> int:
        """Number of infinite distances: of first references, and of distances of the bound or more. With private
        caches also of coherence misses, with object caches also of requests for deleted or expired objects."""
        return int(self._facts.infinite)

    @property
    def block_bytes(self) -> Optional[int]:
        """Block size in bytes; None if a block is an id or a single address."""
        return int(self._facts.block_bytes) or None

    @property
    def bound(self) -> Optional[int]:
        """The smallest distance that counts as infinite; None: unbounded."""
        return int(self._facts.bound) or None

    @property
    def engine(self) -> str:
        """Name of the engine that measured the distances."""
        return (self._facts.engine or b"").decode()

    @property
    def exact(self) -> bool:
        """True if every distance is exact."""
        return bool(self._facts.exact)

    @property
    def error(self) -> tuple[str, float]:
        """The kind of error and the error bound, for example ("exact", 0.0)."""
        return (self._facts.error_kind or b"").decode(), float(self._facts.error_bound)

    @property
    def binning(self) -> str:
        """Name of the bins, for example "loglinear" or "linear:100"."""
        text = ctypes.create_string_buffer(32)
        _lib.rd_binning_name(self._facts.binning, text)
        return text.value.decode()

    @property
    def seconds(self) -> float:
        """Time that the analysis took in seconds; 0: unknown."""
        return float(self._facts.seconds)

    @property
    def partial(self) -> bool:
        """True if the analysis ended early; the profile then covers the trace up to that point."""
        return bool(self._facts.partial)

    # -- arrays --

    @property
    def bins(self) -> NDArray[Any]:
        """The bins of the histogram in ascending order. `low` and `high` are the first and last distance
        of a bin, `count` is its number of references, and `sum_low` and `sum_high` are the lower and the upper
        64 bits of the sum of its distances. Infinite distances are not included. The array is read-only and in the
        memory of the library."""
        address = c_void_p()
        n = _lib.rd_profile_bins(self._handle.address, byref(address))
        return _borrow(self._handle.owner, address.value, _BIN, n)

    def curve(self) -> NDArray[Any]:
        """Returns the miss-ratio curve as an array with the fields `blocks` and `miss_ratio`. It has a point
        wherever the slope changes; the curve is straight between points and flat after the last one. The
        array is read-only and in the memory of the library."""
        points, n = c_void_p(), c_size_t()
        with self._context.alone():
            self._context.check(_lib.rd_mrc_curve(self._context.address, self._handle.address,
                                                  byref(points), byref(n)))
        owner, _ = own(points.value or 0, functools.partial(_lib.rd_mrc_free, self._context.address),
                       self._context.owner)
        return _borrow(owner, points.value, _POINT, n.value)

    def miss_ratio(self, blocks: SupportsIndex) -> float:
        """Returns the miss ratio of a fully associative LRU cache of this many blocks."""
        ratio, interpolated = c_double(), c_bool()
        size = as_unsigned(blocks, "blocks")
        with self._context.alone():
            self._context.check(_lib.rd_mrc_at(self._context.address, self._handle.address, size,
                                               byref(ratio), byref(interpolated)))
        return ratio.value

    def miss_ratios(self, blocks: Sequence[SupportsIndex]) -> NDArray[np.float64]:
        """Returns the miss ratios of caches of these sizes in blocks."""
        return np.array([self.miss_ratio(size) for size in blocks], dtype=np.float64)

    @property
    def has_band(self) -> bool:
        """True if the profile comes from a sample, of the blocks or of the run, and has a confidence band."""
        return bool(_lib.rd_mrc_has_band(self._handle.address))

    @property
    def resolution(self) -> int:
        """The size in blocks of the smallest cache that a sample of the blocks resolves; 0: every size. Miss
        ratios of smaller caches mean nothing."""
        return int(_lib.rd_mrc_resolution(self._handle.address))

    def miss_ratio_band(self, blocks: SupportsIndex) -> tuple[float, float]:
        """Returns the lower and upper end of the band that contains the exact miss ratio of a cache of this
        many blocks with 95 % confidence. Only sampled profiles have a band; see has_band."""
        low, high, size = c_double(), c_double(), as_unsigned(blocks, "blocks")
        with self._context.alone():
            self._context.check(_lib.rd_mrc_band(self._context.address, self._handle.address, size,
                                                 byref(low), byref(high)))
        return low.value, high.value

    # -- charts --

    def plot(self, ax: Any = None, **line: Any) -> Any:
        """Draws the miss-ratio curve with matplotlib and returns the axes.

            ax = before.plot(label="before")
            after.plot(ax, label="after", linestyle="--")
            ax.legend()
            ax.figure.savefig("curve.png")

        It draws on `ax` if given, otherwise in a new figure. All other arguments go to Axes.plot(). Cache sizes
        are in bytes if the profile has a block size, otherwise in blocks. The 95 % confidence band of
        a sampled profile is shaded.
        """
        from ._plot import draw_curve
        return draw_curve(self, ax, line)

    def __repr__(self) -> str:
        return f"<reusedist.Profile: {self.references} references, {self.blocks} blocks>"
