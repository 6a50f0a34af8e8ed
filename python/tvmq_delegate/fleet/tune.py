"""Tuning on boards: each board of a kind measures a share of the choices, and one of them proves what all have found."""

from __future__ import annotations

import collections
import hashlib
import math
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from .. import models, tuning
from . import board, work
from .client import Boards, Outcome


@dataclass(frozen=True)
class Found:
    """A model that was tuned on boards of one kind. boards: that took part. records: new lines. gain: of the whole network, 0 where the default stays.

    problems: why shares, or the proof, are missing.
    """

    model: str
    cpu: str
    boards: tuple[str, ...]
    records: int
    gain: float
    problems: tuple[str, ...]


def tune(
    boards: Boards,
    paths: Sequence[str | os.PathLike[str]],
    wanted: Sequence[board.Board],
    *,
    out: str | os.PathLike[str],
    trials: int = 8,
    seconds: float = 120.0,
    num_threads: int = 1,
    progress: Callable[[float, str], None] = lambda fraction, what: None,
) -> list[Found]:
    """Tunes models on boards; those with the same CPU are of a kind. Each record is appended to a file as soon as its board's share is there.

    Args:
      paths: of models. wanted: boards, as boards.select() finds them. out: the file of records. trials: choices of a task to measure on each kind of board.
      seconds: the limit of each share, and of the proof.

    Raises:
      ModelError, OSError: a model cannot be read, or the file not be written.
    """
    kinds: dict[str, list[board.Board]] = {}
    for item in wanted:
        kinds.setdefault(item.cpu, []).append(item)
    sources = [models.opened(path) for path in paths]
    shares: dict[tuple[str, str], list[Outcome]] = collections.defaultdict(list)
    first: list[tuple[work.Job, bytes]] = []
    for source, name in sources:
        for same in kinds.values():
            names, n = tuple(item.name for item in same), len(same)
            job = work.Job("tune", os.path.basename(name), hashlib.sha256(source).hexdigest(), names, seconds, num_threads, {}, trials=math.ceil(trials / n))
            first += [(replace(job, share=(i, n)), source) for i in range(n)] if n > 1 else []
    total = len(first) + len(sources) * len(kinds)
    with tuning.Log(out) as log:

        def keep(outcome: Outcome) -> Outcome:
            if outcome.measured:
                log.append_lines(outcome.measured.records)
            progress(min(1.0, len(told) / total), outcome.job.model)
            told.append(outcome)
            return outcome

        told: list[Outcome] = []
        for outcome in map(keep, boards.run(first)):
            shares[outcome.job.sha256, ",".join(outcome.job.boards)].append(outcome)
        last = []
        for source, name in sources:
            for same in kinds.values():
                names, sha256 = tuple(item.name for item in same), hashlib.sha256(source).hexdigest()
                lines = tuple(line for outcome in shares[sha256, ",".join(names)] if outcome.measured for line in outcome.measured.records)
                left = 0 if len(same) > 1 else trials
                last.append((work.Job("tune", os.path.basename(name), sha256, names, seconds, num_threads, {}, trials=left, records=lines), source))
        cpus = {tuple(item.name for item in same): cpu for cpu, same in kinds.items()}
        return [_found(outcome, shares[outcome.job.sha256, ",".join(outcome.job.boards)], cpus[outcome.job.boards]) for outcome in map(keep, boards.run(last))]


def _found(proof: Outcome, shares: Sequence[Outcome], cpu: str) -> Found:
    ended = [*shares, proof]
    problems = [outcome.attempts[-1][1] if outcome.attempts else "no board" for outcome in ended if outcome.measured is None]
    problems += [outcome.suspect for outcome in ended if outcome.suspect]
    measured = [outcome.measured for outcome in ended if outcome.measured]
    gain = proof.measured.gain if proof.measured else 0.0
    names = tuple(sorted({each.board for each in measured}))
    return Found(proof.job.model, cpu, names, sum(len(each.records) for each in measured), gain, tuple(problems))

