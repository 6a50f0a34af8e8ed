"""How fast a model runs, and where the time goes: the data behind `tvmq bench`.

    from tvmq_delegate import bench
    found = bench.bench("model.tflite", against=["stock"], op_profiling=True)
    print(found.results[0].latency_metrics.median_ms, found.results[1].ratio)

Flags, defaults and stopping rule are benchmark_model's. Each contender runs in a process of its own; they alternate in short rounds, so that whatever slows the
machine down slows down all of them.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import os
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any

from . import library, machine, metrics, model, op_profile
from . import runtime as _runtime
from .contenders import DELEGATE, Contender
from .nodes import Delegation, nodes
from .worker import Job, Limits, Opened, Profiled, Worker, WorkerDied

if TYPE_CHECKING:
    import numpy as np

SLICE_SECS = 0.05  # of a round: long against the switch of contenders, short against whatever disturbs the machine
OP_SECS, OP_ROUNDS = 0.004, 3  # that an operator runs alone, in each of so many rounds
Progress = Callable[[float, str], None]  # the fraction of a phase that is done, and the phase


@dataclass(frozen=True)
class Settings:
    """benchmark_model's: runs go on while (runs < num_runs or time < min_secs) and time <= max_secs. run_delay: seconds of rest after each, if positive."""

    num_runs: int = 50
    min_secs: float = 1.0
    max_secs: float = 150.0
    warmup_runs: int = 1
    warmup_min_secs: float = 0.5
    run_delay: float = -1.0
    dry_run: bool = False

    def __post_init__(self) -> None:
        if self.num_runs < 0 or self.warmup_runs < 0:
            raise ValueError("num_runs and warmup_runs are numbers of runs: 0 or more")

    @property
    def limits(self) -> Limits:
        return Limits(0, -1, self.max_secs) if self.dry_run else Limits(self.num_runs, self.min_secs, self.max_secs)

    @property
    def warm_up_limits(self) -> Limits:
        return Limits(0, -1, self.max_secs) if self.dry_run else Limits(self.warmup_runs, self.warmup_min_secs, self.max_secs)


DEFAULTS = Settings()


@dataclass(frozen=True)
class Benchmark:
    """All of a benchmark. results: the delegate first, or the sweep's values in order. What follows `delegation` is empty or None without op profiling."""

    model: str
    runtime: str
    num_threads: int
    options: Mapping[str, Any]
    settings: Settings
    machine: machine.Machine
    results: tuple[metrics.BenchmarkResult, ...]
    delegation: Delegation
    op_profile: tuple[op_profile.OpProfileData, ...] = ()
    reconciliation: op_profile.Reconciliation | None = None
    peak: library.Peak | None = None
    profiled: Profiled | None = None

    @property
    def against(self) -> tuple[str, ...]:
        """The contenders that each node was measured under, beside the delegate."""
        return tuple(name for name in dict.fromkeys(name for op in self.op_profile for name in op.alone_us) if name != DELEGATE)


def bench(
    source: model.ModelSource,
    *,
    runtime: str | ModuleType | None = None,
    name: str | None = None,
    settings: Settings = DEFAULTS,
    against: Sequence[str] = (),
    sweep: tuple[str, Sequence[str]] | None = None,
    op_profiling: bool = False,
    inputs: Sequence[np.ndarray] | None = None,
    num_threads: int = 1,
    progress: Progress = lambda fraction, what: None,
    **options: Any,
) -> Benchmark:
    """Measures the delegate on a model, beside other contenders if asked.

    Args:
      source: the bytes of a .tflite file, or its path.
      runtime: as for load().
      name: what to call the model; the path, where there is one, if None.
      settings: how long.
      against: other contenders: "stock", "builtin", "reference".
      sweep: an option of the delegate, and the values that it takes in turn; these are the contenders then.
      op_profiling: measure every node too.
      inputs: one array for each input of the model; random ones if None.
      num_threads: of each interpreter, which the delegate goes by.
      progress: called now and then.
      **options: the delegate's, as for load().

    Raises:
      ModelError, OSError: the model cannot be read. ValueError, ImportError, RuntimeError: as load() and the runtime; WorkerDied if a contender's process dies.
    """
    if isinstance(source, (str, os.PathLike)):
        name = name or os.fspath(source)
        with open(source, "rb") as stream:
            source = stream.read()
    source = bytes(source)
    module = _runtime.find(runtime)
    arrays = tuple(inputs) if inputs is not None else None
    jobs = [
        Job(label, contender, source, _runtime.name(module), int(contender.options.get("num_threads") or num_threads), arrays)
        for label, contender in _entries(options, against, sweep).items()
    ]
    delegations = [
        nodes(source, runtime=module, name=name, **{"num_threads": job.num_threads, **job.contender.options}) for job in jobs if job.contender.delegated
    ]
    with contextlib.ExitStack() as stack:
        workers = [stack.enter_context(Worker(job)) for job in jobs]
        progress(0.0, "opening the model")
        opened = [worker.call("open") for worker in workers]
        warm_up, _ = _alternate(workers, settings.warm_up_limits, -1.0, progress, "warming up", first_counts=True)
        runs, rounds = _alternate(workers, settings.limits, settings.run_delay, progress, "running")
        results = tuple(
            _result(worker, job, each, len(source), warm_up[i], runs[i], metrics.ratio(rounds[i], rounds[0]) if i else None)
            for i, (worker, job, each) in enumerate(zip(workers, jobs, opened))
        )
        profiled = peak = None
        if op_profiling and not settings.dry_run:
            progress(0.0, "profiling")
            profiled = workers[0].call("profile", settings.limits)
            peak = workers[0].call("peak")
    found = Benchmark(name or "", _runtime.name(module), jobs[0].num_threads, options, settings, machine.describe(), results, delegations[0])
    if profiled is None:
        return found
    ops = model.ops(source)
    unlimited = {**jobs[0].contender.options, "min_nodes_per_partition": 1, "max_delegated_partitions": 0}
    first = dataclasses.replace(jobs[0], name=DELEGATE, contender=Contender(DELEGATE, options=unlimited))
    others = jobs[1:] if against else [dataclasses.replace(first, name="stock", contender=Contender("stock"))]
    rows = op_profile.collect(found.delegation, ops, profiled, _time_ops([first, *others], ops, progress), peak)
    reconciliation = op_profile.reconcile(rows, profiled)
    return dataclasses.replace(found, op_profile=rows, reconciliation=reconciliation, peak=peak, profiled=profiled)


def _entries(options: Mapping[str, Any], against: Sequence[str], sweep: tuple[str, Sequence[str]] | None) -> dict[str, Contender]:
    if sweep is None:
        return {DELEGATE: Contender(DELEGATE, options=options), **{name: Contender(name) for name in against if name != DELEGATE}}
    if against:
        raise ValueError("a sweep sets the delegate against itself: without other contenders")
    option, values = sweep
    if not values:
        raise ValueError(f"no values to sweep {option!r} over")
    return {f"{option}={value}": Contender(DELEGATE, options={**options, option: value}) for value in values}


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
            samples, spent = worker.call("run", left, delay, SLICE_SECS, settle)
            runs[i] += samples
            rounds[i].append(samples)
            seconds[i] += spent
    raise AssertionError


def _part(limits: Limits, runs: int, seconds: float) -> float:
    parts = [runs / limits.runs if limits.runs > 0 else 1.0, seconds / limits.min_secs if limits.min_secs > 0 else 1.0]
    return max(min(parts), seconds / limits.max_secs if limits.max_secs > 0 else 1.0)


def _result(
    worker: Worker, job: Job, opened: Opened, model_bytes: int, warm_up: Sequence[int], runs: Sequence[int], ratio: metrics.Ratio | None
) -> metrics.BenchmarkResult:
    overall_kb, peak_mb = worker.call("memory")
    latency = metrics.latency(runs, warm_up, opened.init_ns)
    summary = opened.summary
    sizes = (summary.packed_bytes, summary.scratch_bytes, summary.arena_bytes) if summary else (0, 0, 0)
    throughput = opened.input_bytes / 1e6 / (latency.avg_ms / 1e3) if latency.avg_ms else 0.0
    misc = metrics.MiscMetrics(model_bytes / 1e6, len(runs), len(warm_up), throughput)
    return metrics.BenchmarkResult(job.name, latency, metrics.MemoryMetrics(opened.footprint_kb, overall_kb, peak_mb, *sizes), misc, ratio)


def _time_ops(jobs: Sequence[Job], ops: Sequence[model.Op], progress: Progress) -> dict[str, dict[int, float]]:
    """Contender -> index -> median microseconds of each operator of the main subgraph alone."""
    times: dict[str, dict[int, float]] = {job.name: {} for job in jobs}
    main = [op for op in ops if op.subgraph == 0]
    with contextlib.ExitStack() as stack:
        workers = [stack.enter_context(Worker(job)) for job in jobs]
        for n, op in enumerate(main):
            progress(n / len(main), "each operator alone")
            for job, runs in zip(jobs, _time_op(op.index, workers, lambda job: stack.enter_context(Worker(job)))):
                if runs:
                    times[job.name][op.index] = statistics.median(runs) / 1e3
    return times


def _time_op(index: int, workers: list[Worker], restart: Callable[[Job], Worker]) -> list[list[int]]:
    """Nanoseconds of an operator under each contender, in turn. None where the runtime refuses it, or where it ends the process, which is then restarted."""
    runs: list[list[int]] = [[] for _ in workers]
    able = list(range(len(workers)))
    for method, arguments in [("open_op", (index,)), *[("run", (Limits(3, OP_SECS, 1.0), -1.0, OP_SECS, True))] * OP_ROUNDS]:
        for i in list(able):
            try:
                answer = workers[i].call(method, *arguments)
            except (RuntimeError, ValueError) as error:
                able.remove(i)
                runs[i].clear()
                if isinstance(error, WorkerDied):
                    workers[i] = restart(workers[i].job)
                continue
            if method == "run":
                runs[i] += answer[0]
    return runs
