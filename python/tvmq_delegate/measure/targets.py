"""Cores, boards and chips by the names that people use, and the machine whose model stands for each in estimates."""

from __future__ import annotations

import difflib
from dataclasses import dataclass

from ..binding import cores, library

# Board, chip or phone -> its fastest core, as delegate/cpu/arm_cores.def has it, and the clock of that core in GHz.
BOARDS = {
    "raspberry-pi-3": ("Cortex-A53", 1.2),
    "raspberry-pi-3b-plus": ("Cortex-A53", 1.4),
    "raspberry-pi-zero-2": ("Cortex-A53", 1.0),
    "raspberry-pi-4": ("Cortex-A72", 1.5),
    "raspberry-pi-5": ("Cortex-A76", 2.4),
    "coral-dev-board": ("Cortex-A53", 1.5),
    "imx8m-plus": ("Cortex-A53", 1.8),
    "imx93": ("Cortex-A55", 1.7),
    "jetson-nano": ("Cortex-A57", 1.43),
    "jetson-orin-nano": ("Cortex-A78AE", 1.5),
    "jetson-agx-orin": ("Cortex-A78AE", 2.2),
    "rk3399": ("Cortex-A72", 1.8),
    "rk3566": ("Cortex-A55", 1.8),
    "rk3568": ("Cortex-A55", 2.0),
    "rk3588": ("Cortex-A76", 2.4),
    "pixel-4": ("Kryo 4xx Gold", 2.84),
    "pixel-6": ("Cortex-X1", 2.8),
    "pixel-7": ("Cortex-X1", 2.85),
    "pixel-8": ("Cortex-X3", 2.91),
    "pixel-9": ("Cortex-X4", 3.1),
    "ampere-altra": ("Neoverse-N1", 3.0),
    "cobalt-100": ("Azure Cobalt 100", 3.4),
    "grace": ("Neoverse-V2", 3.1),
    "graviton2": ("Neoverse-N1", 2.5),
    "graviton3": ("Neoverse-V1", 2.6),
    "graviton4": ("Neoverse-V2", 2.8),
}


@dataclass(frozen=True)
class Target:
    """The meaning of a name.

    name: as it was asked for. core: "" where only a machine is named. machine: the model that stands for the core.
    ghz: the core's clock, 0 if it is not known.
    """

    name: str
    core: str
    machine: str
    ghz: float

    def milliseconds(self, cycles: float) -> float | None:
        return cycles / self.ghz / 1e6 if self.ghz else None

    def __str__(self) -> str:
        clock = f" at {self.ghz:g} GHz" if self.ghz else ""
        if not self.core or (self.core.lower() == self.name == self.machine):
            return f"{self.machine}{clock}"
        return f"{self.core}{clock}, by the model of {self.machine}"


def find(name: str) -> Target:
    """The target of a name, in which spaces, hyphens and capitals do not matter.

    Raises:
      ValueError: no core, board or machine has the name, or no model stands for the core.
    """
    wanted = _plain(name)
    machines = {machine.name: machine for machine in library.machines()}
    known: dict[str, cores.Core] = {}
    for core in cores.known():
        known.setdefault(_plain(core.name), core)
    board, clock = BOARDS.get(wanted, ("", 0.0))
    found = known.get(_plain(board) if board else wanted)
    if found and found.machine:
        return Target(name, found.name, found.machine, clock or found.ghz)
    if wanted in machines:
        return Target(name, "", wanted, 0.0)
    if found:
        raise ValueError(f"no model stands for {found.name}; there are models of {', '.join(machines)}")
    names = [*machines, *known, *BOARDS]
    near = [each for each in names if wanted in each] or difflib.get_close_matches(wanted, names, 5)
    others = f"near it are {', '.join(near)}" if near else f"machines are {', '.join(machines)}"
    raise ValueError(f"no core, board or machine is called {name!r}; {others}")


def _plain(name: str) -> str:
    return "-".join(name.lower().replace("_", " ").replace("-", " ").split())
