"""Counting what an inference executes: a model runs in the emulated Python, once with few invocations and once with more."""

from __future__ import annotations

import dataclasses
import functools
import json
import pathlib
import subprocess
import tempfile
from collections.abc import Mapping
from typing import Any

import environment as env

from . import blocks

FEW, MANY = 1, 3  # invocations; the first one does what is done once, and is in both


class EmulationError(Exception):
    """The emulated process failed; the text is its last line."""


@dataclasses.dataclass(frozen=True)
class Request:
    """What is emulated.

    model: a .tflite file, or the name of a network of the zoo. contender: one of tvmq_delegate's. library, options: the delegate's, "" and () for the others.
    """

    model: str
    runtime: str
    contender: str
    level: str
    library: str = ""
    options: tuple[tuple[str, str], ...] = ()


@dataclasses.dataclass(frozen=True)
class Part:
    """A part of a file in memory, from the address `first` up to `end`. base: the address at which the file begins."""

    file: str
    first: int
    end: int
    base: int


@dataclasses.dataclass(frozen=True)
class Profile:
    """executions: of each block in one inference. outputs: a digest of what the model gave."""

    executions: Mapping[blocks.Block, float]
    parts: tuple[Part, ...]
    outputs: str


@functools.cache
def profile(request: Request) -> Profile:
    """Emulates two processes; takes 6 seconds each for the start of Python alone."""
    few, first = _run(request, FEW)
    many, last = _run(request, MANY)
    if first != last:
        raise EmulationError(f"{request.contender}, {request.level}: two processes differ in outputs or addresses; their counts cannot be compared")
    return Profile(blocks.joined(blocks.per_run(few, many, MANY - FEW)), parts(last["mapped"]), last["outputs"])


def parts(mapped: list[tuple[str, int, int]]) -> tuple[Part, ...]:
    bases: dict[str, int] = {}
    for file, first, _ in mapped:
        bases[file] = min(first, bases.get(file, first))
    return tuple(Part(file, first, end, bases[file]) for file, first, end in mapped)


def _run(request: Request, invocations: int) -> tuple[blocks.Counts, dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder:
        counts = pathlib.Path(folder, "counts")
        command, environment = env.python(request.level, request.runtime, counts)
        # Threads that wait in a loop, and a hash that differs, would execute something else each time.
        environment |= {"OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "0", "TVMQ_LIBRARY": request.library}
        wanted = dataclasses.asdict(request) | {"options": dict(request.options), "invocations": invocations}
        program = str(pathlib.Path(__file__).with_name("inference.py"))
        done = subprocess.run([*command, program, json.dumps(wanted)], env=environment, capture_output=True, text=True, check=False)
        if done.returncode or not counts.exists():
            said = (done.stderr.strip() or done.stdout.strip() or f"exit code {done.returncode}").splitlines()
            raise EmulationError(f"{request.contender}, {request.level}: {said[-1]}")
        with counts.open(encoding="utf-8") as lines:
            return blocks.parse(lines), json.loads(done.stdout.splitlines()[-1])
