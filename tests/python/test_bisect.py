"""`tvmq diff --bisect` finds the node in which contenders part, as running every beginning of the model does; `--save-outputs` keeps what was computed."""

from __future__ import annotations

import pathlib
from collections.abc import Sequence
from typing import Any

import harness
import numpy as np
import pytest
from test_cli import refuses, tvmq

import tvmq_delegate
from tvmq_delegate import models
from tvmq_delegate.accuracy.bisect import Bisection
from tvmq_delegate.models import zoo
from tvmq_delegate.sessions import Contender, inputs

DRIFTING = zoo.mobilenet_v2(width=0.35, resolution=32)


def one_by_one(runtime: harness.Runtime, source: bytes, contender: Contender, arrays: Sequence[Any]) -> int | None:
    """The first node after which any tensor that is still needed differs."""
    for last in range(len(models.ops(source))):
        beginning = models.beginning(source, last)
        expected, got = (each.open(beginning, runtime.module).run(arrays) for each in (Contender("reference"), contender))
        if any((a != b).any() for a, b in zip(expected, got, strict=True)):
            return last
    return None


@pytest.mark.parametrize("value", [-128, 0, 127, None])
def test_where_single_rounding_begins(runtime: harness.Runtime, value: int | None) -> None:
    """An input of one value leaves the first nodes exact."""
    (tensor,) = inputs.describe(DRIFTING, runtime.module)
    array = np.full(tensor.shape, value, np.int8) if value is not None else inputs.random([tensor])[0].load()[0]
    contender = Contender("tvmq", "reference", {"rounding": "single"})
    search = Bisection(DRIFTING, runtime.module, Contender("reference"), contender, 1, ())
    told = list(search.run([array]))
    assert search.node == one_by_one(runtime, DRIFTING, contender, [array])
    assert len(told) == search.runs <= 8
    found = tvmq_delegate.diff(DRIFTING, runtime=runtime.name, rounding="single", bisect=True, samples=[inputs.Sample("one", lambda: [array])])
    assert [origin.index for origin in found.origins] == ([search.node] if search.node is not None and not found.passed else [])
    assert found.passed or f"begins in node {search.node} " in found.verdict


@pytest.mark.parametrize("count", [1, 2, 3, 64, 65])
def test_every_place(monkeypatch: pytest.MonkeyPatch, runtime: harness.Runtime, count: int) -> None:
    for culprit in (*range(count), None):
        search = Bisection(DRIFTING, runtime.module, Contender("reference"), Contender("builtin"), 1, ())
        monkeypatch.setattr(models, "ops", lambda source: [type("Op", (), {"subgraph": 0})] * count)
        monkeypatch.setattr(search, "_differ", lambda last, arrays, first=culprit: first is not None and last >= first)
        list(search.run([]))
        assert search.node == culprit
        monkeypatch.undo()


def test_contenders_without_the_delegate(runtime: harness.Runtime) -> None:
    found = tvmq_delegate.diff(DRIFTING, contenders=["reference", "builtin", "tvmq"], runtime=runtime.name, bisect=True)
    different = {output.contender for output in found.outputs if output.difference.different}
    assert {origin.contender for origin in found.origins} == different <= {"builtin"} and all(origin.kept is None for origin in found.origins)


def test_a_beginning_keeps_what_is_still_read(runtime: harness.Runtime) -> None:
    """The residual of a block is an output of every beginning that ends inside the block."""
    ops = models.ops(DRIFTING)
    add = next(op for op in ops if op.name == "ADD")
    early = min((tensor for tensor in add.inputs if tensor), key=lambda tensor: tensor.index)
    made = next(op.index for op in ops if early in op.outputs)
    assert made < add.index - 1
    for last in (made, made + 1, add.index - 1, add.index):
        source = models.beginning(DRIFTING, last)
        assert len(models.ops(source)) == last + 1
        interpreter = runtime.interpreter(source, [])
        assert (early.name in [detail["name"] for detail in interpreter.get_output_details()]) == (last < add.index)
    with pytest.raises(models.ModelError, match="operator 999 does not exist"):
        models.beginning(DRIFTING, 999)
    with pytest.raises(models.ModelError, match="operator -1 does not exist"):
        models.beginning(DRIFTING, -1)


def test_saved_outputs(runtime: harness.Runtime, one_conv: pathlib.Path, tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "a" / "b"
    assert tvmq("diff", one_conv, "--runtime", runtime.name, "--num-runs", "3", "--save-outputs", folder).exit_code == 0
    assert sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.npz")) == [
        f"{what}/000{n}.npz" for what in ("inputs", "reference", "tvmq") for n in range(3)
    ]
    session = Contender("reference").open(one_conv.read_bytes(), runtime.module)
    for n in range(3):
        fed, *computed = ([*np.load(folder / what / f"000{n}.npz").values()] for what in ("inputs", "reference", "tvmq"))
        for got in computed:
            assert all(np.array_equal(a, b) for a, b in zip(session.run(fed), got, strict=True))
    again = [part for n in range(3) for part in ("--input", folder / "inputs" / f"000{n}.npz")]
    assert tvmq("diff", one_conv, "--runtime", runtime.name, *again).exit_code == 0
    refuses("diff", one_conv, "--save-outputs", "/proc/nowhere")
