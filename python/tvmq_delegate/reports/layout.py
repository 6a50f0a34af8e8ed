"""Where the boxes of a graph stand, in layers from top to bottom, and the ways between them: grandalf's layout after Sugiyama. Needs the extra `report`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from grandalf.graphs import Edge, Graph, Vertex
from grandalf.layouts import SugiyamaLayout

Point = tuple[float, float]
GAP_X, GAP_Y, MARGIN = 24, 34, 16
PASSES = 3  # of putting layers in an order with few crossings


@dataclass
class _Box:
    """A box as grandalf wants it: its size, and later its centre."""

    w: float
    h: float
    xy: Point = (0.0, 0.0)


@dataclass
class _Way:
    """The way of an edge as grandalf wants it: the points that it leads through, boxes' centres first and last."""

    points: list[Point] = field(default_factory=list)

    def setpath(self, points: Sequence[Point]) -> None:
        self.points = list(points)


@dataclass(frozen=True)
class Layout:
    """corners: of each box, the upper left one. ways: the points from the bottom of one box to the top of another."""

    width: float
    height: float
    corners: Sequence[Point]
    ways: Mapping[tuple[int, int], Sequence[Point]]


def layout(sizes: Sequence[Point], edges: Sequence[tuple[int, int]]) -> Layout:
    """sizes: width and height of each box. edges: the places of two boxes in `sizes`; the graph has no circle."""
    vertices = [Vertex(place) for place in range(len(sizes))]
    for vertex, size in zip(vertices, sizes):
        vertex.view = _Box(*size)
    drawn = {ends: Edge(vertices[ends[0]], vertices[ends[1]]) for ends in dict.fromkeys(edges)}
    for edge in drawn.values():
        edge.view = _Way()
    corners: list[Point] = [(0.0, 0.0)] * len(sizes)
    ways: dict[tuple[int, int], list[Point]] = {}
    left, height = float(MARGIN), 0.0
    for part in Graph(vertices, list(drawn.values())).C:  # parts of the graph stand side by side
        members = [vertex.data for vertex in part.sV]
        _arrange(part)
        boxes = {place: vertices[place].view for place in members}
        joined = [ends for ends in drawn if ends[0] in boxes]
        reach = [(box.xy[0] - box.w / 2, box.xy[0] + box.w / 2) for box in boxes.values()]
        reach += [(x, x) for ends in joined for x, _ in drawn[ends].view.points]
        right = left - min(low for low, _ in reach)
        down = MARGIN - min(box.xy[1] - box.h / 2 for box in boxes.values())
        for place, box in boxes.items():
            corners[place] = (box.xy[0] - box.w / 2 + right, box.xy[1] - box.h / 2 + down)
        for a, b in joined:
            points = [(x + right, y + down) for x, y in drawn[a, b].view.points]
            ways[a, b] = [(points[0][0], corners[a][1] + sizes[a][1]), *points[1:-1], (points[-1][0], corners[b][1])]
        left += max(high for _, high in reach) - min(low for low, _ in reach) + GAP_X
        height = max(height, *(corners[place][1] + sizes[place][1] for place in members))
    return Layout(left - GAP_X + MARGIN, height + MARGIN, corners, ways)


def _arrange(part: Graph) -> None:
    """Sets the boxes' centres and the ways' points."""
    if len(part.sV) == 1:  # nothing to arrange, and grandalf needs an edge
        return
    arranged = SugiyamaLayout(part)
    arranged.xspace, arranged.yspace = GAP_X, GAP_Y
    arranged.init_all(roots=[vertex for vertex in part.sV if not vertex.e_in()], inverted_edges=[])
    arranged.draw(PASSES)


def curve(points: Sequence[Point]) -> str:
    """A way as an SVG path, vertical at its points."""
    path = [f"M{points[0][0]:.1f},{points[0][1]:.1f}"]
    for (x0, y0), (x1, y1) in zip(points, points[1:]):
        middle = (y0 + y1) / 2
        path.append(f"V{y1:.1f}" if abs(x1 - x0) < 0.05 else f"C{x0:.1f},{middle:.1f} {x1:.1f},{middle:.1f} {x1:.1f},{y1:.1f}")
    return " ".join(path)
