"""Nodes alone: each cut out as a model of its own and fed with the reference's activations, so that differences do not add up."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from .. import models
from ..binding import library
from ..sessions import Contender, Session, run_alone
from .alone import cut
from .difference import Allowed, Difference, Tally

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class OpDifference:
    """One output of one node under one contender.

    nodes: what was computed, the node itself last: under the delegate, PADs that it folds into the node come with it. output: of the node. tensor: its type and
    shape as the file declares them.
    """

    contender: str
    index: int
    nodes: tuple[int, ...]
    op: str
    output: int
    tensor: str
    difference: Difference


@dataclass(frozen=True)
class Uncompared:
    """A node that was not compared alone under one contender, and why."""

    contender: str
    subgraph: int
    index: int
    op: str
    reason: str


@dataclass(frozen=True)
class _Alone:
    """One node as a model, to be run by one contender. nodes, fed: as OpDifference's and models.fed's."""

    contender: Contender
    op: models.Op
    nodes: tuple[int, ...]
    fed: tuple[int, ...]
    source: bytes
    tallies: tuple[Tally, ...]


class Ops:
    """Runs every node sample by sample and keeps the differences.

    sessions: of the whole model, which tell what the delegate takes; only such nodes are compared under it. save_failing: folder for a one-op model and the
    inputs of each node at its first sample that lies further apart than allowed.
    """

    def __init__(
        self, source: bytes, runtime: ModuleType, sessions: Sequence[Session], num_threads: int, allowed: Allowed, save_failing: str | os.PathLike[str] | None
    ):
        self.runtime, self.num_threads, self.allowed = runtime, num_threads, allowed
        self.folder = None if save_failing is None else Path(save_failing)
        self.saved: dict[int, str] = {}
        self.failing: dict[int, list[Contender]] = {}  # of the nodes saved, the contenders that failed, as they were
        self.alone: list[_Alone] = []
        self.uncompared: list[Uncompared] = []
        ops = models.ops(source)
        nodes = [library.report(session.delegate).nodes if session.delegate else () for session in sessions]
        left = [{(node.subgraph, node.node): node.reason for node in listed if not node.claimed} for listed in nodes]
        taken = [run_alone(ops, listed) for listed in nodes]
        for op in ops:
            cuts: dict[tuple[int, ...], tuple[bytes, str]] = {}
            for session, reasons, together in zip(sessions, left, taken):
                parts = together.get(op.index) if op.subgraph == 0 else (op.index,)
                if parts is None:
                    continue  # comes with the nodes that it is folded into
                if parts not in cuts:
                    cuts[parts] = cut(source, op, parts)
                content, reason = cuts[parts]
                why = reasons.get((op.subgraph, op.index)) or reason
                if why:
                    self.uncompared.append(Uncompared(session.contender.name, op.subgraph, op.index, op.name, why))
                    continue
                tallies = tuple(Tally(*_quantization(tensor)) for tensor in op.outputs)
                self.alone.append(_Alone(session.contender.wholly(), op, parts, models.fed([ops[i] for i in parts]), content, tallies))

    def run(self, reference: Session) -> Iterator[str]:
        """Compares every node with what `reference`, which exposes all its tensors, has just computed. Yields what it does before it does it."""
        for alone in [*self.alone]:
            op, name = alone.op, alone.contender.name
            yield f"{name}: node {op.index} {op.name}"
            fed = [reference.interpreter.get_tensor(index) for index in alone.fed]
            try:
                got = alone.contender.open(alone.source, self.runtime, num_threads=self.num_threads).run(fed)
            except (RuntimeError, ValueError) as error:
                self.alone = [other for other in self.alone if other is not alone]
                self.uncompared.append(Uncompared(name, op.subgraph, op.index, op.name, f"does not run alone: {error}"))
                continue
            for tally, tensor, values in zip(alone.tallies, op.outputs, got, strict=True):
                tally.add(reference.interpreter.get_tensor(tensor.index), values)
            if self.folder and any(self.allowed.exceeded(tally.result()) for tally in alone.tallies):
                self._save(alone, fed)

    def differences(self) -> tuple[OpDifference, ...]:
        return tuple(
            OpDifference(alone.contender.name, alone.op.index, alone.nodes, alone.op.name, output, str(tensor), tally.result())
            for alone in self.alone
            for output, (tensor, tally) in enumerate(zip(alone.op.outputs, alone.tallies))
        )

    def _save(self, alone: _Alone, fed: Sequence[NDArray[Any]]) -> None:
        import numpy as np

        assert self.folder is not None
        failing = self.failing.setdefault(alone.op.index, [])
        if alone.contender not in failing:
            failing.append(alone.contender)
        if alone.op.index in self.saved:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        stem = str(self.folder / f"op_{alone.op.index}_{re.sub(r'[^A-Za-z0-9]', '_', alone.op.name)}")
        Path(f"{stem}.tflite").write_bytes(alone.source)
        np.savez(f"{stem}.npz", *fed)
        self.saved[alone.op.index] = stem


def _quantization(tensor: models.Tensor) -> tuple[float, int]:
    quantized = tensor.quantization
    return (quantized.scale[0], quantized.zero_point[0]) if quantized else (0.0, 0)


def writable(folder: str | os.PathLike[str]) -> None:
    """Makes a folder, and checks that files can be written there. Raises OSError."""
    os.makedirs(folder, exist_ok=True)
    with tempfile.TemporaryFile(dir=folder):
        pass
