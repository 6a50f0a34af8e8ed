"""Instructions that one call of a kernel executes, alone and on each shape of its bench in tests/kernels."""

from __future__ import annotations

import dataclasses
import functools
import os
import pathlib
import re

import environment as env

from . import blocks, emulate, mca
from .cores import Core

SYSROOT = "/usr/aarch64-linux-gnu"  # of the cross compiler, as in the cross files


@dataclasses.dataclass(frozen=True)
class Bench:
    """A kernel and a shape. work: what one call does, in the unit of the rates in variants.def."""

    kernel: str
    shape: str
    work: float


@dataclasses.dataclass(frozen=True)
class Speed:
    """As in variants.def. rate: work per cycle of the inner loop. tile_cycles: cycles per tile besides it."""

    rate: float
    tile_cycles: float


# The bench shapes of gemm that a speed is solved from: equal but for the depths, which are 64 and 576.
SHORT, LONG = "m 48 n 64 k 1 x 64", "m 48 n 64 k 9 x 64"


def benches(checks: str, pattern: str, level: str) -> list[Bench]:
    """Those of all kernels that the level can run and that have `pattern` in their name."""
    command, environment = _command(checks, level, None)
    printed = emulate.run(f"{checks}, {level}", [*command, "--filter", pattern, "--calls", "0"], environment)
    return [Bench(kernel, shape, float(work)) for kernel, shape, work in (line.split("\t") for line in printed.splitlines())]


@functools.cache
def executions(checks: str, bench: Bench, level: str) -> dict[blocks.Block, float]:
    def start(counts: pathlib.Path, calls: int) -> tuple[list[str], dict[str, str]]:
        command, environment = _command(checks, level, counts)
        return [*command, "--filter", bench.kernel, "--shape", bench.shape, "--calls", str(calls)], environment

    return emulate.difference(f"{bench.kernel}, {bench.shape}", start)[0]


def cycles(checks: str, bench: Bench, core: Core) -> float:
    """The cost of one call on a core."""
    counted = executions(checks, bench, core.level)
    each = mca.cycles([block.words for block in counted], core)
    return sum(price * count for price, count in zip(each, counted.values(), strict=True))


def solved(found: dict[Bench, float]) -> Speed | None:
    """The speed that explains the cycles of a gemm kernel on SHORT and LONG; None without them, or if its name has no tile."""
    points = {bench.shape: (bench.work, spent) for bench, spent in found.items()}
    tile = re.search(r"gemm_s\d+_(\d+)x(\d+)", next(iter(found)).kernel) if found else None
    if not tile or SHORT not in points or LONG not in points:
        return None
    (work, spent), (more_work, more_spent) = points[SHORT], points[LONG]
    m, n = (int(size) for size in re.findall(r"[mn] (\d+)", SHORT))
    tiles = -(-m // int(tile[1])) * -(-n // int(tile[2]))
    rate = (more_work - work) / (more_spent - spent)
    return Speed(rate, (spent - work / rate) / tiles)


def _command(checks: str, level: str, counts: pathlib.Path | None) -> tuple[list[str], dict[str, str]]:
    before, after = env.counting(counts) if counts else ([], [])
    return [*before, "qemu-aarch64", *after, "-cpu", env.LEVELS[level], "-L", SYSROOT, checks, "--seed", "0"], dict(os.environ)
