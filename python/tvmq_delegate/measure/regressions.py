"""Two benchmarks, as JSON files of `tvmq bench --json`: what became slower, and what faster."""

from __future__ import annotations

import os
from dataclasses import dataclass

from ..binding import Shown
from . import statistic
from .recorded import Recorded, Times, read
from .statistic import LEAST, MEDIAN

SHARE = 0.01  # of the network's time: a node that has lost less is not told from the noise of its clock


@dataclass(frozen=True)
class Change:
    """Times of a contender or of a node before and after, in milliseconds: medians, or the least where the machine was busy at one time.

    ratio: after over before; above 1 is a regression.

    clear: the middle halves of the samples do not overlap; of least times, the fastest quarters.
    """

    what: str
    before_ms: float
    after_ms: float
    ratio: float
    clear: bool


@dataclass(frozen=True)
class Comparison(Shown):
    """Changes, regressions first, then by size. leading: the statistic of their times. warnings: what the two have not in common, so that they cannot be told
    apart by the code alone, and on which busy machine they were measured."""

    before: str
    after: str
    warnings: tuple[str, ...]
    contenders: tuple[Change, ...]
    nodes: tuple[Change, ...]
    leading: str = MEDIAN

    @property
    def judged(self) -> bool:
        """Whether a change proves anything: other load lengthens even the least times, twofold where it shares a core."""
        return self.leading != LEAST

    def slower(self, percent: float) -> tuple[Change, ...]:
        """Lists the changes that are slower by more than so many percent, and clearly so; of nodes those that cost a visible share of the network's time."""
        if not percent >= 0:  # which no NaN is
            raise ValueError(f"a change is slower by so many percent, 0 or more, not {percent}")
        visible = SHARE * max((change.before_ms for change in self.contenders), default=0.0)
        listed = (*self.contenders, *(node for node in self.nodes if node.after_ms - node.before_ms >= visible))
        return tuple(change for change in listed if change.clear and change.ratio > 1 + percent / 100)


def compare(before: str | os.PathLike[str], after: str | os.PathLike[str]) -> Comparison:
    """Raises OSError if a file cannot be read, ValueError if it does not hold a benchmark."""
    return compared(read(before), read(after))


def compared(old: Recorded, new: Recorded) -> Comparison:
    """The same of files that have been read. Raises ValueError if they have no contender in common."""
    if not old.contenders.keys() & new.contenders.keys():
        raise ValueError(f"nothing to compare: {old.path} has {', '.join(old.contenders)}; {new.path} has {', '.join(new.contenders)}")
    differ = [f"{what} {text} before, {new.circumstances[what]} after" for what, text in old.circumstances.items() if text != new.circumstances[what]]
    models = [measured.models(bool(old.sha256 and new.sha256)) for measured in (old, new)]
    if models[0] != models[1]:
        differ.insert(0, f"model {models[0]} before, {models[1]} after")
    differ += [f"busy {when}: {measured.busy}; the least times are compared" for when, measured in (("before", old), ("after", new)) if measured.busy]
    leading = statistic.leading(old.busy or new.busy)
    of_nodes = leading
    if leading == LEAST and not (old.has_least_of_nodes and new.has_least_of_nodes):
        of_nodes = MEDIAN
        differ.append("one file is of an earlier version and has no least times of nodes, whose medians are compared")
    contenders, nodes = _changes(old.contenders, new.contenders, leading), _changes(old.nodes, new.nodes, of_nodes)
    return Comparison(old.path, new.path, tuple(differ), contenders, nodes, leading)


def _changes(old: Times, new: Times, leading: str) -> tuple[Change, ...]:
    changes = []
    for name in old.keys() & new.keys():
        (before, old_low, old_high, old_least), (after, new_low, new_high, new_least) = old[name], new[name]
        if leading == LEAST:  # whose fastest quarter lies between the least time and the first quartile
            before, old_low, old_high, after, new_low, new_high = old_least, old_least, old_low, new_least, new_least, new_low
        if before and after:
            changes.append(Change(name, before, after, after / before, new_low > old_high or new_high < old_low))
    return tuple(sorted(changes, key=lambda change: change.after_ms - change.before_ms, reverse=True))
