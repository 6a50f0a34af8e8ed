"""The partitioned graph: which node went where, for graphviz and as a page."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
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
    nodes, ops = _main(found, ops)
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


def page(found: Delegation, ops: Sequence[models.Op]) -> str:
    """One page without network: the nodes from top to bottom in order of execution, partitions as frames. Needs the extra `report`."""
    from .pages import environment

    nodes, ops = _main(found, ops)
    drawing = _Drawing(nodes, edges(ops))
    macs = sum(node.macs for node in nodes) or 1
    claimed = sum(node.macs for node in nodes if node.claimed)
    summary = found.summary
    cards = [
        (f"{summary.claimed} of {summary.nodes}", "nodes taken"),
        (f"{100 * claimed / macs:.1f} %", "of the multiply-accumulates"),
        (str(summary.partitions), "delegate kernels"),
        (f"{summary.packed_bytes / 1e6:.2f} MB", "packed weights"),
    ]
    title = f"tvmq nodes: {os.path.basename(found.model) or 'a model'}"
    return environment().get_template("graph.html").render(title=title, found=found, cards=cards, drawing=drawing)


# ---- the page's drawing

_WIDTH, _HEIGHT, _GAP, _LANE = 620, 44, 20, 16


@dataclass(frozen=True)
class _Box:
    x: float
    y: float
    width: float
    height: float
    fill: str
    line: str
    title: str
    detail: str
    hover: str


class _Drawing:
    """Nodes in one column; a tensor that is not for the next node goes around on the right, in the first lane that is free there."""

    def __init__(self, nodes: Sequence[Node], flows: Sequence[Edge]):
        self.nodes = nodes
        self.left = 30.0
        self.height = 40 + len(nodes) * (_HEIGHT + _GAP)
        self.boxes = [self._box(place, node) for place, node in enumerate(nodes)]
        self.frames = list(self._frames())
        lanes: list[int] = []  # the last place that each lane is taken up to
        self.straight: list[tuple[float, float, float, str]] = []
        self.around: list[tuple[str, str]] = []
        for edge in sorted(flows, key=lambda edge: (edge.source or 0, edge.target or 0)):
            if edge.source is None or edge.target is None:
                continue
            hover = f"{edge.name} {edge.shape}"
            if edge.target == edge.source + 1:
                self.straight.append((self.left + _WIDTH / 2, self._y(edge.source) + _HEIGHT, self._y(edge.target), hover))
                continue
            lane = next((i for i, last in enumerate(lanes) if last <= edge.source), len(lanes))
            lanes[lane : lane + 1] = [edge.target]
            self.around.append((self._way(edge.source, edge.target, lane), hover))
        self.width = self.left + _WIDTH + 40 + _LANE * (len(lanes) + 1)

    def _y(self, place: int) -> float:
        return 24 + place * (_HEIGHT + _GAP)

    def _box(self, place: int, node: Node) -> _Box:
        fill, line = COLOURS[node.partition % len(COLOURS)] if node.claimed else LEFT
        detail = node.how.removeprefix("tvmq_")
        tensors = (("in", node.inputs), ("constant", node.constants), ("out", node.outputs))
        facts = [f"{node.node} {node.op}", *(f"{kind} {text}" for kind, texts in tensors for text in texts)]
        if node.claimed and not node.kernel:
            facts.append(node.how)
        elif node.claimed:
            facts += [f"kernel {node.kernel}", f"{node.algorithm}, packing {node.packing or 'none'}", f"{node.macs:,} MACs, {node.packed_bytes:,} bytes packed"]
        else:
            facts.append(f"left to the runtime: {node.reason}")
        return _Box(self.left, self._y(place), _WIDTH, _HEIGHT, fill, line, f"{node.node}  {node.op}  {' '.join(node.outputs)}", detail, "\n".join(facts))

    def _frames(self) -> Iterator[tuple[float, float, float, float, str, str]]:
        """Around runs of nodes of one partition that follow each other."""
        start = 0
        for place in range(len(self.nodes) + 1):
            same = place < len(self.nodes) and self._group(place) == self._group(start)
            if same:
                continue
            if self.nodes and self.nodes[start].claimed:
                number = self.nodes[start].partition
                top, bottom = self._y(start) - 9, self._y(place - 1) + _HEIGHT + 9
                yield self.left - 12, top, _WIDTH + 24, bottom - top, COLOURS[number % len(COLOURS)][1], f"delegate kernel {number}"
            start = place

    def _group(self, place: int) -> int:
        return self.nodes[place].partition if self.nodes[place].claimed else -1 - place

    def _way(self, source: int, target: int, lane: int) -> str:
        right, out = self.left + _WIDTH, self.left + _WIDTH + 20 + _LANE * (lane + 1)
        start, end = self._y(source) + _HEIGHT - 10, self._y(target) + 10
        radius = min(8.0, math.fabs(end - start) / 2)
        return f"M{right},{start} H{out - radius} q{radius},0 {radius},{radius} V{end - radius} q0,{radius} {-radius},{radius} H{right + 6}"


def _main(found: Delegation, ops: Sequence[models.Op]) -> tuple[list[Node], list[models.Op]]:
    return [node for node in found.nodes if node.subgraph == 0], [op for op in ops if op.subgraph == 0]


def _dot_node(place: int, node: Node) -> str:
    fill, line = COLOURS[node.partition % len(COLOURS)] if node.claimed else LEFT
    label = f"{node.node} {node.op}\n{node.how}"
    return f'n{place} [label={_quoted(label)}, fillcolor="{fill}", color="{line}"];'


def _quoted(text: str) -> str:
    return '"' + clean(text, keep="\n").replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
