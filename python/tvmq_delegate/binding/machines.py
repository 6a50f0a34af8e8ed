"""Where the machine file of this CPU lies, which load() takes unless another machine is asked for. Needs nothing but the shared library."""

from __future__ import annotations

import ctypes
import functools
import os
import re
import zlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # pathlib takes longer to import than all the others
    from pathlib import Path


class _CpuInfo(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("isa", ctypes.c_char_p),
        ("count", ctypes.c_int),
        ("in_order", ctypes.c_int),
        ("identity", ctypes.c_char_p),
    )


@functools.cache
def _file_name(library: str) -> str:
    """The library finds the CPU's identity once in a process, too."""
    lib = ctypes.CDLL(library)
    lib.tvmq_get_cpu.restype = ctypes.POINTER(_CpuInfo)
    cpu = lib.tvmq_get_cpu().contents
    words = re.sub(r"[^a-z0-9]+", "-", f"{cpu.name.decode()} {cpu.isa.decode()}".lower()).strip("-")
    return f"{words}-{zlib.crc32(cpu.identity):08x}.machine"


@functools.cache
def _cache_file(library: str, cache: str | None, home: str | None) -> str:
    """home: the variable by which "~" is found."""
    folder = cache or os.path.join(os.path.expanduser("~"), ".cache")
    if folder.startswith("~"):
        raise RuntimeError("there is no home folder")
    return os.path.join(folder, "tvmq-delegate", _file_name(library))


def cache_name(library: str) -> str:
    """The name of the machine file of this CPU, which the shared library identifies, in the user's cache folder. calibrate() writes it; there need not be one.

    Homes are shared, and names of CPUs are too ("Intel(R) Xeon(R) Processor" in virtual machines): the file's name ends with a checksum of the identity.
    """
    return _cache_file(library, os.environ.get("XDG_CACHE_HOME"), os.environ.get("HOME"))


def cache_file(library: Path) -> Path:
    """cache_name() as a path."""
    from pathlib import Path

    return Path(cache_name(str(library)))
