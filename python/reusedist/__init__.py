"""Reuse distances and miss-ratio curves of trace files and numpy arrays.

    import numpy, reusedist
    blocks = addresses >> 6                    # 64-byte cache lines; any 64-bit numbers are valid
    profile = reusedist.measure(blocks, block_bytes=64)
    curve = profile.curve()                    # structured array: blocks, miss_ratio
    misses = profile.miss_ratios([512, 16384]) # of caches with 512 and 16384 blocks
    profile.plot()                             # draws the curve with matplotlib
    profile = reusedist.analyze("prog.trace.xz", threads=4)    # like the command `reusedist analyze`

The reuse distance of a reference is the number of distinct other blocks since the previous reference to
the same block; it is COLD for a first reference. A fully associative LRU cache of C blocks hits if and
only if the distance is below C. Arrays of 64-bit integers are passed without a copy, and bins and curves
are views of the library's own memory.
"""
from ._analyze import analyze
from ._engine import COLD, Engine, EngineInfo, distances, engines, measure
from ._native import (Canceled, DeviceError, Error, FormatError, InvalidArgument, NumberTooLarge,
                      OutOfMemory, ReadWriteError, Unsupported, WrongOrder, version)
from ._profile import Profile

__all__ = ["COLD", "Canceled", "DeviceError", "Engine", "EngineInfo", "Error", "FormatError",
           "InvalidArgument", "NumberTooLarge", "OutOfMemory", "Profile", "ReadWriteError", "Unsupported",
           "WrongOrder", "analyze", "distances", "engines", "measure", "version"]

__version__ = version()

for _name in __all__:  # so that messages, help and pickles use the names that users import
    if _name != "COLD":
        globals()[_name].__module__ = __name__
del _name
