"""Runtimes that were compiled with unsafe optimizations: where a result hangs on one rounding, it is the runtime's, or the runtime computes it."""

from __future__ import annotations

from collections.abc import Callable

import builders
import harness
import numpy as np
import pytest
from test_rounding import set_flushing

import tvmq_delegate
from tvmq_delegate.binding import reference
from tvmq_delegate.models import ModelBuilder


def check(runtime: harness.Runtime, model: bytes, *inputs: np.ndarray, hangs: bool = True) -> None:
    """`hangs`: the delegate leaves the node to a runtime of which it cannot know the result."""
    delegate = runtime.load()
    expected = harness.run(runtime.interpreter(model), *inputs)[0]
    harness.assert_equal(harness.run(runtime.interpreter(model, [delegate]), *inputs)[0], expected)
    (node,) = tvmq_delegate.report(delegate).nodes
    fast = reference.found("fast_math", runtime.module) == "on"
    assert node.claimed == (not (hangs and fast)) and ("how the runtime was compiled" in node.reason) == (hangs and fast), node.reason


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16"])
def test_quantize_near_ties(runtime: harness.Runtime, dtype: str) -> None:
    """A quotient and the product with the reciprocal lie on either side of many ties; and what no int32 holds."""
    generator = np.random.default_rng(0)
    for exponent in (-120, -20, -8, -5, -2, 0, 120):
        scale = np.ldexp(np.float32(generator.uniform(0.5, 1)), exponent)
        ties = ((np.arange(-140, 140) + 0.5) * np.float64(scale)).astype(np.float32)
        limits = np.array([np.inf, -np.inf, np.nan, 3e38, -3e38, *(np.array([2.0**31, -(2.0**31), 2147483520]) * min(scale, 1e20))], np.float32)
        values = np.concatenate([ties, np.nextafter(ties, np.float32(np.inf)), np.nextafter(ties, np.float32(-np.inf)), limits]).reshape(1, -1)
        model = builders.build_quantize(in_dtype="float32", out_dtype=dtype, shape=values.shape, out_scale=float(scale))
        check(runtime, model, values, hangs=False)


@pytest.mark.parametrize("operator, elements", [("ADD", [(23035, -25928)]), ("SUB", [(16967, 18653), (30177, 32657)])])
def test_sums_near_ties(runtime: harness.Runtime, operator: str, elements: list[tuple[int, int]]) -> None:
    """The ratio of the scales is next to a tie of 31 bits; of some 200,000 elements these depend on it."""
    a, b = np.array(elements, np.int16).T.reshape(2, 1, -1)
    scales = {"in_scale": (0.24256588518619537, 0.19328083097934723), "out_scale": 0.03335280921310187}
    check(runtime, builders.build_binary(operator=operator, dtype="int16", shape=a.shape, in_zero_point=(0, 0), out_zero_point=0, **scales), a, b)


@pytest.mark.parametrize("build", [builders.build_conv, builders.build_depthwise, builders.build_transpose_conv, builders.build_fully_connected])
def test_weights_near_ties(runtime: harness.Runtime, build) -> None:
    """The ratios of the scales are next to ties of 31 bits, and the biases make sums of which one more or less in the multiplier makes another byte."""
    parameters = {
        "in_scale": 1.0,
        "in_zero_point": 0,
        "out_scale": 16717421.0,
        "out_zero_point": 0,
        "filter_scale": np.array([15596125, 15799997, 16003869, 16207741]) * 2.0**-23,
        "bias": np.array([543998681, 430471014, 495088273, 402336695], np.int32),
    }
    fully_connected = build is builders.build_fully_connected
    shape = (1, 4) if fully_connected else (1, 1, 1, 4)
    if not fully_connected:
        parameters["filter_size"] = (1, 1)
    if build is builders.build_transpose_conv:
        parameters["stride"] = (1, 1)
    if build is not builders.build_depthwise:
        parameters["out_c"] = 4
    if fully_connected and reference.found("fully_connected", runtime.module) == "float64":
        parameters["out_scale"] = 2.0**24  # there such a sum and scale have no equal in fixed point; these have
    check(runtime, build(in_shape=shape, **parameters), np.zeros(shape, np.int8))


def test_hard_swish_near_ties(runtime: harness.Runtime) -> None:
    """The gate's scale is next to a tie of 16 bits."""
    values = np.arange(-128, 128, dtype=np.int8).reshape(1, -1)
    parameters = {"in_scale": 0.012059568427503109, "in_zero_point": -50, "out_scale": 0.011048543456039806, "out_zero_point": -100}
    check(runtime, builders.build_unary(operator="HARD_SWISH", shape=values.shape, **parameters), values)


@pytest.mark.parametrize(
    "in_scale, alpha, out_scale, hangs",
    [
        (0.13800125, 0.7270839, 0.16893147, True),
        (0.4756988, 0.9136124, 0.76974696, True),
        (0.24633516, 0.90035486, 0.44085678, True),
        (0.13800125, 0.7270839, 0.17, False),  # factors differ in their last digits, bytes do not
    ],
)
def test_leaky_relu_near_ties(runtime: harness.Runtime, in_scale: float, alpha: float, out_scale: float, hangs: bool) -> None:
    """The product of a byte, the scales and the slope is next to a tie of bytes."""
    values = np.arange(-128, 128, dtype=np.int8).reshape(1, -1)
    scales = {"in_scale": in_scale, "in_zero_point": 127, "out_scale": out_scale, "out_zero_point": 0}
    check(runtime, builders.build_unary(operator="LEAKY_RELU", shape=values.shape, alpha=alpha, **scales), values, hangs=hangs)


def test_prelu_near_ties(runtime: harness.Runtime) -> None:
    """The same of PRELU, whose slopes have a scale."""
    values = np.arange(-128, 128, dtype=np.int8).reshape(1, -1)
    scales = {"in_scale": (0.13800125, 0.7270839), "in_zero_point": (127, 0), "out_scale": 0.16893147, "out_zero_point": 0}
    check(runtime, builders.build_binary(operator="PRELU", shape=values.shape, other_shape=(1, 1), other=np.ones((1, 1), np.int8), **scales), values)


def test_rsqrt_near_ties(runtime: harness.Runtime) -> None:
    """A result is so near a tie that roundings of float32 in the multiplier would decide on it."""
    values = np.arange(-128, 128, dtype=np.int8).reshape(1, -1)
    scales = {"in_scale": 0.005411221645772457, "in_zero_point": -128, "out_scale": 0.03247494995594025, "out_zero_point": -128}
    check(runtime, builders.build_unary(operator="RSQRT", shape=values.shape, **scales), values)


@pytest.mark.parametrize("operator, formula", [("RSQRT", lambda x, y: 1 / np.sqrt(x)), ("SQRT", lambda x, y: np.sqrt(x)), ("DIV", lambda x, y: x / y)])
def test_runtimes_estimate_no_roots(runtime: harness.Runtime, operator: str, formula: Callable[..., np.ndarray]) -> None:
    """Which the delegate takes on trust: even the runtime that multiplies by reciprocals elsewhere has roots and quotients as IEEE 754 has them."""
    generator = np.random.default_rng(0)
    x, y = (np.ldexp(generator.uniform(0.5, 1, 1 << 16).astype(np.float32), generator.integers(-60, 60, 1 << 16)) for _ in range(2))
    build, inputs = (builders.build_binary, (x, y)) if operator == "DIV" else (builders.build_unary, (x,))
    model = build(operator=operator, dtype="float32", shape=x.shape)
    harness.assert_equal(harness.run(runtime.interpreter(model), *inputs)[0], formula(x, y).astype(np.float32), operator)


@pytest.mark.parametrize("scale", [1e-39, 2e-38, 1e38])
def test_subnormal_numbers(runtime: harness.Runtime, scale: float) -> None:
    """A runtime that is compiled so takes them for zero, and keeps nodes with such scales or reciprocals."""
    set_flushing(False)
    for model in (
        builders.build_quantize(in_scale=scale, out_scale=scale),
        builders.build_unary(operator="RELU", in_scale=scale, out_scale=scale),
        builders.build_average_pool(scale=scale),
    ):
        delegate = runtime.load(fast_math="on")
        runtime.interpreter(model, [delegate])
        (node,) = tvmq_delegate.report(delegate).nodes
        assert "is subnormal, which the runtime flushes to zero" in node.reason


@pytest.mark.parametrize("scales, zero_points", [((0.16145524, 0.1291642), (22, 215)), ((0.20361508, 0.08144606), (193, 215))])
def test_rescaled_bytes_near_ties(runtime: harness.Runtime, scales: tuple[float, float], zero_points: tuple[int, int]) -> None:
    """CONCATENATION: products and sums in any order; left to every runtime."""
    values = np.arange(256, dtype=np.uint8).reshape(1, -1)
    builder = ModelBuilder()
    source, result = (builder.add_tensor(name, values.shape, "uint8", scale=s, zero_point=z) for name, s, z in zip("ab", scales, zero_points))
    builder.add_op("CONCATENATION", [source], [result], axis=1)
    model = builder.build([source], [result])
    expected = harness.run(runtime.interpreter(model), values)[0]
    harness.assert_equal(harness.run(runtime.interpreter(model, [runtime.load()]), values)[0], expected)
    harness.assert_refused(runtime, model, "how the runtime was compiled")
