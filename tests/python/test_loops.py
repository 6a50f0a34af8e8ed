"""Loops whose body is prepared for each iteration: the reference's results, and no plan anew where the shapes are the same."""

from __future__ import annotations

import harness
import numpy as np
import pytest
from looped import layers, looped

import tvmq_delegate


def rows(units: int) -> list[np.ndarray]:
    return [np.array([0], np.int32), np.arange(units, dtype=np.int8)[np.newaxis], np.ones((1, units), np.int8)]


@pytest.mark.parametrize("iterations", [0, 1, 7])
def test_loop(runtime: harness.Runtime, iterations: int) -> None:
    units = 24
    content = looped(layers(units, 3), iterations)
    delegate = runtime.load()
    interpreters = [runtime.interpreter(content, [delegate]), runtime.interpreter(content)]
    nodes = tvmq_delegate.report(delegate).nodes
    assert [node.op for node in nodes if node.claimed].count("FULLY_CONNECTED") == 3
    plans = tvmq_delegate.report(delegate).summary.plans
    for _ in range(3):
        for got, expected in zip(*(harness.run(interpreter, *rows(units)) for interpreter in interpreters), strict=True):
            harness.assert_equal(got, expected)
        found = tvmq_delegate.report(delegate).summary.plans
        assert found - plans <= iterations + 1  # of what appends to the sequence
        plans = found
