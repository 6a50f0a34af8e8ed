"""Where a difference of the whole model begins: the first node whose output differs, although what it reads does not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any

from .. import models
from ..binding import library
from ..sessions import Session
from .alone import STATE
from .difference import unequal

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Origin:
    """The node of the main subgraph in which a contender's difference begins.

    kept: the delegate has left it to the runtime; None without a delegate. beginnings: of the model, that were run to find it; 0 where all tensors were shown
    at once.
    """

    contender: str
    index: int
    op: str
    kept: bool | None
    beginnings: int = 0

    @property
    def sentence(self) -> str:
        whose = "" if self.kept is None else ", which the runtime has kept" if self.kept else ", which the delegate has taken"
        found = f" (found by {self.beginnings} beginnings of the model)" if self.beginnings else ""
        return f"the difference of {self.contender} begins in node {self.index} ({self.op}){whose}{found}"


def find(source: bytes, runtime: ModuleType, baseline: Session, session: Session, arrays: Sequence[NDArray[Any]], num_threads: int) -> Origin | None:
    """None if no node differs once all tensors are kept.

    baseline: shows all tensors. session: of the contender, which is opened once more so that it does, too.
    """
    other = session.contender.open(models.expose(source), runtime, num_threads=num_threads)
    for each in (baseline, other):
        each.interpreter.reset_all_variables()
        each.feed(arrays)
        each.invoke()
    for op in models.ops(source):
        for tensor in op.outputs if op.subgraph == 0 else ():
            if tensor.dtype in STATE:
                continue
            expected, got = (each.interpreter.get_tensor(tensor.index) for each in (baseline, other))
            if expected.shape != got.shape or unequal(expected, got).any():
                return Origin(session.contender.name, op.index, op.name, kept(session, op.index))
    return None


def kept(session: Session, node: int) -> bool | None:
    """Whether the delegate has left a node of the main subgraph to the runtime; None without a delegate."""
    if session.delegate is None:
        return None
    return (0, node) not in {(each.subgraph, each.node) for each in library.report(session.delegate).nodes if each.claimed}
