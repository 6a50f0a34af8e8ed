"""Tests of random cases: @randomly runs one for many, each drawn from a seed of its own, and tells the simplest that fails.

A property testing library would take several times as long to draw a model as runtime and delegate take to build, prepare and run it.
"""

from __future__ import annotations

import functools
import inspect
import os
import random
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import harness

T = TypeVar("T")

CASES = int(os.environ.get("TVMQ_CASES") or (25 if harness.SLOW else 300))
PASSES = 8  # over the picks, to simplify them
SEED = os.environ.get("TVMQ_SEED") or str(random.SystemRandom().randrange(10**6))


class Draw:
    """What a test asks for its random values. Each is a number below some bound, the less the simpler: `picks` are all of them, in order.

    given: picks to begin with; 0 is picked after them. seed: of the picks, where none are given.
    """

    def __init__(self, seed: str = "", given: Sequence[int] | None = None):
        self.random = random.Random(seed)
        self.given = given
        self.picks: list[int] = []
        self.told: list[Any] = []

    def __call__(self, drawn: Callable[..., T], *arguments: Any, **named: Any) -> T:
        """What a function, called with this Draw first, makes of it: told if the test fails."""
        value = drawn(self, *arguments, **named)
        self.told.append(value)
        return value

    def below(self, bound: int) -> int:
        if self.given is None:
            pick = int(self.random.random() * bound)
        else:
            pick = min(self.given[len(self.picks)], bound - 1) if len(self.picks) < len(self.given) else 0
        self.picks.append(pick)
        return pick

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

    def many(request, **arguments) -> None:
        for n in range(CASES):
            draw = Draw(f"{SEED} {request.node.name} {n}")
            try:
                test(draw=draw, **arguments)
            except Exception as error:
                print(f"TVMQ_SEED={SEED} repeats it: case {n} of {CASES}, which draws", *draw.told or [draw.picks], sep="\n")
                simplest(functools.partial(test, **arguments), draw.picks, type(error))
                raise

    functools.update_wrapper(many, test)
    parameters = [p for p in inspect.signature(test).parameters.values() if p.name != "draw"]
    many.__signature__ = inspect.Signature([inspect.Parameter("request", inspect.Parameter.POSITIONAL_OR_KEYWORD), *parameters])
    return many


def simplest(test: Callable[..., None], picks: list[int], like: type[Exception]) -> None:
    """Sets picks to 0, halves them or lessens them by one, wherever the test still fails like that; and lets the last of these failures be seen."""

    def fails(picks: list[int]) -> bool:
        try:
            test(draw=Draw(given=picks))
        except Exception as error:
            return isinstance(error, like)
        return False

    for _ in range(PASSES):
        for at in range(len(picks)):
            for pick in dict.fromkeys([0, picks[at] // 2, picks[at] - 1]):
                tried = [*picks[:at], pick, *picks[at + 1 :]]
                if 0 <= pick < picks[at] and fails(tried):
                    picks = tried
                    break
    draw = Draw(given=picks)
    try:
        test(draw=draw)
    finally:
        print("The simplest that fails like it draws", *draw.told or [draw.picks], sep="\n")
