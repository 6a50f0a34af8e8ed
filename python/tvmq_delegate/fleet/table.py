"""The network table: networks x boards, with the times of each contender and the verdict of exactness beside them; and what has become slower since."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .run import Outcome

DELEGATE = "tvmq"


@dataclass(frozen=True)
class Cell:
    """A network on a board.

    ms: contender -> least time, because tables of different days are compared; ratio: stock's time over the delegate's, 0 where it was not measured. exact:
    whether every compared element equals the reference kernels', None where none was compared, or nothing was taken. problems: what went wrong, and why
    figures are not to be trusted. busy: the signs that the board was busy, "" if there were none.
    """

    model: str
    sha256: str
    board: str
    runtime: str
    num_threads: int
    ms: dict[str, float]
    ratio: float
    taken: int
    nodes: int
    exact: bool | None
    different: int
    problems: tuple[str, ...]
    busy: str = ""

    @property
    def doubts(self) -> tuple[str, ...]:
        """The problems, and that the board was busy: a note alone, because the least times suffer little from other load."""
        return (*self.problems, f"busy: {self.busy}") if self.busy else self.problems

    @property
    def nothing_taken(self) -> bool:
        """Whether the delegate has left every node to the runtime, so that equal results say nothing about it."""
        return self.nodes > 0 and not self.taken


@dataclass(frozen=True)
class Table:
    """Cells by model, then board."""

    cells: tuple[Cell, ...]

    @property
    def passed(self) -> bool:
        """Whether everything was measured, and nothing differs."""
        return not any(cell.exact is False or cell.problems for cell in self.cells)


@dataclass(frozen=True)
class Regression:
    """A cell whose delegate has become slower. ratio: after over before. doubts: why its times prove nothing."""

    model: str
    board: str
    before_ms: float
    after_ms: float
    ratio: float
    doubts: tuple[str, ...] = ()


def tabulate(outcomes: Iterable[Outcome]) -> Table:
    """The table of outcomes. One that is given twice counts once."""
    groups: dict[tuple[str, str, str], list[Outcome]] = {}
    seen: set[tuple[str, str, str]] = set()
    for outcome in outcomes:
        where = outcome.measured.board if outcome.measured else ", ".join(outcome.job.boards)
        key = outcome.measured.key if outcome.measured else (outcome.job.id, where, "")
        if key not in seen:
            seen.add(key)
            groups.setdefault((outcome.job.model, where, outcome.job.sha256), []).append(outcome)
    return Table(tuple(_cell(model, board, found) for (model, board, _), found in sorted(groups.items())))


def _cell(model: str, board: str, found: list[Outcome]) -> Cell:
    ms: dict[str, float] = {}
    ratio, taken, nodes, elements, different, runtime = 0.0, 0, 0, 0, 0, ""
    problems, busy = [], ""
    for outcome in found:
        if outcome.measured is None:
            last = outcome.attempts[-1][1] if outcome.attempts else "not measured"
            problems.append(f"{outcome.job.kind}: {last}")
            continue
        measured = outcome.measured
        ms |= measured.ms
        ratio = measured.ratios.get("stock", ratio)
        taken, nodes, runtime = measured.taken, measured.nodes, measured.runtime
        elements, different = elements + measured.elements, different + measured.different
        problems += [outcome.suspect] if outcome.suspect else []
        busy = measured.busy or busy
    exact = different == 0 if elements and (taken or different) else None
    first = found[0].job
    return Cell(model, first.sha256, board, runtime, first.num_threads, ms, ratio, taken, nodes, exact, different, tuple(problems), busy)


Earlier = Mapping[tuple[str, str, int], float]


def earlier(before: str | os.PathLike[str]) -> Earlier:
    """The delegate's milliseconds in a table that was written as JSON, by the network's checksum, the board and the number of threads.

    Raises:
      OSError: the file cannot be read. ValueError: it holds no table.
    """
    try:
        with open(before, encoding="utf-8") as stream:
            cells = json.load(stream)["cells"]
        return {(cell["sha256"], cell["board"], cell["num_threads"]): float(cell["ms"].get(DELEGATE, 0)) for cell in cells}
    except (UnicodeDecodeError, json.JSONDecodeError, AttributeError, KeyError, TypeError, ValueError):
        raise ValueError(f"{os.fspath(before)}: not written by tvmq fleet bench --json") from None


def regressions(before: Earlier, after: Table, percent: float) -> list[Regression]:
    """Cells whose time has grown by more than `percent`. A network is recognized by its contents. Raises ValueError unless percent is 0 or more."""
    if not percent >= 0:  # NaN, too
        raise ValueError(f"the percentage must be 0 or more, not {percent}")
    found = []
    for cell in after.cells:
        old, now = before.get((cell.sha256, cell.board, cell.num_threads), 0.0), cell.ms.get(DELEGATE, 0.0)
        if old and now > old * (1 + percent / 100):
            found.append(Regression(cell.model, cell.board, old, now, now / old, cell.doubts))
    return sorted(found, key=lambda item: -item.ratio)
