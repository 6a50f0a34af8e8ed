"""Tuning a board without Python: the tuner proposes here, tvmq-measure measures there, and what is proven is proven there."""

from __future__ import annotations

import collections
import dataclasses
import datetime
import math
import statistics
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .. import tuning
from ..tuning import Choice, Origin, Record, Task
from . import program, proxied
from .program import Described, Program, ProgramError

ROUNDS, REPEATS = 11, 3
SEARCH_PART = 0.6  # of the time; the rest is for the proof
Times = dict[Task, tuple[tuple[float, ...], tuple[float, ...]]]  # of a choice, and of the default measured right before


class Search:
    """The tasks of a model on a board, and what has been measured of them."""

    def __init__(self, on: Program, taken: Sequence[str], share: tuple[int, int], num_threads: int, until: float):
        self.on, self.until, self.num_threads = on, until, num_threads
        self.taken, self.said = taken, dict.fromkeys(taken)
        answers = self._run([{"steps": [program.step(text)], "candidates": True} for text in self.said])
        self.board: Described = answers.board
        self.references = list(answers.reference_ns)
        self.temperature = answers.temperature
        counts = collections.Counter(taken)
        self.tasks: dict[str, Task] = {}  # by the signature that the host has given
        for text, line in zip(self.said, answers.lines):
            task = _task(line, counts[text], share)
            if task is not None:
                self.tasks[text] = task
        self.measured: dict[Task, dict[Choice, float]] = {task: {} for task in self.tasks.values()}
        self.by = tuning.tuner("model", 0)
        self.records: list[Record] = []

    def _run(self, plan: Iterable[Mapping[str, Any]]) -> program.Answers:
        left = self.until - time.monotonic()
        if left <= 0:
            raise ProgramError("the time is over")
        answers = self.on.run(plan, left)
        if hasattr(self, "references"):
            self.references += answers.reference_ns
            self.temperature = answers.temperature
        return answers

    def resume(self, lines: Iterable[str]) -> None:
        """Takes up what boards of this kind have measured of these tasks."""
        tasks = {task.signature: task for task in self.tasks.values()}
        for line in lines:
            record = tuning.parse(line)
            task = tasks.get(record.task)
            if task and record.choice in task.choices and record.origin.cpu == self.board.cpu and record.origin.kernels == self.board.kernels:
                self._note(task, record.choice, 1 / record.gain)

    def _note(self, task: Task, choice: Choice, ratio: float) -> None:
        self.measured[task][choice] = min(ratio, self.measured[task].get(choice, math.inf))
        self.by.learn(task, choice, ratio)

    def times(self, choices: Mapping[Task, Choice], duels: int = 1) -> Times:
        """Times of choices of tasks, each alone and after its default; of several duels all."""
        given = {task: text for text, task in self.tasks.items()}
        plan = [{"steps": [program.step(given[task], dataclasses.asdict(each))], "repeats": REPEATS}
                for _ in range(duels) for task, choice in choices.items() for each in (task.default, choice)]  # fmt: skip
        lines = iter(self._run(plan).lines)
        found: dict[Task, tuple[list[float], list[float]]] = {task: ([], []) for task in choices}
        for _ in range(duels):
            for task in choices:
                default, own = program.times_ns(next(lines)), program.times_ns(next(lines))
                found[task][0].append(min(own))
                found[task][1].append(min(default))
        return {task: (tuple(own), tuple(default)) for task, (own, default) in found.items()}

    def search(self, trials: int, until: float) -> None:
        """Until each task has had so many trials, or the tuner proposes none, or the time is over."""
        while time.monotonic() < until:
            tasks = [task for task in self.measured if len(self.measured[task]) < trials]
            proposed = {task: choice for task in tasks if (choice := self.by.propose(task, self.measured[task])) is not None}
            if not proposed:
                return
            for task, (own, default) in self.times(proposed).items():
                self._note(task, proposed[task], min(own) / min(default))
                self.records.append(self._record(task, proposed[task], own, default, False))

    def prove(self) -> float:
        """Keeps the choices that win their duels as records, if the network gains by them: as how much; 0 where nothing is kept."""
        best = {task: min(found, key=found.__getitem__) for task, found in self.measured.items() if found}
        best = {task: choice for task, choice in best.items() if self.measured[task][choice] < 1}
        duels = self.times(best, tuning.DUELS) if best else {}
        won = {task: times for task, times in duels.items() if _gain(*times) >= tuning.NODE_GAIN}
        if not won:
            return 0.0
        by_text = {text: best[task] for text, task in self.tasks.items() if task in won}
        default = [program.step(text) for text in self.taken]
        tuned = [program.step(text, dataclasses.asdict(by_text[text]) if text in by_text else None) for text in self.taken]
        lines = self._run({"steps": steps, "repeats": 1} for _ in range(ROUNDS) for steps in (default, tuned)).lines
        times = [program.times_ns(line)[0] for line in lines]
        gain = statistics.median(before / after for before, after in zip(times[::2], times[1::2]))
        if gain < tuning.NETWORK_GAIN:
            return 0.0
        self.records += [self._record(task, best[task], own, before, True) for task, (own, before) in won.items()]
        return gain

    def _record(self, task: Task, choice: Choice, own: tuple[float, ...], default: tuple[float, ...], proven: bool) -> Record:
        about = self.board
        machine = about.cpu, about.identity, about.features, about.in_order
        origin = Origin(about.version, about.kernels, *machine, self.num_threads, about.governor, self.temperature)
        date = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
        cycles, base = (round(task.choices[each], 1) for each in (choice, task.default))
        return Record(origin, task.signature, choice, own, default, cycles, base, task.macs, "model", proven, False, date)


def _gain(own: Sequence[float], default: Sequence[float]) -> float:
    return min(min(default) / min(own), statistics.median(default) / statistics.median(own))


def _choice(data: Mapping[str, Any]) -> Choice:
    fields = {field.name: data[field.name] for field in dataclasses.fields(Choice)}
    if [type(value) for value in fields.values()] != [str, str, bool, int, int] or min(fields["rows"], fields["panels"]) < 0:
        raise ValueError("not a choice")
    return Choice(**fields)


def _cycles(data: Mapping[str, Any]) -> float:
    if not isinstance(data["cycles"], (int, float)) or not data["cycles"] >= 0:
        raise ValueError("not a number of cycles")
    return float(data["cycles"])


def _task(line: Mapping[str, Any], n: int, share: tuple[int, int]) -> Task | None:
    """A task of the line that answers to `candidates`; None: there is nothing to choose. share: as tuning.tune() has it."""
    program.refuse_error(line)
    try:
        default = _choice(line["default"])
        listed = {_choice(each["choice"]): _cycles(each) for each in line["candidates"]}
        most = tuning.HOPELESS * listed[default]
        i, of = share
        legal = {choice: cycles for at, (choice, cycles) in enumerate(listed.items()) if cycles <= most and (at % of == i or choice == default)}
        return Task(str(line["task"]), tuple(range(n)), int(line["macs"]), legal, default) if len(legal) > 1 else None
    except (KeyError, TypeError, ValueError):
        raise ProgramError("tvmq-measure does not list candidates as it should") from None


def tune(source: bytes, on: Program, *, trials: int, share: tuple[int, int], known: Iterable[str], num_threads: int, options: dict[str, Any],
         seconds: float) -> dict[str, Any]:  # fmt: skip
    """As the board with Python does it: records of a share; of the whole with the proof."""
    taken, nodes = proxied.signatures(source, num_threads, options)
    start = time.monotonic()
    search = Search(on, taken, share, num_threads, start + seconds)
    search.resume(known)
    search.search(trials, start + SEARCH_PART * seconds)
    gain = search.prove() if share[1] == 1 else 0.0
    told = {"reference_ns": (min(search.references), max(search.references)), "temperature": search.temperature, "runtime": proxied.RUNTIME}
    return {"records": tuple(record.line() for record in search.records), "gain": gain, "nodes": nodes, "taken": len(taken), **told}
