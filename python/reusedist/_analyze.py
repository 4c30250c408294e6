"""Analyzes trace files."""
from __future__ import annotations

import ctypes
from ctypes import byref, c_void_p
from typing import Any, Callable, Optional, Union

from . import _native
from ._arguments import Path, as_block, as_function, as_kinds, as_path, as_text, as_unsigned
from ._ownership import Callback, Context, Handle
from ._profile import Profile, parse_bins

_lib = _native.LIBRARY

Progress = Callable[[int, int, Optional[int]], Any]


def _as_c_progress(callback: Callback, progress: Optional[Progress]) -> Any:
    def call(_user: Any, pointer: Any) -> bool:
        now = pointer.contents
        return callback.run(progress or (lambda *_: None), now.references, now.bytes,
                            now.total_bytes or None)

    return _native.PROGRESS(call)


def analyze(*paths: Path, engine: Optional[str] = None, block: Union[int, str, None] = None,
            kinds: Optional[str] = None, bins: str = "loglinear", bound: int = 0, threads: int = 1,
            format: Optional[str] = None, memory: int = 0, partial: bool = False,
            progress: Optional[Progress] = None) -> Profile:
    """Analyzes trace files, one after the other as one trace, and returns the profile.

    `block` is the size of a block in bytes, or "addr" for one block per address. By default blocks have
    64 bytes; in traces of object ids, each id is a block. `kinds` selects references by letters of
    "LSI": loads, stores, instruction fetches. Without `format`, the format is detected from the content.
    `progress` is called with the numbers of references and bytes read so far and the total number of
    bytes, which is None if it is unknown; it cancels the analysis by returning False. With `partial`, an
    analysis that is canceled or finds damage in the trace returns the profile up to that point instead of
    raising an exception; the attribute `partial` of this profile is True.
    """
    memory = as_unsigned(memory, "memory")
    context, callback = Context(memory), Callback()
    c_progress = _as_c_progress(callback, as_function(progress, "progress"))
    names = [as_path(path) for path in paths]
    config = _native.AnalysisConfig(
        size=ctypes.sizeof(_native.AnalysisConfig),
        engine=None if engine is None else as_text(engine, "engine"),
        format=None if format is None else as_text(format, "format"), block=as_block(block),
        kinds=as_kinds(kinds), binning=parse_bins(context, bins), bound=as_unsigned(bound, "bound"),
        threads=as_unsigned(threads, "threads", 32), mem_bytes=memory, partial=bool(partial),
        progress=c_progress)
    opened, profile = c_void_p(), c_void_p()
    context.check(_lib.rd_analysis_open(context.address, byref(config), byref(opened)))
    analysis = Handle(context, opened, _lib.rd_analysis_close, config, c_progress)
    try:
        for name in names:
            context.check(_lib.rd_analysis_add_file(analysis.address, name))
        with callback.calling():
            status = _lib.rd_analysis_run(analysis.address)
        if not _lib.rd_analysis_has_profile(analysis.address):
            context.check(status)
        context.check(_lib.rd_analysis_profile(analysis.address, byref(profile)))
    finally:
        analysis.close()
    return Profile._adopt(context, profile)
