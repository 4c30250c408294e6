"""Loads the shared library, declares the types of its functions, and turns its errors into exceptions."""
from __future__ import annotations

import ctypes
import ctypes.util
import os
from ctypes import POINTER, c_bool, c_char_p, c_double, c_int, c_size_t, c_uint32, c_uint64, c_void_p
from typing import Type

VERSION = "0.1.0"  # version of the library that has the structures below
SOVERSION = VERSION.rsplit(".", 1)[0]  # every minor version may change the structures

BAND_SIZES = 64


class Error(Exception):
    """A failure of the library. `status` is the name of its status code."""

    status = "RD_EUNKNOWN"


class OutOfMemory(Error, MemoryError):
    """An allocation failed, or the memory limit was reached."""

    status = "RD_ENOMEM"


class InvalidArgument(Error, ValueError):
    """An argument or option is wrong. For an unknown name, the message lists the valid names."""

    status = "RD_EINVAL"


class ReadWriteError(Error, OSError):
    """The operating system could not read or write."""

    status = "RD_EIO"


class FormatError(Error, ValueError):
    """A file is damaged or not in the expected format."""

    status = "RD_EFORMAT"


class NumberTooLarge(Error, OverflowError):
    """A number is too large for the place where it is stored."""

    status = "RD_ERANGE"


class Unsupported(Error, NotImplementedError):
    """This build of the library or this engine does not support the request."""

    status = "RD_EUNSUPPORTED"


class WrongOrder(Error, RuntimeError):
    """Calls were made in the wrong order, for example feeding after the end."""

    status = "RD_ESTATE"


class DeviceError(Error, RuntimeError):
    """An accelerator failed."""

    status = "RD_EDEVICE"


class Canceled(Error):
    """A progress function asked to stop."""

    status = "RD_ECANCELED"


# The exceptions, indexed by status code. A status code never changes its meaning.
ERRORS: list[Type[Error]] = [Error, OutOfMemory, InvalidArgument, ReadWriteError, FormatError,
                             NumberTooLarge, Unsupported, WrongOrder, DeviceError, Canceled]


class Binning(ctypes.Structure):
    c_name = "rd_binning"
    _fields_ = [("kind", c_int), ("param", c_uint64)]


class EngineInfo(ctypes.Structure):
    c_name = "rd_engine_info"
    _fields_ = [("name", c_char_p), ("summary", c_char_p), ("card", c_char_p), ("role", c_int),
                ("caps", c_uint32), ("error_kind", c_char_p), ("opts", c_void_p), ("variants", c_void_p)]


SINK = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p, c_size_t)


class EngineConfig(ctypes.Structure):
    c_name = "rd_engine_config"
    _fields_ = [("size", c_size_t), ("bound", c_uint64), ("threads", c_uint32), ("mem_bytes", c_uint64),
                ("references", c_uint64), ("binning", Binning), ("checkpoint", c_char_p),
                ("checkpoint_of", c_char_p), ("sink", SINK), ("sink_user", c_void_p),
                ("live", c_bool), ("expected_blocks", c_uint64)]


class SamplerConfig(ctypes.Structure):
    c_name = "rd_sampler_config"
    _fields_ = [("qualification", c_uint64), ("temporal", c_uint64), ("spatial", c_uint64)]


class Progress(ctypes.Structure):
    c_name = "rd_progress"
    _fields_ = [("references", c_uint64), ("block_references", c_uint64), ("bytes", c_uint64),
                ("total_bytes", c_uint64)]


PROGRESS = ctypes.CFUNCTYPE(c_bool, c_void_p, POINTER(Progress))


class AnalysisConfig(ctypes.Structure):
    c_name = "rd_analysis_config"
    _fields_ = [("size", c_size_t), ("engine", c_char_p), ("format", c_char_p), ("block", c_uint64),
                ("kinds", c_uint32), ("kinds_chosen", c_bool), ("binning", Binning),
                ("bound", c_uint64), ("threads", c_uint32), ("mem_bytes", c_uint64),
                ("checkpoint", c_char_p), ("live", c_bool), ("partial", c_bool),
                ("attribution", c_void_p), ("sampling", c_void_p), ("sink", SINK),
                ("sink_user", c_void_p), ("progress", PROGRESS), ("progress_user", c_void_p),
                ("note", c_void_p), ("note_user", c_void_p), ("distances", c_char_p),
                ("burst", c_uint64), ("hierarchy", c_void_p), ("without_causes", c_bool),
                ("blocks", c_void_p), ("blocks_user", c_void_p), ("objects", c_void_p),
                ("merge", c_int), ("stacks", c_int), ("interleave", c_void_p),
                ("sharing", c_bool), ("sharing_interleave", c_void_p), ("private_caches", c_bool)]


class Facts(ctypes.Structure):
    c_name = "rd_profile_facts"
    _fields_ = [("references", c_uint64), ("blocks", c_uint64), ("cold", c_uint64),
                ("infinite", c_uint64), ("block_bytes", c_uint64), ("bound", c_uint64),
                ("kinds", c_char_p), ("engine", c_char_p), ("engine_options", c_char_p),
                ("exact", c_bool), ("error_kind", c_char_p), ("error_bound", c_double),
                ("sample_rate", c_double), ("half_width", c_double * BAND_SIZES),
                ("binning", Binning), ("sums_known", c_bool), ("partial", c_bool),
                ("skipped", c_uint64), ("unrecorded", c_uint64), ("seconds", c_double),
                ("sampling", SamplerConfig), ("n_band", c_size_t), ("band_low", c_double * BAND_SIZES),
                ("band_high", c_double * BAND_SIZES)]


# For each function: the type of the result, and the types of the arguments.
FUNCTIONS = {
    "rd_version": (c_char_p, []),
    "rd_ctx_new": (c_int, [c_void_p, POINTER(c_void_p)]),
    "rd_ctx_free": (None, [c_void_p]),
    "rd_ctx_set_limit": (None, [c_void_p, c_size_t]),
    "rd_last_error": (c_char_p, [c_void_p]),
    "rd_text_free": (None, [c_void_p, c_void_p]),
    "rd_text_write": (c_int, [c_void_p, c_char_p, c_char_p, c_size_t]),
    "rd_binning_parse": (c_int, [c_void_p, c_char_p, POINTER(Binning)]),
    "rd_binning_name": (None, [Binning, c_char_p]),
    "rd_engine_info_at": (POINTER(EngineInfo), [c_size_t]),
    "rd_engine_unavailable": (c_char_p, [POINTER(EngineInfo)]),
    "rd_engine_open": (c_int, [c_void_p, c_char_p, POINTER(EngineConfig), POINTER(c_void_p)]),
    "rd_engine_feed": (c_int, [c_void_p, c_void_p, c_size_t, c_void_p]),
    "rd_engine_finish": (c_int, [c_void_p]),
    "rd_engine_profile": (c_int, [c_void_p, POINTER(c_void_p)]),
    "rd_engine_info_of": (POINTER(EngineInfo), [c_void_p]),
    "rd_engine_close": (None, [c_void_p]),
    "rd_analysis_open": (c_int, [c_void_p, POINTER(AnalysisConfig), POINTER(c_void_p)]),
    "rd_analysis_add_file": (c_int, [c_void_p, c_char_p]),
    "rd_analysis_run": (c_int, [c_void_p]),
    "rd_analysis_has_profile": (c_bool, [c_void_p]),
    "rd_analysis_profile": (c_int, [c_void_p, POINTER(c_void_p)]),
    "rd_analysis_close": (None, [c_void_p]),
    "rd_profile_facts_of": (POINTER(Facts), [c_void_p]),
    "rd_profile_bins": (c_size_t, [c_void_p, POINTER(c_void_p)]),
    "rd_profile_set_block_bytes": (c_int, [c_void_p, c_uint64]),
    "rd_profile_read": (c_int, [c_void_p, c_char_p, POINTER(c_void_p)]),
    "rd_profile_parse": (c_int, [c_void_p, c_char_p, c_char_p, c_size_t, POINTER(c_void_p)]),
    "rd_profile_json": (c_int, [c_void_p, POINTER(c_void_p), POINTER(c_size_t)]),
    "rd_profile_rebin": (c_int, [c_void_p, Binning, POINTER(c_void_p)]),
    "rd_profile_free": (None, [c_void_p]),
    "rd_mrc_at": (c_int, [c_void_p, c_void_p, c_uint64, POINTER(c_double), POINTER(c_bool)]),
    "rd_mrc_has_band": (c_bool, [c_void_p]),
    "rd_mrc_resolution": (c_uint64, [c_void_p]),
    "rd_mrc_band": (c_int, [c_void_p, c_void_p, c_uint64, POINTER(c_double), POINTER(c_double)]),
    "rd_mrc_curve": (c_int, [c_void_p, c_void_p, POINTER(c_void_p), POINTER(c_size_t)]),
    "rd_mrc_free": (None, [c_void_p, c_void_p]),
}


def load() -> ctypes.CDLL:
    """Returns the library with its functions declared. If there is no library, the message of the ImportError
    says what to do."""
    name = os.environ.get("REUSEDIST_LIBRARY") or ctypes.util.find_library("reusedist")
    try:
        library = ctypes.CDLL(name or f"libreusedist.so.{SOVERSION}")
    except OSError as error:
        raise ImportError(f"{error}: install the reusedist library, or name its file in "
                          "REUSEDIST_LIBRARY") from None
    for function, (result, arguments) in FUNCTIONS.items():
        declared = getattr(library, function)
        declared.restype, declared.argtypes = result, arguments
    found = library.rd_version().decode()
    if found.split(".")[:2] != VERSION.split(".")[:2]:
        raise ImportError(f"the library has version {found}, but this package needs {VERSION}; install both from one release")
    return library


LIBRARY = load()


def version() -> str:
    """Returns the version of the shared library."""
    return str(LIBRARY.rd_version().decode())
