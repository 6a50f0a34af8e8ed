"""Shapes that a file leaves out: the runtime knows them once it has prepared the graph."""

from __future__ import annotations

from types import ModuleType

from .. import models
from .contenders import Contender


def shaped(source: bytes, runtime: ModuleType) -> bytes:
    """The model with the shape of every tensor of its main subgraph: itself, unless an operator computes a tensor that has none in the file.

    Nodes can only be cut out of a model whose tensors have shapes. Raises what the runtime raises for a model that it cannot prepare.
    """
    if all(tensor.shape for op in models.ops(source) if op.subgraph == 0 for tensor in op.outputs):
        return source
    details = Contender("builtin").open(source, runtime).interpreter.get_tensor_details()
    return models.with_shapes(source, {detail["index"]: tuple(int(n) for n in detail["shape"]) for detail in details})
