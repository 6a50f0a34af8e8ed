"""The price of an inference: executions of blocks times their cycles on a core, summed up by function."""

from __future__ import annotations

import collections
import dataclasses
import re
from collections.abc import Callable, Mapping, Sequence

from . import mca
from .blocks import Block
from .cores import Core
from .emulate import EmulationError
from .networks import Profile, Request, profile
from .symbols import Place, Places

DELEGATE = "tvmq"
# The files of the Python that invokes the model, and of its extensions. A program in C++ would not execute them.
CALLER = re.compile(r"python3[.\d]*|.+\.cpython-.+\.so")

# Most instructions in blocks that the counted inferences executed unequally often, as a fraction; what differed besides the inferences shows in them.
UNSTEADY = 0.01


@dataclasses.dataclass(frozen=True)
class Contender:
    """name: as it is printed. kernels: one of tvmq_delegate's contenders. library: the delegate's, "" for the others."""

    name: str
    kernels: str
    library: str = ""


@dataclasses.dataclass(frozen=True)
class Price:
    """The cost of one inference, or of the part of it that is one function."""

    cycles: float
    instructions: float


@dataclasses.dataclass(frozen=True)
class Estimate:
    """The cost of an inference on a core. places: the functions, dearest first; they add up to the whole."""

    contender: str
    core: Core
    outputs: str
    places: Mapping[Place, Price]

    @property
    def total(self) -> Price:
        return Price(sum(price.cycles for price in self.places.values()), sum(price.instructions for price in self.places.values()))


def estimate(model: str, runtime: str, contender: Contender, core: Core, options: Mapping[str, str]) -> Estimate:
    """Emulates the model on `core` unless that has been done, and prices it. options: the delegate's."""
    given = tuple(sorted(options.items())) if contender.kernels == DELEGATE else ()
    found = profile(Request(model, runtime, contender.kernels, core.name, contender.library, given))
    return priced(contender.name, core, found, Places(found.parts).find)


def priced(contender: str, core: Core, found: Profile, place: Callable[[int], Place]) -> Estimate:
    located = [(block, place(block.address)) for block in found.executions]
    counted = [(block, where) for block, where in located if not CALLER.fullmatch(where.file)]
    uneven = unsteady({block: found.executions[block] for block, _ in counted})
    if uneven > UNSTEADY:
        raise EmulationError(f"{contender}, {core.name}: {uneven:.1%} of the instructions were executed in some inferences only; estimate again")
    cycles = mca.cycles([block.words for block, _ in counted], core)
    return Estimate(contender, core, found.outputs, by_place(counted, cycles, found.executions))


def unsteady(executions: Mapping[Block, float]) -> float:
    """Fraction of the instructions in blocks that were executed a number of times that is not the same for every inference."""
    total = sum(len(block.words) * count for block, count in executions.items())
    return sum(len(block.words) * count for block, count in executions.items() if count % 1) / total if total else 0.0


def by_place(located: Sequence[tuple[Block, Place]], cycles: Sequence[float], executions: Mapping[Block, float]) -> dict[Place, Price]:
    """Sums over the blocks of each function; `cycles` are those of one execution of each block."""
    totals: collections.defaultdict[Place, list[float]] = collections.defaultdict(lambda: [0.0, 0.0])
    for (block, place), each in zip(located, cycles, strict=True):
        totals[place][0] += executions[block] * each
        totals[place][1] += executions[block] * len(block.words)
    return {place: Price(*totals[place]) for place in sorted(totals, key=lambda place: -totals[place][0])}
