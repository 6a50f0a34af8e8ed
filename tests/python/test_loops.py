"""Loops and branches that the runtime prepares again: the reference's results, and no plan anew where the shapes are the same."""

from __future__ import annotations

from collections.abc import Callable

import harness
import numpy as np
import pytest
from looped import chosen, layers, looped

import tvmq_delegate

UNITS = 24


def build(kind: Callable[..., bytes], runtime: harness.Runtime, dtype: str, grows: bool, *sizes: int) -> bytes:
    """Layers of int8, or hybrid ones."""
    if dtype == "float32":
        harness.need_hybrid(runtime)
    return kind(layers(UNITS, 3, hybrid=dtype == "float32", grows=grows), *sizes)


def inputs(dtype: str) -> list[np.ndarray]:
    return [np.array([0], np.int32), np.arange(UNITS).astype(dtype)[np.newaxis], np.ones((1, UNITS), dtype)]


def check(runtime: harness.Runtime, content: bytes, feeds: list[list[np.ndarray]], most_plans: int) -> None:
    """Runs the delegate beside the reference: at each inference, no more operators are planned anew, and no weights are packed again."""
    delegate = runtime.load()
    interpreters = [runtime.interpreter(content, [delegate]), runtime.interpreter(content)]
    assert [node.op for node in tvmq_delegate.report(delegate).nodes if node.claimed].count("FULLY_CONNECTED") >= 3
    before = tvmq_delegate.report(delegate).summary
    for feed in feeds:
        for got, expected in zip(*(harness.run(interpreter, *feed) for interpreter in interpreters), strict=True):
            harness.assert_equal(got, expected)
        after = tvmq_delegate.report(delegate).summary
        assert after.plans - before.plans <= most_plans
        assert after.packs == before.packs
        before = after


@pytest.mark.parametrize("dtype", ["int8", "float32"])
@pytest.mark.parametrize("grows", [False, True])
@pytest.mark.parametrize("iterations", [0, 1, 7])
def test_loop(runtime: harness.Runtime, iterations: int, grows: bool, dtype: str) -> None:
    content = build(looped, runtime, dtype, grows, iterations)
    check(runtime, content, 3 * [inputs(dtype)], iterations + 1 if grows else 0)  # what appends to the sequence


@pytest.mark.parametrize("dtype", ["int8", "float32"])
@pytest.mark.parametrize("grows", [False, True])
def test_branches(runtime: harness.Runtime, grows: bool, dtype: str) -> None:
    content = build(chosen, runtime, dtype, grows)
    check(runtime, content, [[np.array([condition]), *inputs(dtype)] for condition in (True, False, True, True, False)], 1 if grows else 0)
