"""A delegate's treatment of a model: every node, taken or not, how or why not. The data behind `tvmq nodes`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING

from .. import models
from ..binding import LoadOptions, Shown, library, plural, runtimes
from .contenders import DELEGATE, Contender
from .options import takes_options

if TYPE_CHECKING:
    from typing_extensions import Unpack

CONSTANT = "constant"  # the algorithm of nodes whose results are known before anything runs


@dataclass(frozen=True)
class Node(library.Node):
    """A node's fate, and what the model file says of it.

    inputs, constants, outputs: type and shape, "int8[1x8x8x16]"; `constants` are the inputs that the file holds, such as filter and bias.
    macs: of every convolution and fully connected layer, taken or not.
    """

    inputs: tuple[str, ...]
    constants: tuple[str, ...]
    outputs: tuple[str, ...]


@dataclass(frozen=True)
class Delegation(Shown):
    """A whole model: its nodes in order of execution, and the delegate's summary. `runtime` is the package that loaded the delegate."""

    model: str
    runtime: str
    summary: library.Summary
    nodes: tuple[Node, ...]

    @property
    def sentence(self) -> str:
        """The line that TFLite's own tools print about a delegate."""
        if not self.summary.claimed:
            return "the model graph will not be executed by the delegate"
        extent = "completely" if self.summary.claimed == len(self.nodes) else "partially"
        return f"the model graph will be {extent} executed by the delegate w/ {plural(self.summary.partitions, 'delegate kernel')}"


@takes_options
def nodes(
    source: models.ModelSource,
    *,
    runtime: str | ModuleType | None = None,
    name: str | None = None,
    contender: str = DELEGATE,
    **options: Unpack[LoadOptions],
) -> Delegation:
    """Prepares a model with the delegate and reports every node. Nothing is computed.

    Args:
      source: the bytes of a .tflite file, or its path.
      runtime: as for load().
      name: what to call the model; the path, where there is one, if None.
      contender: "tvmq", or "network" for the model without a runtime, which is refused where the delegate does not take every node.
      **options: the delegate's options, as for load().

    Raises:
      ModelError: the file is malformed.
      OSError: it cannot be opened.
      ValueError, ImportError: as load().
      RuntimeError, ValueError: the runtime refuses the model.
    """
    source, name = models.opened(source, name)
    listed = models.ops(source)
    interpreter = runtimes.find(runtime)
    asked = Contender(contender, options=options)
    session = asked.open(source, interpreter)
    if session.delegate is None:
        raise ValueError(f"{contender} has no delegate that could tell")
    report = library.report(session.delegate)
    fates = {(fate.subgraph, fate.node): fate for fate in report.nodes}
    # A subgraph that was offered to the delegate and of which it reports no node never runs: it is CALL_ONCE's, whose work the delegate has done.
    idle = set(range(report.summary.subgraphs)) - {fate.subgraph for fate in report.nodes}
    rows = (_node(op, fates.get((op.subgraph, op.index)), report.summary.error) for op in listed if op.subgraph not in idle)
    return Delegation(name, runtimes.name(interpreter), report.summary, tuple(rows))


def run_alone(ops: Sequence[models.Op], nodes: Iterable[library.Node]) -> dict[int, tuple[int, ...]]:
    """Lists, for each node of the main subgraph, the nodes to cut out to run it alone: itself, and before it those without which the delegate does not take it.

    These are the nodes that it folds into others, which have no place of their own, and those whose results it knows before anything runs, such as sizes.
    """
    main = [op for op in ops if op.subgraph == 0]
    listed = [node for node in nodes if node.subgraph == 0]
    folded = {node.node for node in listed if node.folded_into >= 0}
    needed = folded | {node.node for node in listed if node.claimed and node.algorithm == CONSTANT}
    made_by = {tensor.index: op.index for op in main if op.index in needed for tensor in op.outputs}
    together: dict[int, set[int]] = {}
    for op in main:
        before = [together[made_by[t.index]] for t in op.inputs if t and t.index in made_by and made_by[t.index] in together]
        together[op.index] = {op.index}.union(*before)
    return {index: tuple(sorted(parts)) for index, parts in together.items() if index not in folded}


def _node(op: models.Op, fate: library.Node | None, error: str) -> Node:
    reason = error or "not offered to the delegate"
    known = vars(fate or library.Node(op.subgraph, op.index, -1, op.name, False, reason, -1, "", "", "", 0, 0, 0, -1, False, "", False, 0.0))
    inputs = [tensor for tensor in op.inputs if tensor]
    return Node(
        **{**known, "macs": op.macs},
        inputs=tuple(str(tensor) for tensor in inputs if not tensor.constant),
        constants=tuple(str(tensor) for tensor in inputs if tensor.constant),
        outputs=tuple(map(str, op.outputs)),
    )
