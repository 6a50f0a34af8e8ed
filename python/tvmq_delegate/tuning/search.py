"""Searching the fastest choice of each task of a network, by measuring in the network; and proving what was found."""

from __future__ import annotations

import dataclasses
import datetime
import math
import os
import random
import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING

from .. import models
from ..binding import LoadOptions, Shown, interpreter_threads, library, runtimes
from ..measure import machine, statistic
from ..sessions import takes_options
from . import interrupts, leaving
from .records import LEFT, Choice, Log, Origin, Record, read_records
from .tasks import NETWORK_GAIN, Network, Task, compare, measure
from .tuners import Tuner, tuner

if TYPE_CHECKING:
    from typing_extensions import Unpack

TRIALS = 8
NODE_GAIN = 1.03  # what is less is not kept
FINALISTS = 2  # choices of a task that are measured against the default in turn
DUELS = 6  # turns


@dataclass(frozen=True)
class Trial:
    """A choice that was measured. predicted: its time over the default's as the tuner's model had it before, NaN without one; ratio: as measured."""

    choice: Choice
    predicted: float
    ratio: float


@dataclass(frozen=True)
class Tuned:
    """A task, and what became of it.

    nodes: how many of the network there are. default_ns: of one node; trials: those of this run, in order. known: how many were in the file before. best: the
    fastest choice that was measured, and best_ratio its time over the default's. kept: best is proven, and written so.
    """

    signature: str
    nodes: int
    macs: int
    default: Choice
    default_ns: float
    trials: tuple[Trial, ...]
    known: int
    best: Choice
    best_ratio: float
    kept: bool


@dataclass(frozen=True)
class Tuning(Shown):
    """A network that has been tuned.

    tuner: its name. tasks: in the order of the network. choices: how many there were to choose from, of all tasks. search_seconds: time that the search took;
    seconds: that all took. default_ms, tuned_ms: the whole network, unprofiled and in turn: medians, or the least on a busy machine; gain: their ratio; all
    three are NaN where no task had anything to gain. kept: the choices are proven and written. interrupted: the search ended early. busy: why the machine is
    taken to be busy, by its load before the search; "" where it is not.
    """

    model: str
    tuner: str
    threads: int
    path: str
    tasks: tuple[Tuned, ...]
    choices: int
    search_seconds: float
    seconds: float
    default_ms: float
    tuned_ms: float
    gain: float
    kept: bool
    interrupted: bool
    busy: str = ""


@dataclass(frozen=True)
class Progress:
    """How far it is.

    fraction: of the trials or of the time that is allowed. what: "searching", "proving", "leaving to the runtime" or "comparing". trials: all of this run.
    gain: what the best choices so far make of the sum of the nodes that are tuned. rate: their giga multiply-accumulates a second.
    """

    fraction: float
    what: str
    tasks: int
    trials: int
    gain: float
    rate: float


Follow = Callable[[Progress], None]


class Search:
    """All that has been measured so far. The file of records has all of it."""

    def __init__(self, network: Network, by: Tuner, name: str, threads: int, log: Log | None, follow: Follow):
        self.network, self.by, self.name, self.log, self.follow = network, by, name, log, follow
        about, kernels = machine.describe(), library.kernels_checksum()
        features = {task.signature.partition(" cpu=")[2].partition(" ")[0] for task in network.tasks}
        cpu = library.cpu()
        in_order = bool(library.report(network.delegate).summary.in_order)
        self.origin = Origin(about.version, kernels, cpu.name, cpu.identity, "".join(sorted(features)), in_order, threads, about.governor, about.temperature)
        self.measured: dict[Task, dict[Choice, float]] = {}  # times over the default's
        self.trials: dict[Task, list[Trial]] = {}
        self.known: dict[Task, int] = {}
        self.left: dict[str, float] = {}  # by signature: times over the default's, had the runtime computed it
        self.default_ns: dict[Task, tuple[float, ...]] = {}
        for task in network.tasks:
            self.admit(task)
        self.interrupted = False
        self.phase, self.told = "", 0.0

    def admit(self, task: Task) -> None:
        """Has it among those of which something may be measured."""
        self.measured.setdefault(task, {})
        self.trials.setdefault(task, [])
        self.known.setdefault(task, 0)

    def resume(self, records: Iterable[Record]) -> None:
        """Takes up measurements of this machine with these kernels. What is known of other tasks, the tuner learns from, too."""
        tasks = {task.signature: task for task in self.network.tasks}
        for record in records:
            origin = record.origin
            if record.estimated or not origin.is_of(self.origin.cpu, self.origin.identity, self.origin.in_order) or origin.kernels != self.origin.kernels:
                continue
            if record.choice == LEFT:
                self.left[record.task] = min(1 / record.gain, self.left.get(record.task, math.inf))
            task = tasks.get(record.task)
            if task is None or record.choice not in task.choices or record.choice == task.default:
                continue
            self.known[task] += record.choice not in self.measured[task]
            self._note(task, record.choice, 1 / record.gain)

    def _note(self, task: Task, choice: Choice, ratio: float) -> None:
        self.measured[task][choice] = min(ratio, self.measured[task].get(choice, math.inf))
        self.by.learn(task, choice, ratio)

    def leave(self, task: Task, own: tuple[float, ...], default: tuple[float, ...]) -> None:
        """Notes what leaving the task to the runtime is worth."""
        self.admit(task)
        self.default_ns[task] = default
        self.measured[task][LEFT] = min(own) / min(default)
        self.trials[task].append(Trial(LEFT, math.nan, min(own) / min(default)))
        if self.log:
            self.log.append([self.record(task, LEFT, own, default, False)])

    def measure_default(self) -> None:
        found = measure(self.network, {task: task.default for task in self.network.tasks})
        self.default_ns.update(found)

    def record(self, task: Task, choice: Choice, times: tuple[float, ...], default: tuple[float, ...], proven: bool) -> Record:
        date = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
        cycles, base = (round(task.choices[each], 1) for each in (choice, task.default))
        return Record(self.origin, task.signature, choice, _rounded(times), _rounded(default), cycles, base, task.macs, self.name, proven, False, date)

    def sweep(self, choices: Mapping[Task, Choice]) -> None:
        """One measurement of every task that has a choice to be tried; the others run by default, and their time is taken, too."""
        rest = {task: task.default for task in self.network.tasks if task not in choices}
        found = measure(self.network, {**choices, **rest}, follow=lambda times: self._begun(choices, times))
        for task in rest:
            self.default_ns[task] = min(self.default_ns.get(task, found[task]), found[task], key=min)
        if self.log:
            self.log.append([self.record(task, choice, found[task], self.default_ns[task], False) for task, choice in choices.items()])
        for task, choice in choices.items():
            ratio = min(found[task]) / min(self.default_ns[task])
            predicted = self._predicted(task, choice)
            self._note(task, choice, ratio)
            self.trials[task].append(Trial(choice, predicted, ratio))

    def _begun(self, choices: Mapping[Task, Choice], times: Mapping[Task, Sequence[float]]) -> None:
        """Puts down what would be lost if the process were ended now."""
        if self.log:
            self.log.begin([self.record(task, choice, tuple(times[task]), self.default_ns[task], False) for task, choice in choices.items()])

    def _predicted(self, task: Task, choice: Choice) -> float:
        predicted = getattr(self.by, "predicted", None)
        if predicted is None:
            return math.nan
        return math.exp(predicted(task, self.measured[task])[0][list(task.choices).index(choice)])

    def best(self, task: Task) -> tuple[Choice, float]:
        """The fastest, and its time over the default's."""
        return min([(task.default, 1.0), *self.measured[task].items()], key=lambda each: each[1])

    def tell(self, fraction: float, what: str) -> None:
        """Tells the progress. The fraction of a phase never falls: a task that is proposed late has had few trials."""
        self.told = fraction = max(fraction, self.told if what == self.phase else 0.0)
        self.phase = what
        before = sum(min(ns) * len(task.nodes) for task, ns in self.default_ns.items())
        after = sum(min(ns) * len(task.nodes) * self.best(task)[1] for task, ns in self.default_ns.items())
        macs = sum(task.macs * len(task.nodes) for task in self.network.tasks)
        trials = sum(map(len, self.trials.values()))
        self.follow(Progress(min(1.0, fraction), what, len(self.network.tasks), trials, before / after if after else 1.0, macs / after if after else 0.0))

    def run(self, trials: float, seconds: float, seed: int) -> None:
        """Until each task has had so many trials, what the file held included, or the tuner proposes none, or the time is over."""
        start, shuffle = time.perf_counter(), random.Random(seed)
        self.measure_default()
        turn = 0
        while time.perf_counter() - start < seconds:
            tasks = [task for task in self.network.tasks if len(self.measured[task]) < trials]
            shuffle.shuffle(tasks)
            proposed = {task: choice for task in tasks if (choice := self.by.propose(task, self.measured[task])) is not None}
            if not proposed:
                return
            self.sweep(proposed)
            turn += 1
            if turn % 4 == 0:
                self._refresh_default()
            most = max(min(trials, len(task.choices) - 1) for task in self.network.tasks)
            least = min(len(self.measured[task]) for task in proposed)
            self.tell(max(least / most if most else 1.0, (time.perf_counter() - start) / seconds), "searching")

    def _refresh_default(self) -> None:
        """The machine may have become faster than when the defaults were measured."""
        found = measure(self.network, {task: task.default for task in self.network.tasks})
        for task, times in found.items():
            self.default_ns[task] = min(self.default_ns[task], times, key=min)

    def prove(self) -> dict[Task, tuple[Choice, tuple[float, ...], tuple[float, ...]]]:
        """Duels of the fastest choices of each task with the default: of those that win, the winner, its times and the default's."""
        finalists = {}
        for task in self.network.tasks:
            ranked = sorted(self.measured[task].items(), key=lambda each: each[1])
            finalists[task] = [choice for choice, ratio in ranked[:FINALISTS] if ratio <= 1.0]
        tasks = [task for task, choices in finalists.items() if choices]
        times: dict[Task, dict[Choice, list[float]]] = {task: {} for task in tasks}
        for duel in range(DUELS if tasks else 0):
            for place in random.Random(duel).sample(range(1 + FINALISTS), 1 + FINALISTS):
                chosen = {task: ([task.default, *finalists[task]] + [task.default] * FINALISTS)[place] for task in tasks}
                for task, found in measure(self.network, chosen).items():
                    times[task].setdefault(chosen[task], []).append(min(found))
                self.tell((duel + place / (1 + FINALISTS)) / DUELS, "proving")
        won = {}
        for task in tasks:
            default = times[task][task.default]
            winner = min(finalists[task], key=lambda choice: min(times[task][choice]))
            own = times[task][winner]
            gain = min(min(default) / min(own), statistics.median(default) / statistics.median(own))
            if gain >= NODE_GAIN:
                won[task] = winner, tuple(own), tuple(default)
        return won


def _shared(task: Task, i: int, n: int) -> Task:
    """The task with every n-th of its choices from the i-th on, and the default."""
    choices = {choice: cycles for at, (choice, cycles) in enumerate(task.choices.items()) if at % n == i or choice == task.default}
    return dataclasses.replace(task, choices=choices)


def _rounded(times: Iterable[float]) -> tuple[float, ...]:
    return tuple(round(ns, 1) for ns in times)


@takes_options
def tune(
    source: models.ModelSource,
    *,
    runtime: str | ModuleType | None = None,
    name: str | None = None,
    out: str | os.PathLike[str] | None = None,
    tuner_name: str = "model",
    trials: int | None = TRIALS,
    seconds: float = math.inf,
    seed: int = 0,
    share: tuple[int, int] = (0, 1),
    progress: Follow = lambda _: None,
    **options: Unpack[LoadOptions],
) -> Tuning:
    """Searches the fastest choice for each task of a model on this machine, and writes records of all that it measures. Results stay the same, bit for bit.

    An interruption ends the search, or what follows the proof; what was found until then is proven and kept. A second one, or one before anything was measured,
    ends all; the file has what was measured.

    Args:
      source: the bytes of a .tflite file, or its path.
      runtime: as for bench().
      name: as for bench().
      out: the file of records. It is appended to, and measurements of this machine that it holds already are not repeated. None: nothing is written.
      tuner_name: "model", "random", "grid" or "exhaustive".
      trials: choices of a task that are measured at most; None, or the tuner "exhaustive": all.
      seconds: for the search.
      seed: of what is drawn at random.
      share: (i, n): look at every n-th choice of each task alone, from the i-th on, and leave the proof to whoever has all n shares.
      progress: called now and then.
      **options: the delegate's options, as for load(). tuning_records is not looked at.

    Raises:
      ModelError: the file is malformed.
      OSError: it, or the file of records, cannot be opened.
      ValueError: there is no such tuner, trials is negative, out holds something else than records, or as load().
      ImportError, RuntimeError: as load(), and where the runtime refuses the model.
    """
    begin = time.perf_counter()
    if trials is not None and trials < 0:
        raise ValueError(f"trials is 0 or more, or None, not {trials}")
    content, name = models.opened(source, name)
    models.ops(content)  # raises ModelError for malformed files, which the runtimes are less careful with
    module = runtimes.find(runtime)
    given = {option: value for option, value in options.items() if option not in ("num_threads", "tuning_records", "profile")}
    threads = interpreter_threads(options.get("num_threads"))
    busy = statistic.busy(statistic.load(), library.cpu().count, threads, ())
    by = tuner(tuner_name, seed)
    network = Network(content, module, num_threads=threads, options=given)
    network.tasks = [_shared(task, *share) for task in network.tasks]
    log = Log(out) if out is not None else None
    search = Search(network, by, tuner_name, threads, log, progress)
    try:
        if out is not None:
            search.resume(read_records([out])[0])
        try:
            search.run(math.inf if trials is None or tuner_name == "exhaustive" else trials, seconds, seed)
        except KeyboardInterrupt:
            if not search.default_ns:
                raise  # nothing has been measured
            search.interrupted = True
            if log:
                log.take_up()
        searched = time.perf_counter() - begin
        with interrupts.noted(search.interrupted) as interrupted:
            won = search.prove() if share[1] == 1 else {}
            if share[1] == 1 and not interrupted():
                left = leaving.worth(search, content, module, threads, given, interrupted)
                signatures = {task.signature for task in left}
                won = {task: found for task, found in won.items() if task.signature not in signatures} | left
            default_ms, tuned_ms, gain = math.nan, math.nan, math.nan
            if won:
                default_ms, tuned_ms, gain = _compare(content, module, threads, given, search, {task: choice for task, (choice, *_) in won.items()})
            kept = gain >= NETWORK_GAIN
            if log and kept:
                log.append([search.record(task, choice, times, default, True) for task, (choice, times, default) in won.items()])
            search.interrupted = interrupted()
    finally:
        if log:
            log.close()
    tuned = tuple(_tuned(search, task, won if kept else {}) for task in search.measured)
    choices = sum(len(task.choices) for task in network.tasks)
    path = str(out) if out is not None else ""
    took = time.perf_counter() - begin
    return Tuning(name, tuner_name, threads, path, tuned, choices, searched, took, default_ms, tuned_ms, gain, kept, search.interrupted, busy)


def _compare(
    content: bytes, module: ModuleType, threads: int, options: Mapping[str, object], search: Search, won: Mapping[Task, Choice]
) -> tuple[float, float, float]:
    default = Network(content, module, num_threads=threads, options=options, profiled=False)
    left = [task for task, choice in won.items() if choice == LEFT]
    with leaving.network(search, left, content, module, threads, options) as tuned:
        by_signature = {task.signature: choice for task, choice in won.items()}
        tuned.force({task: by_signature[task.signature] for task in tuned.tasks if task.signature in by_signature})
        return compare(default, tuned, lambda fraction: search.tell(fraction, "comparing"))


def _tuned(search: Search, task: Task, won: Mapping[Task, tuple[Choice, tuple[float, ...], tuple[float, ...]]]) -> Tuned:
    best, ratio = search.best(task)
    default = search.default_ns.get(task, (math.nan,))
    if task in won:
        best, times, default = won[task]  # of one sample
        ratio = min(times) / min(default)
    measured = tuple(search.trials[task]), search.known[task]
    return Tuned(task.signature, len(task.nodes), task.macs, task.default, min(default), *measured, best, ratio, task in won)
