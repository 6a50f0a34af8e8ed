"""Hybrid convolutions, of float32 activations and int8 weights: every element is the reference's, or the runtime computes the node."""

from __future__ import annotations

import builders
import cases
import harness
import numpy as np
import pytest
from draws import Draw, randomly
from promise import promised

import tvmq_delegate
from tvmq_delegate.binding import library, reference
from tvmq_delegate.models import ModelBuilder


def activations(generator: np.random.Generator, how: str, shape: tuple[int, ...]) -> np.ndarray:
    """Floats of one order of magnitude, of either sign or of one, on a grid that has ties, or all zero."""
    value = generator.standard_normal(shape).astype(np.float32) * np.float32(2.0 ** generator.uniform(-3, 6))
    if how == "grid":
        value = np.round(value * 4) / 4
        value.flat[0], value.flat[-1] = np.abs(value).max() + 1, 0
    return {"positive": np.abs(value), "negative": -np.abs(value), "zero": value * 0}.get(how, value)


def hybrids(draw: Draw, operator: str) -> cases.Case:
    """A case of int8 whose activations and bias become float32, and its weights what converters write."""
    case = (
        cases.fully_connecteds(draw, "int8") if operator == "FULLY_CONNECTED" else cases.convolutions(draw, "int8", depthwise=operator == "DEPTHWISE_CONV_2D")
    )
    p = dict(case.parameters)
    generator = np.random.default_rng(draw.generator_seed())
    out_c = np.shape(p["filter"])[-1 if operator == "DEPTHWISE_CONV_2D" else 0]
    scales = draw.choice(["several", "one", "alike"])
    n_scales = 1 if scales == "one" and operator != "DEPTHWISE_CONV_2D" else out_c
    p["filter_scale"] = np.float32(generator.uniform(0.001, 0.02, n_scales) if scales == "several" else [0.0123] * n_scales)
    if p["bias"] is not False:
        p["bias"] = generator.standard_normal(out_c).astype(np.float32)
    p |= dict(dtype="float32", bias_dtype="float32", filter_dtype="int8", filter=np.maximum(p["filter"], -127), version=None)
    if operator == "FULLY_CONNECTED":
        p["asymmetric_quantize_inputs"] = draw.boolean()
    for name in ("in_scale", "in_zero_point", "out_scale", "out_zero_point"):
        del p[name]
    inputs = [activations(generator, how, p["in_shape"]) for how in ("any", draw.choice(["grid", "positive", "negative", "zero"]))]
    return cases.Case(case.builder, p, list(inputs))


def reason_to_refuse(runtime: harness.Runtime, case: cases.Case) -> str | None:
    form = reference.found("hybrid", runtime.module)
    scales = case.parameters["filter_scale"]
    fully_connected = case.builder is builders.build_fully_connected
    if form == "auto":
        keeps_dims = fully_connected and case.parameters.get("keep_num_dims") and len(case.parameters["in_shape"]) != 2
        return "scales" if keeps_dims and len(scales) > 1 else "option hybrid"  # what is refused first
    alike = case.builder is builders.build_conv and len(set(scales.tolist())) == 1
    return "scales" if form == "portable" and len(scales) > 1 and (fully_connected or alike) else None


@pytest.mark.parametrize("operator", ["CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED"])
@randomly
def test_random(runtime: harness.Runtime, operator: str, draw: Draw) -> None:
    case = draw(hybrids, operator)
    content, reason = case.build(), reason_to_refuse(runtime, case)
    if reason:
        harness.assert_refused(runtime, content, reason)
        return
    delegate = runtime.load(num_threads=draw.choice([1, 3]))
    expected, delegated = runtime.interpreter(content), runtime.interpreter(content, [delegate])
    harness.assert_claimed(delegate)
    assert promised(content) == {(0, 0)}
    for value in case.inputs:
        harness.assert_equal(harness.run(delegated, value)[0], harness.run(expected, value)[0])


@pytest.mark.parametrize("build, parameters", [(builders.build_conv, {"out_c": 40}), (builders.build_depthwise, {})])
def test_other_batches_on_several_threads(runtime: harness.Runtime, build, parameters: dict) -> None:
    """Threads share an image, or each takes some."""
    if reference.found("hybrid", runtime.module) == "auto":
        pytest.skip("the runtime's kernels are none of those that are known")
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


def test_hosts_that_pass_the_path_say_how(runtime: harness.Runtime) -> None:
    delegate = runtime.module.load_delegate(str(tvmq_delegate.library_path()), {})
    runtime.interpreter(builders.build_conv(dtype="float32", filter_dtype="int8"), [delegate])
    (node,) = tvmq_delegate.report(delegate).nodes
    assert "option hybrid" in node.reason


@pytest.mark.parametrize("build", [builders.build_conv, builders.build_depthwise, builders.build_fully_connected])
def test_kernels_of_every_instruction_set(runtime: harness.Runtime, build) -> None:
    if reference.found("hybrid", runtime.module) == "auto":
        pytest.skip("the runtime's kernels are none of those that are known")
    model = build(dtype="float32", filter_dtype="int8", **({"per_channel": False} if build is builders.build_fully_connected else {}))
    expected = runtime.interpreter(model)
    value = activations(np.random.default_rng(1), "any", tuple(expected.get_input_details()[0]["shape"]))
    for isa in library.isas():
        if not isa.available:
            continue
        delegate = runtime.load(isa=isa.name)
        interpreter = runtime.interpreter(model, [delegate])
        harness.assert_claimed(delegate)
        harness.assert_equal(harness.run(interpreter, value)[0], harness.run(expected, value)[0], isa.name)


def between(operator: str, shapes: list[tuple[int, ...]], out_shape: tuple[int, ...], axes: list[int] | None = None, **options: object) -> bytes:
    """An operator on float32 beside a hybrid convolution of its first input, for which a partition pays."""
    builder = ModelBuilder()
    inputs = [builder.add_tensor("input", shape, "float32") for shape in shapes]
    channels = shapes[0][-1]
    weights = np.random.default_rng(0).integers(-127, 128, (channels, 1, 1, channels)).astype(np.int8)
    filters = builder.add_tensor("filter", weights.shape, "int8", scale=np.linspace(0.01, 0.02, channels), data=weights)
    bias = builder.add_tensor("bias", (channels,), "float32", data=np.zeros(channels, np.float32))
    convolved = builder.add_tensor("convolved", shapes[0], "float32")
    builder.add_op("CONV_2D", [inputs[0], filters, bias], [convolved], stride_h=1, stride_w=1, padding="SAME", fused_activation_function="NONE")
    constants = [] if axes is None else [builder.add_tensor("axes", (len(axes),), "int32", data=np.array(axes, np.int32))]
    result = builder.add_tensor("output", out_shape, "float32")
    builder.add_op(operator, inputs + constants, [result], **options)
    return builder.build(inputs, [result, convolved])


@randomly
def test_floats_between_hybrid_nodes(runtime: harness.Runtime, draw: Draw) -> None:
    """ADD, SUB and MUL with infinities and negative zeros, broadcast or not, and MEAN over any axes."""
    shape = (draw.integer(1, 2), draw.integer(1, 9), draw.integer(1, 9), draw.integer(2, 20))
    operator = draw.choice(["ADD", "SUB", "MUL", "MEAN"])
    if operator == "MEAN":
        axes, keep_dims = [axis for axis in range(4) if draw.boolean()] or [1, 2], draw.boolean()
        kept = tuple(1 if axis in axes else n for axis, n in enumerate(shape) if keep_dims or axis not in axes)
        content = between("MEAN", [shape], kept, axes[::-1], keep_dims=keep_dims)
        shapes = [shape]
    else:
        shapes = [shape, draw.choice([shape, (shape[0], 1, 1, shape[3]), (1,), shape[2:]])]
        content = between(operator, shapes, shape, fused_activation_function=draw.choice(["NONE", "RELU", "RELU6", "RELU_N1_TO_1"]))
    delegate = runtime.load(num_threads=draw.choice([1, 3]))
    expected, delegated = runtime.interpreter(content), runtime.interpreter(content, [delegate])
    nodes = tvmq_delegate.report(delegate).nodes
    if reference.found("hybrid", runtime.module) == "auto":
        assert not any(node.claimed for node in nodes)
        return
    assert all(node.claimed and node.partition == 0 for node in nodes), [node.reason for node in nodes]
    generator = np.random.default_rng(draw.generator_seed())
    values = [activations(generator, "any", shape) for shape in shapes]
    got, wanted = harness.run(delegated, *values), harness.run(expected, *values)
    for output, reference_output in zip(got, wanted, strict=True):
        assert output.tobytes() == reference_output.tobytes()
    if operator != "MEAN":
        for value in values:
            value.flat[: min(4, value.size)] = [np.inf, -np.inf, 3e38, -0.0][: min(4, value.size)]
        assert harness.run(delegated, *values)[0].tobytes() == harness.run(expected, *values)[0].tobytes()
