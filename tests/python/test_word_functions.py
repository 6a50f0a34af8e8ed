"""Functions of int16 that the reference interpolates in a table, of all 65536 elements."""

from __future__ import annotations

import builders
import harness
import numpy as np
import pytest
from draws import Draw, randomly

import tvmq_delegate

ALL = np.arange(-(1 << 15), 1 << 15).astype(np.int16)


def a_model(draw: Draw, operator: str) -> bytes:
    in_scale = float(np.float32(2.0 ** draw.real(-17, -8 if operator == "EXP" else -5)))
    out_scale = float(np.float32(2.0 ** draw.real(-17, -5)))
    if operator == "RSQRT":
        out_scale = float(np.float32((in_scale * draw.real(1, 3000)) ** -0.5 / 32768))
    options = {"approximate": draw.boolean()} if operator == "GELU" else {}
    version = 3 if operator == "RSQRT" else 2
    return builders.build_unary(
        operator=operator, dtype="int16", shape=ALL.shape, in_scale=in_scale, in_zero_point=0, out_scale=out_scale, out_zero_point=0, version=version, **options
    )


@pytest.mark.parametrize("operator", ["EXP", "GELU", "LOG", "RSQRT"])
@randomly
def test_every_element(runtime: harness.Runtime, operator: str, draw: Draw) -> None:
    """As the reference computes it, or left to it: where a result is infinite, or depends on a compiler that is not known."""
    content = a_model(draw, operator)
    try:
        expected = runtime.interpreter(content)
        wanted = harness.run(expected, np.maximum(ALL, 0) if operator == "RSQRT" else ALL)[0]
    except (RuntimeError, ValueError):  # the runtime has no kernel for int16
        harness.counts["functions of int16 that the reference lacks"] += 1
        return
    delegate = runtime.load()
    delegated = runtime.interpreter(content, [delegate])
    node = tvmq_delegate.report(delegate).nodes[0]
    if not node.claimed:
        assert any(why in node.reason for why in ("infinite", "use of FMA", "arithmetic is unknown")), node.reason
        harness.counts["functions of int16 left to the runtime"] += 1
        return
    harness.assert_equal(harness.run(delegated, np.maximum(ALL, 0) if operator == "RSQRT" else ALL)[0], wanted)
    harness.counts["functions of int16 compared"] += 1


@pytest.mark.parametrize("negative", [0, 700, len(ALL) - 1])
@pytest.mark.parametrize("threads", [1, 3])
def test_rsqrt_of_negative_elements(runtime: harness.Runtime, negative: int, threads: int) -> None:
    """The inference fails as the reference's does, and the next one succeeds."""
    content = builders.build_unary(
        operator="RSQRT", dtype="int16", shape=ALL.shape, in_scale=1e-3, in_zero_point=0, out_scale=1e-3, out_zero_point=0, version=3
    )  # fmt: skip
    try:
        reference = runtime.interpreter(content)
    except (RuntimeError, ValueError):
        return  # tflite-runtime has no such kernel
    delegate = runtime.load(num_threads=threads)
    delegated = runtime.interpreter(content, [delegate])
    harness.assert_claimed(delegate)
    for tensor in (np.maximum(ALL, 0), np.where(np.arange(len(ALL)) == negative, -1, np.maximum(ALL, 0)).astype(np.int16), np.maximum(ALL, 1)):
        outputs = []
        for interpreter in (reference, delegated):
            try:
                outputs.append(harness.run(interpreter, tensor)[0])
            except RuntimeError:
                outputs.append(None)
        assert (outputs[0] is None) == (outputs[1] is None) == bool((tensor < 0).any())
        if outputs[0] is not None:
            harness.assert_equal(outputs[1], outputs[0])


def test_gelu_that_the_runtime_lacks(runtime: harness.Runtime) -> None:
    """tflite-runtime prepares GELU of int16, but has no kernel that runs it."""
    if runtime.name != "tflite_runtime":
        pytest.skip("only tflite-runtime")
    content = builders.build_unary(operator="GELU", dtype="int16", shape=(8,), in_scale=1e-4, in_zero_point=0, out_scale=1e-4, out_zero_point=0, version=2)
    harness.assert_refused(runtime, content, "no kernel for this type")
