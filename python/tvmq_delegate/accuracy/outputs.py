"""The outputs of whole models under several contenders."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..sessions import Session, inputs
from .classes import BEST, Rating, agreement, rater
from .difference import Difference, Tally, unequal
from .saved import INPUTS, Saved

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class OutputDifference:
    """One output of the model under one contender, against the baseline's.

    top1, top5: of an output that rates classes, the share of ratings with the baseline's best class in the first place, or among the first five; None for
    other outputs, and top5 for fewer classes.
    """

    contender: str
    output: int
    name: str
    difference: Difference
    top1: float | None
    top5: float | None


@dataclass(frozen=True)
class Latency:
    """Times of one inference, over all samples, in microseconds: a by-product, without warming up."""

    contender: str
    mean_us: float
    std_us: float


class Outputs:
    """Runs sample after sample and keeps the differences. The first session is the baseline; it may have more outputs than the others."""

    def __init__(self, sessions: Sequence[Session], labels: Sequence[str], expected: str | int | None, saved: Saved | None = None):
        self.sessions = sessions
        self.saved, self.n_samples = saved, 0
        self.details = sessions[-1].interpreter.get_output_details()
        scales = [inputs.quantization(detail) for detail in self.details]
        self.tallies = [[Tally(*scale) for scale in scales] for _ in sessions[1:]]
        self.times: list[list[float]] = [[] for _ in sessions]
        self.steady: dict[int, bool] = {}  # of outputs in which somebody differs: whether the baseline does not
        self.ratings: list[Rating] = []
        self.raters = []
        for i, (detail, (scale, _)) in enumerate(zip(self.details, scales)):
            rates = scale or detail["dtype"]().dtype.kind == "f"
            self.raters.append(rater(detail["shape"] if rates else (), *(() if i else (labels, expected))))

    def run(self, sample: str, arrays: Sequence[NDArray[Any]]) -> Iterator[str]:
        """Yields what it does before it does it."""
        baseline: list[NDArray[Any]] = []
        if self.saved:
            self.saved.write(INPUTS, self.n_samples, [detail["name"] for detail in self.sessions[-1].interpreter.get_input_details()], arrays)
        for i, session in enumerate(self.sessions):
            yield f"{session.contender.name}: {sample}"
            got = self._invoked(session, arrays)
            if self.saved:
                self.saved.write(session.contender.name, self.n_samples, [detail["name"] for detail in self.details], got)
            for output, (values, rates) in enumerate(zip(got, self.raters)):
                self.ratings += rates.rate(session.contender.name, sample, output, values) if rates else []
            if session is self.sessions[0]:
                baseline = got
                continue
            for tally, expected, values in zip(self.tallies[i - 1], baseline, got):
                tally.add(expected, values)
        self.n_samples += 1
        self._repeat(arrays, baseline)

    def _repeat(self, arrays: Sequence[NDArray[Any]], baseline: Sequence[NDArray[Any]]) -> None:
        """Runs the baseline once more where somebody differs from it in an output for the first time."""
        fresh = [i for i, tallies in enumerate(zip(*self.tallies)) if i not in self.steady and any(tally.different for tally in tallies)]
        if fresh:
            again = self._invoked(self.sessions[0], arrays)
            self.steady |= {i: again[i].shape == baseline[i].shape and not unequal(again[i], baseline[i]).any() for i in fresh}

    def _invoked(self, session: Session, arrays: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
        """The outputs, from the state that a new interpreter has."""
        session.interpreter.reset_all_variables()
        session.feed(arrays)
        start = time.perf_counter()
        session.invoke()
        self.times[self.sessions.index(session)].append((time.perf_counter() - start) * 1e6)
        return [session.interpreter.get_tensor(detail["index"]) for detail in self.details]

    def unsteady(self) -> tuple[str, ...]:
        """Names of the outputs in which the baseline has differed from itself."""
        return tuple(self.details[i]["name"] for i, steady in sorted(self.steady.items()) if not steady)

    def different(self, contender: str) -> bool:
        """Whether it has differed from the baseline, where the baseline does not differ from itself."""
        names = [session.contender.name for session in self.sessions[1:]]
        listed = [tally for name, tallies in zip(names, self.tallies) if name == contender for tally in enumerate(tallies)]
        return any(tally.different and self.steady.get(i, True) for i, tally in listed)

    def differences(self) -> tuple[OutputDifference, ...]:
        found = []
        for session, tallies in zip(self.sessions[1:], self.tallies):
            name = session.contender.name
            for i, (detail, tally) in enumerate(zip(self.details, tallies)):
                expected, got = self._ratings(self.sessions[0].contender.name, i), self._ratings(name, i)
                found.append(OutputDifference(name, i, detail["name"], tally.result(), agreement(expected, got, 1), agreement(expected, got, BEST)))
        return tuple(found)

    def latencies(self) -> tuple[Latency, ...]:
        return tuple(Latency(session.contender.name, statistics.fmean(t), statistics.pstdev(t)) for session, t in zip(self.sessions, self.times))

    def _ratings(self, contender: str, output: int) -> list[Rating]:
        return [rating for rating in self.ratings if (rating.contender, rating.output) == (contender, output)]
