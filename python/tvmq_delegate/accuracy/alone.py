"""Nodes cut out of a model, to be computed alone."""

from __future__ import annotations

from collections.abc import Sequence

from .. import models

# Types of tensors that stand for state and hold no values to compare.
STATE = ("resource", "variant")


def cut(source: bytes, op: models.Op, nodes: Sequence[int]) -> tuple[bytes, str]:
    """The node alone, with what is folded into it, or why that cannot be."""
    if op.subgraph:
        return b"", "in a subgraph that another node runs"
    if any(tensor.dtype in STATE for tensor in (*op.inputs, *op.outputs) if tensor):
        return b"", "its tensors stand for state"
    if not op.outputs:
        return b"", "no outputs"
    try:
        return models.cut(source, nodes), ""
    except models.ModelError as error:
        return b"", str(error)
