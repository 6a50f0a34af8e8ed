"""Tuning on boards: each board of a kind measures a share of the choices, and one of them proves what all have found."""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .. import tuning
from . import board, work
from .client import Boards, Perform
from .run import Outcome


@dataclass(frozen=True)
class Found:
    """A model that was tuned on boards of one kind. boards: that took part. records: new lines. gain: of the whole network, 0 where the default stays.

    problems: why shares, or the proof, are missing. busy: why boards are taken to have been busy.
    """

    model: str
    cpu: str
    boards: tuple[str, ...]
    records: int
    gain: float
    problems: tuple[str, ...]
    busy: tuple[str, ...] = ()


def tune(
    boards: Boards,
    paths: Sequence[work.Network],
    wanted: Sequence[board.Board],
    *,
    out: str | os.PathLike[str],
    trials: int = 8,
    seconds: float = 120.0,
    num_threads: int = 1,
    progress: Callable[[float, str], None] = lambda fraction, what: None,
    perform: Perform = work.perform,
    **options: Any,
) -> list[Found]:
    """Tunes models on boards; those with the same CPU are of a kind. Each record is appended to a file as soon as its board's share is there. Large models come
    first: they take the longest.

    Args:
      paths: of models, or as work.opened() has them. wanted: boards, as boards.select() finds them. out: the file of records. trials: choices of a task to
        measure on each kind of board. seconds: the limit of each share, and of the proof. perform: does a job on a board.
      **options: the delegate's, as for load(); those that are None are left to it.

    Raises:
      ModelError, OSError: a model cannot be read, or the file not be written.
    """
    kinds: dict[str, list[board.Board]] = {}
    for item in wanted:
        kinds.setdefault(item.cpu, []).append(item)
    sources = dict(sorted(map(work.opened, paths), key=lambda opened: -len(opened[0])))  # each once
    pairs = [_Pair(source, name, cpu, tuple(item.name for item in same)) for source, name in sources.items() for cpu, same in kinds.items()]
    given = {option: value for option, value in options.items() if value is not None}
    todo = [job for pair in pairs for job in pair.begin(trials, seconds, num_threads, given)]
    of = {(pair.sha256, pair.names): pair for pair in pairs}
    total, told = sum(len(pair.names) + (len(pair.names) > 1) for pair in pairs), 0
    with tuning.Log(out) as log:
        for outcome in boards.run(todo, perform, then=lambda outcome: of[outcome.job.sha256, outcome.job.boards].then(outcome)):
            if outcome.measured:
                log.append_lines(outcome.measured.records)
            told += 1
            progress(told / total, outcome.job.model)
    return sorted((pair.found() for pair in pairs), key=lambda found: (found.model, found.cpu))


class _Pair:
    """A model on the boards of one kind: shares, of which each board may do any, and when they are in, the proof."""

    def __init__(self, source: bytes, model: str, cpu: str, names: tuple[str, ...]):
        self.source, self.model, self.cpu, self.names = source, model, cpu, names
        self.sha256 = hashlib.sha256(source).hexdigest()
        self.n = len(names) if len(names) > 1 else 0  # shares
        self.shares: list[Outcome] = []
        self.proof: Outcome | None = None

    def begin(self, trials: int, seconds: float, num_threads: int, options: dict[str, Any]) -> list[tuple[work.Job, bytes]]:
        """The shares; a single board does all in one."""
        self.job = work.Job("tune", self.model, self.sha256, self.names, seconds, num_threads, options, trials=math.ceil(trials / (self.n or 1)))
        return [(replace(self.job, share=(i, self.n)), self.source) for i in range(self.n)] or [(self.job, self.source)]

    def then(self, outcome: Outcome) -> list[tuple[work.Job, bytes]]:
        """The proof, once all shares have ended."""
        if len(self.shares) == self.n:
            self.proof = outcome
            return []
        self.shares.append(outcome)
        if len(self.shares) < self.n:
            return []
        lines = tuple(line for share in self.shares if share.measured for line in share.measured.records)
        return [(replace(self.job, trials=0, records=lines), self.source)]

    def found(self) -> Found:
        assert self.proof
        return _found(self.proof, self.shares, self.cpu)


def _found(proof: Outcome, shares: Sequence[Outcome], cpu: str) -> Found:
    ended = [*shares, proof]
    problems = [outcome.attempts[-1][1] if outcome.attempts else "no board" for outcome in ended if outcome.measured is None]
    problems += [outcome.suspect for outcome in ended if outcome.suspect]
    measured = [outcome.measured for outcome in ended if outcome.measured]
    gain = proof.measured.gain if proof.measured else 0.0
    names = tuple(sorted({each.board for each in measured}))
    busy = tuple(sorted({f"busy: {each.busy}" for each in measured if each.busy}))
    return Found(proof.job.model, cpu, names, sum(len(each.records) for each in measured), gain, tuple(problems), busy)
