"""How a plan is made for the processor of a target."""

from __future__ import annotations

from ..binding import library
from . import sources, toolchain

# For each processor, the instruction sets that can be planned for on a machine without them, the least first, and the known core (option `estimate`) whose
# costs decide.
MACHINES = {
    "x86_64": {"avx512vnni": "cascade-lake"},
    "aarch64": {"neon": "cortex-a72", "dotprod": "neoverse-n1", "i8mm": "neoverse-v1"},
}
LEAST = {"x86_64": "avx2", "aarch64": "neon"}  # the set that nearly all processors have


def _is_native(processor: str) -> bool:
    return processor == toolchain.architecture(toolchain.NATIVE)


def _options(target: str, isa: str) -> dict[str, object]:
    processor = toolchain.architecture(target)
    native, machines = _is_native(processor), MACHINES[processor]
    if isa in machines and not (native and isa in {found.name for found in library.isas() if found.available}):
        return {"estimate": machines[isa]}
    if native:
        return {"isa": isa}
    known = ", ".join(machines)
    raise ValueError(f"target {target}: on this processor, plans for {processor} are made for {known} alone, not for {isa}")


def _default(target: str) -> str:
    """The set that nearly all processors have; where no plan can be made for it, the least for which one can."""
    processor = toolchain.architecture(target)
    machines = MACHINES[processor]
    return LEAST[processor] if _is_native(processor) or LEAST[processor] in machines else next(iter(machines))


def options(target: str, isas: str | None) -> list[dict[str, object]]:
    """The delegate's options that plans for a target need, the best plan first. isas: instruction sets, with commas between; None: the least one.

    Raises ValueError if plans for the target cannot be made here.
    """
    asked = isas.split(",") if isas else [_default(target)]
    order = list(sources.groups())
    return [_options(target, isa) for isa in sorted(set(asked), key=lambda isa: -order.index(isa) if isa in order else 0)]
