"""Instructions that one inference of a network executes: the model runs in the emulated Python."""

from __future__ import annotations

import dataclasses
import functools
import json
import pathlib
from collections.abc import Mapping

import environment as env

from . import blocks, emulate, processors
from .cores import CORES


@dataclasses.dataclass(frozen=True)
class Request:
    """The inference to emulate.

    model: a .tflite file, or the name of a network of the zoo. contender: one of tvmq_delegate's. core: the name of the core that the process sees itself on.
    library, options: the delegate's, "" and () for the others.
    """

    model: str
    runtime: str
    contender: str
    core: str
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
    executions, answer = emulate.difference(f"{request.contender}, {request.core}", functools.partial(_start, request))
    found = json.loads(answer)
    return Profile(executions, parts(found["mapped"]), found["outputs"])


def parts(mapped: list[tuple[str, int, int]]) -> tuple[Part, ...]:
    bases: dict[str, int] = {}
    for file, first, _ in mapped:
        bases[file] = min(first, bases.get(file, first))
    return tuple(Part(file, first, end, bases[file]) for file, first, end in mapped)


def _start(request: Request, counts: pathlib.Path, invocations: int) -> tuple[list[str], dict[str, str]]:
    core = CORES[request.core]
    command, environment = env.python(core.level, request.runtime, counts, processors.sysroot(core))
    wanted = dataclasses.asdict(request) | {"options": dict(request.options), "invocations": invocations}
    program = str(pathlib.Path(__file__).with_name("inference.py"))
    # Threads that wait in a loop, and a hash that differs, would execute something else each time.
    return [*command, program, json.dumps(wanted)], {**environment, "OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "0", "TVMQ_LIBRARY": request.library}
