"""Measuring on a board without Python: the host opens the model, and has tvmq-measure on the board build the operators of the nodes from their signatures."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from typing import Any

from ..binding import library, runtimes
from ..sessions import DELEGATE, Contender
from . import program
from .program import Program, ProgramError

RUNTIME = "tvmq-measure"
REPEATS = 15


def signatures(source: bytes, num_threads: int, options: dict[str, Any]) -> tuple[list[str], int]:
    """The signatures of the nodes of a model that the delegate takes and that leave a choice, in their order; and how many nodes there are."""
    given = {**options, "tuning_records": "none"}
    session = Contender(DELEGATE, options=given).open(source, runtimes.find(None), num_threads=1)
    assert session.delegate
    listed = library.report(session.delegate).nodes
    chosen = [index for index, node in enumerate(listed) if node.claimed and library.candidates(session.delegate, index)]
    found = [library.signature(session.delegate, index) for index in chosen]
    return [re.sub(r" threads=\d+", f" threads={num_threads}", text) for text in found if text], len(listed)


def partition(taken: Sequence[str]) -> list[dict[str, Any]]:
    return [program.step(text) for text in taken]


def bench(source: bytes, num_threads: int, options: dict[str, Any], on: Program, seconds: float) -> dict[str, Any]:
    """The least time of all nodes with a signature, one after the other. There is no stock runtime to compare with."""
    taken, nodes = signatures(source, num_threads, options)
    answers = on.run([{"steps": partition(taken), "repeats": REPEATS}], seconds)
    ms = min(program.times_ns(answers.lines[0])) / 1e6
    return {"ms": {DELEGATE: ms}, "taken": len(taken), "nodes": nodes, **told(answers)}


def diff(source: bytes, num_threads: int, options: dict[str, Any], on: Program, seconds: float) -> dict[str, Any]:
    """Each node's output on made-up data against plain C on the board, and against what this host computes, where it can."""
    taken, nodes = signatures(source, num_threads, options)
    plan = [{"steps": partition(taken), "repeats": 1, "compare": True}]
    answers = on.run(plan, seconds)
    program.times_ns(answers.lines[0])
    steps = program.steps(answers.lines[0], len(taken))
    expected = [step["checksum"] for step in steps]
    own = program.beside_library()
    if own is not None:
        with contextlib.suppress(ProgramError):
            here = Program((str(own),)).run([{"steps": partition(taken), "repeats": 1}], seconds).lines[0]
            expected = [step["checksum"] for step in program.steps(here, len(taken))]
    wrong = sum(step["bytes"] for step, checksum in zip(steps, expected) if step.get("exact") is not True or step["checksum"] != checksum)
    return {"taken": len(taken), "nodes": nodes, "elements": sum(step["bytes"] for step in steps), "different": wrong, **told(answers)}


def told(*answers: program.Answers) -> dict[str, Any]:
    """The state of the board while it measured."""
    reference = [ns for each in answers for ns in each.reference_ns]
    return {"reference_ns": (min(reference), max(reference)), "temperature": answers[-1].temperature, "runtime": RUNTIME}
