"""Shapes that graphs compute: known when the graph is prepared, also after inputs get other shapes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import harness
import numpy as np
import pytest

import tvmq_delegate
from tvmq_delegate.models import ModelBuilder

QUANTIZED = {"scale": 0.1, "zero_point": 3}


class Graph:
    """A graph whose every node has one output; shapes in the file are those of the first inference."""

    def __init__(self, shape: Sequence[int] = (1, 4, 6, 8)):
        self.builder = ModelBuilder()
        self.input = self.builder.add_tensor("input", shape, "int8", **QUANTIZED)

    def constant(self, values: Any, dtype: str = "int32") -> int:
        array = np.asarray(values, dtype)
        return self.builder.add_tensor(f"constant of {array.shape}", array.shape, dtype, data=array)

    def op(self, name: str, inputs: Sequence[int], shape: Sequence[int], dtype: str = "int8", **options: Any) -> int:
        quantization = QUANTIZED if dtype == "int8" else {}
        output = self.builder.add_tensor(name, shape, dtype, **quantization)
        self.builder.add_op(name, inputs, [output], **options)
        return output

    def slice(self, tensor: int, begin: int, end: int, dtype: str = "int32", single: bool = False) -> int:
        operands = [tensor, *(self.constant([value]) for value in (begin, end, 1))]
        return self.op("STRIDED_SLICE", operands, () if single else (end - begin,), dtype, shrink_axis_mask=int(single))

    def build(self, output: int) -> bytes:
        return self.builder.build([self.input], [output])


def upsampled(dtype: str = "int32") -> bytes:
    """Twice the size, then flattened but for the batch, as Keras exports it."""
    graph = Graph()
    relu = graph.op("RELU", [graph.input], (1, 4, 6, 8))
    shape = graph.op("SHAPE", [relu], (4,), dtype, out_type=dtype.upper())
    doubled = graph.op("MUL", [graph.slice(shape, 1, 3, dtype), graph.constant(2, dtype)], (2,), dtype)
    size = graph.op("CAST", [doubled], (2,), "int32") if dtype == "int64" else doubled
    image = graph.op("RESIZE_NEAREST_NEIGHBOR", [relu, size], (1, 8, 12, 8))
    batch = graph.slice(graph.op("SHAPE", [image], (4,), "int32", out_type="INT32"), 0, 1, single=True)
    flat = graph.op("PACK", [batch, graph.constant(-1)], (2,), "int32", values_count=2, axis=0)
    return graph.build(graph.op("RELU6", [graph.op("RESHAPE", [image, flat], (1, 768))], (1, 768)))


def tiled() -> bytes:
    """As many copies as there are rows, less one; then cut."""
    graph = Graph()
    relu = graph.op("RELU", [graph.input], (1, 4, 6, 8))
    rows = graph.slice(graph.op("SHAPE", [relu], (4,), "int32", out_type="INT32"), 1, 2)
    copies = graph.op("SUB", [rows, graph.constant([1])], (1,), "int32")
    ones = graph.constant([1])
    multiples = graph.op("CONCATENATION", [ones, ones, copies, ones], (4,), "int32", axis=0)
    tiled = graph.op("TILE", [relu, multiples], (1, 4, 18, 8))
    return graph.build(graph.op("RELU6", [tiled], (1, 4, 18, 8)))


def gathered(nd: bool = False) -> bytes:
    """As many copies as there are elements in the dimension whose number is that of the images."""
    graph = Graph()
    relu = graph.op("RELU", [graph.input], (1, 4, 6, 8))
    shape = graph.op("SHAPE", [relu], (4,), "int32", out_type="INT32")
    which, ones = graph.slice(shape, 0, 1), graph.constant([1])
    copies = graph.op("GATHER_ND", [shape, which], (), "int32") if nd else graph.op("GATHER", [shape, which], (1,), "int32", axis=0)
    if nd:
        copies = graph.op("EXPAND_DIMS", [copies, graph.constant([0])], (1,), "int32")
    multiples = graph.op("CONCATENATION", [ones, ones, copies, ones], (4,), "int32", axis=0)
    return graph.build(graph.op("RELU6", [graph.op("TILE", [relu, multiples], (1, 4, 24, 8))], (1, 4, 24, 8)))


def bilinear() -> bytes:
    """To the size of another tensor, which is pooled."""
    graph = Graph()
    pooled = graph.op("MAX_POOL_2D", [graph.input], (1, 2, 3, 8), padding="SAME", stride_w=2, stride_h=2, filter_width=2, filter_height=2)
    size = graph.slice(graph.op("SHAPE", [graph.input], (4,), "int32", out_type="INT32"), 1, 3)
    return graph.build(graph.op("ADD", [graph.op("RESIZE_BILINEAR", [pooled, size], (1, 4, 6, 8)), graph.input], (1, 4, 6, 8)))


def outputs(interpreter: Any, shapes: Sequence[Sequence[int]]) -> list[np.ndarray]:
    found = []
    for shape in shapes:
        interpreter.resize_tensor_input(interpreter.get_input_details()[0]["index"], shape)
        interpreter.allocate_tensors()
        found += harness.run(interpreter, *harness.random_inputs(interpreter, 7))
    return found


MODELS = {
    "upsampled": upsampled(),
    "of int64": upsampled("int64"),
    "tiled": tiled(),
    "gathered": gathered(),
    "gathered by several": gathered(nd=True),
    "bilinear": bilinear(),
}


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_one_partition_at_any_size(runtime: harness.Runtime, model: bytes) -> None:
    shapes = [(1, 4, 6, 8), (1, 3, 5, 8), (3, 2, 2, 8), (1, 4, 6, 8)]
    expected = outputs(runtime.interpreter(model), shapes)
    delegate = runtime.load()
    for got, want in zip(outputs(runtime.interpreter(model, [delegate]), shapes), expected, strict=True):
        harness.assert_equal(got, want)
    nodes = tvmq_delegate.report(delegate).nodes
    assert {node.partition for node in nodes} == {0}, [node.reason for node in nodes]
    assert all(node.algorithm == "constant" for node in nodes if node.op in ("SHAPE", "PACK", "SUB", "GATHER", "GATHER_ND"))


def test_values_that_the_runtime_reads(runtime: harness.Runtime) -> None:
    """A shape that a node of the runtime needs is computed there, and so is all that depends on it."""
    graph = Graph()
    relu = graph.op("RELU", [graph.input], (1, 4, 6, 8))
    doubled = graph.op("MUL", [graph.slice(graph.op("SHAPE", [relu], (4,), "int32", out_type="INT32"), 1, 3), graph.constant(2)], (2,), "int32")
    size = graph.op("MAXIMUM", [doubled, graph.constant([9, 9])], (2,), "int32")
    model = graph.build(graph.op("RESIZE_NEAREST_NEIGHBOR", [relu, size], (1, 9, 12, 8)))
    shapes = [(1, 4, 6, 8), (1, 5, 3, 8)]
    expected = outputs(runtime.interpreter(model), shapes)
    delegate = runtime.load()
    for got, want in zip(outputs(runtime.interpreter(model, [delegate]), shapes), expected, strict=True):
        harness.assert_equal(got, want)
    reasons = {node.op: node.reason for node in tvmq_delegate.report(delegate).nodes}
    assert reasons["SHAPE"] == reasons["MUL"] == "a node left to the runtime reads this value, on which shapes depend" and not reasons["RELU"]


def test_a_value_as_an_output(runtime: harness.Runtime) -> None:
    graph = Graph()
    model = graph.build(graph.op("SHAPE", [graph.op("RELU", [graph.input], (1, 4, 6, 8))], (4,), "int32", out_type="INT32"))
    delegate = runtime.load()
    for got, shape in zip(outputs(runtime.interpreter(model, [delegate]), [(1, 4, 6, 8), (2, 5, 3, 8)]), [(1, 4, 6, 8), (2, 5, 3, 8)], strict=True):
        harness.assert_equal(got, np.array(shape, np.int32))
    harness.assert_claimed(delegate)


@pytest.mark.parametrize("dtype", ["float32", "int32", "int64"])
def test_wide_elements_are_moved(runtime: harness.Runtime, dtype: str) -> None:
    """Behind what converts bytes; a partition of them alone is not worth its border."""
    graph = Graph()
    wide = graph.op("DEQUANTIZE" if dtype == "float32" else "CAST", [graph.op("RELU", [graph.input], (1, 4, 6, 8))], (1, 4, 6, 8), dtype)
    turned = graph.op("TRANSPOSE", [wide, graph.constant([0, 3, 1, 2])], (1, 8, 4, 6), dtype)
    joined = graph.op("CONCATENATION", [turned, turned], (1, 8, 8, 6), dtype, axis=2)
    model = graph.build(graph.op("RESHAPE", [joined], (8, 48), dtype, new_shape=(8, 48)))
    expected = outputs(runtime.interpreter(model), [(1, 4, 6, 8)])
    delegate = runtime.load()
    harness.assert_equal(outputs(runtime.interpreter(model, [delegate]), [(1, 4, 6, 8)])[0], expected[0])
    harness.assert_claimed(delegate)


def test_a_value_of_another_shape(runtime: harness.Runtime) -> None:
    """Two nodes write a tensor: one its value, and the other, which is refused, its shape. The third would read far behind the value."""
    n = 1 << 27
    graph = Graph()
    wide = [graph.builder.add_tensor(f"wide {i}", (n,), "int32") for i in range(2)]
    shape = graph.op("SHAPE", [graph.input], (n,), "int32", out_type="INT32")
    graph.builder.add_op("ADD", wide, [shape])
    model = graph.builder.build([graph.input, *wide], [graph.slice(shape, n - 1, n)])
    delegate = runtime.load()
    runtime.module.Interpreter(model_content=model, experimental_delegates=[delegate])
    reasons = [node.reason for node in tvmq_delegate.report(delegate).nodes]
    assert ["overwrites" in reason for reason in reasons] == [True, False, True] and "up to 256 elements" in reasons[1]


def test_a_value_that_becomes_empty(runtime: harness.Runtime) -> None:
    """A scalar gets the shape that lies behind the second dimension of a tensor which then has only two."""
    builder = ModelBuilder()
    ranked = builder.add_tensor("ranked", (2, 3, 1), "int8", **QUANTIZED)
    single = builder.add_tensor("single", (1,), "int8", **QUANTIZED)
    shape = builder.add_tensor("shape", (3,), "int32")
    rest = builder.add_tensor("rest", (1,), "int32")
    shaped, doubled = (builder.add_tensor(name, (1,), "int8", **QUANTIZED) for name in ("shaped", "doubled"))
    bounds = [builder.add_tensor(f"bound {value}", (1,), "int32", data=np.array([value])) for value in (2, 0, 1)]
    builder.add_op("SHAPE", [ranked], [shape], out_type="INT32")
    builder.add_op("STRIDED_SLICE", [shape, *bounds], [rest], end_mask=1)
    builder.add_op("RESHAPE", [single, rest], [shaped])
    builder.add_op("ADD", [shaped, shaped], [doubled])
    model = builder.build([ranked, single], [doubled])
    shapes = [(2, 3, 1), (2, 3), (2, 3, 1)]
    expected = outputs(runtime.interpreter(model), shapes)
    delegate = runtime.load()
    for got, want in zip(outputs(runtime.interpreter(model, [delegate]), shapes), expected, strict=True):
        harness.assert_equal(got, want)
    assert tvmq_delegate.report(delegate).summary.claimed > 0


def test_computed_paddings(runtime: harness.Runtime) -> None:
    """They are left to the runtime: a border that is folded into a convolution stays as it is."""
    graph = Graph()
    relu = graph.op("RELU", [graph.input], (1, 4, 6, 8))
    margins = graph.op("SUB", [graph.op("SHAPE", [relu], (4,), "int32", out_type="INT32"), graph.constant([1, 3, 5, 8])], (4,), "int32")
    paddings = graph.op("PACK", [margins, margins], (4, 2), "int32", values_count=2, axis=1)
    model = graph.build(graph.op("PAD", [relu, paddings], (1, 6, 8, 8)))
    shapes = [(1, 4, 6, 8), (1, 5, 6, 8)]
    expected = outputs(runtime.interpreter(model), shapes)
    delegate = runtime.load()
    for got, want in zip(outputs(runtime.interpreter(model, [delegate]), shapes), expected, strict=True):
        harness.assert_equal(got, want)
    assert {node.op: node.reason for node in tvmq_delegate.report(delegate).nodes}["PAD"] == "paddings are not constant"


def test_forced_while_unprepared(runtime: harness.Runtime) -> None:
    """Its neighbour could not be prepared for the new shape: nothing can be forced until the interpreter has prepared all."""
    graph = Graph()
    image = graph.op("RELU", [graph.op("AVERAGE_POOL_2D", [graph.input], (1, 4, 6, 8), filter_height=1, filter_width=1, stride_h=1, stride_w=1)], (1, 4, 6, 8))
    other = graph.builder.add_tensor("other", (1, 4), "int8", **QUANTIZED)
    place = graph.slice(graph.op("SHAPE", [other], (2,), "int32", out_type="INT32"), 0, 1)
    model = graph.builder.build([graph.input, other], [graph.op("GATHER", [image, place], (1, 1, 6, 8), axis=1)])
    delegate = runtime.load()
    interpreter = runtime.interpreter(model, [delegate])
    pool = next(node.node for node in tvmq_delegate.report(delegate).nodes if node.op == "AVERAGE_POOL_2D")
    interpreter.resize_tensor_input(interpreter.get_input_details()[1]["index"], (77, 4))
    with pytest.raises(RuntimeError, match="an index is outside the input"):
        interpreter.allocate_tensors()
    with pytest.raises(ValueError, match="not one that can be forced"):
        tvmq_delegate.force(delegate, pool, None)
    interpreter.resize_tensor_input(interpreter.get_input_details()[1]["index"], (1, 4))
    interpreter.allocate_tensors()
    tvmq_delegate.force(delegate, pool, None)


def test_scratch_of_all_threads(runtime: harness.Runtime) -> None:
    """A resize's share of the scratch is that of all its threads, as the library's is."""
    graph = Graph((1, 64, 64, 64))
    size = graph.constant([128, 128])
    delegate = runtime.load(num_threads=2)
    interpreter = runtime.interpreter(graph.build(graph.op("RESIZE_BILINEAR", [graph.input, size], (1, 128, 128, 64))), [delegate])
    assert interpreter and tvmq_delegate.report(delegate).nodes[0].scratch_bytes == tvmq_delegate.report(delegate).summary.scratch_bytes
