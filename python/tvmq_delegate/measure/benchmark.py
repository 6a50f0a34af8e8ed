"""How fast a model runs, and where the time goes: the data behind `tvmq bench`.

    found = tvmq_delegate.bench("model.tflite", against=["stock"], op_profiling=True)
    print(found.results[0].latency_metrics.median_ms, found.results[1].ratio)

Flags, defaults and stopping rule are benchmark_model's. Each contender runs in a process of its own; they alternate in short rounds, so that whatever slows the
machine down slows down all of them.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import TYPE_CHECKING, Any

from .. import models
from ..binding import Shown, Threads, ToolOptions, interpreter_threads, library, runtimes, shared_threads
from ..sessions import DELEGATE, Contender, Delegation, Worker, nodes, run_alone, takes_options
from . import machine, metrics, op_times, serving, statistic
from .op_profile import OpProfileData, Reconciliation, collect, reconcile
from .runner import Job, Limits, Opened, Profiled
from .serving import Serving

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Unpack

SLICE_SECS = 0.05  # of a round: long against the switch of contenders, short against whatever disturbs the machine
MAX_STREAMS = 256
Progress = Callable[[float, str], None]  # the fraction of a phase that is done, and the phase


@dataclass(frozen=True)
class Settings:
    """benchmark_model's: runs go on while (runs < num_runs or time < min_secs) and time <= max_secs. run_delay: seconds of rest after each, if positive.

    streams: so many interpreters run at the same time afterwards, for min_secs; 0: none do. rate: requests for each second that they share; 0: back to back.
    """

    num_runs: int = 50
    min_secs: float = 1.0
    max_secs: float = 150.0
    warmup_runs: int = 1
    warmup_min_secs: float = 0.5
    run_delay: float = -1.0
    dry_run: bool = False
    streams: int = 0
    rate: float = 0.0

    def __post_init__(self) -> None:
        if self.num_runs < 0 or self.warmup_runs < 0:
            raise ValueError("num_runs and warmup_runs are numbers of runs: 0 or more")
        if not all(seconds >= 0 for seconds in (self.min_secs, self.max_secs, self.warmup_min_secs)) or math.isnan(self.run_delay):
            raise ValueError("min_secs, max_secs and warmup_min_secs are seconds, 0 or more, and run_delay is seconds")
        if not 0 <= self.streams <= MAX_STREAMS or not 0 <= self.rate <= 1e6:
            raise ValueError(f"streams is 0 to {MAX_STREAMS}, rate 0 to a million requests a second")
        if self.rate and not self.streams:
            raise ValueError("a rate needs streams, the number of interpreters that share it")

    @property
    def limits(self) -> Limits:
        return Limits(0, -1, self.max_secs) if self.dry_run else Limits(self.num_runs, self.min_secs, self.max_secs)

    @property
    def warm_up_limits(self) -> Limits:
        return Limits(0, -1, self.max_secs) if self.dry_run else Limits(self.warmup_runs, self.warmup_min_secs, self.max_secs)


DEFAULTS = Settings()


@dataclass(frozen=True)
class Benchmark(Shown):
    """All of a benchmark.

    options: the delegate's, as far as given. results: the delegate first, or the sweep's values in order. What follows `delegation` is empty or None without op
    profiling; profiled: what a trace is made of. serving: one for each of the results, if there were streams.
    model_sha256: of the file's bytes, which tell models of one name apart. absent: contenders that cannot run the model, and why. busy: why the machine is
    taken to be busy, so that the least times lead instead of the medians; "" where it is not.
    """

    model: str
    runtime: str
    num_threads: int
    options: Mapping[str, Any]
    settings: Settings
    machine: machine.Machine
    results: tuple[metrics.BenchmarkResult, ...]
    delegation: Delegation
    op_profile: tuple[OpProfileData, ...] = ()
    reconciliation: Reconciliation | None = None
    peak: library.Peak | None = None
    profiled: Profiled | None = None
    model_sha256: str = ""
    serving: tuple[Serving, ...] = ()
    absent: Mapping[str, str] = field(default_factory=dict)
    busy: str = ""

    @property
    def leading(self) -> str:
        """The statistic of the times and ratios that are shown first: "median", or "min" on a busy machine."""
        return statistic.leading(self.busy)

    @property
    def against(self) -> tuple[str, ...]:
        """The contenders that each node was measured under, beside the delegate."""
        return tuple(name for name in dict.fromkeys(name for op in self.op_profile for name in op.alone_us) if name != DELEGATE)

    @property
    def gmacs_per_second(self) -> float:
        """Speed of all the delegate's nodes together; 0 without op profiling, and where there are none."""
        spent_us = self.reconciliation.claimed_us if self.reconciliation else 0.0
        return sum(op.macs for op in self.op_profile if op.claimed) / spent_us / 1e3 if spent_us else 0.0

    @property
    def share_of_peak(self) -> float:
        """Share of the fastest kernel's speed on this machine; 0 where that was not measured."""
        return self.gmacs_per_second * 1e9 / self.peak.macs_per_second if self.peak else 0.0


@takes_options
def bench(
    source: models.ModelSource,
    *,
    runtime: str | ModuleType | None = None,
    name: str | None = None,
    settings: Settings = DEFAULTS,
    against: Sequence[str] = (),
    sweep: tuple[str, Sequence[str]] | None = None,
    rest: str = "stock",
    op_profiling: bool = False,
    counters: bool = False,
    inputs: Sequence[NDArray[Any]] | None = None,
    num_threads: Threads = 1,
    progress: Progress = lambda fraction, what: None,
    **options: Unpack[ToolOptions],
) -> Benchmark:
    """Measures the delegate on a model, beside other contenders if asked.

    Args:
      source: the bytes of a .tflite file, or its path.
      runtime: as for load().
      name: what to call the model; the path, where there is one, if None.
      settings: how long, such as tvmq_delegate.Settings(min_secs=0.2).
      against: other contenders: "stock", "builtin", "reference", "network", or the path of a compiled network or of another build of the delegate's library.
      sweep: an option of the delegate, and the values that it takes in turn; these are the contenders then.
      rest: which kernels run the nodes that the delegate leaves to the runtime, as Contender's.
      op_profiling: measure every node too; a compiled network, which runs as a whole, has no part in that.
      counters: with op_profiling, also count for each inference what the system does: scheduling, page faults, and hardware events where perf allows.
      inputs: one array for each input of the model; random ones if None.
      num_threads: of each interpreter, which the delegate goes by. "auto": the delegate's option, and for others the most threads that it uses.
      progress: called now and then.
      **options: the delegate's, as for load().

    Raises:
      ModelError, OSError: the model cannot be read.
      ValueError, ImportError, RuntimeError: as load() and the runtime; WorkerDied if a contender's process dies.
    """
    if isinstance(against, str):
        raise ValueError(f"against is a sequence of names, not {against!r}")
    source, name = models.opened(source, name)
    threads, own = shared_threads(num_threads)
    given: dict[str, Any] = {**{option: value for option, value in options.items() if value is not None}, **own}
    module = runtimes.find(runtime)
    entries = _entries(given, against, sweep, rest)
    delegations = [  # the library checks the options
        nodes(source, runtime=module, name=name, **{"num_threads": threads, **contender.options})
        for contender in entries.values()
        if contender.name == DELEGATE and not contender.library
    ]
    arrays = tuple(inputs) if inputs is not None else None
    sha256 = hashlib.sha256(source).hexdigest()
    jobs = [
        Job(label, contender, source, runtimes.name(module), interpreter_threads(contender.options.get("num_threads", threads)), arrays)
        for label, contender in entries.items()
    ]
    load = statistic.load()  # that of others, before any of this one's
    (rounds, served, profiled, peak), absent = _measure(jobs, settings, _Profiling(op_profiling and not settings.dry_run, counters), progress)
    described = dataclasses.replace(machine.describe(), load=load)
    busy = statistic.busy(load, described.count, max(job.num_threads for job in jobs), map(_spread, rounds))
    results = tuple(
        dataclasses.replace(each, ratio=metrics.ratio(runs, rounds[0][1], statistic.leading(busy)) if n else None) for n, (each, runs) in enumerate(rounds)
    )
    about = (name, runtimes.name(module), jobs[0].num_threads, given, settings, described)
    found = Benchmark(*about, results, delegations[0], model_sha256=sha256, serving=served, absent=absent, busy=busy)
    if profiled is None:
        return found
    unlimited = {**jobs[0].contender.options, "min_nodes_per_partition": 1, "max_delegated_partitions": 0}
    first = dataclasses.replace(jobs[0], name=DELEGATE, contender=Contender(DELEGATE, rest, unlimited))
    parts = [job for job in jobs[1:] if not job.contender.compiled]  # which cannot run a node alone
    others = parts if against else [dataclasses.replace(first, name="stock", contender=Contender("stock"))]
    ops = models.ops(source)
    alone = op_times.time_ops([first, *others], run_alone(ops, found.delegation.nodes), lambda part: progress(part, "each node alone"))
    rows = collect(found.delegation, ops, profiled, alone, peak, found.leading)
    return dataclasses.replace(found, op_profile=rows, reconciliation=reconcile(rows, profiled), peak=peak, profiled=profiled)


_Ran = tuple[metrics.BenchmarkResult, "list[list[int]]"]  # a contender, whose ratio is not known yet, and its runs by rounds
_Measured = tuple[tuple[_Ran, ...], tuple[Serving, ...], "Profiled | None", "library.Peak | None"]


@dataclass(frozen=True)
class _Profiling:
    """Whether nodes are measured, and whether the system's counters are read for each inference."""

    wanted: bool
    counters: bool


class _Failed(Exception):
    """A contender cannot make an interpreter of the model, or that cannot run it: some runtimes prepare a part when they run it first."""

    def __init__(self, contender: int, error: RuntimeError):
        super().__init__(contender, error)
        self.contender, self.error = contender, error


def _measure(jobs: Sequence[Job], settings: Settings, profile: _Profiling, progress: Progress) -> tuple[_Measured, dict[str, str]]:
    """All contenders, but for those that cannot run the model, and why they cannot. The first one must."""
    absent: dict[str, str] = {}
    while True:
        left = [job for job in jobs if job.name not in absent]
        try:
            return _measure_all(left, settings, profile, progress), absent
        except _Failed as failed:
            if failed.contender == 0:
                raise failed.error from None
            absent[left[failed.contender].name] = str(failed.error)


def _measure_all(jobs: Sequence[Job], settings: Settings, profile: _Profiling, progress: Progress) -> _Measured:
    """All contenders in turn; then the streams of each, the first one's nodes and what the machine gives."""
    with contextlib.ExitStack() as stack:
        progress(0.0, "opening the model")
        opened: list[tuple[Job, Worker, Opened]] = []
        for n, job in enumerate(jobs):
            worker = stack.enter_context(job.worker())
            try:
                opened.append((job, worker, worker.call("open")))
            except RuntimeError as error:
                raise _Failed(n, error) from error
        workers = [worker for _, worker, _ in opened]
        warm_up, _ = _alternate(workers, settings.warm_up_limits, -1.0, progress, "warming up", first_counts=True)
        runs, rounds = _alternate(workers, settings.limits, settings.run_delay, progress, "running")
        results = [_result(*one, before, times) for one, before, times in zip(opened, warm_up, runs)]
        ran = tuple(zip(results, rounds))
        served = tuple(_served(worker, result, settings, progress) for worker, result in zip(workers, results)) if settings.streams else ()
        if not profile.wanted:
            return ran, served, None, None
        progress(0.0, "profiling")
        return ran, served, workers[0].call("profile", settings.limits, profile.counters), workers[0].call("peak")


def _served(worker: Worker, result: metrics.BenchmarkResult, settings: Settings, progress: Progress) -> Serving:
    """The first interpreter of the process was made before."""
    progress(0.0, f"{settings.streams} streams of {result.name}")
    streams, rate = settings.streams, settings.rate
    served = worker.call("serve", streams, rate, 0.0 if settings.dry_run else settings.min_secs)
    return serving.summary(result.name, streams, rate, served, result.latency_metrics.init_ms + result.latency_metrics.first_inference_ms)


def _entries(options: Mapping[str, Any], against: Sequence[str], sweep: tuple[str, Sequence[str]] | None, rest: str) -> dict[str, Contender]:
    if sweep is None:
        if DELEGATE in against:
            raise ValueError(f"{DELEGATE} is what the others are set against; the delegate with other options is a sweep")
        return {DELEGATE: Contender(DELEGATE, rest, options), **{name: Contender.named(name, rest, options) for name in against}}
    if against:
        raise ValueError("a sweep sets the delegate against itself: without other contenders")
    option, values = sweep
    if not values:
        raise ValueError(f"no values to sweep {option!r} over")
    return {f"{option}={value}": Contender(DELEGATE, rest, {**options, option: value}) for value in values}


def _alternate(
    workers: Sequence[Worker], limits: Limits, delay: float, progress: Progress, what: str, first_counts: bool = False
) -> tuple[list[list[int]], list[list[list[int]]]]:
    """Runs of each worker, and the same by rounds. A worker whose limits are reached still runs in every round, so that all rounds are complete.

    Where there are others, a worker finds the caches full of theirs: the first run of its round does not count (but that of the first round, if first_counts).
    """
    runs: list[list[int]] = [[] for _ in workers]
    rounds: list[list[list[int]]] = [[] for _ in workers]
    seconds = [0.0] * len(workers)
    for n in itertools.count():
        counts = [len(each) for each in runs]
        if not any(limits.allow(count, spent) for count, spent in zip(counts, seconds)):
            return runs, rounds
        progress(min(1.0, min(_part(limits, count, spent) for count, spent in zip(counts, seconds))), what)
        for i, worker in enumerate(workers):
            left = limits.after(counts[i], seconds[i])
            if not left.allow(0, 0.0):
                left = Limits(1, 0.0, float("inf"))
            settle = len(workers) > 1 and not (first_counts and n == 0)
            try:
                samples, spent = worker.call("run", left, delay, SLICE_SECS, settle)
            except RuntimeError as error:
                raise _Failed(i, error) from error
            runs[i] += samples
            rounds[i].append(samples)
            seconds[i] += spent
    raise AssertionError


def _part(limits: Limits, runs: int, seconds: float) -> float:
    parts = [runs / limits.runs if limits.runs > 0 else 1.0, seconds / limits.min_secs if limits.min_secs > 0 else 1.0]
    return max(min(parts), seconds / limits.max_secs if limits.max_secs > 0 else 1.0)


def _result(job: Job, worker: Worker, opened: Opened, warm_up: Sequence[int], runs: Sequence[int]) -> metrics.BenchmarkResult:
    overall_kb, peak_mb = worker.call("memory")
    latency = metrics.latency(runs, warm_up, opened.init_ns)
    summary = opened.summary
    sizes = (summary.packed_bytes, summary.scratch_bytes, summary.arena_bytes) if summary else (0, 0, 0)
    throughput = opened.input_bytes / 1e6 / (latency.avg_ms / 1e3) if latency.avg_ms else 0.0
    misc = metrics.MiscMetrics(len(job.source) / 1e6, len(runs), len(warm_up), throughput)
    return metrics.BenchmarkResult(job.name, latency, metrics.MemoryMetrics(opened.footprint_kb, overall_kb, peak_mb, *sizes), misc, None)


def _spread(ran: _Ran) -> tuple[str, int, float, float, float]:
    """As statistic.busy() takes it."""
    result, _ = ran
    times = result.latency_metrics
    return result.name, result.misc_metrics.num_runs, times.p25_ms, times.median_ms, times.p75_ms
