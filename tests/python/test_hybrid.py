"""Hybrid convolutions, of float32 activations and int8 weights: every element is the reference's, or the runtime computes the node."""

from __future__ import annotations

import platform
from collections.abc import Callable, Sequence

import builders
import harness
import numpy as np
import pytest
from builders.elementwise_op import BINARY
from cases import Case
from draws import Draw, randomly
from hybrid_cases import activations, has_dot_products, hybrids, reason_to_refuse
from promise import promised
from test_turned import normalized

import tvmq_delegate
from tvmq_delegate.binding import library, reference
from tvmq_delegate.models import ModelBuilder
from tvmq_delegate.models.network import Network


def assert_as_the_runtime(runtime: harness.Runtime, case: Case, **options: object) -> None:
    """The node is refused for a reason that there is, or its outputs are the runtime's."""
    content, reason = case.build(), reason_to_refuse(runtime, case)
    if reason:
        harness.assert_refused(runtime, content, reason)
        return
    delegate = runtime.load(**options)
    expected, delegated = runtime.interpreter(content), runtime.interpreter(content, [delegate])
    harness.assert_claimed(delegate)
    assert promised(content) == {(0, 0)}
    for value in case.inputs:
        harness.assert_equal(harness.run(delegated, value)[0], harness.run(expected, value)[0])


@pytest.mark.parametrize("operator", ["CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED"])
@randomly
def test_random(runtime: harness.Runtime, operator: str, draw: Draw) -> None:
    assert_as_the_runtime(runtime, draw(hybrids, operator), num_threads=draw.choice([1, 3]), winograd=draw.choice(["auto", "on"]))


def long_weights(draw: Draw, channels: int, depth: int) -> np.ndarray:
    """Rows of one extreme, of either, of random weights, and of extremes at some of sixteen places: kernels that sum in lanes of int16 wrap."""
    generator = np.random.default_rng(draw.generator_seed())
    rows = []
    for _ in range(channels):
        places = generator.permutation(16)[: draw.integer(1, 6)]
        at_places = np.where(np.isin(np.arange(depth) % 16, places), draw.choice([-127, 127]), generator.integers(-127, 128, depth))
        extremes = generator.choice([-127, 127], depth)
        rows.append(draw.choice([np.full(depth, draw.choice([-127, 127])), extremes, generator.integers(-127, 128, depth), at_places]))
    return np.array(rows, np.int8)


@randomly
def test_long_rows(runtime: harness.Runtime, draw: Draw) -> None:
    """FULLY_CONNECTED of so many weights that their sum, in lanes, may leave int16: the sums are the runtime's."""
    depth, channels, n_rows = draw.choice([draw.integer(2040, 2120), draw.integer(2000, 9000)]), draw.integer(1, 9), draw.integer(1, 3)
    generator = np.random.default_rng(draw.generator_seed())
    parameters = dict(
        in_shape=(n_rows, depth),
        dtype="float32",
        filter_dtype="int8",
        filter=long_weights(draw, channels, depth),
        bias=generator.standard_normal(channels).astype(np.float32),
        filter_scale=np.float32([0.0123]),
        asymmetric_quantize_inputs=draw.boolean(),
    )
    inputs = [activations(generator, how, (n_rows, depth)) for how in ("any", draw.choice(["positive", "negative", "grid"]))]
    assert_as_the_runtime(runtime, Case(builders.build_fully_connected, parameters, list(inputs)))


def test_other_numbers_of_rows(runtime: harness.Runtime) -> None:
    """Whatever FULLY_CONNECTED is taken, the graph can be prepared for other inputs."""
    if runtime.name == "tflite_runtime" and has_dot_products():
        pytest.skip("tflite_runtime itself crashes on other numbers of rows than the first where it has dot products")
    for channels in (28, 27):
        model = builders.build_fully_connected(in_shape=(1, 592), out_c=channels, dtype="float32", filter_dtype="int8", per_channel=False)
        interpreters = [runtime.interpreter(model), runtime.interpreter(model, [runtime.load()])]
        for n_rows in (2, 32, 1):
            value = activations(np.random.default_rng(n_rows), "any", (n_rows, 592))
            for interpreter in interpreters:
                interpreter.resize_tensor_input(interpreter.get_input_details()[0]["index"], value.shape)
                interpreter.allocate_tensors()
            expected, got = (harness.run(interpreter, value)[0] for interpreter in interpreters)
            harness.assert_equal(got, expected)


@pytest.mark.parametrize("build, parameters", [(builders.build_conv, {"out_c": 40}), (builders.build_depthwise, {})])
def test_other_batches_on_several_threads(runtime: harness.Runtime, build, parameters: dict) -> None:
    """Threads share an image, or each takes some."""
    harness.need_hybrid(runtime)
    model = build(in_shape=(1, 60, 50, 32), dtype="float32", filter_dtype="int8", **parameters)
    delegate = runtime.load(num_threads=2)
    interpreters = [runtime.interpreter(model), runtime.interpreter(model, [delegate])]
    generator = np.random.default_rng(0)
    for shape in [(1, 60, 50, 32), (3, 60, 50, 32), (2, 9, 7, 32)]:
        for interpreter in interpreters:
            interpreter.resize_tensor_input(interpreter.get_input_details()[0]["index"], shape)
            interpreter.allocate_tensors()
        value = activations(generator, "any", shape)
        expected, got = (harness.run(interpreter, value)[0] for interpreter in interpreters)
        harness.assert_equal(got, expected)
    harness.assert_claimed(delegate)


@pytest.mark.parametrize("in_shape, channels", [((2, 592), 28), ((4, 16), 6), ((32, 640), 256), ((4, 16), 5), ((4, 24), 6), ((1, 592), 28)])
def test_rows_that_runtimes_take_together(runtime: harness.Runtime, in_shape: tuple[int, int], channels: int) -> None:
    """By dot products of Arm processors, and then rounded otherwise than one by one: such nodes stay with the runtime."""
    generator = np.random.default_rng(4)
    parameters = dict(
        in_shape=in_shape,
        dtype="float32",
        filter_dtype="int8",
        filter=generator.integers(-127, 128, (channels, in_shape[1]), dtype=np.int8),
        bias=generator.standard_normal(channels).astype(np.float32),
        filter_scale=np.float32([0.0123]),
    )
    assert_as_the_runtime(runtime, Case(builders.build_fully_connected, parameters, [activations(generator, "any", in_shape)]))


@pytest.mark.parametrize("build", [builders.build_conv, builders.build_depthwise, builders.build_fully_connected])
def test_kernels_of_every_instruction_set(runtime: harness.Runtime, build) -> None:
    harness.need_hybrid(runtime)
    fully_connected = dict(per_channel=False, out_c=27)  # an odd number, which is taken beside dot products
    model = build(dtype="float32", filter_dtype="int8", **(fully_connected if build is builders.build_fully_connected else {}))
    expected = runtime.interpreter(model)
    value = activations(np.random.default_rng(1), "any", tuple(expected.get_input_details()[0]["shape"]))
    for isa in library.isas():
        if not isa.available:
            continue
        delegate = runtime.load(isa=isa.name)
        interpreter = runtime.interpreter(model, [delegate])
        harness.assert_claimed(delegate)
        harness.assert_equal(harness.run(interpreter, value)[0], harness.run(expected, value)[0], isa.name)


def between(operator: str, shapes: list[tuple[int, ...]], out_shape: tuple[int, ...], constants: Sequence[np.ndarray] = (), **options: object) -> bytes:
    """An operator on float32 beside a hybrid convolution of its first input, for which a partition pays."""
    builder = ModelBuilder()
    inputs = [builder.add_tensor("input", shape, "float32") for shape in shapes]
    channels = shapes[0][-1]
    weights = np.random.default_rng(0).integers(-127, 128, (channels, 1, 1, channels)).astype(np.int8)
    filters = builder.add_tensor("filter", weights.shape, "int8", scale=np.linspace(0.01, 0.02, channels), data=weights)
    bias = builder.add_tensor("bias", (channels,), "float32", data=np.zeros(channels, np.float32))
    convolved = builder.add_tensor("convolved", shapes[0], "float32")
    builder.add_op("CONV_2D", [inputs[0], filters, bias], [convolved], stride_h=1, stride_w=1, padding="SAME", fused_activation_function="NONE")
    others = [builder.add_tensor("constant", value.shape, str(value.dtype), data=value) for value in constants]
    result = builder.add_tensor("output", out_shape, "float32")
    builder.add_op(operator, inputs + others, [result], **options)
    return builder.build(inputs, [result, convolved])


Shape = tuple[int, int, int, int]
# An operator, the shapes of its inputs and of its output, constants that it reads, its options.
Node = tuple[str, list[tuple[int, ...]], tuple[int, ...], list[np.ndarray], dict]


def means(draw: Draw, shape: Shape) -> Node:
    axes, keep_dims = [axis for axis in range(4) if draw.boolean()] or [1, 2], draw.boolean()
    kept = tuple(1 if axis in axes else n for axis, n in enumerate(shape) if keep_dims or axis not in axes)
    return "MEAN", [shape], kept, [np.array(axes[::-1], np.int32)], dict(keep_dims=keep_dims)


def activation(draw: Draw) -> str:
    return draw.choice(["NONE", "RELU", "RELU6", "RELU_N1_TO_1"])


def pairs(draw: Draw, shape: Shape) -> Node:
    other = draw.choice([shape, (shape[0], 1, 1, shape[3]), (1,), shape[2:], tuple(1 if draw.boolean() else n for n in shape)])
    operator = draw.choice(["ADD", "SUB", "MUL", "DIV", "MAXIMUM", "MINIMUM", "PRELU", "SQUARED_DIFFERENCE"])
    options = dict(fused_activation_function=activation(draw)) if "fused_activation_function" in BINARY[operator] else {}
    return operator, [shape, other], shape, [], options


RELU = ["RELU"] if platform.machine() == "x86_64" else []  # builds for Arm differ in negative zeros


def maps(draw: Draw, shape: Shape) -> Node:
    operator = draw.choice(["HARD_SWISH", "LEAKY_RELU", "ABS", "NEG", "SQUARE", "SQRT", "RSQRT", "RELU_N1_TO_1", "RELU_0_TO_1", *RELU])
    return operator, [shape], shape, [], dict(alpha=draw.choice([0.2, -1.5, 3.0])) if operator == "LEAKY_RELU" else {}


def pools(draw: Draw, shape: Shape) -> Node:
    size, stride = [draw.integer(1, n) for n in shape[1:3]], [draw.integer(1, 3) for _ in range(2)]
    padding = draw.choice(["SAME", "VALID"])
    out = [(n - (f if padding == "VALID" else 1)) // s + 1 for n, f, s in zip(shape[1:3], size, stride)]
    options = dict(padding=padding, filter_height=size[0], filter_width=size[1], stride_h=stride[0], stride_w=stride[1])
    return draw.choice(["MAX_POOL_2D", "AVERAGE_POOL_2D"]), [shape], (shape[0], *out, shape[3]), [], options | dict(fused_activation_function=activation(draw))


def pads(draw: Draw, shape: Shape) -> Node:
    margins = [[draw.integer(0, 2) for _ in range(2)] for _ in shape]
    padded = tuple(n + sum(margin) for n, margin in zip(shape, margins))
    constants = [np.array(margins, np.int32)]
    if draw.boolean():
        return "PAD", [shape], padded, constants, {}
    return "PADV2", [shape], padded, [*constants, np.array(draw.choice([0.0, -0.0, 1.5, -np.inf]), np.float32)], {}


def five_dimensions(draw: Draw, shape: Shape) -> Node:
    """Operators that every runtime broadcasts to 5 dimensions; the convolution has 4."""
    sizes = draw.choice([[shape, (3, 1, 1, 1, 1)], [shape, (2, *shape)]])
    operator = draw.choice(["DIV", "MAXIMUM", "MINIMUM"])
    return operator, sizes, (sizes[1][0], *shape), [], dict(fused_activation_function=activation(draw)) if operator == "DIV" else {}


def numbers(values: np.ndarray) -> np.ndarray:
    """The values with one NaN in place of all: which of two NaNs a sum keeps, sign and payload, is up to the compiler."""
    return np.where(np.isnan(values), np.float32(np.nan), values)


@pytest.mark.parametrize("nodes", [means, pairs, five_dimensions, maps, pools, pads])
@randomly
def test_floats_between_hybrid_nodes(runtime: harness.Runtime, nodes: Callable[[Draw, Shape], Node], draw: Draw) -> None:
    """Operators on float32, with infinities, negative zeros and what is no number, broadcast or not, over any axes and windows."""
    operator, shapes, out_shape, constants, options = draw(nodes, (draw.integer(1, 2), draw.integer(1, 9), draw.integer(1, 9), draw.integer(2, 80)))
    content = between(operator, shapes, out_shape, constants, **options)
    delegate = runtime.load(num_threads=draw.choice([1, 3]))
    expected, delegated = runtime.interpreter(content), runtime.interpreter(content, [delegate])
    claims = tvmq_delegate.report(delegate).nodes
    if reference.found("hybrid", runtime.module) == "auto":
        assert not any(node.claimed for node in claims if nodes is not pads)  # a PAD computes nothing
        return
    assert all(node.claimed and node.partition == 0 for node in claims), [node.reason for node in claims]
    generator = np.random.default_rng(draw.generator_seed())
    values = [activations(generator, "any", shape) for shape in shapes]
    got, wanted = harness.run(delegated, *values), harness.run(expected, *values)
    for output, reference_output in zip(got, wanted, strict=True):
        assert output.tobytes() == reference_output.tobytes()
    if operator != "MEAN":
        special = [np.inf, -np.inf, np.nan, 3e38, -0.0, 0.0, -3.5, 1e-40, -1e-40]
        for value in values:
            value.flat[generator.integers(0, value.size, len(special))] = special
        got, wanted = (numbers(harness.run(interpreter, *values)[0]) for interpreter in (delegated, expected))
        assert got.tobytes() == wanted.tobytes()
    harness.counts["operators on float32 compared"] += 1


@randomly
def test_normalized_between_hybrid_nodes(runtime: harness.Runtime, draw: Draw) -> None:
    """Instance normalization, as networks for style transfer have it, cuts no partition."""
    network = Network("normalized", dtype="float32", io_dtype="float32", seed=draw.generator_seed())
    x = network.conv(network.input(draw.integer(4, 20)), draw.integer(1, 40), 3, activation="NONE")
    content = network.build(network.conv(normalized(network, x), draw.integer(1, 9), 3))
    delegate = runtime.load(num_threads=draw.choice([1, 2]))
    expected, delegated = runtime.interpreter(content), runtime.interpreter(content, [delegate])
    if reference.found("hybrid", runtime.module) != "auto":
        harness.assert_claimed(delegate)
        assert {node.partition for node in tvmq_delegate.report(delegate).nodes} == {0}
    inputs = harness.random_inputs(expected, draw.generator_seed())
    harness.assert_equal(harness.run(delegated, *inputs)[0], harness.run(expected, *inputs)[0])
