"""Counts of what the system does to a process while it runs: scheduling, page faults, the clock, and hardware counters where perf allows them."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import platform
import resource
import struct
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

# Hardware events of perf_event_open, by their numbers in perf_event.h.
EVENTS = {"cycles": 0, "instructions": 1, "cache misses": 3}
SYSTEM_CALL = {"x86_64": 298, "aarch64": 241}
ATTRIBUTE_BYTES, EXCLUDE_KERNEL_AND_HYPERVISOR = 128, 1 << 5 | 1 << 6
FLAGS_AT = 40  # of struct perf_event_attr
REFUSALS = {
    errno.ENOENT: "this processor, or this virtual machine, has no such counter",
    errno.EACCES: "not allowed; /proc/sys/kernel/perf_event_paranoid is above 2",
    errno.EPERM: "not allowed in this container",
    errno.ENOSYS: "not known to this system",
}
TASKS = Path("/proc/self/task")
FREQUENCY = "/sys/devices/system/cpu/cpu{}/cpufreq/scaling_cur_freq"


@dataclass(frozen=True)
class Counted:
    """The counts of one inference, by name.

    waited us: the calling thread was ready, but no processor was free for it; workers waited us: the same of all other threads together. preempted, slept: how
    often a thread lost its processor, or gave it up. page faults: of the process. cpu: the processor of the calling thread at the end. GHz: by the cycles of
    the threads' time on processors, else as the system says at the end.
    cycles, instructions, cache misses: of all threads, outside of the kernel.
    """

    counts: Mapping[str, float]


class Counters:
    """Opened by a process for the threads that it then has. missing: what cannot be counted here, and why."""

    def __init__(self) -> None:
        self.missing: dict[str, str] = {}
        self._threads = [Path(entry.path, "schedstat") for entry in os.scandir(TASKS)] if TASKS.is_dir() else []
        self._own = TASKS / str(threading.get_native_id()) / "schedstat"
        self._files: dict[str, list[int]] = {}
        for name, number in EVENTS.items():
            files: list[int] = []
            try:
                for path in self._threads:
                    files.append(_opened(number, int(path.parent.name)))
                self._files[name] = files
            except OSError as error:
                for file in files:
                    os.close(file)
                self.missing[name] = f"perf_event_open: {REFUSALS.get(error.errno or 0, error.strerror)}"
        if not any(path.exists() for path in self._threads):
            self.missing["waited us"] = "no /proc/self/task/*/schedstat"
        if self._frequency() is None and "cycles" in self.missing:
            self.missing["GHz"] = "neither cpufreq nor a counter of cycles"

    def read(self) -> dict[str, float]:
        """All counts so far. "busy us": the time that threads were on processors."""
        usage = resource.getrusage(resource.RUSAGE_SELF)
        found: dict[str, float] = {"preempted": usage.ru_nivcsw, "slept": usage.ru_nvcsw, "page faults": usage.ru_minflt + usage.ru_majflt}
        times = {path: numbers for path in self._threads if len(numbers := _numbers(path)) >= 2}
        if self._own in times:
            waited = {path: numbers[1] / 1e3 for path, numbers in times.items()}
            found["busy us"] = sum(numbers[0] for numbers in times.values()) / 1e3
            found["waited us"] = waited.pop(self._own)
            found |= {"workers waited us": sum(waited.values())} if waited else {}
        for name, files in self._files.items():
            found[name] = sum(struct.unpack("Q", os.read(file, 8))[0] for file in files)
        return found

    def between(self, before: Mapping[str, float], after: Mapping[str, float]) -> Counted:
        """The counts between two readings, and what the processor is now."""
        counts = {name: after[name] - before[name] for name in after if name in before}
        busy_us, ghz = counts.pop("busy us", 0.0), self._frequency()
        if counts.get("cycles") and busy_us:
            ghz = counts["cycles"] / busy_us / 1e3
        here = _processor()
        return Counted(counts | ({"GHz": ghz} if ghz else {}) | ({"cpu": here} if here is not None else {}))

    def close(self) -> None:
        for file in (file for files in self._files.values() for file in files):
            os.close(file)
        self._files = {}

    @staticmethod
    def _frequency() -> float | None:
        numbers = _numbers(Path(FREQUENCY.format(_processor() or 0)))
        return numbers[0] / 1e6 if numbers else None


def _opened(event: int, thread: int) -> int:
    """A file that counts a hardware event in a thread of this process. Raises OSError."""
    number = SYSTEM_CALL.get(platform.machine())
    if number is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    attribute = ctypes.create_string_buffer(ATTRIBUTE_BYTES)
    struct.pack_into("IIQ", attribute, 0, 0, ATTRIBUTE_BYTES, event)  # type 0: hardware
    struct.pack_into("Q", attribute, FLAGS_AT, EXCLUDE_KERNEL_AND_HYPERVISOR)
    file = ctypes.CDLL(None, use_errno=True).syscall(number, attribute, thread, -1, -1, 0)
    if file < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return int(file)


def _processor() -> int | None:
    """The processor that this thread runs on."""
    with contextlib.suppress(AttributeError):
        number = int(ctypes.CDLL(None).sched_getcpu())
        return number if number >= 0 else None
    return None


def _numbers(path: Path) -> list[int]:
    """The numbers in a file of the system; none where it does not tell, and where the thread has ended."""
    try:
        return [int(word) for word in path.read_text(encoding="ascii").split()]
    except (OSError, ValueError):
        return []
