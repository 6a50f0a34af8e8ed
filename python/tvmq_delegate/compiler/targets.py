"""How a plan is made for the processor of a target."""

from __future__ import annotations

from . import toolchain

# Instruction sets, each with the known machine (option `estimate`) that plans for another processor than this one are made for.
MACHINES = {"neon": "cortex-a72", "dotprod": "neoverse-n1", "i8mm": "neoverse-v1"}
LEAST = {"x86_64": "avx2", "aarch64": "neon"}  # the set that nearly all processors have
PAGES = {"x86_64": 4096, "aarch64": 16384}  # greatest size of pages, to which constants are aligned

# Answers of LiteRT's kernels on a processor that is not this one.
_REFERENCE = {"hybrid": "neon", "fast_math": "off"}


def options(target: str, isa: str | None) -> dict[str, object]:
    """The delegate's options that a plan for a target needs. isa: the instruction set; None: the least one.

    Raises ValueError if plans for the target cannot be made here.
    """
    processor = toolchain.architecture(target)
    isa = isa or LEAST[processor]
    if processor == toolchain.architecture(toolchain.NATIVE):
        return {"isa": isa}
    if isa not in MACHINES or processor != "aarch64":
        raise ValueError(f"target {target}: on this processor, plans are made for {', '.join(MACHINES)} of aarch64 alone, not for {isa}")
    return {"estimate": MACHINES[isa], **_REFERENCE}
