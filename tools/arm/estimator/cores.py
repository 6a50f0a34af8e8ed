"""The cores that can be estimated."""

from __future__ import annotations

import argparse
import dataclasses


@dataclasses.dataclass(frozen=True)
class Core:
    """name: llvm-mca's. level: of environment.LEVELS, the instruction sets that the core has. machine: the delegate's option, what `auto` is there."""

    name: str
    level: str
    machine: str


CORES = {
    core.name: core
    for core in (
        Core("cortex-a53", "neon", "cortex-a53"),
        Core("cortex-a72", "neon", "cortex-a72"),
        Core("cortex-a55", "dotprod", "cortex-a55"),
        Core("neoverse-n1", "dotprod", "neoverse-n1"),
        Core("cortex-a510", "i8mm", "arm-in-order"),
        Core("neoverse-v1", "i8mm", "neoverse-v1"),
    )
}
DEFAULT = ("cortex-a53", "cortex-a72", "cortex-a55", "neoverse-n1", "neoverse-v1")


def parse(text: str) -> list[Core]:
    """Cores named with commas between, as an argument of a command."""
    names = text.split(",")
    unknown = [name for name in names if name not in CORES]
    if unknown:
        raise argparse.ArgumentTypeError(f"unknown core {', '.join(map(repr, unknown))}; there are {', '.join(CORES)}")
    return [CORES[name] for name in names]
