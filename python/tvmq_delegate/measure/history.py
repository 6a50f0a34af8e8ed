"""Benchmarks of many days: JSON files of `tvmq bench --history` in one folder, and what became of each model's times."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from . import statistic
from .recorded import Recorded, read
from .regressions import Comparison, compared


@dataclass(frozen=True)
class Series:
    """Runs of one model under the same circumstances, oldest first.

    leading: the statistic of their times: of least times if the machine was busy in any of the runs. change: of the last run against the one before, None
    where there is only one.
    """

    model: str
    circumstances: dict[str, str]
    runs: tuple[Recorded, ...]
    leading: str
    change: Comparison | None

    @property
    def contenders(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for run in self.runs for name in run.contenders))

    def ms(self, run: Recorded, contender: str) -> float | None:
        """A contender's time in one of the runs, by the statistic that leads; None where it did not run."""
        times = run.contenders.get(contender)
        return None if times is None else times[3 if self.leading == statistic.LEAST else 0]


@dataclass(frozen=True)
class History:
    """All series of a folder, that of the newest run first. skipped: JSON files that are no benchmarks, and why."""

    folder: str
    series: tuple[Series, ...]
    skipped: tuple[str, ...]


def history(folder: str | os.PathLike[str]) -> History:
    """Reads all JSON files of a folder. Raises OSError if the folder or a file cannot be read."""
    runs, skipped = [], []
    for path in sorted(Path(folder).glob("*.json")):
        try:
            runs.append(read(path))
        except ValueError as error:
            skipped.append(str(error))
    alike: dict[tuple[str, ...], list[Recorded]] = {}
    for run in sorted(runs, key=lambda run: run.date):
        alike.setdefault((run.sha256 or run.model, *itertools.chain(*sorted(run.circumstances.items()))), []).append(run)
    found = sorted((_series(each) for each in alike.values()), key=lambda series: series.runs[-1].date, reverse=True)
    return History(os.fspath(folder), tuple(found), tuple(skipped))


def _series(runs: Sequence[Recorded]) -> Series:
    last = runs[-1]
    common = len(runs) > 1 and not last.contenders.keys().isdisjoint(runs[-2].contenders)
    change = compared(runs[-2], last) if common else None
    busy = next((run.busy for run in runs if run.busy), "")
    return Series(last.model, last.circumstances, tuple(runs), statistic.leading(busy), change)


def file_name(model: str, date: str) -> str:
    """The name of a run's file, without its suffix: time first, so that a listing is in order. date: ISO 8601."""
    stem = re.sub(r"[^A-Za-z0-9_.-]", "_", os.path.basename(model).removesuffix(".tflite")) or "model"
    return f"{re.sub(r'[^0-9T]', '', date.partition('+')[0])}_{stem[:80]}"
