"""Weights, biases and other constants that a program sets at run time: never computed with as they were before."""

from __future__ import annotations

import functools

import builders
import harness
import numpy as np
import pytest
from padded import padded

import tvmq_delegate
from tvmq_delegate.models import flatbuffer
from tvmq_delegate.models.builder import ModelBuilder

EVEN = ((0, 0), (1, 1), (1, 1), (0, 0))

CASES = {
    "conv": functools.partial(builders.build_conv, in_shape=(1, 6, 7, 8), out_c=20, filter_size=(3, 3)),
    "pointwise": functools.partial(builders.build_conv, in_shape=(1, 6, 7, 8), out_c=20, filter_size=(1, 1)),
    "depthwise": functools.partial(builders.build_depthwise, in_shape=(1, 6, 7, 24), filter_size=(3, 3)),
    "fully connected": functools.partial(builders.build_fully_connected, in_shape=(1, 40), out_c=9),
}


def listed(content: bytes, tensors: tuple[int, ...]) -> bytes:
    """The model, with these tensors among its graph's inputs too."""
    model = flatbuffer.read(content)
    model.subgraphs[0].inputs = (*model.subgraphs[0].inputs, *tensors)
    return flatbuffer.write(model)


class Pair:
    """A delegated interpreter and the reference, treated alike."""

    def __init__(self, runtime: harness.Runtime, content: bytes, **options: str):
        self.delegate = runtime.load(**options)
        self.interpreters = [runtime.interpreter(content, [self.delegate]), runtime.interpreter(content)]
        self.input = self.interpreters[1].get_input_details()[0]["index"]

    def set_constant(self, index: int, seed: int) -> None:
        value = self.interpreters[1].get_tensor(index)
        small = np.random.default_rng(seed).integers(-60, 60, value.shape).astype(value.dtype)
        for interpreter in self.interpreters:
            interpreter.set_tensor(index, small)

    def resize(self, batch: int) -> None:
        for interpreter in self.interpreters:
            interpreter.resize_tensor_input(self.input, [batch, *interpreter.get_input_details()[0]["shape"][1:]])
            interpreter.allocate_tensors()

    def outputs(self, seed: int) -> list[np.ndarray]:
        found = []
        for interpreter in self.interpreters:
            value = harness.random_inputs(interpreter, seed)[0]
            interpreter.set_tensor(self.input, value)
            interpreter.invoke()
            found.append(interpreter.get_tensor(interpreter.get_output_details()[0]["index"]).copy())
        return found

    def check(self, seed: int) -> np.ndarray:
        got, expected = self.outputs(seed)
        harness.assert_equal(got, expected)
        return expected


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("constant", [1, 2], ids=["weights", "bias"])
def test_changed_constants_are_packed_anew(runtime, name, constant):
    """Whenever the graph is prepared."""
    pair = Pair(runtime, CASES[name]())
    first = pair.check(seed=0)
    plans = tvmq_delegate.report(pair.delegate).summary.plans
    pair.set_constant(constant, seed=1)
    pair.resize(2)
    pair.resize(1)
    assert (pair.check(seed=0) != first).any()
    assert tvmq_delegate.report(pair.delegate).summary.plans > plans
    harness.assert_claimed(pair.delegate)


@pytest.mark.parametrize("name", CASES)
def test_constants_changed_before_the_graph_is_prepared(runtime, name):
    """Claimed with what the file stores, prepared with what was set since."""
    found = []
    for delegates in ([runtime.load()], []):
        interpreter = runtime.module.Interpreter(
            model_content=CASES[name](), experimental_delegates=delegates, experimental_op_resolver_type=runtime.module.OpResolverType.BUILTIN_REF
        )
        weights = next(detail for detail in interpreter.get_tensor_details() if detail["index"] == 1)
        interpreter.set_tensor(1, np.random.default_rng(1).integers(-60, 60, weights["shape"]).astype(weights["dtype"]))
        interpreter.allocate_tensors()
        interpreter.set_tensor(interpreter.get_input_details()[0]["index"], harness.random_inputs(interpreter, 0)[0])
        interpreter.invoke()
        found.append(interpreter.get_tensor(interpreter.get_output_details()[0]["index"]))
    harness.assert_equal(*found)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("constant", [1, 2], ids=["weights", "bias"])
@pytest.mark.parametrize("how", ["option", "input"])
def test_each_inference_compares_constants(runtime, name, constant, how):
    """If the option says so, or the graph lists them among its inputs."""
    content = CASES[name]()
    pair = Pair(runtime, content, constants="verify") if how == "option" else Pair(runtime, listed(content, (constant,)))
    before = pair.check(seed=0)
    plans = tvmq_delegate.report(pair.delegate).summary.plans
    pair.check(seed=0)
    assert tvmq_delegate.report(pair.delegate).summary.plans == plans
    for seed in (1, 2):
        pair.set_constant(constant, seed)
        after = pair.check(seed=0)
        assert (before != after).any()
        before = after
    assert tvmq_delegate.report(pair.delegate).summary.plans == plans + 2
    harness.assert_claimed(pair.delegate)


def test_folded_constants_must_not_change(runtime):
    """A padding is folded into what reads it: the runtime is told, and goes on once it is as it was."""
    content = padded(builders.build_conv(in_shape=(1, 10, 10, 8), padding="VALID"), EVEN)
    pair = Pair(runtime, content)
    pair.check(seed=0)
    paddings = len(flatbuffer.read(content).subgraphs[0].tensors) - 1
    for before, message in ((2, "folded into other nodes have changed"), (1, "")):
        pair.interpreters[0].set_tensor(paddings, np.array([(0, 0), (before, 1), (1, 1), (0, 0)], np.int32))
        for _ in range(2 if message else 0):
            with pytest.raises(RuntimeError, match=message):
                pair.resize(2)
    pair.resize(2)
    pair.check(seed=1)
    harness.assert_claimed(pair.delegate)


def test_inputs_of_the_graph_are_not_folded(runtime):
    """Paddings, numbers that are added, and shapes: as constants they are folded into other nodes."""
    content = padded(builders.build_conv(in_shape=(1, 10, 10, 8), padding="VALID"), EVEN)
    paddings = len(flatbuffer.read(content).subgraphs[0].tensors) - 1
    pair = Pair(runtime, listed(content, (paddings,)))
    harness.assert_claimed(pair.delegate)
    first = pair.check(seed=0)
    for value in ([(0, 0), (2, 0), (0, 2), (0, 0)], EVEN):
        for interpreter in pair.interpreters:
            interpreter.set_tensor(paddings, np.array(value, np.int32))
        assert (pair.check(seed=0) != first).any() == (value is not EVEN)


def test_numbers_that_are_inputs_are_not_folded(runtime):
    builder = ModelBuilder()
    tensors = [builder.add_tensor(name, (1, 4, 5, 3), "int8", scale=0.1) for name in ("x", "sum", "y")]
    number = builder.add_tensor("number", (1,), "int8", scale=0.1, data=np.array([5]))
    builder.add_op("ADD", [tensors[0], number], [tensors[1]])
    builder.add_op("RELU", [tensors[1]], [tensors[2]])
    pair = Pair(runtime, listed(builder.build(tensors[:1], tensors[2:]), (number,)))
    harness.assert_claimed(pair.delegate)
    before = pair.check(seed=0)
    for seed in (1, 2):
        pair.set_constant(number, seed)
        after = pair.check(seed=0)
        assert (before != after).any()
        before = after
