"""How a plan is made for the processor of a target."""

from __future__ import annotations

from ..binding import library
from . import sources, toolchain

# Instruction sets of processors, each with the known machine (option `estimate`) that plans for another processor than this one are made for.
MACHINES = {
    "x86_64": {"avx512vnni": "cascade-lake"},
    "aarch64": {"neon": "cortex-a72", "dotprod": "neoverse-n1", "i8mm": "neoverse-v1"},
}
LEAST = {"x86_64": "avx2", "aarch64": "neon"}  # the set that nearly all processors have
PAGES = {"x86_64": 4096, "aarch64": 16384}  # greatest size of pages, to which constants are aligned

# Answers of LiteRT's kernels on a processor that is not this one.
_REFERENCE = {"x86_64": {}, "aarch64": {"hybrid": "neon", "fast_math": "off"}}


def _options(target: str, isa: str) -> dict[str, object]:
    processor = toolchain.architecture(target)
    native = processor == toolchain.architecture(toolchain.NATIVE)
    machines = MACHINES[processor]
    if isa in machines and not (native and isa in {found.name for found in library.isas() if found.available}):
        return {"estimate": machines[isa], **_REFERENCE[processor]}
    if native:
        return {"isa": isa}
    known = ", ".join(machines)
    raise ValueError(f"target {target}: on this processor, plans for {processor} are made for {known} alone, not for {isa}")


def options(target: str, isas: str | None) -> list[dict[str, object]]:
    """The delegate's options that plans for a target need, the best plan first. isas: instruction sets, with commas between; None: the least one.

    Raises ValueError if plans for the target cannot be made here.
    """
    asked = isas.split(",") if isas else [LEAST[toolchain.architecture(target)]]
    order = list(sources.groups())
    return [_options(target, isa) for isa in sorted(set(asked), key=lambda isa: -order.index(isa) if isa in order else 0)]
