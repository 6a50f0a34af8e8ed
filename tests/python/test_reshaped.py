"""Shapes that change between inferences: behind a RESHAPE by an input of the graph every operator gives the reference's bits, or a line says why not."""

from __future__ import annotations

import functools
from collections.abc import Callable

import builders
import cases
import elementwise_cases
import harness
import hybrid_cases
import hypothesis
import moves
import numpy as np
import pytest
from builders.elementwise_op import BINARY
from draws import Draw, randomly
from reshaped import reshaped, shapes_of

import tvmq_delegate

SOME = hypothesis.settings(max_examples=max(4, hypothesis.settings.default.max_examples // 8))  # each has several shapes

LINE = "its input was reshaped, and the runtime did not prepare the node again"


def unary(draw: Draw, operator: str) -> cases.Case:
    return elementwise_cases.unaries(draw, operator, draw.choice(elementwise_cases.UNARY[operator]))


# Operators whose kernels look at no more than the number of elements: the delegate follows every shape.
FLAT: dict[str, Callable[[Draw], cases.Case]] = {
    **{operator: functools.partial(unary, operator=operator) for operator in elementwise_cases.UNARY},
    "CAST": functools.partial(elementwise_cases.casts, in_dtype="int8"),
    "DEQUANTIZE": functools.partial(elementwise_cases.dequantizes, dtype="int8"),
    "QUANTIZE": functools.partial(cases.quantizes, in_dtype="int8", out_dtype="uint8"),
    "QUANTIZE of float32": functools.partial(cases.quantizes, in_dtype="float32", out_dtype="int8"),
    "RESHAPE": functools.partial(cases.reshapes, dtype="int8"),
}
OTHERS: dict[str, Callable[[Draw], cases.Case | moves.Move]] = {
    **moves.MOVES,
    **{operator: functools.partial(elementwise_cases.binaries, operator=operator, dtype="int8") for operator in BINARY},
    **{operator: functools.partial(cases.reductions, operator=operator, dtype="int8") for operator in ("MEAN", "REDUCE_MAX", "REDUCE_MIN")},
    "ARG_MAX": functools.partial(cases.arg_maxima, dtype="int8"),
    "AVERAGE_POOL_2D": functools.partial(cases.pools, dtype="int8"),
    "CONCATENATION": functools.partial(cases.concatenations, dtype="int8"),
    "CONV_2D": functools.partial(cases.convolutions, kind="int8"),
    "DEPTHWISE_CONV_2D": functools.partial(cases.convolutions, kind="int8", depthwise=True),
    "FULLY_CONNECTED": functools.partial(cases.fully_connecteds, kind="int8"),
    "hybrid FULLY_CONNECTED": functools.partial(hybrid_cases.hybrids, operator="FULLY_CONNECTED"),
    "MAX_POOL_2D": functools.partial(cases.pools, dtype="int8", largest=True),
    "RESIZE_BILINEAR": functools.partial(cases.bilinear_resizes, dtype="int8"),
    "SOFTMAX": functools.partial(cases.softmaxes, dtype="int8", out_dtype="int8", most=100),
    "SUM": functools.partial(cases.reductions, operator="SUM", dtype="uint8"),
    "TRANSPOSE_CONV": functools.partial(cases.transpose_convolutions, kind="int8"),
}


class Pair:
    """A delegated interpreter and the reference, fed alike."""

    def __init__(self, runtime: harness.Runtime, content: bytes):
        self.delegate = runtime.load()
        self.delegated = runtime.interpreter(content, [self.delegate])
        self.reference = runtime.interpreter(content)

    def inputs(self) -> list[np.ndarray]:
        return harness.random_inputs(self.reference, seed=0)[:-1]

    def follows(self, inputs: list[np.ndarray], shape: tuple[int, ...]) -> bool:
        """Whether the delegate computes with this shape, which then is the reference's result. Some kernels of the reference write behind their outputs then:
        the reference runs only where the delegate does.
        """
        fed = *inputs, np.array(shape, np.int32)
        try:
            got = harness.run(self.delegated, *fed)
        except RuntimeError as error:
            assert LINE in str(error)
            harness.counts["reshaped inputs that are refused"] += 1
            return False
        for output, expected in zip(got, harness.run(self.reference, *fed), strict=True):
            harness.assert_equal(output, expected, f"{shape}")
        harness.counts["reshaped inputs compared"] += 1
        return True


def pair_for(runtime: harness.Runtime, case: cases.Case | moves.Move) -> Pair | None:
    """None: there is nothing to reshape, or a node to compute is left to the runtime, whose kernel may write behind its output."""
    content = case.build()
    try:
        shape = runtime.interpreter(content).get_input_details()[0]["shape"]
    except (RuntimeError, ValueError):  # the reference lacks it
        return None
    if len(shape) < 2 or 0 in shape:
        return None
    pair = Pair(runtime, reshaped(content))
    left = [node.op for node in tvmq_delegate.report(pair.delegate).nodes[2:] if not node.claimed]
    return None if left else pair


def prepares_again(runtime: harness.Runtime) -> bool:
    return "litert" not in runtime.name


def check(runtime: harness.Runtime, case: cases.Case | moves.Move, always: bool) -> None:
    pair = pair_for(runtime, case)
    if pair is None:
        return
    inputs = pair.inputs()
    first, *others = shapes_of(tuple(int(n) for n in inputs[0].shape))
    assert pair.follows(inputs, first)
    if prepares_again(runtime):  # an operator that cannot have such an input fails in both
        others = others if always else []
    for shape in others:
        followed = pair.follows(inputs, shape)
        assert followed or not always
        assert pair.follows(inputs, first)  # it goes on once the shape is as it was


@pytest.mark.parametrize("operator", FLAT)
@SOME
@randomly
def test_flat_operators_follow(runtime: harness.Runtime, operator: str, draw: Draw) -> None:
    check(runtime, draw(FLAT[operator]), always=True)


@pytest.mark.parametrize("operator", OTHERS)
@SOME
@randomly
def test_others_follow_or_say_why_not(runtime: harness.Runtime, operator: str, draw: Draw) -> None:
    check(runtime, draw(OTHERS[operator]), always=False)


def test_rows_of_fully_connected_follow(runtime: harness.Runtime) -> None:
    pair = pair_for(runtime, cases.Case(builders.build_fully_connected, dict(in_shape=(6, 8), out_c=9), []))
    assert pair is not None
    for shape in ((6, 8), (12, 4), (3, 16), (6, 8)):
        assert pair.follows(pair.inputs(), shape)


@pytest.mark.parametrize("operator", ["MEAN", "SOFTMAX"])
def test_others_are_refused(runtime: harness.Runtime, operator: str) -> None:
    """And followed where the runtime prepares again."""
    builder = functools.partial(builders.build_reduce, operator="MEAN", axes=(1,)) if operator == "MEAN" else builders.build_softmax
    pair = pair_for(runtime, cases.Case(builder, dict(in_shape=(6, 8)), []))
    assert pair is not None
    found = [pair.follows(pair.inputs(), shape) for shape in ((6, 8), (12, 4), (6, 8), (3, 16), (6, 8))]
    assert found == [True, prepares_again(runtime), True, prepares_again(runtime), True]
