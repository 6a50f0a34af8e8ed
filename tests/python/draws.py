"""Tests of random cases: @randomly runs one for many. hypothesis picks the numbers and finds the simplest case that fails; plain code makes a case of them.

Its strategies would take several times as long to draw a model as runtime and delegate take to build, prepare and run it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import hypothesis
from hypothesis import strategies

T = TypeVar("T")


class Draw:
    """The random values that a test asks for: the smaller the numbers that they are made of, the simpler."""

    def __init__(self, numbers: random.Random):
        self.numbers = numbers

    def __call__(self, drawn: Callable[..., T], *arguments: Any, **named: Any) -> T:
        """Calls a function with this Draw first, and notes its result: it is told if the test fails."""
        value = drawn(self, *arguments, **named)
        hypothesis.note(repr(value))
        return value

    def below(self, bound: int) -> int:
        return self.numbers.randrange(bound)

    def integer(self, low: int, high: int) -> int:
        """From low to high."""
        return low + self.below(high - low + 1)

    def real(self, low: float, high: float) -> float:
        return low + (high - low) * self.below(1 << 32) / (1 << 32)

    def boolean(self) -> bool:
        return self.below(2) == 1

    def one_in(self, n: int) -> bool:
        """True with a probability of 1 / n."""
        return self.below(n) == n - 1

    def choice(self, options: Sequence[T]) -> T:
        return options[self.below(len(options))]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        left = list(items)
        return [left.pop(self.below(len(left))) for _ in items]

    def generator_seed(self) -> int:
        return self.below(1 << 32)


def randomly(test: Callable[..., None]) -> Callable[..., None]:
    """Makes a test with an argument `draw`, a Draw, run for many cases."""
    return hypothesis.given(draw=strategies.builds(Draw, strategies.randoms(use_true_random=False)))(test)
