"""Words for what takes a node's time: the part of its estimate that is greatest, or what it moves; and what else is to be said of it."""

from __future__ import annotations

import collections
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..binding import plural
from .occupancy import Occupancy, occupancy
from .op_profile import OpProfileData
from .parts import MEMORY, MULTIPLYING, OVERHEAD, ROWS, STAGE
from .runner import Profiled

if TYPE_CHECKING:
    from ..sessions import Node
    from .benchmark import Benchmark

ELEMENTS, LEFT = "elements", "left behind"  # what bounds nodes that multiply nothing, and those that the runtime keeps
MOVED = 0.5  # of the caches' speed, from which memory bounds a node without an estimate by parts
SMALL_US = 2.0  # below which beginning an operator is most of the work
BEYOND = 1.5  # times its estimate, from which a node is slower than its kind
IDLE = 0.75  # of a node's time, below which its threads have waited too much
VISIBLE = 0.01  # of all nodes' time, below which none of this is said


@dataclass(frozen=True)
class Cause:
    """The reason why a node of the main subgraph takes its time.

    us: by the statistic that leads. share: of the time of all nodes. bound: the part that takes most, "" of nodes that take no time. part: its share of the
    node's estimate, 0 where that is not divided into parts. why: in words. remarks: what else slows the node down.
    """

    node: int
    op: str
    us: float
    share: float
    bound: str
    part: float
    why: str
    remarks: tuple[str, ...]


def causes(found: Benchmark) -> tuple[Cause, ...]:
    """Lists the cause of every node, in order of execution; empty without op profiling."""
    if found.peak is None or found.profiled is None:
        return ()
    total = sum(op.us for op in found.op_profile) or 1.0
    nodes = {node.node: node for node in found.delegation.nodes if node.subgraph == 0}
    splitting = _splitting(found)
    cycles_us = _cycles_us(found, nodes)
    busy = occupancy(found.profiled)
    listed = []
    for op in found.op_profile:
        bound, part, why = _bound(op, found.peak.cache_bytes_per_second / 1e9) if op.claimed else (LEFT, 0.0, op.reason)
        remarks: list[str] = []
        if op.us >= VISIBLE * total:
            remarks += _of_threads(op, found.profiled, busy) if op.claimed and found.profiled.threads > 1 else []
            remarks += _of_estimate(op, nodes[op.run_order].cycles, cycles_us) if op.claimed else []
        if op.run_order in splitting:
            remarks.append("parts the delegate's nodes, which costs a call of the delegate, and copies where tensors lie elsewhere")
        listed.append(Cause(op.run_order, op.node_type, op.us, op.us / total, bound, part, why, tuple(remarks)))
    return tuple(listed)


def by_bound(listed: Sequence[Cause]) -> list[tuple[str, float, int]]:
    """Sums the nodes up by what bounds them: microseconds and number; the greatest first."""
    spent: dict[str, float] = collections.defaultdict(float)
    for cause in listed:
        if cause.bound:
            spent[cause.bound] += cause.us
    counts = collections.Counter(cause.bound for cause in listed)
    return sorted(((bound, us, counts[bound]) for bound, us in spent.items()), key=lambda each: -each[1])


def _bound(op: OpProfileData, cache_gbs: float) -> tuple[str, float, str]:
    """Tells what bounds a node that the delegate runs, the share of its estimate, and words."""
    if not op.us:
        return "", 0.0, f"takes no time: {op.how}"
    rate = op.bytes / op.us / 1e3
    moving = f"moves {rate:.1f} GB/s, caches give {cache_gbs:.1f}"
    if op.parts:
        part = max(op.parts, key=op.parts.__getitem__)
        bound, share = part if op.macs or part != MULTIPLYING else ELEMENTS, op.parts[part]
        words = {MULTIPLYING: _multiplying, STAGE: _stage, ROWS: _rows, MEMORY: _memory, OVERHEAD: _overhead}
        return bound, share, words[bound](op) if bound in words else moving
    if rate >= MOVED * cache_gbs:
        return MEMORY, 0.0, moving
    return (OVERHEAD, 0.0, "as short as it takes to begin an operator") if op.us < SMALL_US else (ELEMENTS, 0.0, moving)


def _multiplying(op: OpProfileData) -> str:
    return f"multiplies at {op.share_of_peak:.0%} of the machine's peak"


def _stage(op: OpProfileData) -> str:
    return f"tiles begin and end too often: {op.macs / max(1, op.outputs):.0f} multiply-accumulates for each output"


def _rows(op: OpProfileData) -> str:
    return f"its input is brought into rows for the kernel ({op.algorithm})"


def _memory(op: OpProfileData) -> str:
    return f"reads {op.mem_kb:,.0f} KB of weights for {op.macs / 1e6:.1f} million multiply-accumulates"


def _overhead(op: OpProfileData) -> str:
    return "most goes into beginning it and dividing it into tasks"


def _of_threads(op: OpProfileData, profiled: Profiled, busy: Occupancy) -> list[str]:
    """Whether threads pay: how much of the node's time they work."""
    shares = busy.nodes.get(op.run_order, ())
    if not op.us or not shares:
        return []
    shared = any(span.node == op.run_order and span.subgraph == 0 and span.task >= 0 for span in profiled.spans)
    if not shared:
        return [f"runs on one of {plural(profiled.threads, 'thread')}: its work is not worth dividing"]
    worked = sum(shares) / profiled.threads
    return [f"its {plural(profiled.threads, 'thread')} work {worked:.0%} of its time: they wait for each other, or for a processor"] if worked < IDLE else []


def _of_estimate(op: OpProfileData, cycles: float, cycles_us: float) -> list[str]:
    if not cycles or not cycles_us or not op.us or op.us * cycles_us < BEYOND * cycles:
        return []
    return [f"takes {op.us * cycles_us / cycles:.1f} times as long as the network's other nodes let expect"]


def _cycles_us(found: Benchmark, nodes: dict[int, Node]) -> float:
    """Estimated cycles in a microsecond, by the middle one of the nodes; 0 with several threads, whose estimates are of one."""
    if found.profiled is None or found.profiled.threads > 1:
        return 0.0
    return statistics.median([nodes[op.run_order].cycles / op.us for op in found.op_profile if op.claimed and op.macs and op.us] or [0.0])


def _splitting(found: Benchmark) -> set[int]:
    """Nodes of the runtime that stand between two partitions of the delegate."""
    listed = [node for node in found.delegation.nodes if node.subgraph == 0]
    between: list[int] = []
    last, splitting = -1, set()
    for node in listed:
        if not node.claimed:
            between.append(node.node)
            continue
        if last not in (-1, node.partition):
            splitting.update(between)
        last, between = node.partition, []
    return splitting
