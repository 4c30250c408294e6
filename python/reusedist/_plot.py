"""Draws the miss-ratio curve as a matplotlib chart."""
from __future__ import annotations

from typing import Any, TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ._profile import Profile

_STEPS = 512  # number of additional sizes, because a straight line is curved on a logarithmic axis


def _new_axes() -> Any:
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError("plot() needs matplotlib: install it with `pip install matplotlib` or "
                          "`apt install python3-matplotlib`") from None
    return pyplot.subplots()[1]


def _sizes(profile: Profile, curve: NDArray[Any]) -> NDArray[np.float64]:
    """Returns the sizes in blocks at which the curve is drawn: from the smallest size that the profile resolves
    to twice the size after which the curve is flat, or to the bound."""
    first = max(1.0, float(profile.resolution))
    last = max(2.0 * float(curve["blocks"][-1]), 2 * first)
    if profile.bound:
        last = min(last, float(profile.bound))
    points = curve["blocks"].astype(np.float64)
    points = points[(points >= first) & (points <= last)]
    return np.unique(np.concatenate([points, np.geomspace(min(first, last), last, _STEPS)]))


def _label_bytes(size: float, _position: Any = None) -> str:
    unit = 0
    while size >= 1024 and unit < 6:
        size, unit = size / 1024, unit + 1
    return f"{size:g} {('B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB')[unit]}"


def draw_curve(profile: Profile, ax: Any, line: dict[str, Any]) -> Any:
    curve = profile.curve()
    sizes = _sizes(profile, curve)
    if ax is None:
        ax = _new_axes()
    unit = profile.block_bytes or 1
    drawn = ax.plot(sizes * unit, np.interp(sizes, curve["blocks"], curve["miss_ratio"]), **line)[0]
    if profile.has_band:
        whole = np.unique(sizes.astype(np.uint64))
        low, high = zip(*(profile.miss_ratio_band(int(size)) for size in whole))
        ax.fill_between(whole.astype(np.float64) * unit, low, high, color=drawn.get_color(), alpha=0.2,
                        linewidth=0)
    ax.set_xscale("log", base=2)
    if profile.block_bytes:
        ax.xaxis.set_major_formatter(_label_bytes)
    ax.set_xlabel("cache size" if profile.block_bytes else "cache size in blocks")
    ax.set_ylabel("miss ratio")
    ax.set_ylim(bottom=0)
    return ax
