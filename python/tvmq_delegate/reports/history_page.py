"""A History as one HTML page, which needs no network: the times of each model, run after run. Needs the extra `report`: jinja2 and plotly."""

from __future__ import annotations

import itertools

import plotly.graph_objects as plot
import plotly.offline
from markupsafe import Markup

from ..binding import plural
from ..measure import LEAST, History, Recorded, Series
from .comparison_page import shade
from .html import LEGEND, PALETTE, embed
from .pages import environment


def page(found: History) -> str:
    return (
        environment()
        .get_template("history.html")
        .render(
            title="tvmq bench: history",
            found=found,
            plural=plural,
            shade=shade,
            least=LEAST,
            plotly_js=Markup(plotly.offline.get_plotlyjs()),
            series=[(each, embed(_plot(each))) for each in found.series],
        )
    )


def _busy(run: Recorded) -> str:
    return f"<br>busy: {run.busy}" if run.busy else ""


def _plot(series: Series) -> plot.Figure:
    """A line for each contender. Runs of a busy machine are marked."""
    figure = plot.Figure()
    for name, colour in zip(series.contenders, itertools.cycle(PALETTE)):
        numbers, runs = zip(*((n, run) for n, run in enumerate(series.runs, 1) if series.ms(run, name) is not None))
        low, high = ([run.contenders[name][quartile] for run in runs] for quartile in (1, 2))
        times = [series.ms(run, name) or 0.0 for run in runs]
        above = [max(0.0, top - ms) for top, ms in zip(high, times)]
        below = [max(0.0, ms - bottom) for bottom, ms in zip(low, times)]
        figure.add_scatter(
            x=numbers,
            y=times,
            error_y={"type": "data", "array": above, "arrayminus": below, "thickness": 1, "width": 3},
            mode="lines+markers",
            name=name,
            line={"color": colour, "width": 1.8},
            marker={"size": 8, "symbol": ["circle-open" if run.busy else "circle" for run in runs]},
            hovertemplate=[f"{name}, {run.version}<br>{run.date}<br>%{{y:.4g}} ms{_busy(run)}<extra></extra>" for run in runs],
        )
    figure.update_xaxes(title="run", dtick=max(1, len(series.runs) // 12), range=[0.5, len(series.runs) + 0.5])
    figure.update_layout(height=340, showlegend=True, legend=LEGEND, margin={"l": 60, "r": 20, "t": 30, "b": 60}, yaxis={"title": "ms", "rangemode": "tozero"})
    return figure
