"""A board as it describes itself."""

from __future__ import annotations

import fnmatch
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..binding import library
from ..measure import machine
from .program import Described

Resource = "board"  # of which each worker of dask has one, and each measurement takes one
REFERENCE_SECS = 0.05
ARM = frozenset({"neon", "dotprod", "i8mm"})  # instruction sets of arm64, whose library has other kernels than x86's


@dataclass(frozen=True)
class Board:
    """A board. name: of dask's worker, unique in a fleet. address: of the worker. kernels: a checksum of the library's kernels. See Machine for the rest.

    via: the command that leads to a board without Python, "" where the worker runs on the board itself. last: its last measurement; spread: the longest time
    that its reference task took since it serves, over the shortest, 0 before any.
    """

    name: str
    address: str
    cpu: str
    isa: str
    count: int
    governor: str
    temperature: str
    version: str
    kernels: str
    python: str
    runtimes: dict[str, str]
    via: str = ""
    last: str = ""
    spread: float = 0.0

    def mismatches(self, version: str, kernels: str, isa: str) -> list[str]:
        """How the board's software differs from the client's, in words. Where the processors have not the same kernels, only versions can be compared."""
        found = []
        if self.version != version:
            found.append(f"tvmq-delegate {self.version} there, {version} here")
        elif self.kernels != kernels and (self.isa in ARM) == (isa in ARM):
            found.append("another build of the kernels there than here")
        return found


def describe(name: str, address: str) -> Board:
    """This machine as a board."""
    now = machine.describe()
    return Board(name, address, now.cpu, now.isa, now.count, now.governor, now.temperature, now.version, library.kernels_checksum(), now.python, now.runtimes)


def proxied(name: str, address: str, via: str, about: Described) -> Board:
    """A board without Python, as the program there describes it."""
    fields = (about.cpu, about.isa, about.count, about.governor, about.temperature, about.version, about.kernels)
    return Board(name, address, *fields, python="", runtimes={}, via=via)


def temperature() -> str:
    return machine.describe().temperature


def reference_ns() -> int:
    """The least time of a task that is the same on every board and in every version: a sum in pure Python, a tenth of a millisecond or so.

    A board that is throttled, or busy with something else, takes longer for it than it once did.
    """
    least = 0
    end = time.perf_counter() + REFERENCE_SECS
    while not least or time.perf_counter() < end:
        start = time.perf_counter_ns()
        sum(range(5000))
        spent = time.perf_counter_ns() - start
        least = min(least or spent, spent)
    return least


def matching(boards: Sequence[Board], wanted: str) -> list[Board]:
    """Those that `wanted` describes: NAME=PATTERN with commas between them, such as "cpu=*Cortex-A72*,isa=neon"; "" is all.

    Patterns are the shell's, without regard to case; a plain word matches where it is part of the value. Any field of Board may be named, and runtime.

    Raises:
      ValueError: a condition that cannot be read, or an unknown field.
    """
    conditions = []
    for condition in filter(None, wanted.split(",")):
        field, equals, pattern = condition.partition("=")
        if not equals or (field not in Board.__dataclass_fields__ and field != "runtime"):
            fields = ", ".join([*Board.__dataclass_fields__, "runtime"])
            raise ValueError(f"{condition!r} is not FIELD=PATTERN; the fields are {fields}")
        conditions.append((field, pattern))
    return [board for board in boards if all(_holds(board, field, pattern) for field, pattern in conditions)]


def _holds(board: Board, field: str, pattern: str) -> bool:
    values: list[Any] = list(board.runtimes) if field == "runtime" else [getattr(board, field)]
    glob = pattern if re.search(r"[*?\[]", pattern) else f"*{pattern}*"
    return any(fnmatch.fnmatchcase(str(value).lower(), glob.lower()) for value in values)
