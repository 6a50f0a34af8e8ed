"""The tasks of a network, and measuring choices for them in the network."""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from ..binding import library
from ..measure import percentile, statistic
from ..sessions import DELEGATE, Contender, Session, check, inputs
from .records import Choice, choice_of

NETWORK_GAIN = 1.01  # of the whole network: what brings less is not kept
PARTS = 5  # of the inferences of a measurement: each gives one time
HOPELESS = 4.0  # choices that are estimated to take so many times the default are left out
PART_SECS = 0.004  # an inference in a part, and as many more as fit
COMPARE_SECS, COMPARE_ROUNDS = 2.0, 15  # of networks as a whole
SLICE_SECS = 0.02


@dataclass(frozen=True, eq=False)
class Task:
    """Nodes of equal signatures. Compared by identity.

    nodes: their indices in report(). macs: of one of them. choices: the estimated cycles of each choice that is legal for all of them and not hopeless,
    the least first. default: the choice that runs unless another one is forced.
    """

    signature: str
    nodes: tuple[int, ...]
    macs: int
    choices: Mapping[Choice, float]
    default: Choice

    @property
    def operator(self) -> str:
        return self.signature.partition(" ")[0]


# A function that is shown the times of each task, as far as they have been measured.
Follow = Callable[[Mapping[Task, Sequence[float]]], None]


class Network:
    """A model under the delegate, whose nodes can be forced and timed."""

    def __init__(
        self,
        source: bytes,
        runtime: ModuleType,
        *,
        num_threads: int,
        options: Mapping[str, Any],
        profiled: bool = True,
        records: str | os.PathLike[str] = "none",
    ):
        given = {**options, "profile": profiled, "tuning_records": records}
        self.session: Session = Contender(DELEGATE, options=given).open(source, runtime, num_threads=num_threads)
        check(source, [self.session])
        self.session.feed(inputs.random(inputs.describe(source, runtime))[0].load())
        self.session.invoke()
        assert self.session.delegate
        self.delegate = self.session.delegate
        self._numbers: dict[int, dict[Choice, int]] = {}
        self._runs: dict[int, Choice] = {}
        self.tasks = self._tasks()
        self._default = {index: task.default for task in self.tasks for index in task.nodes}
        self._runs.update(self._default)

    def _tasks(self) -> list[Task]:
        alike: dict[str, list[int]] = {}
        listed: dict[int, dict[Choice, float]] = {}
        macs: dict[int, int] = {}
        for index, node in enumerate(library.report(self.delegate).nodes):
            candidates = library.candidates(self.delegate, index) if node.claimed else []
            running = [choice_of(candidate) for candidate in candidates if candidate.runs]
            if len(candidates) < 2 or not running:
                continue
            self._numbers[index] = {choice_of(candidate): number for number, candidate in enumerate(candidates)}
            self._runs[index] = running[0]
            listed[index] = {choice_of(candidate): candidate.cycles for candidate in candidates}
            macs[index] = node.macs
            alike.setdefault(library.signature(self.delegate, index), []).append(index)
        tasks = []
        for signature, nodes in alike.items():
            first = nodes[0]
            most = HOPELESS * listed[first][self._runs[first]]
            legal = {choice: cycles for choice, cycles in listed[first].items() if cycles <= most and all(choice in listed[node] for node in nodes)}
            if len(legal) > 1 and all(self._runs[node] == self._runs[first] for node in nodes):
                tasks.append(Task(signature, tuple(nodes), macs[first], legal, self._runs[first]))
        return tasks

    def force(self, choices: Mapping[Task, Choice]) -> None:
        """Has each task computed so, and those that are not named by default."""
        wanted = {**self._default, **{index: choice for task, choice in choices.items() for index in task.nodes}}
        for index, choice in wanted.items():
            if self._runs[index] != choice:
                library.force(self.delegate, index, self._numbers[index][choice] if choice != self._default[index] else None)
                self._runs[index] = choice

    def invoke(self) -> int:
        """Nanoseconds of an inference."""
        start = time.perf_counter_ns()
        self.session.interpreter.invoke()
        return time.perf_counter_ns() - start

    def times(self, tasks: Sequence[Task], parts: int = PARTS, follow: Follow = lambda _: None) -> dict[Task, tuple[float, ...]]:
        """Nanoseconds of one node of each task: of each part of the inferences the mean of the nodes' least times. follow: called after each part."""
        self.invoke()
        found: dict[Task, list[float]] = {task: [] for task in tasks}
        for _ in range(parts):
            library.reset_profile(self.delegate)
            end = time.perf_counter() + PART_SECS
            self.invoke()
            while time.perf_counter() < end:
                self.invoke()
            for task in tasks:
                found[task].append(sum(library.least_ns(self.delegate, task.nodes)) / len(task.nodes))
            follow(found)
        return {task: tuple(times) for task, times in found.items()}


def measure(network: Network, choices: Mapping[Task, Choice], parts: int = PARTS, follow: Follow = lambda _: None) -> dict[Task, tuple[float, ...]]:
    """Times of these choices for these tasks, measured in the network, whose other tasks run by default. The choices stay forced."""
    network.force(choices)
    return network.times(list(choices), parts, follow)


def compare(default: Network, tuned: Network, follow: Callable[[float], None] = lambda _: None, seconds: float = COMPARE_SECS) -> tuple[float, float, float]:
    """Both networks whole, in turn: the median of each in milliseconds, or on a busy machine the least; and the ratio of the two."""
    times: list[tuple[list[int], list[int]]] = []
    load, start = statistic.load(), time.perf_counter()
    while len(times) < COMPARE_ROUNDS or time.perf_counter() - start < seconds:
        both = {}
        for network in (default, tuned) if len(times) % 2 else (tuned, default):
            network.invoke()
            end, taken = time.perf_counter() + SLICE_SECS, [network.invoke()]
            while time.perf_counter() < end or len(taken) < 3:
                taken.append(network.invoke())
            both[network] = taken
        times.append((both[default], both[tuned]))
        follow(min(len(times) / COMPARE_ROUNDS, (time.perf_counter() - start) / seconds))
    runs = [sorted(itertools.chain(*each)) for each in zip(*times)]
    spreads = [("the network", len(each), percentile(each, 25), percentile(each, 50), percentile(each, 75)) for each in runs]
    leading = statistic.leading(statistic.busy(load, library.cpu().count, 1, spreads))
    before, after = (statistic.of(leading, each) / 1e6 for each in runs)
    return before, after, before / after
