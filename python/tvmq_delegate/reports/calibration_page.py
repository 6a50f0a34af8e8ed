"""A calibration as one HTML page, which needs no network. Needs the extra `report`: jinja2 and plotly."""

from __future__ import annotations

import plotly.graph_objects as plot
import plotly.offline
from markupsafe import Markup

from ..measure import Calibration, Measured
from . import calibration
from .axes import logarithmic
from .html import LEGEND, MARK, PALETTE, embed
from .pages import environment


def page(found: Calibration) -> str:
    return (
        environment()
        .get_template("calibration.html")
        .render(
            title=f"tvmq calibrate: {found.cpu}",
            found=found,
            summary=calibration.summary(found).splitlines(),
            kernels=calibration.kernels(found),
            plotly_js=Markup(plotly.offline.get_plotlyjs()),
            plots=[("shipped", embed(_plot(found, "shipped"))), ("fitted", embed(_plot(found, "fitted")))],
        )
    )


def _predicted(measured: Measured, what: str) -> float:
    return measured.shipped_ns if what == "shipped" else measured.fitted_ns


def _plot(found: Calibration, what: str) -> plot.Figure:
    figure = plot.Figure()
    ends = [min(measured.ns for measured in found.measured) / 2e3, max(measured.ns for measured in found.measured) / 500]
    figure.add_scatter(x=ends, y=ends, mode="lines", line={"color": MARK, "width": 1.2}, name="equal", hoverinfo="skip")
    for n, algorithm in enumerate(dict.fromkeys(measured.algorithm for measured in found.measured)):
        group = [measured for measured in found.measured if measured.algorithm == algorithm]
        figure.add_scatter(
            x=[measured.ns / 1e3 for measured in group],
            y=[_predicted(measured, what) / 1e3 for measured in group],
            mode="markers",
            name=algorithm,
            marker={"color": PALETTE[n % len(PALETTE)], "opacity": 0.85, "size": 6},
            text=[f"{measured.network} node {measured.node} ({measured.op}), {measured.kernel}" for measured in group],
            hovertemplate="%{text}<br>measured %{x:.2f} µs, predicted %{y:.2f} µs<extra></extra>",
        )
    figure.update_layout(
        height=560,
        margin={"l": 60, "r": 20, "t": 30, "b": 45},
        legend=LEGEND,
        xaxis=logarithmic(*ends, title="measured, µs"),
        yaxis=logarithmic(*ends, title="predicted, µs"),
    )
    return figure
