"""Where the time goes: every node by the delegate's own clock, and alone under each contender; and what the sum of the nodes leaves unexplained."""

from __future__ import annotations

import collections
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .. import models
from ..binding import library
from ..sessions import DELEGATE, Delegation
from .live import live_bytes, tensor_bytes
from .metrics import percentile
from .runner import Profiled
from .statistic import LEAST


@dataclass(frozen=True)
class Microseconds:
    """Times of a node in microseconds, by the names of benchmark_model's OpProfileData."""

    first: float
    last: float
    avg: float
    stddev: float
    variance: float
    min: float
    max: float
    sum: float
    count: int


@dataclass(frozen=True)
class OpProfileData:
    """One node of the main subgraph.

    node_type, name, run_order, times_called (per inference), mem_kb (packed weights), inference_microseconds: as in benchmark_model. The last is None for nodes
    left to the runtime, whose `reason` says why, and for those that take no time: PADs that are folded into others, outputs that are views of inputs.
    median_us, p25_us, p75_us, least_us: of the last inferences, by the delegate's clock; of nodes left to the runtime alone, under the delegate's contender;
    or 0. us: the one of median_us and least_us that leads.
    kernel, algorithm, packing, threads: how the delegate runs it. macs: multiply-accumulates of one inference; bytes: activations and weights.
    live_bytes: all activations that are there while it runs, by the shapes in the file.
    gmacs_per_second: in that time; share_of_peak: of the fastest kernel's speed on this machine, 0 where it was not measured.
    alone_us: contender -> least time as a model of its own, for all under the same conditions; without those that cannot run it alone. The time of a PAD
    that the delegate folds into others is in theirs, under every contender.
    outputs: elements that it computes. parts: of the cost model's estimate, as shares (measure/parts.py); empty where the delegate has no choice.
    """

    node_type: str
    name: str
    run_order: int
    times_called: int
    mem_kb: float
    inference_microseconds: Microseconds | None
    median_us: float
    p25_us: float
    p75_us: float
    least_us: float
    us: float
    claimed: bool
    reason: str
    kernel: str
    algorithm: str
    packing: str
    threads: int
    macs: int
    bytes: int
    live_bytes: int
    gmacs_per_second: float
    share_of_peak: float
    alone_us: Mapping[str, float]
    outputs: int = 0
    parts: Mapping[str, float] = field(default_factory=dict)

    @property
    def how(self) -> str:
        """As library.Node's."""
        return self.kernel or self.algorithm if self.claimed else self.reason

    def speedup(self, against: str) -> float | None:
        """Time alone under `against` over that under the delegate; None where either is unknown or the node is the runtime's in both."""
        ours, theirs = self.alone_us.get(DELEGATE), self.alone_us.get(against)
        return theirs / ours if self.claimed and ours and theirs else None


@dataclass(frozen=True)
class Reconciliation:
    """The least inference of the profiled interpreter in microseconds, and what it consists of: other programs have disturbed it least.

    inferences: of how many. claimed_us: the delegate's nodes in this inference, by its own clock. left_us: the others, each measured alone. rest_us:
    what remains: the interpreter, the ways into the delegate and out, caches that are colder (or, negative, warmer) than in the measurements alone.
    """

    inferences: int
    inference_us: float
    claimed_us: float
    left_us: float
    rest_us: float

    @property
    def parts(self) -> tuple[tuple[str, float], ...]:
        """Names the parts of an inference, with their microseconds."""
        return (
            ("the delegate's nodes, by its own clock", self.claimed_us),
            ("the other nodes, each measured alone", self.left_us),
            ("the rest: interpreter, ways in and out, colder or warmer caches", self.rest_us),
        )


def collect(
    delegation: Delegation,
    ops: Sequence[models.Op],
    profiled: Profiled,
    alone_us: Mapping[str, Mapping[int, float]],
    peak: library.Peak | None,
    leading: str,
) -> tuple[OpProfileData, ...]:
    """One row for each node of the main subgraph, in order of execution. alone_us: contender -> index of the node -> time."""
    timings = {known.node.node: known.timing for known in profiled.nodes if known.node.subgraph == 0}
    in_network = _in_network(profiled)
    live = live_bytes([op for op in ops if op.subgraph == 0])
    rows = []
    for node, op in zip(delegation.nodes, ops):
        if node.subgraph:
            continue
        timing = timings.get(node.node)
        alone = {name: times[node.node] for name, times in alone_us.items() if node.node in times}
        times = in_network.get(node.node) or [0.0 if node.claimed else alone.get(DELEGATE, 0.0)]
        median, least = percentile(times, 50), times[0]
        us = least if leading == LEAST else median
        gmacs = node.macs / us / 1e3 if timing and us else 0.0
        rows.append(
            OpProfileData(
                node_type=node.op,
                name=op.outputs[0].name if op.outputs else "",
                run_order=node.node,
                times_called=1,
                mem_kb=node.packed_bytes / 1024,
                inference_microseconds=_microseconds(timing) if timing else None,
                median_us=median,
                p25_us=percentile(times, 25),
                p75_us=percentile(times, 75),
                least_us=least,
                us=us,
                claimed=node.claimed,
                reason=node.reason,
                kernel=node.kernel,
                algorithm=node.algorithm,
                packing=node.packing,
                threads=profiled.threads if node.claimed else 1,
                macs=node.macs,
                bytes=_activations(op) + (node.packed_bytes or _constants(op)),
                live_bytes=live[op.index],
                gmacs_per_second=gmacs,
                share_of_peak=gmacs * 1e9 / peak.macs_per_second if peak else 0.0,
                alone_us=alone,
                outputs=sum(math.prod(tensor.shape) for tensor in op.outputs),
                parts=profiled.parts.get(node.node, {}),
            )
        )
    return tuple(rows)


def reconcile(ops: Sequence[OpProfileData], profiled: Profiled) -> Reconciliation:
    runs, spans = profiled.traced()
    start, end = min(runs, key=lambda run: run[1] - run[0], default=(0, 0))
    inference = (end - start) / 1e3
    claimed = sum(span.end_ns - span.start_ns for span in spans if span.subgraph == 0 and span.task < 0 and start <= span.start_ns < end) / 1e3
    left = sum(op.least_us for op in ops if not op.claimed)
    return Reconciliation(len(runs), inference, claimed, left, inference - claimed - left)


def _in_network(profiled: Profiled) -> dict[int, list[float]]:
    """Microseconds of each claimed node of the main subgraph in the last inferences, in ascending order."""
    times: dict[int, list[float]] = collections.defaultdict(list)
    for span in profiled.traced()[1]:
        if span.subgraph == 0 and span.task < 0:
            times[span.node].append((span.end_ns - span.start_ns) / 1e3)
    return {node: sorted(samples) for node, samples in times.items()}


def _microseconds(timing: library.Timing) -> Microseconds:
    return Microseconds(
        first=timing.first_ns / 1e3,
        last=timing.last_ns / 1e3,
        avg=timing.mean_ns / 1e3,
        stddev=timing.stddev_ns / 1e3,
        variance=timing.stddev_ns**2 / 1e6,
        min=timing.min_ns / 1e3,
        max=timing.max_ns / 1e3,
        sum=timing.total_ns / 1e3,
        count=timing.count,
    )


def _activations(op: models.Op) -> int:
    return tensor_bytes(tensor for tensor in (*op.inputs, *op.outputs) if tensor and not tensor.constant)


def _constants(op: models.Op) -> int:
    return sum(len(tensor.data) for tensor in op.inputs if tensor and tensor.data is not None)
