"""The partitioned graph as one page without network: nodes with branches, to zoom into, to search and to click on. Needs the extra `report`."""

from __future__ import annotations

import dataclasses
import json
import os
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .. import models
from ..sessions import Delegation, Node
from . import tensor_text
from .graph import COLOURS, edges, main_graph
from .layout import curve, layout
from .pages import Markup, environment, source
from .screen import clean

LINE, PAD, WIDTH = 17, 10, 270  # pixels: the height of a line, around the text, of a box
LETTER, TITLE_LETTER, NOTE_LETTER = 6.7, 8.4, 6.6  # pixels of a character of a shape or a line, at most; of a title, where most are capitals; of a time
ROOM, LINES = int((WIDTH - 2 * PAD) / LETTER), 2  # the characters of a line, and lines for a reason


@dataclass(frozen=True)
class _Box:
    """A node, or an input or output of the model. kind: CSS classes."""

    place: int
    kind: str
    title: str
    lines: tuple[str, ...]
    x: float = 0.0
    y: float = 0.0
    width: float = WIDTH
    note: str = ""
    bar: float = 0.0

    @property
    def height(self) -> float:
        return 2 * PAD + LINE * (1 + len(self.lines))


@dataclass(frozen=True)
class _Way:
    """Tensors that flow from one box to another. x, y: where their shape stands."""

    path: str
    label: str
    hover: str
    x: float
    y: float

    @property
    def room(self) -> float:
        """The width of the label."""
        return LETTER * len(self.label) + 6


@dataclass(frozen=True)
class Drawing:
    """The graph as the templates draw it."""

    boxes: list[_Box]
    ways: list[_Way]
    width: float
    height: float


def drawing(found: Delegation, ops: Sequence[models.Op], times_us: Mapping[int, float] | None = None) -> Drawing:
    """Lays the main subgraph out. times_us: as page()'s."""
    return _drawn(*main_graph(found, ops), dict(times_us or {}))


def page(found: Delegation, ops: Sequence[models.Op], times_us: Mapping[int, float] | None = None) -> str:
    """times_us: of nodes of the main subgraph, where they have been measured."""
    nodes, ops = main_graph(found, ops)
    times = dict(times_us or {})
    title = f"tvmq nodes: {os.path.basename(found.model) or 'a model'}"
    return (
        environment()
        .get_template("graph.html")
        .render(
            title=title,
            found=found,
            cards=_cards(found, nodes, times),
            **vars(_drawn(nodes, ops, times)),
            kinds=_kinds(nodes),
            times=times,
            details=_embedded([_detail(node, op, times) for node, op in zip(nodes, ops)]),
            script=Markup(source("graph.js")),
        )
    )


def _cards(found: Delegation, nodes: Sequence[Node], times: Mapping[int, float]) -> list[tuple[str, str]]:
    macs = sum(node.macs for node in nodes) or 1
    claimed = sum(node.macs for node in nodes if node.claimed)
    summary = found.summary
    cards = [
        (f"{summary.claimed} of {summary.nodes}", "nodes taken"),
        (f"{100 * claimed / macs:.1f} %", "of the multiply-accumulates"),
        (str(summary.partitions), "delegate kernel" + "s" * (summary.partitions != 1)),
        (f"{summary.packed_bytes / 1e6:.2f} MB", "packed weights"),
    ]
    return [*cards, (f"{sum(times.values()) / 1000:.3f} ms", "all nodes together")] if times else cards


def _kinds(nodes: Sequence[Node]) -> list[tuple[str, str]]:
    """Each colour's class, and what it means."""
    partitions = sorted({node.partition for node in nodes if node.claimed})
    kinds = [(f"p{number % len(COLOURS)}", f"delegate kernel {number}") for number in partitions[: len(COLOURS)]]
    if len(partitions) > len(COLOURS):
        kinds[-1] = (kinds[-1][0], f"{kinds[-1][1]}, and so on in turn")
    return [*kinds, ("left", "left to the runtime")] if any(not node.claimed for node in nodes) else kinds


# ---- the drawing


def _drawn(nodes: Sequence[Node], ops: Sequence[models.Op], times: Mapping[int, float]) -> Drawing:
    longest = max(times.values(), default=0.0) or 1.0
    boxes = [_node_box(place, node, times.get(node.node), longest) for place, node in enumerate(nodes)]
    flows: dict[tuple[int, int], list[str]] = {}
    for edge in edges(ops):
        ends = []
        for end, kind in ((edge.source, "input"), (edge.target, "output")):
            if end is None:
                end = len(boxes)
                boxes.append(_Box(-1, "end", kind, (_cut(edge.name),)))
            ends.append(end)
        flows.setdefault((ends[0], ends[1]), []).append(f"{clean(edge.name)}\n{edge.shape}")
    placed = layout([(box.width, box.height) for box in boxes], list(flows))
    ways = []
    for joined, tensors in flows.items():
        points = placed.ways[joined]
        (x0, y0), (x1, y1) = points[:2]
        label = " + ".join(dict.fromkeys(tensor.rpartition("\n")[2].partition("[")[2].rstrip("]").replace("x", "×") for tensor in tensors))
        ways.append(_Way(curve(points), label, "\n".join(tensors), (x0 + x1) / 2, (y0 + y1) / 2))
    return Drawing([dataclasses.replace(box, x=x, y=y) for box, (x, y) in zip(boxes, placed.corners)], ways, placed.width, placed.height)


def _node_box(place: int, node: Node, us: float | None, longest: float) -> _Box:
    kind = f"node p{node.partition % len(COLOURS)}" if node.claimed else "node left"
    lines = textwrap.wrap(node.how.removeprefix("tvmq_"), ROOM, max_lines=LINES, placeholder="…")
    if node.macs and node.constants:
        lines.insert(0, _cut(f"filter {node.constants[0]}"))
    note = "" if us is None else f"{us:.1f} µs"
    title = _cut(f"{node.node}  {node.op}", int((WIDTH - 2 * PAD - NOTE_LETTER * (len(note) + 1)) / TITLE_LETTER))
    return _Box(place, kind, title, tuple(lines), note=note, bar=(us or 0.0) / longest)


def _cut(text: str, room: int = ROOM) -> str:
    return text if len(text) <= room else f"{text[: room - 1]}…"


# ---- what a click shows


def _detail(node: Node, op: models.Op, times: Mapping[int, float]) -> dict[str, Any]:
    """Sections of names and texts."""
    fate = {"delegated": "yes" if node.claimed else "no"}
    if not node.claimed:
        fate["why not"] = node.reason
    else:
        kernel = {"kernel": node.kernel, "algorithm": node.algorithm, "packing": node.packing, "delegate kernel": str(node.partition)}
        fate |= {name: value for name, value in kernel.items() if value}
        fate |= {"packed": f"{node.packed_bytes:,} bytes"} if node.packed_bytes else {}
    if node.macs:
        fate["multiply-accumulates"] = f"{node.macs:,}"
    if node.node in times:
        us = times[node.node]
        rate = f", {node.macs / us / 1e3:.1f} GMAC/s" if node.macs and us else ""
        fate["time"] = f"{us:.1f} µs, {us / (sum(times.values()) or 1):.1%} of all nodes{rate}"
    sections = [("", fate)]
    if op.params:
        sections.append(("options", {name: str(value) for name, value in op.params.items()}))
    for what, tensors in (("input", op.inputs), ("output", op.outputs)):
        sections += [(f"{what} {i}", tensor_text.facts(tensor)) for i, tensor in enumerate(tensors) if tensor]
    return {"title": f"{node.node}  {node.op}", "sections": [[name, {key: clean(value) for key, value in facts.items()}] for name, facts in sections]}


def _embedded(data: Any) -> Markup:
    """JSON as the text of a script element, which nothing in it can end."""
    return Markup(json.dumps(data, ensure_ascii=True).replace("<", "\\u003c"))
