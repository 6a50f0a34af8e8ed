"""Results of a benchmark for one contender, by the names of benchmark_model's BenchmarkResult; statistics of samples; ratios of noisy times."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import statistic

if TYPE_CHECKING:
    from numpy.typing import NDArray

RESAMPLES = 500
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

    def of(self, leading: str) -> float:
        """The statistic that leads."""
        return self.min_ms if leading == statistic.LEAST else self.median_ms


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

    value: of the statistic that leads, over all runs of each. low, high: it lies between them with 95 % confidence (bootstrap of the rounds); None where the
    rounds are too few for that.
    """

    value: float
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


def ratio(rounds: Sequence[Sequence[int]], baseline: Sequence[Sequence[int]], leading: str = statistic.MEDIAN) -> Ratio | None:
    """The ratio of a statistic of all runs, with its interval. The resampling is seeded: the same samples give the same interval. None without rounds."""
    if not rounds:
        return None
    value = _over(statistic.of(leading, [ns for each in rounds for ns in each]), statistic.of(leading, [ns for each in baseline for ns in each]))
    if len(rounds) < MIN_ROUNDS:
        return Ratio(value, None, None, len(rounds))
    import numpy as np

    drawn = np.random.default_rng(0).integers(0, len(rounds), (RESAMPLES, len(rounds)))
    weights = np.array([np.bincount(each, minlength=len(rounds)) for each in drawn])
    ratios = sorted(map(_over, _resampled(rounds, weights, leading), _resampled(baseline, weights, leading)))
    return Ratio(value, percentile(ratios, 2.5), percentile(ratios, 97.5), len(rounds))


def _over(time: float, base: float) -> float:
    return time / max(base, 1)


def _resampled(rounds: Sequence[Sequence[int]], weights: NDArray[Any], leading: str) -> list[float]:
    """The statistic of all runs, for each row of weights, which say how often each round counts."""
    import numpy as np

    samples = np.array([ns for each in rounds for ns in each])
    order = np.argsort(samples, kind="stable")
    samples, owners = samples[order], np.repeat(np.arange(len(rounds)), [len(each) for each in rounds])[order]
    found = []
    for row in weights:
        counted = np.cumsum(row[owners])
        place = 1 if leading == statistic.LEAST else (counted[-1] + 1) // 2
        found.append(float(samples[np.searchsorted(counted, place)]))
    return found


def judged(speedup: float | None) -> str:
    """ "good" or "bad" where it is one by five percent or more, else ""."""
    return "" if speedup is None or 0.95 <= speedup < 1.05 else "good" if speedup > 1 else "bad"


def _mean(samples: Sequence[float]) -> float:
    return statistics.fmean(samples) if samples else 0.0
