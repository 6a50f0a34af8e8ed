"""Resource variables: what a graph keeps from one inference to the next is kept as the runtime keeps it, or left to the runtime."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import harness
import numpy as np
import pytest
from draws import Draw, randomly

import tvmq_delegate
from tvmq_delegate.models import ModelBuilder, zoo

QUANTIZED = {"scale": 0.1, "zero_point": 3}
SHAPE = (1, 2, 3, 8)


class Graph:
    """A graph of tensors of one shape; `first` are the first values of its variables."""

    def __init__(self, *first: np.ndarray):
        self.builder = ModelBuilder()
        self.variables = [self.builder.add_variable(f"variable {i}", value, value.dtype.name) for i, value in enumerate(first)]
        self.input = self.builder.add_tensor("input", SHAPE, "int8", **QUANTIZED)

    def op(self, name: str, inputs: Sequence[int], shape: Sequence[int] = SHAPE, dtype: str = "int8", **options: Any) -> int:
        output = self.builder.add_tensor(name, shape, dtype, **(QUANTIZED if dtype != "int32" else {}))
        self.builder.add_op(name, inputs, [output], **options)
        return output

    def read(self, variable: int) -> int:
        return self.op("READ_VARIABLE", [self.variables[variable]])

    def assign(self, variable: int, value: int) -> None:
        self.builder.add_op("ASSIGN_VARIABLE", [self.variables[variable], value], [])

    def add(self, a: int, b: int) -> int:
        return self.op("ADD", [a, b], fused_activation_function="NONE")

    def build(self, *outputs: int) -> bytes:
        return self.builder.build([self.input], outputs)


def codes(seed: int, shape: Sequence[int] = SHAPE) -> np.ndarray:
    return np.random.default_rng(seed).integers(-128, 128, shape).astype(np.int8)


def assert_same(runtime: harness.Runtime, model: bytes, delegate: Any, inferences: int = 4) -> None:
    """Interpreters with and without the delegate agree, inference after inference."""
    reference, interpreter = runtime.interpreter(model), runtime.interpreter(model, [delegate])
    for seed in range(inferences):
        inputs = harness.random_inputs(reference, seed)
        for wanted, got in zip(harness.run(reference, *inputs), harness.run(interpreter, *inputs), strict=True):
            harness.assert_equal(got, wanted, f"inference {seed}")


def accumulator() -> bytes:
    graph = Graph(codes(1))
    total = graph.add(graph.read(0), graph.input)
    graph.assign(0, total)
    return graph.build(graph.op("RELU", [total]))


def shift_register(forwards: bool) -> bytes:
    """One variable gets what another had: that one is assigned after it, or before."""
    graph = Graph(codes(1), codes(2))
    old, older = graph.read(0), graph.read(1)
    graph.assign(0 if forwards else 1, graph.input if forwards else old)
    graph.assign(1 if forwards else 0, old if forwards else graph.input)
    return graph.build(graph.add(old, older))


def read_again() -> bytes:
    """The variable is read before and after it is assigned, and what was read before is used after."""
    graph = Graph(codes(1))
    before = graph.op("RESHAPE", [graph.read(0)], (1, 48), new_shape=(1, 48))
    graph.assign(0, graph.op("RELU", [graph.input]))
    after = graph.op("RESHAPE", [graph.read(0)], (1, 48), new_shape=(1, 48))
    return graph.build(graph.op("ADD", [before, after], (1, 48), fused_activation_function="NONE"), before)


def assigned_twice() -> bytes:
    graph = Graph(codes(1))
    graph.assign(0, graph.add(graph.read(0), graph.input))
    graph.assign(0, graph.add(graph.read(0), graph.input))
    return graph.build(graph.read(0))


@pytest.mark.parametrize("build", [accumulator, lambda: shift_register(True), lambda: shift_register(False), read_again, assigned_twice])
@pytest.mark.parametrize("threads", [1, 2])
def test_order(runtime: harness.Runtime, build: Callable[[], bytes], threads: int) -> None:
    delegate = runtime.load(num_threads=threads)
    assert_same(runtime, build(), delegate)
    main = [node for node in tvmq_delegate.report(delegate).nodes if node.subgraph == 0]
    assert all(node.claimed and node.partition == 0 for node in main)


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
def test_wake_word(runtime: harness.Runtime, dtype: str) -> None:
    """A streaming network is one partition, and no more than two copies of a state move bytes."""
    delegate = runtime.load(require_full_delegation=True)
    assert_same(runtime, zoo.wake_word(dtype=dtype), delegate, 20)
    report = tvmq_delegate.report(delegate)
    assert all(node.claimed and node.partition == 0 and node.subgraph == 0 for node in report.nodes)
    assert {node.algorithm for node in report.nodes if node.op == "ASSIGN_VARIABLE"} == {"view"}
    assert (report.summary.subgraphs, report.summary.claimed) == (2, report.summary.nodes)
    assert len(tvmq_delegate.nodes(zoo.wake_word(dtype=dtype), runtime=runtime.module).nodes) == report.summary.nodes


@randomly
def test_random_programs(runtime: harness.Runtime, draw: Draw) -> None:
    """Reads, assignments, maxima, views and pieces in any order. Sums are left out: the runtimes' own ADD may overwrite a tensor that a RESHAPE still shows."""
    n = draw.integer(1, 3)
    graph = Graph(*(codes(draw.integer(0, 1000)) for _ in range(n)))
    values = [graph.input]
    for _ in range(draw.integer(2, 14)):
        value = draw.choice(values)
        kind = draw(lambda draw: draw.choice(["read", "read", "assign", "assign", "maximum", "relu", "view", "shift"]))
        if kind == "read":
            values.append(graph.read(draw.integer(0, n - 1)))
        elif kind == "assign":
            graph.assign(draw.integer(0, n - 1), value)
        elif kind == "maximum":
            values.append(graph.op("MAXIMUM", [value, draw.choice(values)]))
        elif kind == "relu":
            values.append(graph.op("RELU", [value]))
        elif kind == "view":
            values.append(graph.op("RESHAPE", [graph.op("RESHAPE", [value], (1, 48), new_shape=(1, 48))], SHAPE, new_shape=SHAPE))
        else:
            both = graph.op("CONCATENATION", [value, draw.choice(values)], (2, *SHAPE[1:]), axis=0)
            begin = graph.builder.add_tensor("begin", (4,), "int32", data=np.asarray((1, 0, 0, 0)))
            values.append(graph.op("SLICE", [both, begin, graph.builder.add_tensor("size", (4,), "int32", data=np.asarray(SHAPE))]))
    outputs = {draw.choice(values[1:] or [graph.add(graph.input, graph.input)]) for _ in range(draw.integer(1, 3))}
    delegate = runtime.load(num_threads=draw.integer(1, 2))
    assert_same(runtime, graph.build(*sorted(outputs)), delegate)
    harness.counts["random programs on variables"] += 1


def test_resize_and_prepare_again(runtime: harness.Runtime) -> None:
    """Values outlive tensors that are allocated anew."""
    model = accumulator()
    reference, interpreter = runtime.interpreter(model), runtime.interpreter(model, [runtime.load()])
    for seed in range(4):
        for each in (reference, interpreter):
            each.resize_tensor_input(each.get_input_details()[0]["index"], SHAPE)
            each.allocate_tensors()
        inputs = harness.random_inputs(reference, seed)
        harness.assert_equal(harness.run(interpreter, *inputs)[0], harness.run(reference, *inputs)[0])


def test_each_interpreter_has_its_own(runtime: harness.Runtime) -> None:
    model = accumulator()
    first, second, reference = runtime.interpreter(model, [runtime.load()]), runtime.interpreter(model, [runtime.load()]), runtime.interpreter(model)
    inputs = harness.random_inputs(reference, 1)
    wanted = harness.run(reference, *inputs)[0]
    for _ in range(3):
        harness.run(first, *inputs)
    harness.assert_equal(harness.run(second, *inputs)[0], wanted)


# ---- what the runtime keeps


def without_first_value() -> bytes:
    graph = Graph()
    graph.variables = [graph.builder.add_tensor("handle", (), "resource")]
    graph.builder.add_op("VAR_HANDLE", [], graph.variables, shared_name="bare")
    graph.assign(0, graph.op("RELU", [graph.input]))
    return graph.build(graph.read(0))


def of_two_handles() -> bytes:
    graph = Graph(codes(1))
    graph.variables.append(graph.builder.add_tensor("other handle", (), "resource"))
    graph.builder.add_op("VAR_HANDLE", [], graph.variables[1:], shared_name="variable 0")
    graph.assign(0, graph.op("RELU", [graph.input]))
    return graph.build(graph.read(1))


def of_another_shape() -> bytes:
    graph = Graph(codes(1, (1, 48)))
    graph.assign(0, graph.op("RELU", [graph.input]))
    return graph.build(graph.read(0))


def around_the_runtime() -> bytes:
    """A node of the runtime computes what is assigned of what is read."""
    graph = Graph(codes(1))
    old = graph.op("RELU", [graph.read(0)])
    unit = graph.builder.add_tensor("unit", SHAPE, "int8", scale=1 / 128)
    graph.builder.add_op("L2_NORMALIZATION", [old], [unit])
    graph.assign(0, unit)
    return graph.build(graph.add(graph.read(0), graph.input))


REFUSED = {
    "the variable is used before it is initialized": without_first_value,
    "the variable has more than one handle": of_two_handles,
    "another node of the variable is left to the runtime": of_another_shape,
    "the variable's nodes are in more than one partition": around_the_runtime,
}


def test_error_of_a_model_with_variables(runtime: harness.Runtime) -> None:
    """It has nothing but the delegate's own words: the runtime is not heard about graphs that the delegate has looked for."""
    with pytest.raises(RuntimeError) as raised:
        runtime.interpreter(without_first_value(), [runtime.load(require_full_delegation=True)])
    assert "the variable is used before it is initialized" in str(raised.value) and "subgraph_index" not in str(raised.value)


@pytest.mark.parametrize("reason", REFUSED)
def test_left_to_the_runtime(runtime: harness.Runtime, reason: str) -> None:
    delegate = runtime.load()
    assert_same(runtime, REFUSED[reason](), delegate)
    stateful = [node for node in tvmq_delegate.report(delegate).nodes if node.op.endswith(("VARIABLE", "_HANDLE", "_ONCE")) and node.subgraph == 0]
    assert stateful and not any(node.claimed for node in stateful)
    assert reason in {node.reason for node in stateful}


def test_more_in_the_graph_of_first_values(runtime: harness.Runtime) -> None:
    graph = Graph(codes(1))
    once = graph.builder._once
    assert once is not None
    once.add_op("RESHAPE", [0], [once.add_tensor("flat", (48,), "int8")], new_shape=(48,))
    graph.assign(0, graph.add(graph.read(0), graph.input))
    delegate = runtime.load()
    assert_same(runtime, graph.build(graph.read(0)), delegate)
    reasons = {node.reason for node in tvmq_delegate.report(delegate).nodes if node.op == "READ_VARIABLE"}
    assert reasons == {"CALL_ONCE does more than initialize variables with constants"}


def test_handle_of_no_tensor(runtime: harness.Runtime) -> None:
    """The runtime refuses the model, and the delegate leaves the node to it."""
    graph = Graph(codes(1))
    graph.builder.add_op("VAR_HANDLE", [], [-1], shared_name="no tensor")
    with pytest.raises(RuntimeError, match="VAR_HANDLE"):
        runtime.interpreter(graph.build(graph.add(graph.read(0), graph.input)), [runtime.load()])
