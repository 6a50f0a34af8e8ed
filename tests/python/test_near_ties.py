"""LOGISTIC, TANH, GELU, EXP and LOG of bytes whose results lie next to rounding ties: the math library of the process decides."""

from __future__ import annotations

import math
from collections.abc import Iterator

import builders
import harness
import numpy as np
import pytest

from tvmq_delegate.binding.reference import found

EVERY = np.arange(-128, 128, dtype=np.int8)[np.newaxis]


def tied(operator: str, generator: np.random.Generator) -> Iterator[dict]:
    """Parameters of `build_unary`: for some byte, the exact result is about half way between two steps."""
    exact = {"TANH": math.tanh, "EXP": math.exp, "LOG": lambda v: abs(math.log(v)), "GELU": lambda v: 0.5 * v * math.erfc(-v / math.sqrt(2))}
    while True:
        byte, step = int(generator.integers(20, 100)), int(generator.integers(10, 120))
        if operator == "LOGISTIC":  # the output's scale is given
            share = (step + 128.5) / 256
            yield {"in_scale": math.log(share / (1 - share)) / byte, "out_scale": 1 / 256, "out_zero_point": -128}
        else:
            in_scale = float(np.float32(generator.uniform(0.01, 0.03)))
            yield {"in_scale": in_scale, "out_scale": exact[operator](in_scale * byte) / (step + 0.5), "out_zero_point": 0}


@pytest.mark.parametrize("operator", ["LOGISTIC", "TANH", "EXP", "GELU", "LOG"])
def test_near_ties(runtime: harness.Runtime, operator: str) -> None:
    if found("fast_math", runtime.module) == "on":
        pytest.skip(f"{runtime.name} was compiled with unsafe optimizations, where such nodes are refused")
    if operator == "LOG" and runtime.name == "tflite_runtime":
        pytest.skip("tflite_runtime has no LOG of int8")
    draws = tied(operator, np.random.default_rng(7))
    for _ in range(10 if harness.SLOW else 60):
        parameters = next(draws)
        model = builders.build_unary(operator=operator, shape=EVERY.shape, dtype="int8", in_zero_point=0, **parameters)
        delegate = runtime.load()
        computed, expected = (harness.run(runtime.interpreter(model, delegates), EVERY)[0] for delegates in ([delegate], []))
        harness.assert_equal(computed, expected, str(parameters))
        harness.assert_claimed(delegate)
