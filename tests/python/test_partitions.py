"""Which partitions the delegate leaves to the runtime by default: those that only convert elements."""

from __future__ import annotations

import itertools

import harness
import numpy as np

import tvmq_delegate
from tvmq_delegate.binding import reference
from tvmq_delegate.models import ModelBuilder

SHAPE = (1, 4, 4, 8)


def build(*, computes: bool, alone: bool) -> bytes:
    """QUANTIZE and DEQUANTIZE, with a RELU of bytes between if it `computes`, and a float RELU6, which the delegate lacks, before and behind unless `alone`."""
    builder = ModelBuilder()
    source = x = builder.add_tensor("input", SHAPE, "float32")

    def then(operator: str, dtype: str) -> int:
        quantization = {"scale": 0.05, "zero_point": -3} if dtype == "int8" else {}
        result = builder.add_tensor(operator.lower(), SHAPE, dtype, **quantization)
        builder.add_op(operator, [x], [result])
        return result

    x = x if alone else then("RELU6", "float32")
    x = then("QUANTIZE", "int8")
    x = then("RELU", "int8") if computes else x
    x = then("DEQUANTIZE", "float32")
    x = x if alone else then("RELU6", "float32")
    return builder.build([source], [x])


def claimed(runtime: harness.Runtime, content: bytes, **options: object) -> list[bool]:
    delegate = tvmq_delegate.load(runtime=runtime.name, **options)
    values = np.linspace(-9, 9, 128, dtype=np.float32).reshape(SHAPE)
    expected = harness.run(runtime.interpreter(content), values)
    harness.assert_equal(harness.run(runtime.interpreter(content, [delegate]), values)[0], expected[0])
    return [node.claimed for node in tvmq_delegate.report(delegate).nodes]


def test_a_partition_that_only_converts_does_not_pay(runtime):
    content = build(computes=False, alone=False)
    assert claimed(runtime, content) == [False] * 4
    assert claimed(runtime, content, min_nodes_per_partition=1) == [False, True, True, False]


def test_a_partition_that_computes_pays(runtime):
    assert claimed(runtime, build(computes=True, alone=False)) == [False, True, True, True, False]


def test_float_arithmetic_alone_does_not_pay(runtime):
    builder = ModelBuilder()
    source = builder.add_tensor("input", SHAPE, "float32")
    scaled, summed, cut = (builder.add_tensor(name, SHAPE, "float32") for name in ("scaled", "summed", "cut"))
    builder.add_op("MUL", [source, source], [scaled], fused_activation_function="NONE")
    builder.add_op("ADD", [scaled, source], [summed], fused_activation_function="NONE")
    builder.add_op("RELU6", [summed], [cut])
    content = builder.build([source], [cut])
    assert claimed(runtime, content) == [False] * 3
    taken = reference.found("fast_math", runtime.module) != "on"
    assert claimed(runtime, content, min_nodes_per_partition=1) == [taken, taken, False]


def test_a_whole_graph_has_no_borders(runtime):
    assert claimed(runtime, build(computes=False, alone=True)) == [True, True]


def test_each_node_has_a_reason_of_its_own(runtime: harness.Runtime) -> None:
    """One partition between two nodes that the delegate lacks, of nodes that convert, combine, map, reduce and move."""
    builder = ModelBuilder()
    source = x = builder.add_tensor("input", SHAPE, "int8", scale=0.05)
    shape = builder.add_tensor("shape", (2,), "int32", data=np.array([1, 8], np.int32))
    axes = builder.add_tensor("axes", (2,), "int32", data=np.array([1, 2], np.int32))
    does = {
        "DEQUANTIZE": "converts elements", "RELU6": "-0.0", "ADD": "combines elements of 32 or 64 bits", "ABS": "maps elements of 32 bits",
        "MEAN": "reduces elements of 32 bits", "RESHAPE": "moves elements of 32 or 64 bits", "L2_NORMALIZATION": "no kernels",
    }  # fmt: skip
    others = {"ADD": lambda x: [x, x], "MEAN": lambda x: [x, axes], "RESHAPE": lambda x: [x, shape]}
    options = {"ADD": {"fused_activation_function": "NONE"}, "MEAN": {"keep_dims": True}, "RESHAPE": {"new_shape": (1, 8)}}
    dims = SHAPE
    for operator in does:
        dims = {"MEAN": (1, 1, 1, 8), "RESHAPE": (1, 8)}.get(operator, dims)
        result = builder.add_tensor(operator.lower(), dims, "float32")
        builder.add_op(operator, others.get(operator, lambda x: [x])(x), [result], **options.get(operator, {}))
        x = result
    delegate = tvmq_delegate.load(runtime=runtime.name, fast_math="off")  # where it is on, it is the reason
    runtime.interpreter(builder.build([source], [x]), [delegate])
    found = {node.op: node.reason for node in tvmq_delegate.report(delegate).nodes}
    assert found.keys() == does.keys()
    for operator, reason in does.items():
        assert reason in found[operator], (operator, found[operator])


def test_partitions_share_an_arena(runtime: harness.Runtime) -> None:
    """Each partition needs more memory than the one before, so the arena is enlarged after the tensors of earlier ones are placed; also after a resize."""
    builder = ModelBuilder()
    source = x = builder.add_tensor("input", SHAPE, "float32")
    order = builder.add_tensor("order", (4,), "int32", data=np.array([0, 2, 1, 3], np.int32))
    shape, names = SHAPE, map(str, itertools.count())

    def then(operator: str, *inputs: int, dtype: str = "int8", **options: object) -> int:
        quantization = {"scale": 0.05, "zero_point": -3} if dtype == "int8" else {}
        result = builder.add_tensor(next(names), shape, dtype, **quantization)
        builder.add_op(operator, list(inputs), [result], **options)
        return result

    for _ in range(3):
        x = then("QUANTIZE", x)
        shape = (*shape[:3], 4 * shape[3])
        x = then("CONCATENATION", x, x, x, x, axis=3, fused_activation_function="NONE")
        x = then("TRANSPOSE", then("TRANSPOSE", x, order), order)
        x = then("RELU6", then("DEQUANTIZE", x, dtype="float32"), dtype="float32")
    content = builder.build([source], [x])
    delegate = tvmq_delegate.load(runtime=runtime.name, min_nodes_per_partition=1)
    ours, theirs = runtime.interpreter(content, [delegate]), runtime.interpreter(content)
    rng, most = np.random.default_rng(1), 0
    for batch in (1, 1, 5, 2):
        outputs = []
        values = rng.normal(0, 3, (batch, *SHAPE[1:])).astype(np.float32)
        for interpreter in (ours, theirs):
            index = interpreter.get_input_details()[0]["index"]
            interpreter.resize_tensor_input(index, values.shape)
            interpreter.allocate_tensors()
            outputs.append(harness.run(interpreter, values)[0])
        harness.assert_equal(*outputs)
        extents: dict[int, int] = {}
        for buffer in tvmq_delegate.buffers(delegate):
            extents[buffer.partition] = max(extents.get(buffer.partition, 0), buffer.offset + buffer.bytes)
        most = max(most, *extents.values())
        assert len(extents) == 3 and len(set(extents.values())) == 3
        assert most <= tvmq_delegate.report(delegate).summary.arena_bytes < most + 64
