"""The tuners: which choice of a task to measure next."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Protocol

from .records import Choice
from .tasks import Task


class Tuner(Protocol):
    """learn: a measurement, the time of a choice over the default's. propose: the next choice to measure for a task, given all that has been measured of it;
    None: there is none that is worth it."""

    def learn(self, task: Task, choice: Choice, ratio: float) -> None: ...

    def propose(self, task: Task, measured: Mapping[Choice, float]) -> Choice | None: ...


class Listed:
    """A tuner that takes the choices in an order fixed beforehand, and learns nothing. order: "random" or "exhaustive": all, in random order; "grid": every way
    and kernel with each of its estimated best blocks first, from the least estimate on."""

    def __init__(self, order: str, seed: int = 0):
        self._order = order
        self._random = random.Random(seed)
        self._lists: dict[Task, list[Choice]] = {}

    def _list(self, task: Task) -> list[Choice]:
        if task not in self._lists:
            choices = list(task.choices)
            if self._order == "grid":
                counts: dict[tuple[str, str], int] = {}
                ranks = {}
                for choice in choices:
                    ranks[choice] = counts[choice.group] = counts.get(choice.group, -1) + 1
                choices.sort(key=lambda choice: (ranks[choice], task.choices[choice]))
            else:
                self._random.shuffle(choices)
            self._lists[task] = choices
        return self._lists[task]

    def learn(self, task: Task, choice: Choice, ratio: float) -> None:
        pass

    def propose(self, task: Task, measured: Mapping[Choice, float]) -> Choice | None:
        return next((choice for choice in self._list(task) if choice not in measured and choice != task.default), None)


NAMES = ("model", "random", "grid", "exhaustive")


def tuner(name: str, seed: int = 0) -> Tuner:
    """The tuner of that name. Raises ValueError if there is none."""
    if name not in NAMES:
        raise ValueError(f"unknown tuner {name!r}; there are {', '.join(NAMES)}")
    if name != "model":
        return Listed(name, seed)
    from .model import ByModel  # which needs numpy

    return ByModel()
