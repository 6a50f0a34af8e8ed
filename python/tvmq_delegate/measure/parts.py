"""The parts of a node's estimate: how much of it the cost model charges for multiplying, for the output stage, for rows, for memory and for overhead."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from ..binding import Delegate, library, library_path, machines
from .machine_text import changed, numbers

MULTIPLYING, STAGE, ROWS, MEMORY, OVERHEAD = "multiplications", "output stage", "preparing rows", "memory", "overhead"

# Part -> the numbers of a machine that it is charged by: of kernels the rate and the cycles of a tile, which end with its output stage.
CHARGED: Mapping[str, tuple[str, ...]] = {
    MULTIPLYING: ("rate", "lone_tile"),
    STAGE: ("tile_cycles",),
    ROWS: (
        "pointer_cycles", "summed_pointer_cycles", "list_cycles", "copied_piece_cycles", "side_piece_cycles", "copied_byte_cycles", "moved_piece_cycles",
        "widened_byte_cycles", "zipped_piece_cycles", "zipped_byte_cycles", "flipped_use_cycles", "flipped_byte_cycles", "pixel_pointer_cycles",
        "strip_start_cycles", "strip_column_cycles", "gathered_lane_cycles", "copied_pixel_cycles", "line_byte_cycles",
    ),
    MEMORY: ("streamed_byte_cycles", "weight_byte_cycles", "moved_byte_cycles", "shared_line_cycles", "joined_byte_cycles"),
    OVERHEAD: (
        "amx_start_cycles", "tap_cycles", "task_cycles", "next_task_cycles", "panel_cycles", "done_cycles", "imbalance", "node_cycles", "joined_copy_cycles",
    ),
}  # fmt: skip
STEP = 1.25  # by which numbers are changed to see their part, in which estimates are linear


def parts(delegate: Delegate) -> dict[int, dict[str, float]]:
    """Index of a node in report() -> part -> its share of the estimate; without nodes that leave no choice, and where the machine's numbers are not at hand.

    The delegate's candidates are listed anew.
    """
    base = _text(library.report(delegate).summary.machine)
    alike: dict[str, list[int]] = {}
    for index, node in enumerate(library.report(delegate).nodes):
        if node.claimed and (signature := library.signature(delegate, index)):
            alike.setdefault(f"{signature} {node.algorithm} {node.kernel}", []).append(index)
    runs = {indices[0]: _running(delegate, indices[0]) for indices in alike.values()}
    if not base:
        return {}
    listed = numbers(base)

    def cycles(names: Sequence[str]) -> dict[int, float]:
        slower = {(field, kernel): value * (1 / STEP if field == "rate" else STEP) for field, kernel, value in listed if field in names}
        library.set_machine(delegate, changed(base, slower))
        return {index: library.estimates(delegate, index).get(choice, math.inf) for index, choice in runs.items() if choice}

    whole = cycles(())
    charged = {part: cycles(names) for part, names in CHARGED.items()}
    library.set_machine(delegate, base)
    shares = {first: _shares(cycles, {part: found[first] for part, found in charged.items()}) for first, cycles in whole.items()}
    return {index: shares[indices[0]] for indices in alike.values() for index in indices if shares.get(indices[0])}


def _running(delegate: Delegate, index: int) -> tuple[str, str] | None:
    """The algorithm and the kernel of a node."""
    return next(((each.algorithm, each.kernel) for each in library.candidates(delegate, index) if each.runs), None)


def _shares(whole: float, charged: Mapping[str, float]) -> dict[str, float]:
    """Cycles with each part's numbers changed, as shares that add up to 1."""
    found = {part: max(0.0, cycles - whole) for part, cycles in charged.items() if math.isfinite(cycles)}
    total = sum(found.values())
    return {part: share / total for part, share in found.items()} if total else {}


def _text(name: str) -> str:
    """The numbers of the machine that a delegate chooses by; "" of a file other than this CPU's."""
    known = {machine.name: machine.text for machine in library.machines()}
    if name in known:
        return known[name]
    file = Path(machines.cache_file(library_path()))
    text = file.read_text(encoding="utf-8") if file.is_file() else ""
    return text if f"\nname = {name}\n" in text else ""
