"""The client's side: boards of a scheduler, and jobs that run on them, with the faults of both."""

from __future__ import annotations

import collections
import contextlib
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import dask.config
from distributed import Client, Future, LocalCluster, Security
from distributed.scheduler import KilledWorker

from . import board, serve, work
from .certificates import checked

ATTEMPTS = 3  # at a job, each on another board where there is one
GRACE_SECS = 15.0
SPREAD = 1.3  # a reference task that takes so much longer than the board's fastest: it is hot, throttled, or busy
STRIKES = 2  # suspicious measurements in a row, after which a board gets no more
Perform = Callable[[work.Job, bytes, str], work.Measured]


@dataclass(frozen=True)
class Outcome:
    """A job that has ended, well or not. measured: None where every attempt failed. suspect: why the figures are not to be trusted, else "".

    attempts: boards and what went wrong there, of those that failed before.
    """

    job: work.Job
    measured: work.Measured | None
    suspect: str
    attempts: tuple[tuple[str, str], ...]


class Boards:
    """The boards of a scheduler. Use it as a context manager.

    grace_secs: beyond a job's own limit, after which its board is taken to hang; and how long a job waits for a board that is not there.
    """

    def __init__(self, client: Client, grace_secs: float = GRACE_SECS):
        self.client = client
        self.grace_secs = grace_secs
        self._fastest: dict[str, int] = {}
        self._strikes: collections.Counter[str] = collections.Counter()
        self.quarantined: dict[str, str] = {}  # name -> why

    def __enter__(self) -> Boards:
        return self

    def __exit__(self, *_: object) -> None:
        self.client.close()

    def listed(self) -> list[board.Board]:
        """All boards that answer, by name. Other workers of the scheduler are none."""
        found = self.client.run(serve.described, on_error="ignore")
        return sorted((item for item in found.values() if isinstance(item, board.Board)), key=lambda item: item.name)

    def select(self, wanted: str = "") -> list[board.Board]:
        """Boards that `wanted` describes (see matching()), and that are not in quarantine.

        Raises:
          ValueError: there is none, and which there are.
        """
        there = self.listed()
        found = [item for item in board.matching(there, wanted) if item.name not in self.quarantined]
        if not found:
            names = ", ".join(f"{item.name} ({item.cpu})" for item in there) or "none at all"
            raise ValueError(f"no board matches {wanted!r}; there are: {names}" if wanted else "no board is connected")
        return found

    def queue(self) -> dict[str, int]:
        """Tasks that each worker's address has before it."""
        return {address: len(keys) for address, keys in self.client.processing().items()}

    def run(self, todo: Iterable[tuple[work.Job, bytes]], perform: Perform = work.perform) -> Iterator[Outcome]:
        """Runs jobs, and gives each one's outcome as it ends: exactly one for each job, in no order.

        At most one job is under way for each board that may do it, so that whichever board is free takes the next. A job whose board dies, hangs or is not to
        be trusted goes to another of its boards.
        """
        state = _Run(self, perform, [_Attempt(job, source) for job, source in todo])
        try:
            while state.waiting or state.under_way:
                state.submit()
                yield from state.collect()
        finally:
            self.client.cancel([*state.under_way], force=True)

    def suspicion(self, measured: work.Measured) -> str:
        """Why a measurement is not to be trusted, ""; what is learnt of the board is kept."""
        name, least, most = measured.board, min(measured.reference_ns), max(measured.reference_ns)
        fastest = self._fastest[name] = min(self._fastest.get(name, least), least)
        if most <= SPREAD * fastest:
            self._strikes[name] = 0
            return ""
        self._strikes[name] += 1
        why = f"the reference task took {most / fastest:.2f}x its fastest time on {name}" + (f", at {measured.temperature}" if measured.temperature else "")
        if self._strikes[name] >= STRIKES:
            self.quarantined[name] = why
        return why


@dataclass(frozen=True)
class _Attempt:
    job: work.Job
    source: bytes
    failures: tuple[tuple[str, str], ...] = ()
    not_before: float = 0.0
    best: work.Measured | None = None  # a suspect measurement, for want of a better one
    suspect: str = ""


class _Run:
    """Jobs that wait, and those that are under way."""

    def __init__(self, boards: Boards, perform: Perform, attempts: Sequence[_Attempt]):
        self.boards = boards
        self.client = boards.client
        self.perform = perform
        self.waiting = collections.deque(attempts)
        self.under_way: dict[Future, tuple[_Attempt, str, float]] = {}
        self._models: dict[tuple[str, str], Future] = {}

    def submit(self) -> None:
        """Gives every free board a job."""
        workers = self.client.scheduler_info(n_workers=-1)["workers"]
        there = {str(info["name"]): address for address, info in workers.items() if board.Resource in info["resources"]}
        busy = {name for _, name, _ in self.under_way.values()}
        for _ in range(len(self.waiting)):
            attempt = self.waiting.popleft()
            failed = {name for name, _ in attempt.failures}
            able = [name for name in attempt.job.boards if name in there and name not in self.boards.quarantined]
            free = [name for name in able if name not in busy]
            fresh = [name for name in free if name not in failed] or (free if not set(able) - failed else [])
            if not fresh:
                self.waiting.append(attempt)
                continue
            name = fresh[0]
            busy.add(name)
            source = self._sent(attempt, there[name])
            future = self.client.submit(self.perform, attempt.job, source, name, workers=[there[name]], allow_other_workers=False, pure=False, retries=0,
                                        resources={board.Resource: 1}, key=f"tvmq-{attempt.job.id}-{name}-{time.monotonic_ns()}")  # fmt: skip
            self.under_way[future] = attempt, name, time.monotonic() + attempt.job.seconds + self.boards.grace_secs

    def _sent(self, attempt: _Attempt, address: str) -> Future:
        """The model's bytes on a board: sent once, as long as the board lives."""
        key = attempt.job.sha256, address
        if key not in self._models or self._models[key].status not in ("finished", "pending"):
            (self._models[key],) = self.client.scatter([attempt.source], workers=[address], hash=False)
        return self._models[key]

    def collect(self) -> Iterator[Outcome]:
        """Outcomes of what has ended; waits for something to happen, for a moment."""
        if not self.under_way:
            yield from self._nobody()
            return
        end = time.monotonic() + 0.5
        while not any(future.done() for future in self.under_way) and time.monotonic() < end:
            time.sleep(0.002)
        there = {str(info["name"]) for info in self.client.scheduler_info(n_workers=-1)["workers"].values()}
        for future, (attempt, name, deadline) in list(self.under_way.items()):
            if future.done():
                del self.under_way[future]
                yield from self._ended(future, attempt, name)
            elif name not in there or time.monotonic() > deadline:
                del self.under_way[future]
                self.client.cancel([future], force=True)
                hangs = name in there
                if hangs:
                    self.boards.quarantined[name] = f"did not answer within {attempt.job.seconds:g} seconds"
                yield from self._failed(attempt, name, "the board hangs" if hangs else "the board has gone")

    def _ended(self, future: Future, attempt: _Attempt, name: str) -> Iterator[Outcome]:
        if future.status != "finished":
            error = future.exception() if future.status == "error" else None
            why = "the board died" if isinstance(error, KilledWorker) or error is None else f"{type(error).__name__}: {error}"
            yield from self._failed(attempt, name, why)
            return
        measured = future.result()
        if measured.error:
            yield from self._failed(attempt, name, measured.error)
            return
        suspect = self.boards.suspicion(measured)
        if suspect and len(attempt.failures) + 1 < ATTEMPTS:
            self.waiting.append(replace(attempt, failures=(*attempt.failures, (name, suspect)), best=measured, suspect=suspect))
        else:
            yield Outcome(attempt.job, measured, suspect, attempt.failures)

    def _failed(self, attempt: _Attempt, name: str, why: str) -> Iterator[Outcome]:
        failures = (*attempt.failures, (name, why))
        if len(failures) < ATTEMPTS:
            self.waiting.append(replace(attempt, failures=failures))
        else:
            yield Outcome(attempt.job, attempt.best, attempt.suspect, failures)

    def _nobody(self) -> Iterator[Outcome]:
        """No board can take what waits: it is given up once none has come for a while."""
        now = time.monotonic()
        for _ in range(len(self.waiting)):
            attempt = self.waiting.popleft()
            if not attempt.not_before:
                self.waiting.append(replace(attempt, not_before=now + self.boards.grace_secs))
            elif now < attempt.not_before:
                self.waiting.append(attempt)
            else:
                failures = (*attempt.failures, (", ".join(attempt.job.boards), "no such board is there, or it is in quarantine"))
                yield Outcome(attempt.job, attempt.best, attempt.suspect, failures)
        time.sleep(0.05)


def connect(address: str, *, security: Security | None = None, timeout: float = 10.0) -> Boards:
    """The boards of a scheduler that runs already.

    Raises:
      OSError: it cannot be reached. ValueError: it is beyond this machine, and there are no certificates.
    """
    return Boards(Client(address, security=checked(address, security), timeout=timeout, set_as_default=False))


@contextlib.contextmanager
def local(n: int = 1) -> Iterator[Boards]:
    """A scheduler and boards on this machine alone, as processes, for trying things: they measure in each other's way if there is more than one."""
    settings = {"distributed.worker.daemon": False, "distributed.scheduler.worker-ttl": "30s"}
    arguments: dict[str, Any] = {"n_workers": n, "processes": True, "threads_per_worker": 1, "memory_limit": 0, "resources": {board.Resource: 1}}
    with dask.config.set(settings), LocalCluster(dashboard_address="127.0.0.1:0", **arguments) as cluster:
        with Boards(Client(cluster, set_as_default=False)) as boards:
            boards.client.register_plugin(serve.Describes())
            boards.client.wait_for_workers(n, timeout=60)
            yield boards
