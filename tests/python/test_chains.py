"""Graphs of operators that compute element by element: what depends on one byte becomes a table, and every output is the reference's."""

from __future__ import annotations

import dataclasses

import harness
import numpy as np
import pytest
from cases import SPECIAL, a_scale, a_size, a_zero_point, values
from draws import Draw, randomly
from elementwise_cases import FLOAT, UNARY

import tvmq_delegate
from tvmq_delegate import models
from tvmq_delegate.binding.reference import found


@dataclasses.dataclass(frozen=True)
class Tensor:
    index: int
    shape: tuple[int, ...]
    dtype: str
    scale: float
    zero_point: int


class Graph:
    """A model of such operators on its inputs, drawn one after the other."""

    def __init__(self, draw: Draw):
        self.draw = draw
        self.generator = np.random.default_rng(draw.generator_seed())
        self.builder = models.ModelBuilder()
        self.names: list[str] = []

    def tensor(self, shape: tuple[int, ...], dtype: str, scale: float, zero_point: int, data: np.ndarray | None = None) -> Tensor:
        index = self.builder.add_tensor(f"t{len(self.names)}", shape, dtype, scale=scale, zero_point=zero_point, data=data)
        return Tensor(index, shape, dtype, float(np.float32(scale)), zero_point)

    def constant(self, like: Tensor) -> Tensor:
        """A constant of one element, or of one in each channel, or of all."""
        shape = self.draw.choice([(), (1,), (like.shape[-1],), like.shape])
        zero_point = a_zero_point(self.draw, like.dtype)
        return self.tensor(shape, like.dtype, a_scale(self.draw), zero_point, data=values(self.generator, "random", shape, like.dtype))

    def op(self, name: str, inputs: list[Tensor], dtype: str, scale: float, shape: tuple[int, ...], **options: object) -> Tensor:
        zero_point = a_zero_point(self.draw, dtype)
        if name != "LOGISTIC":
            scale = min(max(scale, 2.0**-13), 4.0)  # as a_scale() draws them
        out = self.tensor(shape, dtype, scale, zero_point)
        self.builder.add_op(name, [tensor.index for tensor in inputs], [out.index], **options)
        self.names.append(name)
        return out

    def unary(self, x: Tensor) -> Tensor:
        others = ("EXP", "LOG")  # EXP may exceed int32, and tflite-runtime has no LOG of int8
        name = self.draw.choice([name for name, dtypes in UNARY.items() if x.dtype in dtypes and name not in others])
        scale = 1 / 256 if name == "LOGISTIC" else a_scale(self.draw) if name in FLOAT else x.scale * 2.0 ** self.draw.real(-2, 2)
        if name == "RSQRT" and x.zero_point != -128:
            name = "ABS"
        options = {"LEAKY_RELU": {"alpha": self.draw.real(0, 1)}, "GELU": {"approximate": self.draw.boolean()}}.get(name, {})
        return self.op(name, [x], x.dtype, scale, x.shape, **options)

    def quantize(self, x: Tensor) -> Tensor:
        return self.op("QUANTIZE", [x], self.draw.choice(["int8", "uint8"]), x.scale * 2.0 ** self.draw.real(-1, 1), x.shape)

    def binary(self, x: Tensor, others: list[Tensor]) -> Tensor:
        name = self.draw.choice(["ADD", "SUB", "MUL", "MAXIMUM", "MINIMUM", "PRELU"] + ["SQUARED_DIFFERENCE"] * (x.dtype == "int8"))
        alike = [other for other in others if other.dtype == x.dtype and (name != "PRELU" or other.shape == x.shape)]
        other = self.draw.choice(alike) if self.draw.boolean() else self.constant(x)
        both = [x, other] if name == "PRELU" or self.draw.boolean() else [other, x]
        ratio = self.draw.real(4, 9) if name in ("MUL", "PRELU", "SQUARED_DIFFERENCE") else self.draw.real(-1, 2)
        largest = max(x.scale, other.scale)
        scale = (x.scale * other.scale if name in ("MUL", "PRELU") else largest**2 if name == "SQUARED_DIFFERENCE" else largest) * 2.0**ratio
        activation = self.draw.choice(["NONE", "RELU", "RELU6"]) if name in ("ADD", "SUB", "MUL") else None
        options = {"fused_activation_function": activation} if activation else {}
        return self.op(name, both, x.dtype, scale, x.shape, **options)


def graphs(draw: Draw) -> tuple[bytes, list[str], list[np.ndarray], list[np.ndarray]]:
    """A model, its operators' names, and two inputs for it."""
    graph = Graph(draw)
    shape = (1, *(a_size(draw, 4, 9) for _ in range(draw.integer(1, 2))), a_size(draw, 5, 70))
    sources = [graph.tensor(shape, dtype, a_scale(draw), a_zero_point(draw, dtype)) for dtype in draw.choice([["int8"], ["uint8"], ["int8", "int8"]])]
    made = list(sources)
    for _ in range(draw.integer(1, 8)):
        x = made[-1] if draw.one_in(2) else draw.choice(made)
        kind = draw.below(8)
        made.append(graph.unary(x) if kind < 3 else graph.quantize(x) if kind == 3 else graph.binary(x, made))
    outputs = [made[-1]] + [tensor for tensor in made[len(sources) : -1] if draw.one_in(6)]
    feeds = [[values(graph.generator, how, shape, source.dtype, source.zero_point) for source in sources] for how in ("random", draw.choice(SPECIAL))]
    return graph.builder.build([source.index for source in sources], [tensor.index for tensor in outputs]), graph.names, *feeds


@randomly
def test_random_graphs(runtime, draw):
    content, names, *feeds = draw(graphs)
    delegate = runtime.load(num_threads=draw.choice([1, 1, 2]))
    delegated, reference = runtime.interpreter(content, [delegate]), runtime.interpreter(content)
    for feed in feeds:
        for got, expected in zip(harness.run(delegated, *feed), harness.run(reference, *feed), strict=True):
            harness.assert_equal(got, expected, ", ".join(names))
    for node in tvmq_delegate.report(delegate).nodes:
        assert node.claimed or "exceeds int32" in node.reason or "so near a rounding tie" in node.reason, node.reason
        harness.counts["operators of random graphs that are tables, or part of them"] += node.algorithm == "byte table" or node.folded_into >= 0
    harness.counts["random graphs compared"] += 1


EVERY = np.arange(-128, 128, dtype=np.int8)[np.newaxis]


def hard_swish_of_three() -> bytes:
    """x * relu6(x + 3) * (1 / 6), as converters write it."""
    builder = models.ModelBuilder()
    x = builder.add_tensor("x", (1, 256), "int8", scale=8 / 255, zero_point=-1)
    three, sixth = (builder.add_tensor(f"{value}", (), "int8", scale=value / 127, data=np.array(127, np.int8)) for value in (3, 1 / 6))
    gate = builder.add_tensor("gate", (1, 256), "int8", scale=6 / 255, zero_point=-128)
    opened, out = (builder.add_tensor(name, (1, 256), "int8", scale=scale, zero_point=3) for name, scale in (("opened", 0.1), ("out", 0.02)))
    builder.add_op("ADD", [x, three], [gate], fused_activation_function="RELU6")
    builder.add_op("MUL", [gate, x], [opened])
    builder.add_op("MUL", [opened, sixth], [out])
    return builder.build([x], [out])


def silu() -> bytes:
    """x * logistic(x), then as uint8."""
    builder = models.ModelBuilder()
    x = builder.add_tensor("x", (1, 256), "int8", scale=0.05, zero_point=3)
    gate, product = (builder.add_tensor(f"{scale}", (1, 256), "int8", scale=scale, zero_point=-128) for scale in (1 / 256, 0.02))
    out = builder.add_tensor("out", (1, 256), "uint8", scale=0.03, zero_point=17)
    builder.add_op("LOGISTIC", [x], [gate])
    builder.add_op("MUL", [x, gate], [product])
    builder.add_op("QUANTIZE", [product], [out])
    return builder.build([x], [out])


def inverse_deviation() -> bytes:
    """x * RSQRT((3 - x)^2)."""
    builder = models.ModelBuilder()
    x = builder.add_tensor("x", (1, 256), "int8", scale=0.05, zero_point=3)
    three = builder.add_tensor("three", (), "int8", scale=3 / 127, data=np.array(127, np.int8))
    square, root, out = (
        builder.add_tensor(name, (1, 256), "int8", scale=scale, zero_point=zero_point)
        for name, scale, zero_point in (("square", 0.3, -128), ("root", 0.02, -128), ("out", 0.05, -5))
    )
    builder.add_op("SQUARED_DIFFERENCE", [three, x], [square])
    builder.add_op("RSQRT", [square], [root])
    builder.add_op("MUL", [x, root], [out])
    return builder.build([x], [out])


@pytest.mark.parametrize("build", [hard_swish_of_three, silu, inverse_deviation])
def test_one_table(runtime, build):
    content = build()
    delegate = runtime.load()
    delegated = runtime.interpreter(content, [delegate])
    expected = harness.run(runtime.interpreter(content), EVERY)[0]
    harness.assert_equal(harness.run(delegated, EVERY)[0], expected)
    nodes = tvmq_delegate.report(delegate).nodes
    assert [node.how.partition(" ")[0] for node in nodes[:2]] == ["folded", "folded"] and nodes[2].algorithm == "byte table"
    assert [node.folded_into for node in nodes] == [1, 2, -1]
    assert len(np.unique(expected)) > 50


@pytest.mark.parametrize("resolver", ["BUILTIN_REF", "AUTO"])
def test_output_inside_a_chain(runtime, resolver):
    """An output of the model is computed though a table goes past it."""
    builder = models.ModelBuilder()
    x = builder.add_tensor("x", (1, 4, 64), "int8", scale=0.05, zero_point=3)
    gate = builder.add_tensor("gate", (1, 4, 64), "int8", scale=1 / 256, zero_point=-128)
    out = builder.add_tensor("out", (1, 4, 64), "int8", scale=0.03, zero_point=-7)
    builder.add_op("LOGISTIC", [x], [gate])
    builder.add_op("MUL", [x, gate], [out])
    content = builder.build([x], [gate, out])
    every = np.arange(-128, 128, dtype=np.int8).reshape(1, 4, 64)
    delegate = runtime.load()
    delegated, reference = runtime.interpreter(content, [delegate], resolver=resolver), runtime.interpreter(content)
    for got, expected in zip(harness.run(delegated, every), harness.run(reference, every), strict=True):
        harness.assert_equal(got, expected)
    assert [node.folded_into for node in tvmq_delegate.report(delegate).nodes] == [-1, -1]


def gated(first: bool, activation: str, of_itself: bool, output_gate: bool) -> bytes:
    """RELU and DEQUANTIZE, then MUL of x by LOGISTIC(x), of float32. first: x is the first operand. of_itself: else LOGISTIC reads another tensor."""
    builder = models.ModelBuilder()
    bytes_in, positive = (builder.add_tensor(name, (1, 256), "int8", scale=0.1, zero_point=0) for name in ("bytes_in", "positive"))
    x, other, gate, out = (builder.add_tensor(name, (1, 256), "float32") for name in ("x", "other", "gate", "out"))
    builder.add_op("RELU", [bytes_in], [positive])
    builder.add_op("DEQUANTIZE", [bytes_in], [x])
    builder.add_op("DEQUANTIZE", [positive], [other])
    builder.add_op("LOGISTIC", [x if of_itself else other], [gate])
    builder.add_op("MUL", [x, gate] if first else [gate, x], [out], fused_activation_function=activation)
    return builder.build([bytes_in], [out, gate] if output_gate else [out, other])


@pytest.mark.parametrize(
    ("first", "activation", "of_itself", "output_gate", "folds"),
    [
        (True, "NONE", True, False, True),
        (False, "NONE", True, False, True),
        (True, "RELU6", True, False, False),
        (True, "NONE", False, False, False),
        (True, "NONE", True, True, True),
    ],
)
def test_silu_of_floats(runtime, first, activation, of_itself, output_gate, folds):
    if found("fast_math", runtime.module) == "on":
        pytest.skip(f"{runtime.name} was compiled with unsafe optimizations, where float32 is left to it")
    content = gated(first, activation, of_itself, output_gate)
    delegate = runtime.load()
    delegated = runtime.interpreter(content, [delegate])
    for got, expected in zip(harness.run(delegated, EVERY), harness.run(runtime.interpreter(content), EVERY), strict=True):
        harness.assert_equal(got, expected)
    logistic, product = tvmq_delegate.report(delegate).nodes[3:]
    assert logistic.folded_into == (4 if folds and not output_gate else -1)
    assert product.kernel.startswith("tvmq_float_function") == folds
