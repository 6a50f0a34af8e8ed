"""Models behind a RESHAPE whose shape is an input of the graph: LiteRT reshapes in place, and does not prepare what follows again."""

from __future__ import annotations

import numpy as np

from tvmq_delegate.models.flatbuffer import Record, enum_value, read, write


def reshaped(content: bytes, which: int = 0) -> bytes:
    """The model whose input `which` is reshaped to a shape that comes last among the inputs of the graph.

    The runtime reshapes in place what is no input of the graph, so that another RESHAPE stands in front.
    """
    root = read(memoryview(content))
    graph = root.subgraphs[0]
    tensors, codes = list(graph.tensors), list(root.operator_codes)
    inner = tensors[graph.inputs[which]]

    def add(name: str, shape: tuple[int, ...], of: Record | None = None, buffer: int = 0) -> int:
        record = Record(**vars(of)) if of is not None else Record(type=enum_value("TensorType", "INT32"))
        record.name, record.shape, record.buffer = name, shape, buffer
        tensors.append(record)
        return len(tensors) - 1

    root.buffers = (*root.buffers, Record(data=np.array(inner.shape, np.int32).tobytes()))
    source, copy = add("source", inner.shape, inner), add("copy", inner.shape, inner)
    constant = add("its own shape", (len(inner.shape),), buffer=len(root.buffers) - 1)
    shape = add("shape", (len(inner.shape),))
    number = enum_value("BuiltinOperator", "RESHAPE")
    codes.append(Record(builtin_code=number, deprecated_builtin_code=number, version=1))
    pairs = ((source, constant), copy), ((copy, shape), graph.inputs[which])
    reshapes = [Record(opcode_index=len(codes) - 1, inputs=inputs, outputs=(output,)) for inputs, output in pairs]
    graph.operators = (*reshapes, *graph.operators)
    graph.inputs = (*graph.inputs[:which], source, *graph.inputs[which + 1 :], shape)
    graph.tensors, root.operator_codes = tuple(tensors), tuple(codes)
    return write(root)


def shapes_of(shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Others of as many elements and dimensions: in another order, and two of them multiplied out."""
    found = [tuple(shape), tuple(reversed(shape)), (*shape[1:], *shape[:1])]
    for i in range(len(shape) - 1):
        found.append((*shape[:i], 1, shape[i] * shape[i + 1], *shape[i + 2 :]))
        found.append((*shape[:i], shape[i] * shape[i + 1], 1, *shape[i + 2 :]))
    return list(dict.fromkeys(found))
