"""Outputs that rate classes: which classes come first, what they are called, and whether two contenders put the same ones first."""

from __future__ import annotations

import difflib
import os
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..binding import plural

if TYPE_CHECKING:
    from numpy.typing import NDArray

BEST = 5


@dataclass(frozen=True)
class Rating:
    """One output of a contender for one sample, read as classes: the best five, of equal scores the lower class first.

    output: of the model. labels: of these classes, empty without a label file. scores: as the output holds them. expected: how many classes stand before the
    expected one, None if none is expected.
    """

    contender: str
    sample: str
    output: int
    classes: tuple[int, ...]
    labels: tuple[str, ...]
    scores: tuple[float, ...]
    expected: int | None


@dataclass(frozen=True)
class Rater:
    """Reads ratings off an output of `count` classes; no labels: they are not known. expected: the class that every sample shows, None: not known."""

    count: int
    labels: Sequence[str] = ()
    expected: int | None = None

    def rate(self, contender: str, sample: str, output: int, scores: NDArray[Any]) -> list[Rating]:
        """One rating for each row of scores[..., classes]."""
        import numpy as np

        ratings = []
        for row in scores.reshape(-1, self.count):
            ranked = np.argsort(-row.astype(np.float64), kind="stable")
            best = tuple(ranked[:BEST].tolist())
            before = None if self.expected is None else ranked.tolist().index(self.expected)
            ratings.append(Rating(contender, sample, output, best, tuple(self.labels[i] for i in best if self.labels), tuple(row[list(best)].tolist()), before))
        return ratings


def rater(shape: Sequence[int], labels: Sequence[str] = (), expected: str | int | None = None) -> Rater | None:
    """The rater of an output of shape [samples, 1..., classes]; None for one of any other shape.

    Raises ValueError if labels or an expected class are given that the output does not have.
    """
    count = int(shape[-1]) if len(shape) >= 2 and all(n == 1 for n in shape[1:-1]) else 0
    if count < 2:
        if labels or expected is not None:
            raise ValueError("labels: the model's first output does not rate classes")
        return None
    if labels and len(labels) != count:
        raise ValueError(f"labels: {plural(len(labels), 'name')} for the {count} classes of the model's first output")
    return Rater(count, labels, None if expected is None else _class(expected, labels, count))


def read_labels(path: str | os.PathLike[str]) -> list[str]:
    """A label file: one name on each line, in the order of the classes. Raises ValueError for what is not such a file, OSError if it cannot be opened."""
    try:
        with open(path, encoding="utf-8") as stream:
            names = [line.strip() for line in stream]
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not a text file of labels") from None
    while names and not names[-1]:
        names.pop()
    if not names:
        raise ValueError(f"{path} holds no labels")
    return names


def agreement(baseline: Sequence[Rating], ratings: Sequence[Rating], among: int) -> float | None:
    """The share of ratings that have the baseline's best class among their first `among`; None where that is no question."""
    if not ratings or among > len(ratings[0].classes):
        return None
    return statistics.fmean(expected.classes[0] in got.classes[:among] for expected, got in zip(baseline, ratings, strict=True))


def _class(wanted: str | int, labels: Sequence[str], count: int) -> int:
    """A class by number, by label, or by one of the names between commas of a label."""
    text = str(wanted).strip().lower()
    if text.isdecimal() and int(text) < count:
        return int(text)
    known: dict[str, int] = {}
    for index, label in enumerate(labels):
        for name in (label, *label.split(",")):
            known.setdefault(name.strip().lower(), index)
    if text not in known:
        near = difflib.get_close_matches(text, known, n=3)
        hint = f"; did you mean {', '.join(near)}?" if near else "" if labels else "; names need a label file"
        raise ValueError(f"{wanted!r} is not among the {count} classes of the model's first output{hint}")
    return known[text]
