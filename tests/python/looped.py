"""Networks in the body of a WHILE, and in the branches of an IF. Where an output grows, the runtime prepares the body for each iteration."""

from __future__ import annotations

import numpy as np

from tvmq_delegate.models.builder import ModelBuilder
from tvmq_delegate.models.flatbuffer import Record, enum_value, read, write


def layers(units: int, n: int, seed: int = 0, *, hybrid: bool = False, grows: bool = True) -> bytes:
    """The body: a counter that is added to, `n` FULLY_CONNECTED layers with TANH, and a sequence to which their result is appended, or added."""
    generator = np.random.default_rng(seed)
    builder = ModelBuilder()

    def activations(name: str, scale: float) -> int:
        return builder.add_tensor(name, (1, units), "float32") if hybrid else builder.add_tensor(name, (1, units), "int8", scale=scale)

    counter, next_counter = (builder.add_tensor(name, (1,), "int32") for name in ("counter", "next counter"))
    one = builder.add_tensor("one", (1,), "int32", data=np.array([1]))
    builder.add_op("ADD", [counter, one], [next_counter])
    state, sequence, longer = (activations(name, 1 / 128) for name in ("state", "sequence", "longer"))
    result = state
    for i in range(n):
        weights = builder.add_tensor(f"weights {i}", (units, units), "int8", scale=0.01, data=generator.integers(-127, 128, (units, units)))
        bias = [] if hybrid else [builder.add_tensor(f"bias {i}", (units,), "int32", scale=0.01 / 128, data=generator.integers(-999, 999, (units,)))]
        sums, outputs = activations(f"sums {i}", 1 / 32), activations(f"outputs {i}", 1 / 128)
        builder.add_op("FULLY_CONNECTED", [result, weights, *bias], [sums])
        builder.add_op("TANH", [sums], [outputs])
        result = outputs
    if grows:
        builder.add_op("CONCATENATION", [sequence, result], [longer], axis=0)
    else:
        builder.add_op("ADD", [sequence, result], [longer])
    return builder.build([counter, state, sequence], [next_counter, result, longer])


def looped(body: bytes, iterations: int) -> bytes:
    """A WHILE of the body, whose first input counts the iterations."""
    root = read(memoryview(body))
    inner = root.subgraphs[0]
    buffers = [*root.buffers, Record(data=np.array([iterations], np.int32).tobytes())]
    codes = [*root.operator_codes]

    def operator(name: str, inputs: tuple[int, ...], outputs: tuple[int, ...], table: str, **options: int) -> Record:
        number = enum_value("BuiltinOperator", name)
        codes.append(Record(builtin_code=number, deprecated_builtin_code=number, version=1))
        kind = enum_value("BuiltinOptions", table)
        return Record(opcode_index=len(codes) - 1, inputs=inputs, outputs=outputs, builtin_options_type=kind, builtin_options=Record(**options))

    def copies(prefix: str) -> list[Record]:
        return [Record(**{**vars(inner.tensors[i]), "name": f"{prefix} {i}", "buffer": 0}) for i in inner.inputs]

    n = len(inner.inputs)
    entry, left = tuple(range(n)), tuple(range(n, 2 * n))
    loop = operator("WHILE", entry, left, "WhileOptions", cond_subgraph_index=1, body_subgraph_index=2)
    less = operator("LESS", (0, n), (n + 1,), "LessOptions")
    limit = Record(name="limit", shape=(1,), type=enum_value("TensorType", "INT32"), buffer=len(buffers) - 1)
    goes_on = Record(name="goes on", shape=(1,), type=enum_value("TensorType", "BOOL"), buffer=0)
    root.subgraphs = (
        Record(tensors=copies("before") + copies("after"), inputs=entry, outputs=left, operators=[loop], name="main"),
        Record(tensors=[*copies("condition"), limit, goes_on], inputs=entry, outputs=(n + 1,), operators=[less], name="condition"),
        inner,
    )
    root.buffers, root.operator_codes = tuple(buffers), tuple(codes)
    return write(root)


def chosen(branch: bytes) -> bytes:
    """An IF with this network as both branches."""
    root = read(memoryview(branch))
    inner = root.subgraphs[0]
    n_in, n_out = len(inner.inputs), len(inner.outputs)
    number = enum_value("BuiltinOperator", "IF")
    root.operator_codes = (*root.operator_codes, Record(builtin_code=number, deprecated_builtin_code=number, version=1))

    def copies(tensors: tuple[int, ...], prefix: str) -> list[Record]:
        return [Record(**{**vars(inner.tensors[i]), "name": f"{prefix} {i}", "buffer": 0}) for i in tensors]

    condition = Record(name="condition", shape=(1,), type=enum_value("TensorType", "BOOL"), buffer=0)
    inputs, outputs = tuple(range(n_in + 1)), tuple(range(n_in + 1, n_in + 1 + n_out))
    choice = Record(
        opcode_index=len(root.operator_codes) - 1,
        inputs=inputs,
        outputs=outputs,
        builtin_options_type=enum_value("BuiltinOptions", "IfOptions"),
        builtin_options=Record(then_subgraph_index=1, else_subgraph_index=2),
    )
    tensors = [condition, *copies(inner.inputs, "before"), *copies(inner.outputs, "after")]
    main = Record(tensors=tensors, inputs=inputs, outputs=outputs, operators=[choice], name="main")
    root.subgraphs = (main, inner, Record(**{**vars(inner), "name": "else"}))
    return write(root)
