"""Two benchmarks as one HTML page, which needs no network: contenders and nodes before and after. Needs the extra `report`: jinja2 and plotly."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as plot
import plotly.offline
from markupsafe import Markup

from ..measure import Change, Comparison
from .bench import remark, verdict
from .html import BAD, GOOD, LEGEND, OTHER, PALETTE, embed
from .pages import environment


def page(found: Comparison, limit: float | None = None) -> str:
    """limit: percent, as comparison()'s."""
    nodes = sorted(found.nodes, key=lambda change: int(change.what.partition(" ")[0]))
    return (
        environment()
        .get_template("comparison.html")
        .render(
            title="tvmq bench: before and after",
            found=found,
            counted=found.judged and limit is not None and found.slower(limit),
            remark=lambda change: remark(change, found, limit),
            verdict=verdict(found, limit) if limit is not None else "",
            shade=lambda change: shade(change, found.judged),
            plotly_js=Markup(plotly.offline.get_plotlyjs()),
            plots=[(what, embed(_plot(changes, found.judged))) for what, changes in (("Contenders", found.contenders), ("Nodes", nodes)) if changes],
        )
    )


def shade(change: Change, judged: bool) -> str:
    return ("bad" if change.ratio > 1 else "good") if change.clear and judged else ""


def _plot(changes: Sequence[Change], judged: bool) -> plot.Figure:
    """A bar before and one after for each; that after is coloured where the change is clear and the machine was quiet."""
    names = [change.what.partition(" ")[0] for change in changes]  # of nodes the number: their types would take more room than the bars
    colours = [{"bad": BAD, "good": GOOD, "": PALETTE[0]}[shade(change, judged)] for change in changes]
    figure = plot.Figure()
    hover = [f"{change.what}<br>%{{y:.1f}} µs, {change.ratio - 1:+.1%}<extra></extra>" for change in changes]
    figure.add_bar(x=names, y=[1e3 * change.before_ms for change in changes], name="before", marker_color=OTHER, hovertemplate=hover)
    figure.add_bar(x=names, y=[1e3 * change.after_ms for change in changes], name="after", marker_color=colours, hovertemplate=hover)
    figure.update_layout(height=420, barmode="group", margin={"l": 60, "r": 20, "t": 36, "b": 60}, legend=LEGEND, yaxis={"title": "µs"})
    figure.update_xaxes(type="category")
    return figure
