"""Memory of tensors over a run: which activations are needed while a node runs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from .. import models

_BITS = {"int4": 4, "int16": 16, "float16": 16, "int32": 32, "float32": 32, "int64": 64, "float64": 64}


def tensor_bytes(tensors: Iterable[models.Tensor]) -> int:
    """The bytes of all, in the file's shapes."""
    return sum(math.prod(tensor.shape) * _BITS.get(tensor.dtype, 8) // 8 for tensor in tensors)


def live_bytes(ops: Sequence[models.Op]) -> list[int]:
    """For each operator of a subgraph, in order of execution, the bytes of the activations that are there while it runs.

    They are there from the operator that writes them to the last one that reads them, inputs of the model from the beginning, its outputs to the end. No
    allocator can do with less, unless it lets outputs overwrite inputs.
    """
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    tensors: dict[int, models.Tensor] = {}
    for place, op in enumerate(ops):
        for tensor in (tensor for tensor in op.inputs if tensor and not tensor.constant):
            first.setdefault(tensor.index, 0)
            last[tensor.index] = place
            tensors[tensor.index] = tensor
        for tensor in op.outputs:
            first[tensor.index] = place
            tensors[tensor.index] = tensor
    live = [0] * (len(ops) + 1)
    for index, tensor in tensors.items():  # sums of differences
        live[first[index]] += tensor_bytes([tensor])
        live[last.get(index, len(ops) - 1) + 1] -= tensor_bytes([tensor])
    for place in range(1, len(ops)):
        live[place] += live[place - 1]
    return live[: len(ops)]
