"""Pictures as files: the graph and charts of a benchmark as SVG, which needs no browser, and as PNG, which needs the extra `png`: cairosvg."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from html import escape
from types import ModuleType

from .. import models
from ..measure import Benchmark
from ..sessions import Delegation
from .columns import milliseconds
from .screen import clean

GREY, BLUE, AMBER, INK = "#8c959f", "#1f87e8", "#c08a2d", "#17202e"
LEFT, LENGTH, BAR, ROW, TOP = 170, 520, 16, 26, 54  # pixels of the chart of contenders
PLOT, STEP = 220, 9  # pixels: the height of the nodes' bars, and the least from one to the next
SCALE = 2  # pixels of a PNG for one of the SVG


def graph(found: Delegation, ops: Sequence[models.Op], times_us: Mapping[int, float] | None = None) -> str:
    """The partitioned graph, as the page of graph_page has it. Needs the extra `report`: jinja2 and grandalf."""
    from . import graph_page  # which imports them
    from .graph import COLOURS, LEFT
    from .pages import environment

    drawing = graph_page.drawing(found, ops, times_us)
    colours = [*((f"p{i}", *pair) for i, pair in enumerate(COLOURS)), ("left", *LEFT)]
    title = f"tvmq nodes: {os.path.basename(found.model) or 'a model'}"
    return environment().get_template("graph.svg").render(title=title, colours=colours, **vars(drawing))


def png(svg: str) -> bytes:
    """Raises ImportError without cairosvg, OSError without the cairo library."""
    return bytes(renderer().svg2png(bytestring=svg.encode(), scale=SCALE))


def renderer() -> ModuleType:
    import cairosvg

    module: ModuleType = cairosvg
    return module


def charts(found: Benchmark) -> str:
    """Times of the contenders, and of each node if they were measured: blue by the delegate, amber by the runtime."""
    nodes_top = TOP + ROW * len(found.results) + 44
    width = max(LEFT + LENGTH + 180, 60 + STEP * len(found.op_profile))
    height = nodes_top + PLOT + 46 if found.op_profile else nodes_top - 20
    title = f"{os.path.basename(found.model)}: {found.leading} of each contender's runs, {found.machine.cpu}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="13">',
        f'<title>{_text(title)}</title><rect width="100%" height="100%" fill="#fff"/>',
        _label(16, 28, title, bold=True),
        *_contenders(found),
        *(_nodes(found, nodes_top, width) if found.op_profile else ()),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _contenders(found: Benchmark) -> list[str]:
    times = {result.name: result.latency_metrics.of(found.leading) for result in found.results}
    longest = max(times.values()) or 1.0
    parts = []
    for i, result in enumerate(found.results):
        y, length = TOP + ROW * i, LENGTH * times[result.name] / longest
        ratio = f"   {result.ratio.value:.2f}x" if result.ratio else ""
        parts.append(_label(LEFT - 10, y + BAR - 3, result.name, anchor="end"))
        parts.append(_bar(LEFT, y, length, BAR, GREY if i else BLUE))
        parts.append(_label(LEFT + length + 8, y + BAR - 3, f"{milliseconds(times[result.name])} ms{ratio}"))
    return parts


def _nodes(found: Benchmark, top: float, width: float) -> list[str]:
    longest = max((op.us for op in found.op_profile), default=0.0) or 1.0
    step = (width - 60) / len(found.op_profile)
    parts = [_label(16, top - 10, f"each node in the network, up to {longest:.3g} µs; amber: left to the runtime", bold=True)]
    for i, op in enumerate(found.op_profile):
        height, x = PLOT * op.us / longest, 40 + step * i
        hover = f"<title>{_text(f'{op.run_order} {op.node_type}: {op.us:.1f} µs')}</title>"
        colour = BLUE if op.claimed else AMBER
        parts.append(f'<rect x="{x:.1f}" y="{top + PLOT - height:.1f}" width="{0.8 * step:.1f}" height="{height:.1f}" fill="{colour}">{hover}</rect>')
        if i % max(1, round(40 / step)) == 0:
            parts.append(_label(x + 0.4 * step, top + PLOT + 18, str(op.run_order), anchor="middle"))
    return parts


def _bar(x: float, y: float, width: float, height: float, colour: str) -> str:
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height}" rx="2" fill="{colour}"/>'


def _label(x: float, y: float, text: str, anchor: str = "start", bold: bool = False) -> str:
    weight = ' font-weight="bold"' if bold else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{INK}"{weight} xml:space="preserve">{_text(text)}</text>'


def _text(text: str) -> str:
    """Escaped, and without control characters, which no XML may have."""
    return escape(clean(text))
