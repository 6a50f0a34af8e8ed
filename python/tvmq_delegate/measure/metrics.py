"""Results of a benchmark for one contender, by the names of benchmark_model's BenchmarkResult; statistics of samples; ratios of noisy times."""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

MIN_ROUNDS = 6  # of fewer, not even the extremes enclose the median with 95 % confidence


@dataclass(frozen=True)
class LatencyMetrics:
    """Wall-clock times in milliseconds; 0 where nothing ran. init_ms: making the interpreter and allocating its tensors. pN_ms: percentiles of the runs."""

    avg_ms: float
    min_ms: float
    max_ms: float
    stddev_ms: float
    median_ms: float
    p5_ms: float
    p25_ms: float
    p75_ms: float
    p90_ms: float
    p95_ms: float
    first_ms: float
    last_ms: float
    init_ms: float
    first_inference_ms: float
    average_warm_up_ms: float


@dataclass(frozen=True)
class MemoryMetrics:
    """Resident memory of the contender's process: growth by making the interpreter, and by running it as well; peak of the whole process.

    packed_bytes, scratch_bytes, arena_bytes: the delegate's weights, scratch and tensors between its nodes; 0 for other contenders.
    """

    init_footprint_kb: int
    overall_footprint_kb: int
    peak_mem_mb: float
    packed_bytes: int
    scratch_bytes: int
    arena_bytes: int


@dataclass(frozen=True)
class MiscMetrics:
    """model_throughput_in_mb_per_sec: bytes of the model's inputs by the average time."""

    model_size_mb: float
    num_runs: int
    num_warmup_runs: int
    model_throughput_in_mb_per_sec: float


@dataclass(frozen=True)
class Ratio:
    """A contender's time over the baseline's, from rounds in which both ran one after the other; above 1, the baseline is faster.

    median: of the rounds' ratios. low, high: the median lies between them with 95 % confidence (bootstrap); None where the rounds are too few for that.
    """

    median: float
    low: float | None
    high: float | None
    rounds: int

    @property
    def interval(self) -> str:
        return "" if self.low is None else f"{self.low:.2f} - {self.high:.2f}"


@dataclass(frozen=True)
class BenchmarkResult:
    """One contender. ratio: None for the baseline, and where nothing ran."""

    name: str
    latency_metrics: LatencyMetrics
    memory_metrics: MemoryMetrics
    misc_metrics: MiscMetrics
    ratio: Ratio | None


def percentile(ordered: Sequence[float], percent: float) -> float:
    """A quantile of samples in ascending order, interpolated between the two nearest; 0 without samples."""
    if not ordered:
        return 0.0
    place = percent / 100 * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def latency(runs_ns: Sequence[int], warm_up_ns: Sequence[int], init_ns: int) -> LatencyMetrics:
    """The statistics of runs, in the order in which they ran."""
    runs = [ns / 1e6 for ns in runs_ns]
    ordered = sorted(runs)
    warm_up = [ns / 1e6 for ns in warm_up_ns]
    return LatencyMetrics(
        avg_ms=_mean(runs),
        min_ms=min(runs, default=0.0),
        max_ms=max(runs, default=0.0),
        stddev_ms=statistics.pstdev(runs) if runs else 0.0,
        median_ms=percentile(ordered, 50),
        p5_ms=percentile(ordered, 5),
        p25_ms=percentile(ordered, 25),
        p75_ms=percentile(ordered, 75),
        p90_ms=percentile(ordered, 90),
        p95_ms=percentile(ordered, 95),
        first_ms=runs[0] if runs else 0.0,
        last_ms=runs[-1] if runs else 0.0,
        init_ms=init_ns / 1e6,
        first_inference_ms=next(iter(warm_up or runs), 0.0),
        average_warm_up_ms=_mean(warm_up),
    )


def ratio(rounds: Sequence[Sequence[int]], baseline: Sequence[Sequence[int]]) -> Ratio | None:
    """The ratio of the medians of each round, with its interval. The resampling is seeded: the same samples give the same interval. None without rounds."""
    ratios = [statistics.median(round) / max(statistics.median(base), 1) for round, base in zip(rounds, baseline)]
    if not ratios:
        return None
    if len(ratios) < MIN_ROUNDS:
        return Ratio(statistics.median(ratios), None, None, len(ratios))
    generator = random.Random(0)
    medians = sorted(statistics.median(generator.choices(ratios, k=len(ratios))) for _ in range(500))
    return Ratio(statistics.median(ratios), percentile(medians, 2.5), percentile(medians, 97.5), len(ratios))


def judged(speedup: float | None) -> str:
    """ "good" or "bad" where it is one by five percent or more, else ""."""
    return "" if speedup is None or 0.95 <= speedup < 1.05 else "good" if speedup > 1 else "bad"


def _mean(samples: Sequence[float]) -> float:
    return statistics.fmean(samples) if samples else 0.0
