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
