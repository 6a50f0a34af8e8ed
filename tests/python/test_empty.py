"""Inputs resized until nothing is left to compute, or more than whole rows: the outcome is the reference's, be it an empty output or an error."""

from __future__ import annotations

import functools
import itertools

import builders
import harness
import numpy as np
import pytest
from test_hostile import MODELS

import tvmq_delegate

FILTER = 5
WINDOWS = {
    "conv": functools.partial(builders.build_conv, out_c=6),
    "depthwise": builders.build_depthwise,
    "max pool": builders.build_max_pool,
    "average pool": builders.build_average_pool,
}


def outcomes(interpreter, shapes: list[tuple[int, ...]]) -> list[np.ndarray] | None:
    """The outputs of inputs of these shapes, None if the runtime refuses them."""
    for detail, shape in zip(interpreter.get_input_details(), shapes, strict=True):
        interpreter.resize_tensor_input(detail["index"], shape)
    try:
        interpreter.allocate_tensors()
        return [output.copy() for output in harness.run(interpreter, *harness.random_inputs(interpreter, seed=0))]
    except RuntimeError:
        return None


def outcome(interpreter, shape: tuple[int, ...]) -> np.ndarray | None:
    found = outcomes(interpreter, [shape])
    return None if found is None else found[0]


def check(runtime: harness.Runtime, content: bytes, shapes: list[tuple[int, ...]]) -> list[np.ndarray | None]:
    """All shapes in turn, of a delegate that has to claim its node in the first place."""
    delegate = runtime.load()
    interpreters = [runtime.interpreter(content, [delegate]), runtime.interpreter(content)]
    harness.assert_claimed(delegate)
    found = []
    for shape in shapes:
        got, expected = (outcome(interpreter, shape) for interpreter in interpreters)
        assert (got is None) == (expected is None), f"{shape}: {'refused' if got is None else 'accepted'}, unlike by the reference"
        if expected is not None:
            harness.assert_equal(got, expected, f"{shape}")
        found.append(expected)
    return found


@pytest.mark.parametrize("name", WINDOWS)
@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_windows_larger_than_the_input(runtime, name, padding):
    for stride in (1, 2, 3):
        content = WINDOWS[name](in_shape=(1, 9, 9, 4), filter_size=(FILTER, FILTER), stride=(stride, stride), padding=padding)
        # Below that TFLite's formula has a negative result, and runtimes disagree.
        least = max(FILTER - 2 * stride + 1, 1)
        sizes = [(height, width) for height, width in itertools.product((*range(least, FILTER + 1), 9), repeat=2)]
        found = check(runtime, content, [(1, *size, 4) for size in sizes] + [(0, 9, 9, 4), (1, 9, 9, 4)])
        assert [output.size == 0 for output in found] == [padding == "VALID" and min(size) < FILTER for size in sizes] + [True, False]


@pytest.mark.parametrize("name", ["conv", "depthwise"])
def test_negative_sizes_are_refused(runtime, name):
    assert check(runtime, WINDOWS[name](in_shape=(1, 9, 9, 4), filter_size=(FILTER, FILTER), padding="VALID"), [(1, 1, 9, 4)]) == [None]


@pytest.mark.parametrize("keep_num_dims", [False, True])
def test_fully_connected_of_other_rows(runtime, keep_num_dims):
    content = builders.build_fully_connected(in_shape=(1, 40), out_c=9, keep_num_dims=keep_num_dims)
    shapes = [(2, 40), (1, 20), (1, 80), (4, 10), (1, 41), (3, 27), (0, 40), (3, 7), (1, 40)]
    found = check(runtime, content, shapes)
    assert [output is not None for output in found] == [not keep_num_dims or shape[-1] == 40 for shape in shapes]


def has_result(runtime: harness.Runtime, name: str, batch: int) -> bool:
    """Whether the reference's output is one: it is none where tflite-runtime takes a constant shape of another batch for its own, and reads beyond tensors."""
    return not (runtime.name == "tflite_runtime" and {"transpose conv": 2}.get(name, batch) != batch)


@pytest.mark.parametrize("name", MODELS)
def test_batches_of_every_operator(runtime, name):
    """Nothing, one, several, and back: what the reference runs has its outcome, but for the sum of a batch that is empty, which is refused."""
    content = MODELS[name]()
    delegate = runtime.load()
    try:
        delegated, reference = runtime.interpreter(content, [delegate]), runtime.interpreter(content)
    except ValueError:
        pytest.skip(f"{runtime.name} has no kernels for this version of the operator")
    if any("unsafe optimizations" in node.reason or "is unknown: see the option" in node.reason for node in tvmq_delegate.report(delegate).nodes):
        pytest.skip(f"{runtime.name} computes this operator in a way that is not known to be exact")
    harness.assert_claimed(delegate)
    shapes = [tuple(detail["shape"]) for detail in reference.get_input_details()]
    ends = (runtime.name, name) == ("tflite_runtime", "batch matmul")  # of nothing, with a division by zero
    for batch in (1, 3, 2) if ends else (0, 1, 3, 0, 2):
        got, expected = (outcomes(interpreter, [(batch, *shape[1:]) for shape in shapes]) for interpreter in (delegated, reference))
        believes_file = name == "slice" and expected is not None and expected[0].shape[0] != batch  # what old runtimes take for the output's shape
        if (name, batch) == ("sum", 0) or believes_file or not has_result(runtime, name, batch):
            assert got is None
        elif expected is not None:
            assert got is not None, f"batch {batch} is refused, unlike by the reference"
            for output, wanted in zip(got, expected, strict=True):
                harness.assert_equal(output, wanted, f"batch {batch}")
