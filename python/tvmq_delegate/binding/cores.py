"""The Arm cores that the library knows by name: delegate/cpu/arm_cores.def."""

from __future__ import annotations

from dataclasses import dataclass

from . import ffi


@dataclass(frozen=True)
class Core:
    """An Arm core.

    machine: whose costs stand for it, "" if there is none. ghz: the usual clock, 0 if it is not known.
    """

    name: str
    machine: str
    in_order: bool
    ghz: float


def known() -> list[Core]:
    """The Arm cores that the library knows by name."""
    return ffi.sequence(Core, ffi.library()[1].tvmq_get_core)
