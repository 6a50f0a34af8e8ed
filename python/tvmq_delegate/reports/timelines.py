"""Plots over the nodes of a run: memory of tensors, and how busy threads were. Needs the extra `report`."""

from __future__ import annotations

from ..measure import Benchmark, Occupancy

try:
    import plotly.graph_objects as plot
except ImportError as error:
    raise ImportError(f"HTML reports need {error.name}: pip install 'tvmq-delegate[report]'") from None

MARGIN = {"l": 60, "r": 20, "t": 40, "b": 45}


def memory(found: Benchmark, colour: str, mark: str) -> plot.Figure:
    """Bytes of activations that are there while each node runs, and what the delegate takes for all."""
    ops = found.op_profile
    figure = plot.Figure()
    figure.add_bar(
        x=[op.run_order for op in ops],
        y=[op.live_bytes / 1024 for op in ops],
        width=1.0,
        marker_color=colour,
        hovertemplate=[f"<b>{op.run_order} {op.node_type}</b><br>{op.live_bytes / 1024:,.1f} KB of activations<extra></extra>" for op in ops],
    )
    arena = found.delegation.summary.arena_bytes / 1024
    if arena:
        figure.add_hline(y=arena, line_width=1.5, line_dash="dash", line_color=mark, annotation_text=f"the delegate's arena: {arena:,.0f} KB")
    figure.update_layout(height=280, bargap=0, margin=MARGIN, showlegend=False)
    figure.update_yaxes(title_text="KB")
    figure.update_xaxes(title_text="node", range=[-0.7, max((op.run_order for op in ops), default=0) + 0.7])
    return figure


def threads(busy: Occupancy, colour: str) -> plot.Figure:
    """One row for each thread, the darker the busier; nodes from left to right."""
    nodes = list(busy.nodes)
    names = [f"thread {thread}: {share:.0%}" for thread, share in enumerate(busy.whole)]
    shares = [[busy.nodes[node][thread] for node in nodes] for thread in range(len(names))]
    figure = plot.Figure()
    scale = [[0, "rgba(128,140,160,0.12)"], [1, colour]]
    about = "node %{x}, %{y}<br>busy in %{z:.0%} of the node's time<extra></extra>"
    figure.add_heatmap(x=nodes, y=names, z=shares, zmin=0, zmax=1, colorscale=scale, xgap=1, ygap=2, hovertemplate=about, showscale=False)
    figure.update_layout(height=115 + 34 * len(names), margin={**MARGIN, "l": 110})
    figure.update_yaxes(autorange="reversed")
    figure.update_xaxes(title_text="node")
    return figure
