"""Where the time goes: every node by the delegate's own clock, and alone under each contender; and what the sum of the nodes leaves unexplained."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from . import library, model
from .nodes import Delegation
from .worker import Profiled


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
    left to the runtime, whose `reason` says why.
    kernel, algorithm, packing, threads: how the delegate runs it. macs: multiply-accumulates of one inference; bytes: activations and weights.
    gmacs_per_second: by the delegate's clock; share_of_peak: of the fastest kernel's speed on this machine, 0 where it was not measured.
    alone_us: contender -> median time as a model of its own, for all under the same conditions; without those that cannot run it alone.
    """

    node_type: str
    name: str
    run_order: int
    times_called: int
    mem_kb: float
    inference_microseconds: Microseconds | None
    claimed: bool
    reason: str
    kernel: str
    algorithm: str
    packing: str
    threads: int
    macs: int
    bytes: int
    gmacs_per_second: float
    share_of_peak: float
    alone_us: Mapping[str, float]

    @property
    def avg_us(self) -> float:
        """By the delegate's clock, or, for nodes left to the runtime, alone under the delegate's contender; 0 if unknown."""
        return self.inference_microseconds.avg if self.inference_microseconds else self.alone_us.get("tvmq", 0.0)

    def speedup(self, against: str) -> float | None:
        """Time alone under `against` over that under the delegate; None where either is unknown or the node is the runtime's in both."""
        ours, theirs = self.alone_us.get("tvmq"), self.alone_us.get(against)
        return theirs / ours if self.claimed and ours and theirs else None


@dataclass(frozen=True)
class Reconciliation:
    """An inference of the profiled interpreter in microseconds, and what it consists of.

    claimed_us: the delegate's nodes, by its own clock. left_us: the others, each measured alone. rest_us: what remains: the interpreter, the ways into the
    delegate and out, caches that are colder (or, negative, warmer) than in the measurements alone, interruptions.
    """

    inference_us: float
    claimed_us: float
    left_us: float
    rest_us: float


def collect(
    delegation: Delegation, ops: Sequence[model.Op], profiled: Profiled, alone_us: Mapping[str, Mapping[int, float]], peak: library.Peak | None
) -> tuple[OpProfileData, ...]:
    """One row for each node of the main subgraph, in order of execution. alone_us: contender -> index of the node -> time."""
    timings = {known.node.node: known.timing for known in profiled.nodes if known.node.subgraph == 0}
    rows = []
    for node, op in zip(delegation.nodes, ops):
        if node.subgraph:
            continue
        timing = timings.get(node.node)
        gmacs = node.macs / timing.mean_ns if timing and timing.mean_ns else 0.0
        rows.append(
            OpProfileData(
                node_type=node.op,
                name=op.outputs[0].name if op.outputs else "",
                run_order=node.node,
                times_called=1,
                mem_kb=node.packed_bytes / 1024,
                inference_microseconds=_microseconds(timing) if timing else None,
                claimed=node.claimed,
                reason=node.reason,
                kernel=node.kernel,
                algorithm=node.algorithm,
                packing=node.packing,
                threads=profiled.threads if node.claimed else 1,
                macs=node.macs,
                bytes=_activations(op) + (node.packed_bytes or _constants(op)),
                gmacs_per_second=gmacs,
                share_of_peak=gmacs * 1e9 / peak.macs_per_second if peak else 0.0,
                alone_us={name: times[node.node] for name, times in alone_us.items() if node.node in times},
            )
        )
    return tuple(rows)


def reconcile(ops: Sequence[OpProfileData], profiled: Profiled) -> Reconciliation:
    inference = statistics.fmean(end - start for start, end in profiled.runs_ns) / 1e3 if profiled.runs_ns else 0.0
    claimed = sum(op.avg_us for op in ops if op.claimed)
    left = sum(op.avg_us for op in ops if not op.claimed)
    return Reconciliation(inference, claimed, left, inference - claimed - left)


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


_BITS = {"int4": 4, "int16": 16, "float16": 16, "int32": 32, "float32": 32, "int64": 64, "float64": 64}


def _activations(op: model.Op) -> int:
    tensors = [tensor for tensor in (*op.inputs, *op.outputs) if tensor and not tensor.constant]
    return sum(math.prod(tensor.shape) * _BITS.get(tensor.dtype, 8) // 8 for tensor in tensors)


def _constants(op: model.Op) -> int:
    return sum(len(tensor.data) for tensor in op.inputs if tensor and tensor.data is not None)
