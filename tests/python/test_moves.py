"""Operators that move elements, against numpy and the reference kernels of each runtime: random ones, and those that are left to the runtime."""

from __future__ import annotations

import harness
import moves
import numpy as np
import pytest
from draws import randomly


def outputs(runtime: harness.Runtime, content: bytes, inputs: list[np.ndarray]) -> list[np.ndarray] | None:
    """Of the reference kernels; None: they lack the operator or one of its types."""
    try:
        return harness.run(runtime.interpreter(content), *inputs)
    except (RuntimeError, ValueError):
        harness.counts["moves that the reference refuses"] += 1
        return None


@pytest.mark.parametrize("name", moves.MOVES)
@randomly
def test_random(runtime, name, draw):
    move, dtype = draw(moves.MOVES[name]), draw.choice(["int8", "uint8", "int16"])
    content = move.build(dtype, quantization=moves.quantization(draw, dtype))
    inputs = move.tensors(np.random.default_rng(draw.generator_seed()), dtype)
    reference = outputs(runtime, content, inputs)
    delegate = runtime.load(num_threads=draw.integer(1, 2))
    try:
        delegated = runtime.interpreter(content, [delegate])
    except (RuntimeError, ValueError):
        assert reference is None
        return
    harness.assert_claimed(delegate)
    expected = move.expected(*inputs)
    for i, (got, wanted) in enumerate(zip(harness.run(delegated, *inputs), expected, strict=True)):
        harness.assert_equal(got, wanted, f"output {i}")
        if reference is not None:
            harness.assert_equal(reference[i], wanted, f"output {i} of the reference")
    harness.counts["random models compared"] += 1
