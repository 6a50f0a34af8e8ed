"""Node data for Google's Model Explorer: the time of each node, or how it is computed, to be laid over the graph that it shows."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from .. import models
from ..sessions import Delegation, Node
from .graph import COLOURS, LEFT, main_graph
from .screen import clean

GRADIENT = [{"stop": 0, "bgColor": "#ffffff"}, {"stop": 1, "bgColor": "#e04848"}]


def node_data(found: Delegation, ops: Sequence[models.Op], times_us: Mapping[int, float] | None = None) -> str:
    """JSON of one set of values by nodes of the main subgraph: their times where they are known, else how each is computed.

    Model Explorer finds a node by the name of one of its output tensors.
    """
    pairs = [(op.outputs[0].name, node) for node, op in zip(*main_graph(found, ops)) if op.outputs]
    if times_us:
        times = {name: {"value": round(times_us[node.node], 3)} for name, node in pairs if node.node in times_us}
        return json.dumps({"results": times, "gradient": GRADIENT}, indent=2) + "\n"
    return json.dumps({"results": {name: _fate(node) for name, node in pairs}}, indent=2) + "\n"


def _fate(node: Node) -> dict[str, str]:
    fill = COLOURS[node.partition % len(COLOURS)][0] if node.claimed else LEFT[0]
    return {"value": clean(node.how) or "nothing to compute", "bgColor": fill}


