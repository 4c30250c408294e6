"""Checks the arguments of callers, because ctypes would truncate numbers and strings silently."""
from __future__ import annotations

import operator
import os
from typing import Any, Callable, Optional, SupportsIndex, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._native import InvalidArgument

Path = Union[str, "os.PathLike[str]"]
_KINDS = {"L": 1, "S": 2, "I": 4}  # RD_LOAD, RD_STORE, RD_FETCH
_BLOCK_ADDRESS = 2**64 - 1         # RD_BLOCK_ADDRESS


def as_unsigned(value: SupportsIndex, name: str, bits: int = 64) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be an integer, not {type(value).__name__}") from None
    if not 0 <= number < 1 << bits:
        raise InvalidArgument(f"{name} is {number}; it must be from 0 to {(1 << bits) - 1}")
    return number


def as_text(value: str, name: str) -> bytes:
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a string, not {type(value).__name__}")
    if "\0" in value:
        raise InvalidArgument(f"{name}: {value!r} contains a NUL character")
    return value.encode()


def as_path(path: Path) -> bytes:
    name = os.fsencode(path)
    if b"\0" in name:
        raise InvalidArgument(f"{path!r} cannot be the name of a file: it contains a NUL character")
    return name


def as_function(value: Optional[Callable[..., Any]], name: str) -> Optional[Callable[..., Any]]:
    if value is not None and not callable(value):
        raise TypeError(f"{name} must be a function, not {type(value).__name__}")
    return value


def as_block_bytes(value: SupportsIndex, name: str) -> int:
    number = as_unsigned(value, name)
    if number & (number - 1):
        raise InvalidArgument(f"{name}: {number} is not a power of two")
    return number


def as_block(block: Union[int, str, None]) -> int:
    """Returns the value for rd_analysis_config.block."""
    if block is None:
        return 0
    if block == "addr":
        return _BLOCK_ADDRESS
    if isinstance(block, str):
        raise InvalidArgument(f"block: {block!r} is not valid; give an integer that is a power of two, such as 64, or 'addr'")
    number = as_block_bytes(block, "block")
    if number == 0:
        raise InvalidArgument("block: 0 is neither a power of two nor 'addr'")
    return number


def as_kinds(kinds: Optional[str]) -> int:
    """Returns a mask of kinds of references; 0 stands for all kinds."""
    if kinds is None:
        return 0
    as_text(kinds, "kinds")
    if not kinds or set(kinds) - set(_KINDS):
        raise InvalidArgument(f"kinds: {kinds!r} is not one or more of the letters L, S and I")
    return sum(_KINDS[letter] for letter in set(kinds))


def _refuse_masked(blocks: Any) -> None:
    """Refuses masked arrays, also in lists, because a masked element has no value to measure."""
    if isinstance(blocks, (list, tuple)) and blocks and isinstance(blocks[0], (list, tuple, np.ndarray)):
        for row in blocks:
            _refuse_masked(row)
    if isinstance(blocks, np.ma.MaskedArray) and np.ma.is_masked(blocks):
        raise InvalidArgument(f"{np.ma.count_masked(blocks)} block ids are masked: pass "
                              "array.compressed() to leave them out")


def as_blocks(blocks: ArrayLike) -> NDArray[np.uint64]:
    """Returns block ids as a contiguous, aligned array of 64-bit integers. Copies only if necessary."""
    _refuse_masked(blocks)
    array = np.require(blocks, requirements=["C", "A", "E"]).reshape(-1)
    if array.dtype == np.int64:
        return array.view(np.uint64)
    if array.dtype.kind not in "iub" and array.size:
        raise InvalidArgument(f"block ids must be integers of at most 64 bits, not {array.dtype}")
    return array.astype(np.uint64, copy=False)


def address_of(array: NDArray[Any]) -> int:
    """Returns the address of the elements. array.ctypes.data is not used, because it imports a module, which
    fails while Python exits, and because a subclass of ndarray could make it return another address."""
    address: int = np.ndarray.__array_interface__.__get__(array)["data"][0]  # type: ignore[attr-defined]
    return address


def as_room(distances: Any, n: int) -> NDArray[np.uint64]:
    """Returns the memory of an array to which the library will write `n` distances. The memory is checked
    as a plain array, because a subclass of ndarray can state any shape."""
    if not isinstance(distances, np.ndarray) or isinstance(distances, np.ma.MaskedArray):
        raise TypeError(f"distances must be a numpy array, not {type(distances).__name__}")
    room = np.ndarray.view(distances, np.ndarray)
    flags = room.flags
    if (room.dtype != np.uint64 or room.shape != (n,) or not flags.c_contiguous
            or not flags.aligned or not flags.writeable):
        raise InvalidArgument("distances must be a writable, contiguous array of uint64 with one element per "
                              "block id")
    return room
