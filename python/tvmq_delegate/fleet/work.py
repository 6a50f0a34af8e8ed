"""The work of boards: jobs, which are plain data, and the one function that does it there."""

from __future__ import annotations

import contextlib
import datetime
import hashlib
import os
import signal
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Union

from .. import accuracy, measure, models, tuning
from ..binding import library
from ..sessions import Worker, WorkerDied
from . import board, proxied, proxied_tune, serve
from .program import Program

KINDS = ("bench", "diff")
SECS = 1.0  # of each contender of a benchmark
PROBE_SECS = 10.0


@dataclass(frozen=True)
class Job:
    """One measurement on one board.

    kind: "bench", "diff" or "tune". model: what to call it. sha256: of its bytes, which travel once to each board. boards: names of those that may do it; any
    of them does. seconds: the limit of the whole measurement. options: the delegate's. For "tune", share and trials: as tune() has them; records: the lines to
    begin with.
    """

    kind: str
    model: str
    sha256: str
    boards: tuple[str, ...]
    seconds: float
    num_threads: int
    options: dict[str, Any]
    share: tuple[int, int] = (0, 1)
    trials: int = 0
    records: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The same for the same measurement: results are told apart by it, the board and the time."""
        told = (self.kind, self.model, self.sha256, self.boards, self.num_threads, sorted(self.options.items()), self.share, self.trials, self.records)
        return hashlib.sha256(repr(told).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Measured:
    """The result of a job. error: why there is none, else "".

    ms: contender -> least time. ratios: contender -> the same over the delegate's. taken, nodes: of the model. elements,
    different: compared with the reference kernels on the board's own runtime. reference_ns: of the reference task before and after. date: ISO 8601,
    by the board's own clock. For "tune", records: the lines that are new; gain: of the whole network, 0 where nothing was kept. busy: why the board is taken to
    have been busy before, by its load; "" where it was not.
    """

    job: Job
    board: str
    date: str
    ms: dict[str, float]
    ratios: dict[str, float]
    taken: int
    nodes: int
    elements: int
    different: int
    reference_ns: tuple[int, int]
    temperature: str
    runtime: str
    error: str
    records: tuple[str, ...] = ()
    gain: float = 0.0
    busy: str = ""

    @property
    def key(self) -> tuple[str, str, str]:
        return self.job.id, self.board, self.date


Network = Union[str, "os.PathLike[str]", "tuple[bytes, str]"]


def opened(network: Network) -> tuple[bytes, str]:
    """The bytes of a model, and what to call it: given as both, as the path of its file, or as the name of a network of the zoo.

    Raises:
      ModelError, OSError: it cannot be read.
    """
    if isinstance(network, tuple):
        return network
    if isinstance(network, str) and models.zoo.knows(network) and not os.path.exists(network):
        return models.zoo.load(network), network
    try:
        source, name = models.opened(network)
        models.ops(source)
    except models.ModelError as error:
        raise models.ModelError(f"{os.fspath(network)}: {error}") from None
    return source, os.path.basename(name)


def jobs(paths: Sequence[Network], boards: Sequence[board.Board], *, kinds: Sequence[str] = KINDS, seconds: float = 120.0,
         num_threads: int = 1, each: bool = True, **options: Any) -> list[tuple[Job, bytes]]:  # fmt: skip
    """Every kind of measurement of every model on each board; without `each`, on whichever of them is free. With each goes the model's bytes.

    Raises:
      ModelError, OSError: a model cannot be read. ValueError: there is no board.
    """
    if not boards:
        raise ValueError("no board to measure on")
    found = []
    for path in paths:
        source, name = opened(path)
        sha256 = hashlib.sha256(source).hexdigest()
        for kind in kinds:
            for names in [(item.name,) for item in boards] if each else [tuple(item.name for item in boards)]:
                given = {option: value for option, value in options.items() if value is not None}
                found.append((Job(kind, name, sha256, names, seconds, num_threads, given), source))
    return found


def perform(job: Job, source: bytes, name: str) -> Measured:
    """Does a job on this board, in a process of its own that is ended when its time is over. Never raises: what went wrong is the result's."""
    about = serve.current()
    program = about.program if about else None
    before = 0 if program else board.reference_ns()
    timed = not program and job.kind != "diff"
    busy = measure.statistic.busy(measure.statistic.load(), library.cpu().count, job.num_threads, ()) if timed else ""
    answer: dict[str, Any] = {}
    error = ""
    if hashlib.sha256(source).hexdigest() != job.sha256:
        error = "the model's bytes are not those that were announced"
    else:
        answer, error = _in_time(job, source, program)
    reference = (before, 0 if program else board.reference_ns())
    date = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds")
    empty: dict[str, Any] = {"ms": {}, "ratios": {}, "taken": 0, "nodes": 0, "elements": 0, "different": 0, "runtime": "", "reference_ns": reference}
    empty["busy"], empty["temperature"] = busy, "" if program else board.temperature()
    found = Measured(job=job, board=name, date=date, error=error, **{**empty, **answer})
    if about and not error:
        about.note(f"{job.kind} of {job.model}, {date[:19]}", found.reference_ns, found.temperature)
    return found


def probe(name: str) -> tuple[int, int]:
    """The reference task alone, twice: whether a board is what it was. Raises what the board's program does wrong."""
    del name
    about = serve.current()
    if about and about.program:
        return about.program.run([], PROBE_SECS).reference_ns
    return board.reference_ns(), board.reference_ns()


def _in_time(job: Job, source: bytes, program: Program | None) -> tuple[dict[str, Any], str]:
    end = time.monotonic() + job.seconds
    try:
        with Worker(f"{job.kind!r} of {job.model}", Desk) as worker:
            try:
                answer, error = worker.call("answer", job, source, program, seconds=end - time.monotonic())
                return answer, error
            except TimeoutError:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(worker.process.pid, signal.SIGKILL)  # with the processes of its contenders
                return {}, f"not finished within {job.seconds:g} seconds"
    except WorkerDied as error:
        return {}, str(error)


class Desk:
    """The object in the process of a job, which leads a group of processes."""

    def __init__(self) -> None:
        os.setpgid(0, 0)

    def answer(self, job: Job, source: bytes, program: Program | None) -> tuple[dict[str, Any], str]:
        """The measurement, and "" or what went wrong."""
        try:
            return (_by_proxy(job, source, program) if program else {"bench": _bench, "diff": _diff, "tune": _tune}[job.kind](job, source)), ""
        except Exception as error:  # whatever it is, the client is to know
            return {}, f"{type(error).__name__}: {error}"


def _by_proxy(job: Job, source: bytes, program: Program) -> dict[str, Any]:
    if job.kind == "tune":
        return proxied_tune.tune(source, program, trials=job.trials, share=job.share, known=job.records, num_threads=job.num_threads, options=job.options,
                                 seconds=job.seconds * 0.9)  # fmt: skip
    return {"bench": proxied.bench, "diff": proxied.diff}[job.kind](source, job.num_threads, job.options, program, job.seconds * 0.9)


def _bench(job: Job, source: bytes) -> dict[str, Any]:
    settings = measure.Settings(num_runs=10, min_secs=SECS, max_secs=job.seconds / 4, warmup_min_secs=SECS / 4)
    found = measure.bench(source, name=job.model, settings=settings, against=["stock"], num_threads=job.num_threads, **job.options)
    summary = found.delegation.summary
    ms = {each.name: each.latency_metrics.min_ms for each in found.results}
    own = ms[found.results[0].name]
    return {
        "ms": ms,
        "ratios": {name: least / own for name, least in ms.items()},
        "taken": summary.claimed,
        "nodes": len(found.delegation.nodes),
        "runtime": found.runtime,
    }


def _diff(job: Job, source: bytes) -> dict[str, Any]:
    found = accuracy.diff(source, name=job.model, num_threads=job.num_threads, **job.options)
    steady = [output.difference for output in found.outputs if output.name not in found.unsteady]
    return {
        "taken": found.taken,
        "nodes": found.nodes,
        "elements": sum(difference.elements for difference in steady),
        "different": sum(difference.different for difference in steady),
        "runtime": found.runtime,
    }


def _tune(job: Job, source: bytes) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "records.jsonl")
        path.write_text("".join(job.records), encoding="utf-8")
        arguments: dict[str, Any] = {"name": job.model, "out": path, "trials": job.trials, "share": job.share, "num_threads": job.num_threads}
        found = tuning.tune(source, seconds=job.seconds / 2, **arguments, **job.options)
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)[len(job.records) :]
    return {"records": tuple(lines), "gain": found.gain if found.kept else 0.0, "nodes": len(found.tasks)}


def identity() -> tuple[str, str, str]:
    """The client's own version, kernels and instruction set, for comparison with those of boards."""
    return library.version(), library.kernels_checksum(), library.cpu().isa
