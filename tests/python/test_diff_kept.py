"""`tvmq diff` of networks that the runtime computes in part: what was compared with what, and where a difference comes from."""

from __future__ import annotations

from typing import Any

import harness
import numpy as np
import pytest

import tvmq_delegate
from tvmq_delegate import sessions
from tvmq_delegate.accuracy import Diff
from tvmq_delegate.models import ModelBuilder, builder, flatbuffer
from tvmq_delegate.reports import tables

SHAPE = (1, 6, 6, 8)


def convolution(net: ModelBuilder, x: int) -> int:
    filter = np.random.default_rng(0).integers(-127, 128, (8, 3, 3, 8)).astype(np.int8)
    weights = net.add_tensor("filter", filter.shape, "int8", scale=[0.01] * 8, data=filter)
    bias = net.add_tensor("bias", (8,), "int32", scale=[0.001] * 8, data=np.zeros(8, int))
    y = net.add_tensor("convolved", SHAPE, "int8", scale=0.1)
    net.add_op("CONV_2D", [x, weights, bias], [y], padding="SAME", stride_w=1, stride_h=1, fused_activation_function="NONE")
    return y


def unknown(operator: str) -> bytes:
    """CONV_2D, DEQUANTIZE, an operator of one float32 tensor, QUANTIZE, CONV_2D."""
    net = ModelBuilder()
    x, done = net.add_tensor("x", SHAPE, "int8", scale=0.1), net.add_tensor("done", SHAPE, "int8", scale=0.1)
    real, mapped = net.add_tensor("real", SHAPE, "float32"), net.add_tensor("mapped", SHAPE, "float32")
    net.add_op("DEQUANTIZE", [convolution(net, x)], [real])
    net.add_op(operator, [real], [mapped])
    net.add_op("QUANTIZE", [mapped], [done])
    return net.build([x], [convolution(net, done)])


def diff(runtime: harness.Runtime, source: bytes, **settings: Any) -> Diff:
    samples = sessions.inputs.random(sessions.inputs.describe(source, runtime.module), 2)
    return tvmq_delegate.diff(source, runtime=runtime.name, samples=samples, **settings)


TAKEN = {"ELU"}  # what the delegate computes, too


def mapping_operators(runtime: harness.Runtime) -> list[str]:
    """Operators of one tensor that the schema knows, of which the runtime has builtin kernels for float32, and no reference kernels."""
    found = []
    for name in sorted({*flatbuffer.enumeration("BuiltinOperator").values()} - {"CUSTOM", "DELEGATE"}):
        builder.OPERATORS.setdefault(name, (None, {}))
        source = unknown(name)
        if not sessions.lacking(source, runtime.module, "reference"):
            continue
        try:
            sessions.Contender("builtin").open(source, runtime.module)
        except (RuntimeError, ValueError):
            continue
        found.append(name)
    return found


def test_operators_without_reference_kernels(runtime: harness.Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builder, "OPERATORS", {**builder.OPERATORS})
    operators = mapping_operators(runtime)
    assert {"ELU", "CEIL", "ROUND"} <= set(operators)
    for operator in operators:
        source = unknown(operator)
        found = diff(runtime, source, per_op=True)
        assert found.passed and found.taken == 4 + (operator in TAKEN) and found.lacking == (operator,) and found.rest == "builtin"
        if operator in TAKEN:
            continue
        assert sorted({op.op for op in found.ops}) == ["CONV_2D", "DEQUANTIZE", "QUANTIZE"]
        assert f"{runtime.name} has no reference kernels for {operator}" in found.verdict
        assert "its builtin kernels ran the 1 node left to the runtime" in tables.verdict(found)
        assert diff(runtime, source, contenders=("builtin", "tvmq")).lacking == (operator,)
        others = diff(runtime, source, contenders=("reference", "builtin"), per_op=True)
        assert [op.op for op in others.ops if op.op == operator and not op.difference.different] == [operator]
        with pytest.raises(RuntimeError, match=f"has no reference kernels for {operator}"):
            sessions.Contender("reference").open(source, runtime.module)


def test_what_the_reference_lacks_in_a_node_that_cannot_stand_alone(runtime: harness.Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(builder.OPERATORS, "ELU", (None, {}))
    net = ModelBuilder()
    state = net.add_variable("state", np.zeros((1, 8), np.float32), "float32")
    x, y, read = (net.add_tensor(name, (1, 8), "float32") for name in ("x", "y", "read"))
    net.add_op("ELU", [x], [y])
    net.add_op("READ_VARIABLE", [state], [read])
    net.add_op("ASSIGN_VARIABLE", [state, y], [])
    with pytest.raises(RuntimeError, match=r"without reference kernels, and node \d+ \(\w+\) cannot be computed alone"):
        diff(runtime, net.build([x], [read]))


@pytest.mark.parametrize("bisect", [False, True])
def test_a_difference_in_a_node_that_the_runtime_kept(runtime: harness.Runtime, bisect: bool) -> None:
    """The nodes left to the runtime run on kernels that are not the reference's."""
    net = ModelBuilder()
    x, y = net.add_tensor("x", (1, 64), "int8", scale=0.1), net.add_tensor("y", (1, 64), "int8", scale=0.1)
    real, sums = net.add_tensor("real", (1, 64), "float32"), net.add_tensor("sums", (1, 16), "float32")
    weights = net.add_tensor("weights", (16, 64), "float32", data=np.random.default_rng(1).normal(0, 1, (16, 64)).astype(np.float32))
    net.add_op("RELU", [x], [y])
    net.add_op("DEQUANTIZE", [y], [real])
    net.add_op("FULLY_CONNECTED", [real, weights, -1], [sums])
    found = diff(runtime, net.build([x], [sums]), rest="stock", bisect=bisect)
    assert "end to end, its stock kernels ran the 1 node left to the runtime" in found.verdict
    assert [(origin.index, origin.op, origin.kept) for origin in found.origins] == [(2, "FULLY_CONNECTED", True)] and not found.passed
    assert [origin.beginnings > 0 for origin in found.origins] == [bisect]
    assert "begins in node 2 (FULLY_CONNECTED), which the runtime has kept" in found.verdict
