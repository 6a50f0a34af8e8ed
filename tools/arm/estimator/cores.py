"""The cores that can be estimated. What else is known of a core comes from delegate/cpu/arm_cores.def, by its name."""

from __future__ import annotations

import argparse
import dataclasses
import functools
import re

import environment as env

KNOWN = env.REPOSITORY / "delegate/cpu/arm_cores.def"
ROW = re.compile(r'^TVMQ_ARM_CORE\((0x[\da-f]+), (0x[\da-f]+), ([01]), "(.+?)", "(.*?)", ([\d.]+)\)$', re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class Known:
    """A row of arm_cores.def."""

    implementer: int
    part: int
    in_order: bool
    name: str
    machine: str
    ghz: float


@dataclasses.dataclass(frozen=True)
class Core:
    """A core that can be estimated.

    name: as in arm_cores.def, in small letters. level: of environment.LEVELS, the instruction sets that the core has.
    llvm: the version whose model prices it. model: what that version calls the model, "" for the name.
    """

    name: str
    level: str
    llvm: str = "19"
    model: str = ""

    @property
    def label(self) -> str:
        """The core, and the version of LLVM unless it is that of CORES."""
        return self.name if self.llvm == CORES[self.name].llvm else f"{self.name}@{self.llvm}"

    @property
    def known(self) -> Known:
        return known()[self.name]


CORES = {
    core.name: core
    for core in (
        Core("cortex-a53", "neon"),
        Core("cortex-a72", "neon"),
        Core("cortex-a55", "dotprod"),
        Core("cortex-a76", "dotprod", model="neoverse-n1"),  # LLVM's cortex-a76 is its Cortex-A57
        Core("neoverse-n1", "dotprod"),
        Core("cortex-a510", "i8mm"),
        Core("cortex-a520", "i8mm"),
        Core("neoverse-v1", "i8mm"),
        Core("neoverse-n2", "i8mm", "22"),
        Core("cortex-a720", "i8mm", "22"),
        Core("neoverse-v2", "i8mm", "22"),
        Core("cortex-x3", "i8mm", "22"),
        Core("neoverse-n3", "i8mm", "22"),
        Core("cortex-a725", "i8mm", "22"),
        Core("neoverse-v3", "i8mm", "22"),
        Core("cortex-x4", "i8mm", "22"),
        Core("cortex-x925", "i8mm", "22"),
    )
}
DEFAULT = ("cortex-a53", "cortex-a72", "cortex-a55", "neoverse-n1", "neoverse-v1")
VERSIONS = ("19", "22")


@functools.cache
def known() -> dict[str, Known]:
    """The rows by name, in small letters; the first one of a name."""
    found: dict[str, Known] = {}
    for implementer, part, in_order, name, machine, ghz in ROW.findall(KNOWN.read_text(encoding="utf-8")):
        row = Known(int(implementer, 16), int(part, 16), in_order == "1", name, machine, float(ghz))
        found.setdefault(name.lower(), row)
    return found


def named(text: str) -> Core:
    """A core, by another version of LLVM in the form "neoverse-n1@22"."""
    name, _, version = text.partition("@")
    if name not in CORES:
        raise argparse.ArgumentTypeError(f"unknown core {name!r}; there are {', '.join(CORES)}")
    if version and version not in VERSIONS:
        raise argparse.ArgumentTypeError(f"no version {version!r} of LLVM is used; there are {', '.join(VERSIONS)}")
    return dataclasses.replace(CORES[name], llvm=version) if version else CORES[name]


def parse(text: str) -> list[Core]:
    """Cores named with commas between, as an argument of a command."""
    return [named(name) for name in text.split(",")]
