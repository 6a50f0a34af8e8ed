"""Times of candidates in a network: every node its next candidate, all nodes at a time, in an order that is drawn anew each round."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..binding import Delegate, library
from ..sessions import DELEGATE, Contender

# Candidates that are estimated to take longer than the best one by this factor are not worth the time.
WORTH = 6.0
INFERENCES = 3
LEAST_ROUNDS = 2


class Sampler:
    """A network whose candidates are measured: for each algorithm and kernel the blocks and the flip that are estimated best."""

    def __init__(self, name: str, model: bytes, runtime: ModuleType, options: dict[str, Any]):
        self.name = name
        self.session = Contender(DELEGATE, options={**options, "profile": True}).open(model, runtime)
        random = np.random.default_rng(0)
        self.session.feed([random.integers(-100, 100, d["shape"]).astype(d["dtype"]) for d in self.session.interpreter.get_input_details()])
        self.session.invoke()
        self.nodes = {i: node for i, node in enumerate(library.report(self.delegate).nodes) if node.claimed}
        self.candidates = {i: kinds for i in self.nodes if len(kinds := self._kinds(i)) > 1}
        self.times: dict[tuple[int, tuple[str, str]], list[float]] = {}

    @property
    def delegate(self) -> Delegate:
        assert self.session.delegate is not None
        return self.session.delegate

    def _kinds(self, index: int) -> dict[tuple[str, str], int]:
        """Places of the candidates to measure."""
        listed = library.candidates(self.delegate, index)
        kinds: dict[tuple[str, str], int] = {}
        for place, candidate in enumerate(listed):
            if candidate.algorithm != "plain" and candidate.cycles <= WORTH * listed[0].cycles:
                kinds.setdefault((candidate.algorithm, candidate.kernel), place)
        return kinds

    @property
    def turns(self) -> int:
        return max(map(len, self.candidates.values()), default=0)

    def round(self, random: np.random.Generator, done: Callable[[], None]) -> None:
        """Measures each candidate at least once."""
        order = {i: [list(kinds.items())[k] for k in random.permutation(len(kinds))] for i, kinds in self.candidates.items()}
        for turn in range(self.turns):
            chosen = {i: kinds[turn % len(kinds)] for i, kinds in order.items()}
            for i, (_, place) in chosen.items():
                library.force(self.delegate, i, place)
            self.session.invoke()
            library.profile(self.delegate, reset=True)
            for _ in range(INFERENCES):
                self.session.invoke()
            least = {(p.node.subgraph, p.node.node): p.timing.min_ns for p in library.profile(self.delegate)}
            for i, (key, _) in chosen.items():
                node = self.nodes[i]
                self.times.setdefault((i, key), []).append(float(least[node.subgraph, node.node]))
            done()

    def estimates(self) -> dict[tuple[int, tuple[str, str]], float]:
        """Cycles of each candidate that is measured, for the machine that is set."""
        found: dict[tuple[int, tuple[str, str]], float] = {}
        for i, kinds in self.candidates.items():
            found |= {(i, key): cycles for key, cycles in library.estimates(self.delegate, i).items() if key in kinds}
        return found


def disagreement(samplers: list[Sampler]) -> float:
    """How far the times of the candidates lie apart between the two halves of the rounds, as a fraction: of three quarters of them no further."""
    halves = [(np.median(times[::2]), np.median(times[1::2])) for sampler in samplers for times in sampler.times.values() if len(times) > 1]
    return float(np.percentile([max(pair) / min(pair) - 1 for pair in halves], 75)) if halves else 0.0


def measure(samplers: list[Sampler], seconds: float, progress: Callable[[float, str], None]) -> int:
    """Rounds until the time is up, two at least, which can be compared; returns how many."""
    random, start, rounds, turns = np.random.default_rng(0), time.monotonic(), 0, 0
    total = sum(sampler.turns for sampler in samplers)

    def done() -> None:
        nonlocal turns
        turns += 1
        passed = (time.monotonic() - start) / seconds
        progress(min(1.0, passed, turns / total / LEAST_ROUNDS), "measuring candidates")

    while rounds < LEAST_ROUNDS or time.monotonic() - start < seconds * rounds / (rounds + 1):
        for sampler in samplers:
            sampler.round(random, done)
        rounds += 1
    return rounds


def elasticities(
    samplers: list[Sampler], text: str, perturbed: list[str], progress: Callable[[float, str], None]
) -> tuple[list[Any], NDArray[Any], NDArray[Any]]:
    """Which candidates there are, their cycles for a machine, and their cycles for each of the `perturbed` ones: rows are candidates, columns machines."""
    columns: list[dict[Any, float]] = []
    for n, machine in enumerate([text, *perturbed]):
        column: dict[Any, float] = {}
        for sampler in samplers:
            library.set_machine(sampler.delegate, machine)
            column |= {(sampler.name, *key): value for key, value in sampler.estimates().items()}
        columns.append(column)
        progress((n + 1) / (len(perturbed) + 1), "asking the cost model")
    keys = list(columns[0])
    base = np.array([columns[0][key] for key in keys])
    others = np.array([[column.get(key, columns[0][key]) for column in columns[1:]] for key in keys])
    return keys, base, others
