"""Random one-op models against the reference kernels of each runtime: every element equal, every node claimed."""

from __future__ import annotations

import cases
import harness
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st


def check(runtime: harness.Runtime, case: cases.Conv | cases.Quantize) -> None:
    """The delegate's answer is BUILTIN_REF's, and it is the delegate that answered. What the reference lacks, the delegate may refuse as well, or compute."""
    model = case.build()
    try:
        reference = runtime.interpreter(model)
    except (RuntimeError, ValueError):
        harness.counts["random models that the reference refuses"] += 1
        reference = None
    delegate = runtime.load()
    try:
        delegated = runtime.interpreter(model, [delegate])
    except (RuntimeError, ValueError):
        assert reference is None
        return
    harness.assert_claimed(delegate)
    for source in case.inputs:
        expected = harness.run(reference, source)[0] if reference else oracle.output(case, source)
        harness.assert_equal(harness.run(delegated, source)[0], expected)
    harness.counts["random models compared"] += 1


@pytest.mark.parametrize("kind", cases.KINDS)
@given(data=st.data())
def test_conv(runtime, kind, data):
    check(runtime, data.draw(cases.convolutions(kind)))


@pytest.mark.parametrize("kind", cases.KINDS)
@given(data=st.data())
def test_grouped_conv(runtime, kind, data):
    check(runtime, data.draw(cases.convolutions(kind, grouped=True)))


@pytest.mark.parametrize("kind", [kind for kind in cases.KINDS if kind != "int16, int32 bias"])  # which depthwise convolution does not have
@given(data=st.data())
def test_depthwise(runtime, kind, data):
    check(runtime, data.draw(cases.convolutions(kind, depthwise=True)))


@pytest.mark.parametrize("pair", cases.QUANTIZE_PAIRS, ids="-".join)
@given(data=st.data())
def test_quantize(runtime, pair, data):
    check(runtime, data.draw(cases.quantizes(*pair)))
