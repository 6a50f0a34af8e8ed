"""The option `rounding`, end to end: each mode against an integer model of its definition."""

from __future__ import annotations

import ctypes
import itertools
import platform

import builders
import cases
import elementwise_cases
import harness
import numpy as np
import oracle
import pytest
from draws import randomly
from test_chains import silu

from tvmq_delegate.binding import reference

ROUNDINGS = ["reference", "upward", "single"]


@pytest.fixture(scope="module")
def runtime() -> harness.Runtime:
    """Any: the mode is the library's own affair."""
    return (harness.installed() or [pytest.skip("no TFLite runtime is installed")])[0]


@pytest.mark.parametrize("rounding", ROUNDINGS)
@pytest.mark.parametrize("depthwise", [False, True], ids=["conv", "depthwise"])
@pytest.mark.parametrize("kind", ["int8", "uint8", "int16"])
@randomly
def test_convolution(runtime, kind, depthwise, rounding, draw):
    check(runtime, draw(cases.convolutions, kind, depthwise), rounding)


@pytest.mark.parametrize("rounding", ROUNDINGS)
@pytest.mark.parametrize("pair", [("int8", "int8"), ("uint8", "int8"), ("int8", "uint8"), ("int16", "int8"), ("int32", "int8")], ids="-".join)
@randomly
def test_quantize(runtime, pair, rounding, draw):
    check(runtime, draw(cases.quantizes, *pair), rounding)


@pytest.mark.parametrize("rounding", ROUNDINGS)
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16"])
@pytest.mark.parametrize("operator", ["ADD", "SUB", "MUL", "PRELU", "SQUARED_DIFFERENCE"])
@randomly
def test_binary(runtime, operator, dtype, rounding, draw):
    if dtype == "int8" or operator != "SQUARED_DIFFERENCE" and (operator, dtype) != ("PRELU", "int16"):
        check(runtime, draw(elementwise_cases.binaries, operator, dtype), rounding)


def check(runtime: harness.Runtime, case: cases.Case, rounding: str) -> None:
    delegate = runtime.load(rounding=rounding, fast_math="off")  # as the source says, which the oracle follows
    try:
        interpreter = runtime.interpreter(case.build(), [delegate])
    except RuntimeError:
        harness.counts["random models that the reference refuses"] += 1
        return
    harness.assert_claimed(delegate)
    for source in case.inputs:
        harness.assert_equal(harness.run(interpreter, *cases.tensors(source))[0], oracle.output(case, source, rounding))
    harness.counts[f"random models compared, rounding {rounding}"] += 1


def test_the_modes_differ(runtime):
    """On one requantization of every int8 value by a half and a bit, no two modes agree: the option reaches the kernels."""
    values = np.arange(-128, 128, dtype=np.int8).reshape(1, -1)
    outputs = []
    for rounding in ROUNDINGS:
        case = builders.build_quantize(in_dtype="int8", out_dtype="int8", shape=values.shape, in_scale=0.4999999, out_scale=1.0)
        outputs.append(harness.run(runtime.interpreter(case, [runtime.load(rounding=rounding)]), values)[0])
    for (first, a), (second, b) in itertools.combinations(zip(ROUNDINGS, outputs), 2):
        assert (a != b).any(), f"{first} and {second} gave the same"


PARAMETERS = {"in_shape": (1, 16, 16, 32), "in_zero_point": 3, "out_zero_point": -5}


def conv() -> bytes:
    return builders.build_conv(out_c=32, filter_size=(1, 1), **PARAMETERS)


def depthwise() -> bytes:
    return builders.build_depthwise(**PARAMETERS)


FE_MODES = {"x86_64": (0x400, 0x800, 0xC00), "aarch64": (0x400000, 0x800000, 0xC00000)}  # of <fenv.h>: all but to nearest


@pytest.mark.parametrize("prepared_so", [False, True], ids=["run", "prepared and run"])
@pytest.mark.parametrize("build", [conv, depthwise, silu])
def test_the_callers_floating_point_does_not_matter(runtime, build, prepared_so):
    """An application may let its threads round up or down: results are those of rounding to nearest."""
    content = build()
    reference = runtime.interpreter(content)
    inputs = harness.random_inputs(reference, 0)
    expected = harness.run(reference, *inputs)[0]
    libm = ctypes.CDLL("libm.so.6")
    for mode in FE_MODES[platform.machine()]:
        interpreter = None if prepared_so else runtime.interpreter(content, [runtime.load(num_threads=2)])
        try:
            assert libm.fesetround(mode) == 0
            interpreter = interpreter or runtime.interpreter(content, [runtime.load(num_threads=2)])
            result = harness.run(interpreter, *inputs)[0].copy()
            kept = libm.fegetround()
        finally:
            libm.fesetround(0)
        assert kept == mode
        harness.assert_equal(result, expected)


def set_flushing(flush: bool) -> None:
    """Sets, for this thread, whether subnormal floats are taken for, and become, zero."""
    libm, x86 = ctypes.CDLL("libm.so.6"), platform.machine() == "x86_64"
    environment = (ctypes.c_uint32 * 16)()  # fenv_t: MXCSR is the eighth word, FPCR the first
    assert libm.fegetenv(environment) == 0
    word, bits = (7, 0x8040) if x86 else (0, 0x1000000)
    environment[word] = environment[word] | bits if flush else environment[word] & ~bits
    assert libm.fesetenv(environment) == 0


@pytest.mark.parametrize("prepared_so", [False, True], ids=["run", "prepared and run"])
@pytest.mark.parametrize("scale", [2e-38, 1e-39], ids=["subnormal reciprocal", "subnormal scale"])
def test_subnormals_count(runtime, scale, prepared_so):
    """An application may let its threads flush subnormal numbers to zero, before or after those of the delegate start."""
    set_flushing(False)  # a runtime's library may have set it when it was loaded
    values = (np.arange(-4000, 4000, dtype=np.float64) * (scale / 17)).astype(np.float32).reshape(1, -1)
    content = builders.build_quantize(in_dtype="float32", out_dtype="int8", shape=values.shape, out_scale=scale)
    if reference.found("fast_math", runtime.module) == "on":
        harness.assert_refused(runtime, content, "subnormal")
        return
    expected = harness.run(runtime.interpreter(content), values)[0]
    assert len(np.unique(expected)) == 256
    interpreter = None if prepared_so else runtime.interpreter(content, [runtime.load(num_threads=2)])
    try:
        set_flushing(True)
        interpreter = interpreter or runtime.interpreter(content, [runtime.load(num_threads=2)])
        result = harness.run(interpreter, values)[0].copy()
    finally:
        set_flushing(False)
    harness.assert_equal(result, expected)
