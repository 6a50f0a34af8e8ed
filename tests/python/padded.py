"""Models with a PAD in front of their first operator."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tvmq_delegate import models
from tvmq_delegate.models.builder import OPERATORS
from tvmq_delegate.models.flatbuffer import Record, enum_value, read, write

Paddings = Sequence[tuple[int, int]]  # of batch, height, width and channels: before and after


def padded(
    content: bytes,
    paddings: Paddings | bytes | None,
    *,
    operator: str = "PAD",
    paddings_dtype: str = "int32",
    paddings_shape: Sequence[int] = (4, 2),
    value: int | None = None,
    value_zero_point: int | None = None,
    in_shape: Sequence[int] | None = None,
    scale: float | None = None,
    exposed: bool = False,
) -> bytes:
    """The model with a PAD of its input.

    paddings: bytes are taken as they are; None makes them an input. value: of PADV2, quantized as the model's input but for value_zero_point. in_shape: of the
    PAD's input; what the model's input has less the paddings if None. scale: of the PAD's input, if other than its output's. exposed: what it pads is an output
    of the model too.
    """
    root = read(memoryview(content))
    graph = root.subgraphs[0]
    tensors, buffers, codes = list(graph.tensors), list(root.buffers), list(root.operator_codes)
    inner = tensors[graph.inputs[0]]
    inner.name = b"padded"

    def add(shape: Sequence[int], dtype: str, data: bytes | None = None, quantization: Record | None = None) -> int:
        buffers.append(Record(data=data))
        record = Record(shape=tuple(shape), type=enum_value("TensorType", dtype.upper()), buffer=len(buffers) - 1 if data is not None else 0)
        record.name, record.quantization = f"pad_{len(tensors)}", quantization
        tensors.append(record)
        return len(tensors) - 1

    dtype = models.ops(content)[0].inputs[0].dtype
    if in_shape is None:
        in_shape = [size - before - after for size, (before, after) in zip(inner.shape, paddings)]
    quantization = Record(**vars(inner.quantization or Record()))
    if scale is not None:
        quantization.scale = (scale,)
    source = add(in_shape, dtype, quantization=quantization)
    data = paddings if paddings is None or isinstance(paddings, bytes) else np.array(paddings, paddings_dtype).tobytes()
    inputs = [source, add(paddings_shape, paddings_dtype, data)]
    if value is not None:
        of_value = Record(**vars(inner.quantization))
        if value_zero_point is not None:
            of_value.zero_point = (value_zero_point,)
        inputs.append(add((1,), dtype, np.array([value], dtype).tobytes(), of_value))
    table, versions = OPERATORS[operator]
    number = enum_value("BuiltinOperator", operator)
    codes.append(Record(builtin_code=number, deprecated_builtin_code=number, version=versions.get(dtype, 1)))
    pad = Record(opcode_index=len(codes) - 1, inputs=tuple(inputs), outputs=(graph.inputs[0],))
    pad.builtin_options_type, pad.builtin_options = enum_value("BuiltinOptions", table), Record()
    graph.operators = (pad, *graph.operators)
    graph.outputs = (*graph.outputs, *([graph.inputs[0]] if exposed else []))
    graph.inputs = (source, *([inputs[1]] if paddings is None else []), *graph.inputs[1:])
    graph.tensors, root.buffers, root.operator_codes = tuple(tensors), tuple(buffers), tuple(codes)
    return write(root)
