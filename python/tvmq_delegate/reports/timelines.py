"""Plots over the nodes of a run: memory of tensors, and how busy threads were. Needs the extra `report`."""

from __future__ import annotations

import plotly.graph_objects as plot

from ..measure import Benchmark, Occupancy

MARGIN = {"l": 60, "r": 20, "t": 40, "b": 45}


def memory(found: Benchmark, colour: str, mark: str) -> plot.Figure:
    """The delegate's arena over the run: from which node to which node each buffer is taken, and at which bytes. A line says what all activations need that are
    there while a node runs, the model's inputs and outputs, which lie elsewhere, among them."""
    ops = found.op_profile
    buffers = [buffer for buffer in (found.profiled.buffers if found.profiled else ()) if buffer.subgraph == 0]
    figure = plot.Figure()
    figure.add_bar(
        x=[(buffer.first_node + buffer.last_node) / 2 for buffer in buffers],
        width=[buffer.last_node - buffer.first_node + 1 for buffer in buffers],
        base=[buffer.offset / 1024 for buffer in buffers],
        y=[buffer.bytes / 1024 for buffer in buffers],
        marker={"color": colour, "opacity": 0.85, "line": {"width": 1, "color": "rgba(128,128,128,0.8)"}},
        hovertemplate=[f"nodes {item.first_node} to {item.last_node}<br>{item.bytes / 1024:,.1f} KB<extra></extra>" for item in buffers],
    )
    figure.add_scatter(
        x=[op.run_order for op in ops],
        y=[op.live_bytes / 1024 for op in ops],
        mode="lines",
        line={"shape": "hvh", "width": 1.5, "color": mark},
        hovertemplate=[f"<b>{op.run_order} {op.node_type}</b><br>{op.live_bytes / 1024:,.1f} KB of activations<extra></extra>" for op in ops],
    )
    figure.update_layout(height=320, barmode="overlay", hovermode="closest", margin=MARGIN, showlegend=False)
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
