"""The output format of benchmark_model, for programs that read it: lines with the times and the memory, and the columns of its CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from ..measure import Benchmark, BenchmarkResult, OpProfileData
from ..sessions import DELEGATE
from .screen import csv_cell

_COLUMNS = ("node type", "first", "avg_ms", "%", "cdf%", "mem KB", "times called", "name")
_OWN_COLUMNS = ("median_us", "claimed", "kernel", "algorithm", "packing", "threads", "macs", "bytes", "GMAC/s", "share of peak")


def lines(result: BenchmarkResult) -> list[str]:
    """Times in microseconds and memory in MB of one contender."""
    times, memory = result.latency_metrics, result.memory_metrics
    first, last, least, most = (f"{1e3 * ms:.0f}" for ms in (times.first_ms, times.last_ms, times.min_ms, times.max_ms))
    stats = f"count={result.misc_metrics.num_runs} first={first} curr={last} min={least} max={most} avg={1e3 * times.avg_ms:g} std={1e3 * times.stddev_ms:.0f}"
    phases = f"Init: {1e3 * times.init_ms:.0f}, First inference: {1e3 * times.first_inference_ms:.0f}, Warmup (avg): {1e3 * times.average_warm_up_ms:g}"
    return [
        f"Timings (microseconds): {stats}",
        f"Inference timings in us: {phases}, Inference (avg): {1e3 * times.avg_ms:g}",
        f"Memory footprint delta from the start of the tool (MB): init={memory.init_footprint_kb / 1024:g} overall={memory.overall_footprint_kb / 1024:g}",
        f"Overall peak memory footprint (MB): {memory.peak_mem_mb:g}",
    ]


def op_csv(found: Benchmark) -> str:
    """The profile of every node in order of execution: benchmark_model's columns, then the delegate's own and each contender's time in microseconds."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    contenders = [DELEGATE, *found.against]
    writer.writerow([*_COLUMNS, *_OWN_COLUMNS, *(f"alone_us {name}" for name in contenders)])
    writer.writerows([*map(csv_cell, row), *(f"{op.alone_us[name]:.3f}" if name in op.alone_us else "" for name in contenders)] for op, row in _rows(found))
    return text.getvalue()


def _rows(found: Benchmark) -> Iterator[tuple[OpProfileData, list[object]]]:
    total, before = sum(map(_average, found.op_profile)) or 1.0, 0.0
    for op in found.op_profile:
        average = _average(op)
        before += average
        first = op.inference_microseconds.first if op.inference_microseconds else average
        theirs = [op.node_type, f"{first / 1e3:.3f}", f"{average / 1e3:.3f}", f"{100 * average / total:.3f}", f"{100 * before / total:.3f}"]
        how = [op.kernel, op.algorithm, op.packing, op.threads, op.macs, op.bytes]
        own = [f"{op.median_us:.3f}", int(op.claimed), *how, f"{op.gmacs_per_second:.3f}", f"{op.share_of_peak:.4f}"]
        yield op, [*theirs, f"{op.mem_kb:.3f}", op.times_called, op.name, *own]


def _average(op: OpProfileData) -> float:
    return op.inference_microseconds.avg if op.inference_microseconds else op.median_us
