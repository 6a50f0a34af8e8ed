"""Jobs that wait for boards, and those that are under way: which board gets which, and what becomes of those that fail."""

from __future__ import annotations

import asyncio
import collections
import contextlib
import queue
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from distributed import Client, Future
from distributed.client import ClosedClientError
from distributed.scheduler import KilledWorker

from . import board, work

if TYPE_CHECKING:
    from .client import Boards

ATTEMPTS = 3  # at a job, each on another board where there is one
SCHEDULER_SECS = 5.0  # that a scheduler may take to restart, or a board's grace if that is longer
BROKEN = (OSError, asyncio.TimeoutError, TimeoutError, AttributeError)  # a connection; the last where the client has given it up
REFRESH_SECS = 0.5  # between looks at which boards there are


@dataclass(frozen=True)
class Outcome:
    """A job that has ended, well or not. measured: None where every attempt failed. suspect: why the figures are not to be trusted, else "".

    attempts: boards and what went wrong there, of those that failed before.
    """

    job: work.Job
    measured: work.Measured | None
    suspect: str
    attempts: tuple[tuple[str, str], ...]


Then = Callable[[Outcome], Iterable[tuple[work.Job, bytes]]]


def nothing(outcome: Outcome) -> Iterable[tuple[work.Job, bytes]]:
    del outcome
    return ()


@dataclass(frozen=True)
class _Attempt:
    job: work.Job
    source: bytes
    failures: tuple[tuple[str, str], ...] = ()
    not_before: float = 0.0  # when it is given up, should no board come that can do it
    best: work.Measured | None = None  # a suspect measurement, for want of a better one
    suspect: str = ""


class Run:
    """The jobs of one call, which wait in a queue for each set of boards that may do them."""

    def __init__(self, boards: Boards, perform: Callable[..., Any], probe: Callable[..., Any], then: Then, todo: Iterable[tuple[work.Job, bytes]]):
        self.boards, self.perform, self.probe, self.then = boards, perform, probe, then
        self.client: Client = boards.client
        self.waiting: dict[tuple[str, ...], collections.deque[_Attempt]] = {}
        self.under_way: dict[Future, tuple[_Attempt, str, str, float]] = {}  # attempt, board, its address, when it is taken to hang
        self._ended: queue.SimpleQueue[Future] = queue.SimpleQueue()
        self._there: dict[str, str] = {}  # names of boards -> addresses
        self._looked = 0.0
        self._models: dict[tuple[str, str], Future] = {}
        self._probes: dict[str, tuple[Future | None, float]] = {}  # of boards in quarantine: the probe under way, and until when; or when to send the next
        for job, source in todo:
            self._wait(_Attempt(job, source))

    def outcomes(self) -> Iterator[Outcome]:
        while any(self.waiting.values()) or self.under_way:
            self._look()
            self._probe()
            self._submit()
            for outcome in self._collect():
                for job, source in self.then(outcome):
                    self._wait(_Attempt(job, source))
                yield outcome

    def cancel(self) -> None:
        with contextlib.suppress(*BROKEN, ClosedClientError):  # the client ends with the scheduler
            self.client.cancel([*self.under_way, *(probe for probe, _ in self._probes.values() if probe)], force=True)

    def _wait(self, attempt: _Attempt) -> None:
        self.waiting.setdefault(attempt.job.boards, collections.deque()).append(attempt)

    def _look(self) -> None:
        """Asks the scheduler for its boards, now and then."""
        if time.monotonic() - self._looked >= REFRESH_SECS:
            workers = self._workers()
            self._there = {str(info["name"]): address for address, info in workers.items() if board.Resource in info["resources"]}
            self._looked = time.monotonic()

    def _workers(self) -> dict[str, dict[str, Any]]:
        """The scheduler's workers. One that restarts is waited for.

        Raises:
          ConnectionError: it has gone.
        """
        end = time.monotonic() + max(SCHEDULER_SECS, self.boards.grace_secs)
        while True:
            try:
                return self.boards.workers()
            except BROKEN:
                if time.monotonic() > end:
                    raise ConnectionError(f"the scheduler at {self.client.scheduler.address} has gone") from None
                time.sleep(REFRESH_SECS)

    # ---- giving boards work

    def _submit(self) -> None:
        """Gives every free board a job."""
        if self.client.status != "running":
            self._looked = 0.0
            time.sleep(REFRESH_SECS)
            return
        busy = {name for _, name, _, _ in self.under_way.values()}
        free = {name: None for name in self._there if name not in busy and name not in self.boards.quarantined}
        for names, waiting in self.waiting.items():
            able = free.keys() & names if free else set()
            for _ in range(len(waiting) if able else 0):
                attempt = waiting.popleft()
                name = self._chosen(attempt, able)
                if name is None:
                    waiting.append(attempt)
                    continue
                able.remove(name)
                del free[name]
                try:
                    self._send(attempt, name)
                except (*BROKEN, KeyError):  # the last where the board has just gone
                    waiting.append(attempt)
                    self._looked = 0.0  # whether there is a scheduler
                    return
                if not able:
                    break

    def _chosen(self, attempt: _Attempt, able: Iterable[str]) -> str | None:
        """A free board for it: one on which it has not failed, unless it has failed on all."""
        failed = {name for name, _ in attempt.failures}
        fresh = next((name for name in able if name not in failed), None)
        if fresh is not None or not failed:
            return fresh
        others = any(name in self._there and name not in self.boards.quarantined and name not in failed for name in attempt.job.boards)
        return None if others else next(iter(able), None)

    def _send(self, attempt: _Attempt, name: str) -> None:
        job, address = attempt.job, self._there[name]
        future = self._on(address, f"tvmq-{job.id}-{name}-{time.monotonic_ns()}", self.perform, job, self._sent(attempt, address), name)
        self.under_way[future] = replace(attempt, not_before=0.0), name, address, time.monotonic() + job.seconds + self.boards.grace_secs
        future.add_done_callback(self._ended.put)

    def _on(self, address: str, key: str, function: Callable[..., Any], *arguments: Any) -> Future:
        """A call on a board, which takes its one resource."""
        return self.client.submit(function, *arguments, workers=[address], allow_other_workers=False, pure=False, retries=0,
                                  resources={board.Resource: 1}, key=key)  # fmt: skip

    def _sent(self, attempt: _Attempt, address: str) -> Future:
        """The model's bytes on a board: sent once, as long as the board lives."""
        key = attempt.job.sha256, address
        if key not in self._models or self._models[key].status not in ("finished", "pending"):
            (self._models[key],) = self.client.scatter([attempt.source], workers=[address], hash=False)
        return self._models[key]

    # ---- boards in quarantine

    def _probe(self) -> None:
        """Asks boards in quarantine, now and then, whether they are themselves again, and takes those back that are."""
        now = time.monotonic()
        for name in [*self.boards.quarantined]:
            future, until = self._probes.setdefault(name, (None, now + self.boards.recheck_secs))
            if future is None and now >= until and name in self._there:
                future = self._on(self._there[name], f"tvmq-probe-{name}-{time.monotonic_ns()}", self.probe, name)
                self._probes[name] = future, now + self.boards.recheck_secs + self.boards.grace_secs
            elif future is not None and (future.done() or now >= until):
                del self._probes[name]
                if future.status == "finished":
                    self.boards.readmit(name, future.result())
                else:
                    self.client.cancel([future], force=True)

    # ---- what has ended

    def _collect(self) -> Iterator[Outcome]:
        """Outcomes of what has ended; waits for something to happen, for a moment."""
        if not self.under_way:
            yield from self._nobody()
            return
        ended = []
        try:
            ended.append(self._ended.get(timeout=REFRESH_SECS))
            while True:
                ended.append(self._ended.get_nowait())
        except queue.Empty:
            pass
        for future in ended:
            if future in self.under_way:
                attempt, name, *_ = self.under_way.pop(future)
                yield from self._outcome(future, attempt, name)
        if not ended or time.monotonic() - self._looked >= REFRESH_SECS:
            yield from self._missed()

    def _missed(self) -> Iterator[Outcome]:
        """Jobs whose boards have gone, or do not answer."""
        self._look()
        for future, (attempt, name, address, deadline) in [*self.under_way.items()]:
            there = self._there.get(name) == address  # and not another process that has come in its place
            if future.done() or (there and time.monotonic() <= deadline):
                continue
            del self.under_way[future]
            self.client.cancel([future], force=True)
            if there:
                self.boards.quarantine(name, f"did not answer within {attempt.job.seconds:g} seconds")
            yield from self._failed(attempt, name, "the board hangs" if there else "the board has gone")

    def _outcome(self, future: Future, attempt: _Attempt, name: str) -> Iterator[Outcome]:
        try:
            measured = future.result()
        except (Exception, CancelledError) as error:
            if self.client.status != "running" and isinstance(error, (CancelledError, *BROKEN)):  # it is the scheduler that has gone, not the board
                self._looked = 0.0
                self._wait(attempt)
                return
            died = isinstance(error, (KilledWorker, CancelledError))
            yield from self._failed(attempt, name, "the board died" if died else f"{type(error).__name__}: {error}")
            return
        if measured.error:
            yield from self._failed(attempt, name, measured.error)
            return
        suspect = self.boards.suspicion(measured, self._there)
        if suspect and len(attempt.failures) + 1 < ATTEMPTS:
            self._wait(replace(attempt, failures=(*attempt.failures, (name, suspect)), best=measured, suspect=suspect))
        else:
            yield Outcome(attempt.job, measured, suspect, attempt.failures)

    def _failed(self, attempt: _Attempt, name: str, why: str) -> Iterator[Outcome]:
        failures = (*attempt.failures, (name, why))
        if len(failures) < ATTEMPTS:
            self._wait(replace(attempt, failures=failures))
        else:
            yield Outcome(attempt.job, attempt.best, attempt.suspect, failures)

    def _nobody(self) -> Iterator[Outcome]:
        """No board can take what waits: it is given up once none has come for a while."""
        now = time.monotonic()
        for waiting in [*self.waiting.values()]:  # whoever gets an outcome may add jobs
            for _ in range(len(waiting)):
                attempt = waiting.popleft()
                if not attempt.not_before:
                    waiting.append(replace(attempt, not_before=now + self.boards.grace_secs))
                elif now < attempt.not_before:
                    waiting.append(attempt)
                else:
                    failures = (*attempt.failures, (", ".join(attempt.job.boards), "no such board is there, or it is in quarantine"))
                    yield Outcome(attempt.job, attempt.best, attempt.suspect, failures)
        time.sleep(0.05)
