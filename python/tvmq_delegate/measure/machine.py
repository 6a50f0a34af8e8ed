"""The machine that measures: all that a report must say about it."""

from __future__ import annotations

import datetime
import os
import platform
from dataclasses import dataclass
from pathlib import Path

from ..binding import library, runtimes


@dataclass(frozen=True)
class Machine:
    """The machine and the software, at one time. Strings are "" where the system does not tell.

    isa: the greatest instruction set that the processor offers. count: processors that the process may use. governor, clock: what the first of them runs under,
    "performance", "1.20 to 3.50 GHz, now 3.49". load: runnable processes, average of the last minute. runtimes: packages with their versions. date: ISO 8601.
    """

    cpu: str
    isa: str
    count: int
    governor: str
    clock: str
    temperature: str
    load: str
    memory_mb: int
    kernel: str
    machine: str
    python: str
    runtimes: dict[str, str]
    version: str
    date: str


def describe() -> Machine:
    """This machine, now."""
    cpu = library.cpu()
    first = Path("/sys/devices/system/cpu", f"cpu{min(os.sched_getaffinity(0), default=0)}", "cpufreq")
    return Machine(
        cpu=cpu.name,
        isa=cpu.isa,
        count=cpu.count,
        governor=_read(first / "scaling_governor"),
        clock=_clock(first),
        temperature=_temperature(),
        load=_read(Path("/proc/loadavg")).partition(" ")[0],
        memory_mb=os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20,
        kernel=f"{platform.system()} {platform.release()}",
        machine=platform.machine(),
        python=platform.python_version(),
        runtimes=_runtimes(),
        version=library.version(),
        date=datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
    )


def _runtimes() -> dict[str, str]:
    """Those that are installed; LiteRT has two interfaces."""
    found = runtimes.installed()
    return {**found, **({"compiled_model": found["ai_edge_litert"]} if "ai_edge_litert" in found else {})}


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except OSError:
        return ""


def _clock(frequency: Path) -> str:
    """From cpufreq, else what /proc/cpuinfo says of the first processor."""
    low, high, now = (_read(frequency / name) for name in ("cpuinfo_min_freq", "cpuinfo_max_freq", "scaling_cur_freq"))
    if low.isdigit() and high.isdigit():
        return f"{int(low) / 1e6:.2f} to {int(high) / 1e6:.2f} GHz" + (f", now {int(now) / 1e6:.2f}" if now.isdigit() else "")
    for line in _read(Path("/proc/cpuinfo")).splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "cpu MHz":
            return f"{float(value) / 1e3:.2f} GHz"
    return ""


def _temperature() -> str:
    """The temperature of the hottest zone."""
    found = [_read(path) for path in Path("/sys/class/thermal").glob("thermal_zone*/temp")]
    degrees = [int(text) / 1e3 for text in found if text.lstrip("-").isdigit()]
    return f"{max(degrees):.0f} °C" if degrees else ""
