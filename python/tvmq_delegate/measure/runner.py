"""The work of a contender's process: its interpreter is made, fed, run, clocked and profiled."""

from __future__ import annotations

import bisect
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import models
from ..binding import library, runtimes
from ..sessions import Contender, Session, Worker, check, inputs, shaped
from . import parts, serving
from .counters import Counted, Counters

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Job:
    """The order for one process. source: bytes of a .tflite file. inputs: one array for each input of the model; None: random ones."""

    name: str
    contender: Contender
    source: bytes
    runtime: str
    num_threads: int
    inputs: tuple[NDArray[Any], ...] | None = None

    def worker(self) -> Worker:
        """The process, whose object is a Runner."""
        return Worker(f"contender {self.name!r}", Runner, self, library=self.contender.library)


@dataclass(frozen=True)
class Opened:
    """The cost of making an interpreter. summary: the delegate's, None without one."""

    init_ns: int
    footprint_kb: int
    input_bytes: int
    summary: library.Summary | None


@dataclass(frozen=True)
class Profiled:
    """Runs with the delegate's own clock. runs_ns: start and end of each, of time.monotonic_ns(). buffers: of the delegate's arena. parts: of estimates,
    by nodes of the main subgraph. counted: of each run, empty unless asked for; not_counted: what could not be, and why."""

    nodes: tuple[library.NodeProfile, ...]
    spans: tuple[library.Span, ...]
    runs_ns: tuple[tuple[int, int], ...]
    threads: int
    buffers: tuple[library.Buffer, ...]
    parts: Mapping[int, Mapping[str, float]] = field(default_factory=dict)
    counted: tuple[Counted, ...] = ()
    not_counted: Mapping[str, str] = field(default_factory=dict)

    def traced(self) -> tuple[list[tuple[int, int]], list[library.Span]]:
        """The last inferences, those of which the delegate has kept every node, and all spans from the first of them on."""
        nodes = sorted(span.start_ns for span in self.spans if span.task < 0)
        counts = [bisect.bisect(nodes, end) - bisect.bisect(nodes, start) for start, end in self.runs_ns]
        most = max(counts, default=0)
        runs = [run for run, count in zip(self.runs_ns, counts) if count == most]
        origin = min((start for start, _ in runs), default=0)
        return runs, [span for span in self.spans if span.start_ns >= origin]


@dataclass(frozen=True)
class Limits:
    """When to stop: goes on while fewer than `runs` ran or less than min_secs passed, but never after max_secs."""

    runs: int
    min_secs: float
    max_secs: float

    def allow(self, runs: int, seconds: float) -> bool:
        return (runs < self.runs or seconds < self.min_secs) and seconds <= self.max_secs

    def after(self, runs: int, seconds: float) -> Limits:
        """The limits that remain after so many runs and seconds."""
        return Limits(self.runs - runs, self.min_secs - seconds, self.max_secs - seconds)


class Runner:
    """The methods that a Worker may call, in the process of the contender."""

    def __init__(self, job: Job):
        self.job = job
        self.runtime = runtimes.find(job.runtime)
        self.inputs = list(job.inputs) if job.inputs is not None else self._random(job.source)
        self.footprint_kb = 0
        self.session: Session | None = None

    def open(self) -> Opened:
        """Makes the interpreter, feeds it."""
        if self.job.contender.delegated:
            library.version()  # parses the headers, which is none of the contender's time and memory
        self.footprint_kb = _status_kb("VmRSS")
        start = time.perf_counter_ns()
        self.session = self._open(self.job.contender)
        init_ns = time.perf_counter_ns() - start
        footprint_kb = _status_kb("VmRSS") - self.footprint_kb
        check(self.job.source, [self.session])
        self.session.feed(self.inputs)
        summary = library.report(self.session.delegate).summary if self.session.delegate else None
        return Opened(init_ns, footprint_kb, sum(values.nbytes for values in self.inputs), summary)

    def run(self, limits: Limits, delay: float, slice_secs: float, settle: bool) -> tuple[list[int], float]:
        """Nanoseconds of each run, and the seconds that all took. Stops after slice_secs at the latest. settle: a first run that does not count."""
        assert self.session
        invoke, clock = self.session.invoke, time.perf_counter_ns
        if settle:
            invoke()
        runs: list[int] = []
        begin = clock()
        seconds = 0.0
        while limits.allow(len(runs), seconds) and (not runs or seconds < slice_secs):
            start = clock()
            invoke()
            runs.append(clock() - start)
            if delay > 0:
                time.sleep(delay)
            seconds = (clock() - begin) / 1e9
        return runs, seconds

    def memory(self) -> tuple[int, float]:
        """Growth since before the interpreter was made, in KiB, and the process's peak in MiB."""
        return _status_kb("VmRSS") - self.footprint_kb, _status_kb("VmHWM") / 1024

    def profile(self, limits: Limits, count: bool) -> Profiled:
        """Runs another interpreter whose delegate keeps the time of its nodes, after some runs that warm it up. count: also what the system does meanwhile."""
        contender = Contender(self.job.contender.name, self.job.contender.rest, {**self.job.contender.options, "profile": True})
        session = self._open(contender)
        session.feed(self.inputs)
        for _ in range(3):
            session.invoke()
        delegate = session.delegate
        assert delegate  # whoever profiles, profiles the delegate
        library.profile(delegate, reset=True)
        runs: list[tuple[int, int]] = []
        counted: list[Counted] = []
        counters = Counters() if count else None
        begin = time.monotonic()
        while limits.allow(len(runs), time.monotonic() - begin):
            before = counters.read() if counters else {}
            start = time.monotonic_ns()
            session.invoke()
            runs.append((start, time.monotonic_ns()))
            counted += [counters.between(before, counters.read())] if counters else []
        if counters:
            counters.close()
        report = library.report(delegate)
        clocked = tuple(library.profile(delegate)), tuple(library.spans(delegate)), tuple(runs), report.summary.threads, tuple(library.buffers(delegate))
        shares = {report.nodes[index].node: each for index, each in parts.parts(delegate).items() if report.nodes[index].subgraph == 0}
        return Profiled(*clocked, shares, tuple(counted), counters.missing if counters else {})

    def serve(self, streams: int, rate: float, secs: float) -> serving.Served:
        """Further interpreters, as many as there are streams, at the same time."""

        def start() -> serving.Start:
            begin = time.perf_counter_ns()
            session = self._open(self.job.contender)
            session.feed(self.inputs)
            session.invoke()
            return (time.perf_counter_ns() - begin) / 1e6, session.invoke

        return serving.serve(start, streams, rate, secs)

    def peak(self) -> library.Peak:
        assert self.session and self.session.delegate
        return library.peak(self.session.delegate)

    def open_ops(self, indices: Sequence[int]) -> None:
        """From now on run() runs operators of the main subgraph, as a model of their own, on random input."""
        source = models.cut(shaped(self.job.source, self.runtime), indices)
        self.session = self.job.contender.open(source, self.runtime, num_threads=self.job.num_threads)
        check(source, [self.session])
        self.session.feed(self._random(source))

    def _open(self, contender: Contender) -> Session:
        return contender.open(self.job.source, self.runtime, num_threads=self.job.num_threads)

    def _random(self, source: bytes) -> list[NDArray[Any]]:
        (sample,) = inputs.random(inputs.describe(source, self.runtime))
        return sample.load()


def _status_kb(field: str) -> int:
    """A line of /proc/self/status in KiB; 0 where there is none."""
    try:
        lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith(f"{field}:")), 0)
