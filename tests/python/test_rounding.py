"""The option `rounding`, end to end: each mode against an integer model of its definition."""

from __future__ import annotations

import itertools

import cases
import harness
import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tvmq_delegate import model

ROUNDINGS = ["reference", "upward", "single"]


@pytest.mark.parametrize("rounding", ROUNDINGS)
@pytest.mark.parametrize("depthwise", [False, True], ids=["conv", "depthwise"])
@pytest.mark.parametrize("kind", ["int8", "uint8", "int16"])
@given(data=st.data())
def test_convolution(runtime, kind, depthwise, rounding, data):
    case = data.draw(cases.convolutions(kind, depthwise))
    check(runtime, case, rounding)


@pytest.mark.parametrize("rounding", ROUNDINGS)
@given(data=st.data())
def test_convolution_16x8_with_int32_bias(runtime, rounding, data):
    check(runtime, data.draw(cases.convolutions("int16, int32 bias")), rounding)


def check(runtime: harness.Runtime, case: cases.Conv, rounding: str) -> None:
    delegate = runtime.load(rounding=rounding)
    try:
        interpreter = runtime.interpreter(case.build(), [delegate])
    except RuntimeError:
        harness.counts["random models that the reference refuses"] += 1
        return
    harness.assert_claimed(delegate)
    for source in case.inputs:
        harness.assert_equal(harness.run(interpreter, source)[0], oracle.convolution(case, source, rounding))
    harness.counts[f"random models compared, rounding {rounding}"] += 1


@pytest.mark.parametrize("rounding", ROUNDINGS)
@pytest.mark.parametrize("pair", [("int8", "int8"), ("uint8", "int8"), ("int8", "uint8"), ("int16", "int8"), ("int32", "int8")], ids="-".join)
@given(data=st.data())
def test_quantize(runtime, pair, rounding, data):
    case = data.draw(cases.quantizes(*pair))
    delegate = runtime.load(rounding=rounding)
    interpreter = runtime.interpreter(case.build(), [delegate])
    harness.assert_claimed(delegate)
    for source in case.inputs:
        harness.assert_equal(harness.run(interpreter, source)[0], oracle.requantize(case, source, rounding))


def test_the_modes_differ(runtime):
    """On one requantization of every int8 value by a half and a bit, no two modes agree: the option reaches the kernels."""
    values = np.arange(-128, 128, dtype=np.int8).reshape(1, -1)
    outputs = []
    for rounding in ROUNDINGS:
        case = model.build_quantize(in_dtype="int8", out_dtype="int8", shape=values.shape, in_scale=0.4999999, out_scale=1.0)
        outputs.append(harness.run(runtime.interpreter(case, [runtime.load(rounding=rounding)]), values)[0])
    for (first, a), (second, b) in itertools.combinations(zip(ROUNDINGS, outputs), 2):
        assert (a != b).any(), f"{first} and {second} gave the same"
