"""The cost model of the tuner: the library's estimates, corrected by everything that has been measured.

What the library gets wrong about an algorithm, a kernel or a pair of both it gets wrong everywhere, more or less: the logarithm of measured over estimated time
is a sum of such terms, fitted with a ridge that holds them near nought. So measurements of one task say something of the others, and those of one network of
the next.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from .records import Choice
from .tasks import Task

if TYPE_CHECKING:
    from numpy.typing import NDArray

RIDGE = 2.0
UNKNOWN = 0.2  # how far off a prediction is, as a logarithm, for an algorithm and a kernel that the task was not measured with
KNOWN = 0.08  # and for other blocks of those that it was
WORTH = 0.002  # an expected improvement below which a task needs no more trials


class CostModel:
    """Learns from measurements, and predicts times relative to the default's."""

    def __init__(self) -> None:
        self._columns: dict[tuple[str, ...], int] = {}
        self._rows: list[tuple[list[int], list[int], float]] = []  # terms of the choice, terms of the default, what the estimates miss
        self._weights: NDArray[np.float64] | None = None

    def _terms(self, choice: Choice) -> list[int]:
        names = [("algorithm", choice.algorithm), ("kernel", choice.kernel), ("both", choice.algorithm, choice.kernel)]
        names += [("flip", choice.algorithm)] if choice.flipped_copy else []
        return [self._columns.setdefault(name, len(self._columns)) for name in names]

    def learn(self, choice: Choice, default: Choice, estimated: float, measured: float) -> None:
        """estimated, measured: what the choice takes over what the default takes."""
        if choice != default:
            self._rows.append((self._terms(choice), self._terms(default), float(np.log(measured / estimated))))
            self._weights = None

    def _fitted(self) -> NDArray[np.float64]:
        if self._weights is None or len(self._weights) < len(self._columns):
            matrix = np.zeros((len(self._rows), len(self._columns)))
            for row, (terms, base, _) in zip(matrix, self._rows):
                row[terms] += 1
                row[base] -= 1
            missed = np.array([missed for *_, missed in self._rows])
            gram = matrix.T @ matrix + RIDGE * np.eye(len(self._columns))
            self._weights = np.linalg.solve(gram, matrix.T @ missed) if len(self._rows) else np.zeros(len(self._columns))
        return self._weights

    def predict(self, choices: Sequence[Choice], default: Choice, estimated: Sequence[float]) -> NDArray[np.float64]:
        """The logarithm of each one's time over the default's."""
        terms = [self._terms(choice) for choice in choices]
        base = self._terms(default)
        weights = self._fitted()
        return np.array([np.log(ratio) + weights[own].sum() - weights[base].sum() for own, ratio in zip(terms, estimated)])


def promise(predicted: NDArray[np.float64], spread: NDArray[np.float64], best: float) -> NDArray[np.float64]:
    """How much below `best` a time is expected to come, where it comes below it: expected improvement, of normal distributions."""
    z = (best - predicted) / spread
    below = 0.5 * (1 + np.vectorize(math.erf)(z / np.sqrt(2)))
    improvement: NDArray[np.float64] = spread * (z * below + np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi))
    return improvement


class ByModel:
    """The cost model ranks: what promises most is measured, and the model fitted anew. An algorithm and a kernel that have been measured for the task promise
    little more; those that have not, may be far from what is predicted."""

    def __init__(self) -> None:
        self.model = CostModel()

    def learn(self, task: Task, choice: Choice, ratio: float) -> None:
        self.model.learn(choice, task.default, task.choices[choice] / task.choices[task.default], ratio)

    def predicted(self, task: Task, measured: Mapping[Choice, float]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """For each choice of the task the logarithm of its time over the default's, and how far off that may be."""
        choices = list(task.choices)
        base = task.choices[task.default]
        predicted = self.model.predict(choices, task.default, [cycles / base for cycles in task.choices.values()])
        spread = np.full(len(choices), UNKNOWN)
        nearest: dict[tuple[str, str], tuple[float, float]] = {}
        for choice, ratio in {task.default: 1.0, **measured}.items():
            if choice in task.choices and ratio < nearest.get(choice.group, (math.inf, 0))[0]:
                nearest[choice.group] = ratio, math.log(ratio / task.choices[choice])
        for i, choice in enumerate(choices):
            if choice.group in nearest:
                predicted[i] = math.log(task.choices[choice]) + nearest[choice.group][1]
                spread[i] = KNOWN
        return predicted, spread

    def propose(self, task: Task, measured: Mapping[Choice, float]) -> Choice | None:
        choices = list(task.choices)
        predicted, spread = self.predicted(task, measured)
        best = math.log(min([1.0, *measured.values()]))
        promised = promise(predicted, spread, best)
        for i, choice in enumerate(choices):
            if choice in measured or choice == task.default:
                promised[i] = -1
        at = int(np.argmax(promised))
        return choices[at] if promised[at] >= WORTH else None
