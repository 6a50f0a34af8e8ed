"""A benchmark as one HTML page with plots, which needs no network. Needs the extra `report`: jinja2 and plotly."""

from __future__ import annotations

import collections
import dataclasses
import itertools
import math
import os
from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as plot
import plotly.offline
import plotly.subplots
from markupsafe import Markup

from ..binding import plural
from ..measure import LEAST, MEDIAN, Benchmark, OpProfileData, by_bound, causes, judged, occupancy
from ..sessions import DELEGATE
from . import timelines
from .axes import logarithmic
from .bench import legend, remarks
from .pages import environment

# Colours of the types of nodes that are taken, in the order of their time; then OTHER. All can be told from a white and from a dark ground.
PALETTE = ("#3b82f6", "#0d9f8c", "#9065f7", "#d9661f", "#d1478f", "#ad881b", "#559a2c", "#70869a")
OTHER, LEFT, MARK, GOOD, BAD = "#7c8798", "#c08a2d", "#778aa3", "#159a6c", "#e04848"
# Below the plot: above, the tools lie over it, and in a narrow window it lies over the plot.
LEGEND = {"orientation": "h", "yanchor": "top", "y": -0.18, "x": 0}
MARKS = (MARK, BAD, "#9065f7")


def page(found: Benchmark, *, command: str = "", verdict: str = "") -> str:
    """Raises ValueError for a benchmark without op profiling. command: what was typed; verdict: whether results are exact; "" where it is not known."""
    if found.reconciliation is None or found.peak is None or found.profiled is None:
        raise ValueError("a page needs a benchmark with its nodes profiled")
    nodes = {node.node: node for node in found.delegation.nodes if node.subgraph == 0}
    busy = occupancy(found.profiled)
    why = causes(found)
    return (
        environment()
        .get_template("bench.html")
        .render(
            title=f"tvmq bench: {os.path.basename(found.model) or 'a model'}",
            found=found,
            cards=_cards(found),
            against=found.against,
            rows=[(op, nodes[op.run_order], cause) for op, cause in zip(found.op_profile, why)],
            bounds=by_bound(why),
            total_us=sum(op.us for op in found.op_profile) or 1.0,
            machine=_machine(found),
            shade=judged,
            plural=plural,
            legend=legend(found),
            remarks=remarks(found),
            command=command,
            verdict=verdict,
            busy=busy,
            other=LEAST if found.leading == MEDIAN else MEDIAN,
            plotly_js=Markup(plotly.offline.get_plotlyjs()),
            latency_plot=embed(_latency(found)),
            nodes_plot=embed(_nodes(found)),
            roofline_plot=embed(_roofline(found)),
            memory_plot=embed(timelines.memory(found, PALETTE[0], BAD)),
            threads_plot=embed(timelines.threads(busy, PALETTE[1])),
        )
    )


def embed(figure: plot.Figure) -> Any:
    font = {"family": "system-ui, Segoe UI, Roboto, Arial, sans-serif", "size": 13, "color": MARK}
    figure.update_layout(template="plotly_white", font=font, paper_bgcolor="rgba(0,0,0,0)", plot_bgcolor="rgba(0,0,0,0)", hovermode="closest")
    figure.update_layout(modebar={"bgcolor": "rgba(0,0,0,0)", "color": OTHER, "activecolor": PALETTE[0]})
    figure.update_traces(marker_line_width=0, selector={"type": "bar"})
    config = {"displaylogo": False, "responsive": True, "modeBarButtonsToRemove": ["select2d", "lasso2d"]}
    return Markup(figure.to_html(full_html=False, include_plotlyjs=False, config=config))


def _cards(found: Benchmark) -> list[tuple[str, str]]:
    first, summary = found.results[0], found.delegation.summary
    cards = [(f"{first.latency_metrics.of(found.leading):.3f} ms", f"{found.leading}, {first.name}")]
    cards += [(f"{result.ratio.value:.2f}×", f"time of {result.name} vs {first.name}") for result in found.results[1:] if result.ratio]
    macs = sum(op.macs for op in found.op_profile) or 1
    claimed = sum(op.macs for op in found.op_profile if op.claimed)
    cards.append((f"{summary.claimed} of {summary.nodes}", f"nodes taken: {100 * claimed / macs:.1f} % of the MACs"))
    cards.append((f"{found.gmacs_per_second:.1f} GMAC/s", f"{100 * found.share_of_peak:.0f} % of the machine's peak"))
    cards.append((f"{summary.packed_bytes / 1e6:.2f} MB", "packed weights"))
    return cards


def _machine(found: Benchmark) -> list[tuple[str, str]]:
    about, peak = found.machine, found.peak
    assert peak
    options = ", ".join(f"{name}={value}" for name, value in found.options.items())
    bandwidths = f"{peak.cache_bytes_per_second / 1e9:.1f} GB/s from caches, {peak.memory_bytes_per_second / 1e9:.1f} GB/s from memory"
    listed = [
        ("processor", f"{about.cpu}, {about.count} for this process, {about.machine}, kernels up to {about.isa}"),
        ("clock", about.clock),
        ("governor", about.governor),
        ("temperature", about.temperature),
        ("load", about.load),
        ("memory", f"{about.memory_mb:,} MB"),
        ("measured peak", f"{peak.macs_per_second / 1e9:.1f} GMAC/s, {bandwidths}, on {plural(peak.threads, 'thread')}"),
        ("system", about.kernel),
        ("Python", about.python),
        ("runtimes", ", ".join(f"{name} {version}" for name, version in about.runtimes.items())),
        ("tvmq-delegate", about.version),
        ("options", options or "defaults"),
        ("settings", ", ".join(f"{field.name}={getattr(found.settings, field.name)}" for field in dataclasses.fields(found.settings))),
        ("date", about.date),
    ]
    return [(what, value or "not told by the system") for what, value in listed]


# ---- plots


def _latency(found: Benchmark) -> plot.Figure:
    """One box for each contender, the first on top."""
    figure = plot.Figure()
    for result in reversed(found.results):
        times = result.latency_metrics
        figure.add_box(
            y=[result.name],
            q1=[times.p25_ms],
            median=[times.median_ms],
            q3=[times.p75_ms],
            lowerfence=[times.p5_ms],
            upperfence=[times.p95_ms],
            orientation="h",
            name=result.name,
            marker_color=PALETTE[0] if result is found.results[0] else OTHER,
        )
    # Where one contender would leave nothing to see of the others, the axis is logarithmic.
    medians = [result.latency_metrics.median_ms for result in found.results]
    ends = [result.latency_metrics.p5_ms for result in found.results], [result.latency_metrics.p95_ms for result in found.results]
    apart = max(medians) > 8 * min(medians) > 0 and min(ends[0]) > 0
    axis = logarithmic(0.8 * min(ends[0]), 1.25 * max(ends[1])) if apart else {"rangemode": "tozero"}
    height = 120 + 46 * len(found.results)
    figure.update_layout(height=height, showlegend=False, margin={"l": 100, "r": 20, "t": 36, "b": 45}, xaxis={"title": "ms", **axis})
    return figure


def _colours(ops: tuple[OpProfileData, ...]) -> dict[str, str]:
    """A colour for each type of the nodes that were taken."""
    times: dict[str, float] = collections.defaultdict(float)
    for op in ops:
        times[op.node_type] += op.us if op.claimed else 0.0
    types = sorted(times, key=times.__getitem__, reverse=True)
    return dict(itertools.zip_longest(types, PALETTE[: len(types)], fillvalue=OTHER))


def _hover(op: OpProfileData) -> str:
    how = op.how if op.claimed else f"left to the runtime: {op.reason}"
    rate = f"<br>{op.gmacs_per_second:.1f} GMAC/s, {op.share_of_peak:.0%} of peak" if op.gmacs_per_second else ""
    return f"<b>{op.run_order} {op.node_type}</b><br>{how}<br>{op.us:.1f} µs{rate}<extra></extra>"


def _nodes(found: Benchmark) -> plot.Figure:
    """Times above, speed-ups below: all of them of nodes alone where there is another contender, so that bars, marks and ratios are of the same times."""
    ops, against = found.op_profile, found.against
    rows, colours = 2 if against else 1, _colours(ops)
    figure = plotly.subplots.make_subplots(rows=rows, cols=1, shared_xaxes=True, vertical_spacing=0.06, row_heights=[0.66, 0.34][:rows])
    groups: dict[str, list[OpProfileData]] = {}
    for op in ops:
        groups.setdefault(op.node_type if op.claimed else "left to the runtime", []).append(op)
    for name, group in groups.items():
        figure.add_bar(
            x=[op.run_order for op in group],
            y=[_shown_us(op, against) for op in group],
            name=name,
            width=0.8,
            marker_color=colours[name] if group[0].claimed else LEFT,
            hovertemplate=[_hover(op) for op in group],
            row=1,
            col=1,
        )
    for name, colour in zip(against, MARKS):
        known = [op for op in ops if name in op.alone_us]
        figure.add_scatter(
            x=[op.run_order for op in known],
            y=[op.alone_us[name] for op in known],
            name=f"{name}, alone",
            mode="markers",
            marker={"symbol": "line-ew-open", "size": 11, "color": colour, "line_width": 2},
            hovertemplate=f"{name}: %{{y:.1f}} µs<extra></extra>",
            visible=True if name == against[0] else "legendonly",
            row=1,
            col=1,
        )
    if against:
        faster = [(op.run_order, factor) for op in ops if (factor := op.speedup(against[0]))]
        figure.add_bar(
            x=[order for order, _ in faster],
            y=[math.log2(factor) for _, factor in faster],
            width=0.8,
            marker_color=[GOOD if factor >= 1 else BAD for _, factor in faster],
            hovertemplate=[f"node {order}: {factor:.2f}× {against[0]}<extra></extra>" for order, factor in faster],
            showlegend=False,
            row=2,
            col=1,
        )
        powers = range(-4, 8)
        figure.update_yaxes(title_text=f"vs {against[0]}", tickvals=list(powers), ticktext=[f"{2.0**power:g}×" for power in powers], row=2, col=1)
        figure.add_hline(y=0, line_width=1, line_color=MARK, row=2, col=1)
    figure.update_yaxes(title_text="µs, alone" if against else "µs", row=1, col=1)
    figure.update_xaxes(range=[-0.7, max((op.run_order for op in ops), default=0) + 0.7])
    figure.update_xaxes(title_text="node", row=rows, col=1)
    figure.update_layout(height=600 if against else 440, barmode="overlay", bargap=0.25, margin={"l": 60, "r": 20, "t": 40, "b": 45}, legend=LEGEND)
    return figure


def _shown_us(op: OpProfileData, against: Sequence[str]) -> float:
    """The height of a node's bar."""
    return op.alone_us.get(DELEGATE, op.us) if against else op.us


def _roofline(found: Benchmark) -> plot.Figure:
    peak = found.peak
    assert peak
    figure = plot.Figure()
    ops = [op for op in found.op_profile if op.gmacs_per_second and op.bytes]
    intensities = [op.macs / op.bytes for op in ops] or [1.0]
    top = peak.macs_per_second / 1e9
    ridge = peak.macs_per_second / peak.memory_bytes_per_second
    low, high = min(*intensities, 1.0) / 2, max(*intensities, ridge) * 2
    for name, rate, dash in (("caches", peak.cache_bytes_per_second, "dash"), ("memory", peak.memory_bytes_per_second, "dot")):
        knee = peak.macs_per_second / rate
        figure.add_scatter(
            x=[low, knee, high],
            y=[low * rate / 1e9, top, top],
            mode="lines",
            line={"color": MARK, "width": 1.6, "dash": dash},
            name=f"{rate / 1e9:.1f} GB/s from {name}",
            hoverinfo="skip",
        )
    figure.add_annotation(x=math.log10(high), y=math.log10(top), text=f"{top:.0f} GMAC/s", showarrow=False, xanchor="right", yanchor="bottom")
    longest, colours = max((op.us for op in ops), default=1.0), _colours(found.op_profile)
    for name in dict.fromkeys(op.node_type for op in ops):
        group = [op for op in ops if op.node_type == name]
        figure.add_scatter(
            x=[op.macs / op.bytes for op in group],
            y=[op.gmacs_per_second for op in group],
            mode="markers",
            name=name,
            marker={"color": colours[name], "opacity": 0.75, "line": {"color": "#fff", "width": 1}},
            marker_size=[_diameter(op.us / longest) for op in group],
            hovertemplate=[_hover(op) for op in group],
        )
    slowest = min((op.gmacs_per_second for op in ops), default=top)
    figure.update_layout(
        height=560,
        margin={"l": 60, "r": 20, "t": 40, "b": 45},
        legend=LEGEND,
        xaxis=logarithmic(low, high, title="multiply-accumulates for each byte"),
        yaxis=logarithmic(min(slowest, top / 10) / 2, top * 2, title="GMAC/s"),
    )
    return figure


def _diameter(share: float) -> float:
    return 7 + 33 * math.sqrt(share)
