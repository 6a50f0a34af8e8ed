"""Stock LiteRT as the peer of a measurement: held to an instruction set, and timed in turns with the delegate."""

from __future__ import annotations

import ctypes
import pathlib
import subprocess
import sys
import time
from collections.abc import Sequence

import ai_edge_litert.interpreter

from tvmq_delegate.sessions import Session

# XNNPACK's xnn_arch_x86_*: bits of arch_flags, the second 8 bytes of its struct xnn_hardware_config.
SSE_TO_AVX2 = 0xFF
HELD = {"avx2": SSE_TO_AVX2, "avxvnni": SSE_TO_AVX2 | 1 << 14, "avx512vnni": (1 << 20) - 1, "amx": (1 << 64) - 1}


def hold(isa: str) -> None:
    """From now on XNNPACK chooses kernels as on a CPU without what the instruction set lacks. Exits where LiteRT's wheel has no symbol table."""
    library = pathlib.Path(ai_edge_litert.__file__).resolve().with_name("libpywrap_litert_common.so")
    listed = subprocess.run(["nm", str(library)], check=True, capture_output=True, text=True).stdout.splitlines()
    symbols = {words[2]: int(words[0], 16) for words in map(str.split, listed) if len(words) == 3}
    if not {"cpuinfo_initialize", "xnn_init_hardware_config"} <= symbols.keys():
        sys.exit(f"{library} has no symbol table: another version of LiteRT is needed")
    base = next(int(line.split("-")[0], 16) for line in pathlib.Path("/proc/self/maps").read_text(encoding="utf-8").splitlines() if str(library) in line)
    ctypes.CFUNCTYPE(ctypes.c_bool)(base + symbols["cpuinfo_initialize"])()
    config = ctypes.CFUNCTYPE(ctypes.c_void_p)(base + symbols["xnn_init_hardware_config"])()
    ctypes.c_uint64.from_address(config + 8).value &= HELD[isa]


def alternate(sessions: Sequence[Session], seconds: float, slice_seconds: float) -> list[list[float]]:
    """Microseconds of each run of each session, which take turns of slice_seconds for `seconds` each. The first run of a turn does not count: the caches still
    hold the other session's data."""
    runs: list[list[float]] = [[] for _ in sessions]
    end = time.perf_counter() + seconds * len(sessions)
    while time.perf_counter() < end:
        for session, spent in zip(sessions, runs):
            session.invoke()
            begin, now = time.perf_counter(), 0.0
            while now - begin < slice_seconds:
                start = time.perf_counter()
                session.invoke()
                now = time.perf_counter()
                spent.append((now - start) * 1e6)
    return runs
