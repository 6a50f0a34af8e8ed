"""Nodes that the delegate leaves to the runtime: not claimed, for a reason that names the cause, and the interpreter's answer is what it was."""

from __future__ import annotations

import builders
import harness
import numpy as np
import pytest

import tvmq_delegate
from tvmq_delegate import models


def normalization() -> bytes:
    """An operator that the delegate does not know."""
    builder = models.ModelBuilder()
    ends = [builder.add_tensor(name, (1, 4, 4, 4), "int8", scale=scale) for name, scale in (("input", 0.1), ("output", 1 / 128))]
    builder.add_op("L2_NORMALIZATION", ends[:1], ends[1:])
    return builder.build(ends[:1], ends[1:])


# Name -> model, what the reason says.
REFUSED = {
    "float32": (lambda: builders.build_conv(dtype="float32"), "float32"),
    "float32 depthwise": (lambda: builders.build_depthwise(dtype="float32"), "float32"),
    "hybrid": (lambda: builders.build_conv(dtype="float32", filter_dtype="int8", filter=np.full((8, 3, 3, 16), -128)), "hybrid"),
    "hybrid uint8": (lambda: builders.build_conv(dtype="float32", filter_dtype="uint8"), "hybrid"),
    "int4 weights": (lambda: builders.build_conv(filter_dtype="int4"), "int4"),
    "weights that are an input": (lambda: builders.build_conv(constant_filter=False), "weights are not constant"),
    "bias that is an input": (lambda: builders.build_conv(constant_bias=False), "bias is not constant"),
    "depthwise weights that are an input": (lambda: builders.build_depthwise(constant_filter=False), "weights are not constant"),
    "activation TANH": (lambda: builders.build_conv(activation="TANH"), "activation"),
    "activation SIGN_BIT": (lambda: builders.build_depthwise(activation="SIGN_BIT"), "activation"),
    "zero point of int8 weights": (lambda: builders.build_depthwise(filter_zero_point=3), "int8 weights with a zero point other than 0"),
    "16x8 whose accumulator the runtime chooses": (
        lambda: builders.build_conv(dtype="int16", bias_dtype="int32"),
        "type of the 16x8 bias",
    ),
    "add of other types": (lambda: builders.build_binary(other_dtype="uint8"), "types differ"),
    "add to another type": (lambda: builders.build_binary(out_dtype="int16"), "types differ"),
    "add with TANH": (lambda: builders.build_binary(activation="TANH"), "activation"),
    "add of powers of two": (lambda: builders.build_binary(dtype="int16", in_scale=(0.5, 0.25), out_scale=0.5, pot_scale_int16=True), "powers of two"),
    "sub of powers of two": (
        lambda: builders.build_binary(operator="SUB", dtype="int16", in_scale=(0.5, 0.25), out_scale=0.5, pot_scale_int16=True),
        "powers of two",
    ),
    "float32 add with TANH": (lambda: builders.build_binary(dtype="float32", activation="TANH"), "activation"),
    "mul to another type": (lambda: builders.build_binary(operator="MUL", dtype="int16", out_dtype="int8"), "types differ"),
    "mul to a far smaller scale": (lambda: builders.build_binary(operator="MUL", in_scale=(1.0, 1.0), out_scale=2.0**-31), "too large"),
    "prelu of other types": (lambda: builders.build_binary(operator="PRELU", dtype="uint8", other_dtype="int8"), "types differ"),
    "squared difference of int32": (lambda: builders.build_binary(operator="SQUARED_DIFFERENCE", dtype="int32"), "int32 and int64 are supported"),
    "rsqrt out of range": (lambda: builders.build_unary(operator="RSQRT", in_scale=2.0**-40, in_zero_point=-128, out_scale=2.0**-14), "out of RSQRT's range"),
    "sqrt of int8": (lambda: builders.build_unary(operator="SQRT", in_zero_point=-128), "some of the runtimes"),
    "float32 relu6": (lambda: builders.build_unary(operator="RELU6", dtype="float32"), "-0.0"),
    "leaky relu that rises": (lambda: builders.build_unary(operator="LEAKY_RELU", alpha=-0.5), "alpha is negative"),
    "exponential beyond int32": (lambda: builders.build_unary(operator="EXP", in_scale=0.5, out_scale=2.0**-6), "exceeds int32"),
    "dequantize of a constant's type": (lambda: builders.build_unary(operator="DEQUANTIZE", dtype="int32", out_dtype="float32"), "conversion between"),
    "cast of float32": (lambda: builders.build_unary(operator="CAST", dtype="float32", out_dtype="int8"), "out-of-range values"),
    "float32 fully connected": (lambda: builders.build_fully_connected(dtype="float32"), "float32"),
    "hybrid fully connected": (
        lambda: builders.build_fully_connected(dtype="float32", filter_dtype="int8", filter=np.full((8, 64), -128), per_channel=False),
        "hybrid",
    ),
    "int4 fully connected": (lambda: builders.build_fully_connected(filter_dtype="int4"), "int4"),
    "fully connected of inputs, a scale per channel": (lambda: builders.build_fully_connected(constant_filter=False), "does not have exactly one scale"),
    "fully connected of uint8 inputs": (
        lambda: builders.build_fully_connected(dtype="uint8", constant_filter=False), "activations are not int8 or int16, as products",
    ),
    "fully connected of inputs with a bias that is one": (
        lambda: builders.build_fully_connected(constant_filter=False, constant_bias=False, per_channel=False), "bias is not constant",
    ),
    "fully connected of rows that do not fit": (
        lambda: builders.build_fully_connected(in_shape=(1, 65), filter=np.ones((3, 2), np.int8), keep_num_dims=True),
        "last dimension",
    ),
    "fully connected to another type": (lambda: builders.build_fully_connected(dtype="uint8", out_dtype="int16"), "types differ"),
    "float32 sum": (lambda: builders.build_reduce(operator="SUM", dtype="float32"), "float32"),
    "float32 resize": (lambda: builders.build_resize_bilinear(dtype="float32"), "float32"),
    "resize to a third": (lambda: builders.build_resize_bilinear(in_shape=(1, 3, 3, 2), size=(7, 7), dtype="uint8"), "float32"),
    "mean of int16 with a zero point": (lambda: builders.build_reduce(dtype="int16", out_zero_point=1), "zero point"),
    "mean of too many": (lambda: builders.build_reduce(dtype="int16", in_shape=(1, 200, 200, 1)), "32 bits"),
    "mean over axes of int64": (lambda: builders.build_reduce(axes_dtype="int64"), "int32"),
    "sum of int8": (lambda: builders.build_reduce(operator="SUM"), "uint8"),
    "float32 softmax to int8": (lambda: builders.build_softmax(dtype="float32", out_dtype="int8"), "types differ"),
    "softmax of long rows": (lambda: builders.build_softmax(in_shape=(1, 4096), in_scale=0.5), "32 bits"),
    "float32 arg max": (lambda: builders.build_arg_max(dtype="float32"), "float32"),
    "float32 transpose conv": (lambda: builders.build_transpose_conv(dtype="float32"), "float32"),
    "hybrid transpose conv": (lambda: builders.build_transpose_conv(dtype="float32", filter_dtype="int8"), "hybrid: TRANSPOSE_CONV"),
    "transpose conv of inputs": (lambda: builders.build_transpose_conv(constant_filter=False), "weights are not constant"),
    "transpose conv of an input with a bias": (lambda: builders.build_transpose_conv(constant_bias=False), "bias is not constant"),
    "transpose conv with TANH": (lambda: builders.build_transpose_conv(activation="TANH"), "activation"),
    "transpose conv of 16x8 without a bias": (lambda: builders.build_transpose_conv(dtype="int16", bias=False), "without bias"),
    "transpose conv to a size that is too small": (lambda: builders.build_transpose_conv(size=(7, 11)), "does not match output_shape"),
    "transpose conv to int64": (lambda: builders.build_transpose_conv(shape_dtype="int64"), "int32"),
    "transpose conv of large strides": (lambda: builders.build_transpose_conv(filter_size=(1, 1), stride=(5, 5)), "stride"),
    "shift beyond 30 bits": (lambda: builders.build_conv(in_scale=1.0, filter_scale=1.0, out_scale=2.0**-33), "too large"),
    "concatenation with activation RELU": (lambda: builders.build_concatenation(activation="RELU"), "activation"),
    "concatenation of 65": (lambda: builders.build_concatenation(shapes=[(1, 2, 2, 1)] * 65), "more than 64 inputs"),
    "max pooling to another scale": (lambda: builders.build_max_pool(scale=0.5, out_scale=0.5001), "scales differ"),
    "pooling to another scale": (lambda: builders.build_average_pool(scale=0.5, out_scale=0.5001), "scales differ"),
    "pooling to another zero point": (lambda: builders.build_average_pool(out_zero_point=4), "zero points differ"),
    "pooling with activation TANH": (lambda: builders.build_average_pool(activation="TANH"), "activation"),
    "pooling of more than 2^15 int16": (
        lambda: builders.build_average_pool(dtype="int16", in_shape=(1, 182, 182, 1), filter_size=(182, 182), padding="VALID"),
        "exceed 32 bits",
    ),
    "other operator": (normalization, "operator"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("resolver", ["BUILTIN_REF", "AUTO"])
def test_refused(runtime, name, resolver):
    build, reason = REFUSED[name]
    content = build()
    try:
        expected_from = runtime.interpreter(content, resolver=resolver)
    except (RuntimeError, ValueError):
        harness.counts["refused models that the runtime refuses itself"] += 1
        with pytest.raises((RuntimeError, ValueError)):
            runtime.interpreter(content, [runtime.load()], resolver=resolver)
        return
    delegate = runtime.load()
    delegated = runtime.interpreter(content, [delegate], resolver=resolver)
    (node,) = tvmq_delegate.report(delegate).nodes
    assert not node.claimed and reason in node.reason, node.reason
    assert (node.kernel, node.packing, node.partition, node.packed_bytes) == ("", "", -1, 0)
    inputs = harness.random_inputs(delegated, seed=0)
    for got, expected in zip(harness.run(delegated, *inputs), harness.run(expected_from, *inputs), strict=True):
        harness.assert_equal(got, expected, name)


LOOKUPS = {
    "int4 table": (dict(dtype="int4"), "an int4 table"),
    "int16 table": (dict(dtype="int16", out_dtype="int16"), "the table is not int8, uint8 or float32"),
    "to another integer": (dict(out_dtype="int16"), "the output is neither"),
    "zero point": (dict(zero_point=3), "a zero point of the table is not 0"),
    "no scale": (dict(scale=None), "the table has no scale"),
    "scales of columns": (dict(scale=[0.5] * 10, dimension=1), "not those of its rows"),
}


@pytest.mark.parametrize("name", LOOKUPS)
def test_refused_lookups(runtime, name):
    """Random indices would lie outside the table."""
    parameters, reason = LOOKUPS[name]
    content = builders.build_lookup(**parameters)
    try:
        runtime.interpreter(content)
    except (RuntimeError, ValueError):
        harness.counts["refused models that the runtime refuses itself"] += 1
        return
    harness.assert_refused(runtime, content, reason)


def test_refused_between_claimed(runtime):
    """A network keeps its order: the delegate's nodes before and after one that it leaves."""
    builder = models.ModelBuilder()
    values = np.random.default_rng(0).integers(-127, 128, (8, 1, 1, 8), np.int8)
    tensors = [builder.add_tensor(f"t{i}", (1, 6, 6, 8), "int8", scale=0.1, zero_point=i) for i in range(4)]
    for i, activation in enumerate(["NONE", "TANH", "RELU"]):
        weights = builder.add_tensor("filter", values.shape, "int8", scale=0.01, data=values)
        bias = builder.add_tensor("bias", (8,), "int32", scale=0.001, data=np.arange(8))
        builder.add_op("CONV_2D", [tensors[i], weights, bias], [tensors[i + 1]], padding="SAME", stride_h=1, stride_w=1, fused_activation_function=activation)
    content = builder.build(tensors[:1], tensors[-1:])
    delegate = runtime.load()
    delegated, reference = runtime.interpreter(content, [delegate]), runtime.interpreter(content)
    assert [node.claimed for node in tvmq_delegate.report(delegate).nodes] == [True, False, True]
    inputs = harness.random_inputs(reference, seed=0)
    harness.assert_equal(harness.run(delegated, *inputs)[0], harness.run(reference, *inputs)[0])


def test_tensor_written_twice(runtime):
    """The node left to the runtime overwrites what the last one reads: were that delegated, the runtime would run it too early."""
    builder = models.ModelBuilder()
    source, between, sink = (builder.add_tensor(name, (1, 40), "int8", scale=1 / 256, zero_point=-128) for name in ("source", "between", "sink"))
    builder.add_op("QUANTIZE", [source], [between])
    builder.add_op("LEAKY_RELU", [source], [between], alpha=-0.5)  # which is refused
    builder.add_op("QUANTIZE", [between], [sink])
    content = builder.build([source], [sink])
    delegate = runtime.load()
    delegated, reference = runtime.interpreter(content, [delegate]), runtime.interpreter(content)
    assert ["overwrites" in node.reason for node in tvmq_delegate.report(delegate).nodes] == [True, False, True]
    inputs = harness.random_inputs(reference, seed=0)
    harness.assert_equal(harness.run(delegated, *inputs)[0], harness.run(reference, *inputs)[0])


# Models that the runtime prepares, and whose inference ends with its error.
FAILING = {
    "squared difference of uint8": (lambda: builders.build_binary(operator="SQUARED_DIFFERENCE", dtype="uint8"), "no kernel for this type"),
    "rsqrt of negative numbers": (
        lambda: builders.build_unary(operator="RSQRT", in_zero_point=-127),
        "input zero point is not -128: the reference fails on negative elements",
    ),
}


@pytest.mark.parametrize("name", FAILING)
def test_failing_inference(runtime, name):
    """The node is the runtime's, and so is the error; RSQRT has one of elements below the zero point only."""
    build, reason = FAILING[name]
    content = build()
    try:
        reference = runtime.interpreter(content)
    except RuntimeError:
        pytest.skip(f"{runtime.name} itself refuses {name}")
    harness.assert_refused(runtime, content, reason)
    delegated = runtime.interpreter(content, [runtime.load()])
    shapes = [(detail["shape"], detail["dtype"]) for detail in reference.get_input_details()]
    for interpreter in (reference, delegated):
        with pytest.raises(RuntimeError):
            harness.run(interpreter, *(np.full(shape, -128 if dtype == np.int8 else 5, dtype) for shape, dtype in shapes))
    if name == "rsqrt of negative numbers":
        above = np.arange(1024).reshape(1, 8, 8, 16) % 255 - 127
        harness.assert_equal(*(harness.run(interpreter, above.astype(np.int8))[0] for interpreter in (delegated, reference)))


@pytest.mark.parametrize("name", REFUSED)
def test_full_delegation_names_the_node(runtime, name, capfd):
    """require_full_delegation turns a refusal into an error that says which node, and why."""
    build, reason = REFUSED[name]
    content = build()
    try:
        runtime.interpreter(content)
    except (RuntimeError, ValueError):
        pytest.skip(f"{runtime.name} itself refuses {name}")
    with pytest.raises((RuntimeError, ValueError)) as caught:
        runtime.interpreter(content, [runtime.load(require_full_delegation=True)])
    assert reason in str(caught.value) + capfd.readouterr().err
