"""The partitioned graph: which node went where, and what flows between them; for graphviz. Its page is graph_page's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .. import models
from ..sessions import Delegation, Node
from .screen import clean

# Fill and line of a partition's nodes, in turn; of those left to the runtime.
COLOURS = (("#dbe8fb", "#2563c9"), ("#d5f2ec", "#0f9d8a"), ("#ebe3fd", "#8b5cf6"), ("#dff0d8", "#3f8f2b"), ("#fde2ef", "#c2367e"))
LEFT = ("#fdf0d8", "#b45309")


@dataclass(frozen=True)
class Edge:
    """Tensor `name` from node `source` to node `target`, both by their place in the list of nodes; None: the model's input or output."""

    source: int | None
    target: int | None
    name: str
    shape: str


def edges(ops: Sequence[models.Op]) -> list[Edge]:
    """Lists the tensors that flow between the operators of the main subgraph. Constants do not flow."""
    made: dict[int, int] = {}
    found: list[Edge] = []
    read: set[int] = set()
    for place, op in enumerate(ops):
        for tensor in dict.fromkeys(tensor for tensor in op.inputs if tensor and not tensor.constant):
            found.append(Edge(made.get(tensor.index), place, tensor.name, str(tensor)))
            read.add(tensor.index)
        made.update({tensor.index: place for tensor in op.outputs})
    found += [Edge(made[t.index], None, t.name, str(t)) for op in ops for t in op.outputs if t.index not in read]
    return found


def dot(found: Delegation, ops: Sequence[models.Op]) -> str:
    """For graphviz: each partition of the delegate is a cluster. The main subgraph alone."""
    nodes, ops = main_graph(found, ops)
    lines = [f"digraph {_quoted(found.model or 'model')} {{", "  rankdir=TB;", '  node [shape=box, style="filled,rounded", fontname="Helvetica", fontsize=11];']
    for number in sorted({node.partition for node in nodes if node.claimed}):
        inside = [f"    {_dot_node(place, node)}" for place, node in enumerate(nodes) if node.claimed and node.partition == number]
        lines += [f"  subgraph cluster_{number} {{", f"    label={_quoted(f'delegate kernel {number}')}; fontname=Helvetica;", *inside, "  }"]
    lines += [f"  {_dot_node(place, node)}" for place, node in enumerate(nodes) if not node.claimed]
    for n, edge in enumerate(edges(ops)):
        ends = []
        for end, kind in ((edge.source, "input"), (edge.target, "output")):
            ends.append(f"n{end}" if end is not None else f"{kind}{n}")
            if end is None:
                lines.append(f"  {kind}{n} [label={_quoted(f'{kind} {edge.name}')}, shape=ellipse, fillcolor=white];")
        lines.append(f"  {ends[0]} -> {ends[1]} [label={_quoted(edge.shape)}, fontname=Helvetica, fontsize=9];")
    return "\n".join([*lines, "}"]) + "\n"


def main_graph(found: Delegation, ops: Sequence[models.Op]) -> tuple[list[Node], list[models.Op]]:
    """Nodes and operators of the main subgraph."""
    return [node for node in found.nodes if node.subgraph == 0], [op for op in ops if op.subgraph == 0]


def _dot_node(place: int, node: Node) -> str:
    fill, line = COLOURS[node.partition % len(COLOURS)] if node.claimed else LEFT
    label = f"{node.node} {node.op}\n{node.how}"
    return f'n{place} [label={_quoted(label)}, fillcolor="{fill}", color="{line}"];'


def _quoted(text: str) -> str:
    return '"' + clean(text, keep="\n").replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
