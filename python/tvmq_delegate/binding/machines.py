"""Where the machine file of this CPU lies, which load() takes unless another machine is asked for. Needs nothing but the shared library."""

from __future__ import annotations

import ctypes
import os
import re
from pathlib import Path


def cache_file(library: Path) -> Path:
    """The machine file of this CPU, which the shared library identifies, in the user's cache folder. calibrate() writes it; there need not be one."""
    lib = ctypes.CDLL(str(library))
    lib.tvmq_get_cpu.restype = ctypes.POINTER(ctypes.c_char_p)
    name, isa = (lib.tvmq_get_cpu()[field].decode() for field in range(2))  # the structure begins with these two strings
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "tvmq-delegate")
    return folder / (re.sub(r"[^a-z0-9]+", "-", f"{name} {isa}".lower()).strip("-") + ".machine")
