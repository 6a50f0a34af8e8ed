"""A Diff as one HTML page, which needs no network: outputs, nodes alone, and histograms of their differences. Needs the extra `report`: jinja2 and plotly."""

from __future__ import annotations

import itertools

import plotly.graph_objects as plot
import plotly.offline
from markupsafe import Markup

from ..accuracy import Diff, Difference
from ..binding import plural
from .diff import bins, word
from .html import BAD, LEGEND, PALETTE, embed
from .pages import environment

MOST = 12  # histograms of nodes, those that differ most


def page(found: Diff) -> str:
    outputs = [(f"{output.contender}: output {output.name}", output.difference) for output in found.outputs]
    ordered = sorted(found.ops, key=lambda op: (op.difference.max_diff, op.difference.share), reverse=True)
    nodes = [(f"{op.contender}: node {op.index} ({op.op}), {op.tensor}", op.difference) for op in ordered]
    firsts = [(name, first) for name in found.contenders if (first := found.first(name))]
    return (
        environment()
        .get_template("diff.html")
        .render(
            title=f"tvmq diff: {found.model}",
            found=found,
            word=word(found)[0],
            inputs=plural(len(found.samples), "input"),
            firsts=firsts,
            ops=ordered,
            plotly_js=Markup(plotly.offline.get_plotlyjs()),
            along=embed(_along(found)) if found.ops else "",
            plots=[(what, embed(_histogram(each))) for what, each in [*outputs, *nodes[:MOST]] if each.different and each.histogram],
        )
    )


def _along(found: Diff) -> plot.Figure:
    """The greatest difference of each node alone, in order of execution."""
    figure = plot.Figure()
    for name, colour in zip(found.contenders, itertools.cycle(PALETTE)):
        ops = [op for op in found.ops if op.contender == name]
        hover = [f"node {op.index} {op.op}<br>{op.difference.max_diff:g} at most, {op.difference.share:.2%} differ<extra>{name}</extra>" for op in ops]
        figure.add_bar(x=[op.index for op in ops], y=[op.difference.max_diff for op in ops], name=name, marker_color=colour, hovertemplate=hover)
    axes = {"xaxis": {"title": "node"}, "yaxis": {"title": "greatest difference"}}
    figure.update_layout(height=320, margin={"l": 60, "r": 20, "t": 36, "b": 45}, showlegend=True, legend=LEGEND, **axes)
    return figure


def _histogram(difference: Difference) -> plot.Figure:
    """Elements by their signed difference, without those that are equal."""
    shown = [(f"{low:+d}" if low == high else f"{low:+d} to {high:+d}", count) for low, high, count in bins(difference) if low]
    figure = plot.Figure()
    figure.add_bar(x=[label for label, _ in shown], y=[count for _, count in shown], marker_color=BAD, hovertemplate="%{x}: %{y} elements<extra></extra>")
    axis = {"title": difference.unit or "difference", "type": "category"}
    figure.update_layout(height=260, margin={"l": 60, "r": 20, "t": 30, "b": 45}, xaxis=axis, yaxis={"title": "elements"})
    return figure
