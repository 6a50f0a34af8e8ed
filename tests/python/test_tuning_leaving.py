"""Records that leave nodes to the runtime: which may be left, which are; and records that ask for a kernel where a node has no choice."""

from __future__ import annotations

import collections
import dataclasses
import pathlib
import random
from collections.abc import Mapping

import harness
import pytest
from test_tuning import made, source, write

import tvmq_delegate
from tvmq_delegate import models, tuning
from tvmq_delegate.models.network import Network
from tvmq_delegate.tuning import leaving, search, tasks

LEFT = "a tuning record leaves it to the runtime"
LEFT_ALONE = tuning.records.LEFT
LEAVABLE = {"MAX_POOL_2D", "CONCATENATION", "TRANSPOSE", "RESHAPE"}  # of moves_and_pools()


@pytest.fixture()
def network(runtime: harness.Runtime) -> tasks.Network:
    return tasks.Network(source(), runtime.module, num_threads=1, options={})


def moves_and_pools() -> bytes:
    """Convolutions with a PAD that a MAX_POOL_2D takes in, a CONCATENATION, a TRANSPOSE and a RESHAPE between."""
    net = Network("moves", dtype="int8", io_dtype="int8", seed=0)
    x = net.conv(net.input(16), 8, 3)
    x = net.max_pool(net.pad(x, 1), 3, stride=2)
    x = net.concat(net.conv(x, 8, 3), net.conv(x, 8, 1))
    x = net.conv(net.transpose(x, (0, 2, 1, 3)), 8, 3)
    return net.build(net.reshape(x, (1, 512)))


def to_leave(ops: set[str], tasks_of: Mapping[str, set[str]], pattern: tuning.Record) -> list[tuning.Record]:
    return [dataclasses.replace(pattern, task=task, choice=LEFT_ALONE) for op in sorted(ops) for task in sorted(tasks_of[op])]


def tasks_by_op(runtime: harness.Runtime, source: bytes, **options: object) -> Mapping[str, set[str]]:
    delegate, found = runtime.load(**options), collections.defaultdict(set)
    _interpreter = runtime.interpreter(source, [delegate])
    for index, node in enumerate(tvmq_delegate.report(delegate).nodes):
        found[node.op] |= {tvmq_delegate.signature(delegate, index)} - {None}
    return found


@pytest.mark.parametrize("full", [False, True])
def test_records_leave_nodes_that_are_exact_by_nature(runtime: harness.Runtime, network: tasks.Network, tmp_path: pathlib.Path, full: bool) -> None:
    """Whichever nodes are left, results are the same. Others stay, and say why; all stay where full delegation is required."""
    source, path, pattern = moves_and_pools(), tmp_path / "a.jsonl", made(network, None)[0]
    inputs = harness.random_inputs(reference := runtime.interpreter(source), 1)
    (wanted,) = harness.run(reference, *inputs)
    tasks_of = {op: tasks for op, tasks in tasks_by_op(runtime, source).items() if tasks}
    assert LEAVABLE | {"CONV_2D"} <= set(tasks_of)
    # Tensors between nodes are kept as uint8 where that is faster, those of the runtime are not: where other nodes are left, convolutions are other tasks.
    tasks_of["CONV_2D"] |= tasks_by_op(runtime, source, tuning_records=write(path, to_leave(LEAVABLE, tasks_of, pattern)))["CONV_2D"]
    for ops in [*({op} for op in sorted(LEAVABLE | {"CONV_2D"})), LEAVABLE | {"CONV_2D"}]:
        records = to_leave(ops, tasks_of, pattern)
        delegate = runtime.load(tuning_records=write(path, records), require_full_delegation=full)
        (got,) = harness.run(runtime.interpreter(source, [delegate]), *inputs)
        harness.assert_equal(got, wanted, str(ops))
        nodes = tvmq_delegate.report(delegate).nodes
        assert {node.op for node in nodes if node.reason == LEFT} == (set() if full else ops & LEAVABLE)
        assert all(node.claimed for node in nodes if node.op == "CONV_2D") and not any(node.tuned for node in nodes)
        assert any("may not be exact" in node.refusal for node in nodes if node.op == "CONV_2D") == ("CONV_2D" in ops)
    assert tuning.records.usable(records)["with_unknown_kernels"] == 0


@pytest.mark.parametrize("gain", [1.2, 1.005])
def test_nodes_are_left_where_the_network_gains(runtime: harness.Runtime, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, gain: float) -> None:
    """All that the delegate leaves is tried, each task in a network that lacks its nodes, and nothing else is."""
    tried: list[set[str]] = []

    def compared(default: tasks.Network, without: tasks.Network, *_: object) -> tuple[float, float, float]:
        before, after = (tvmq_delegate.report(network.delegate).nodes for network in (default, without))
        tried.append({was.op for was, now in zip(before, after) if was.claimed and not now.claimed})
        return 2.0, 2.0 / gain, gain

    for module in (search, leaving):
        monkeypatch.setattr(module, "compare", compared)
    monkeypatch.setattr(leaving, "LEAST_SHARE", 0.0)
    monkeypatch.setattr(search.Search, "prove", lambda _: {})
    path = tmp_path / "a.jsonl"
    found = tuning.tune(moves_and_pools(), runtime=runtime.module, out=path, trials=1)
    each, kept = [{op} for op in sorted(LEAVABLE)], gain >= 1.01
    assert sorted(tried[: len(each)], key=min) == each and tried[len(each) :] == [LEAVABLE] * kept
    records = [record for record in tuning.read_records([path])[0] if record.choice == LEFT_ALONE]
    assert found.kept == kept and {record.task.partition(" ")[0] for record in records if record.proven} == (LEAVABLE if kept else set())
    assert {record.task.partition(" ")[0] for record in records if not record.proven} == LEAVABLE
    assert {task.signature.partition(" ")[0] for task in found.tasks if task.kept and task.best == LEFT_ALONE} == (LEAVABLE if kept else set())
    delegate = runtime.load(tuning_records=path)
    reference = runtime.interpreter(moves_and_pools())
    inputs = harness.random_inputs(reference, 1)
    harness.assert_equal(harness.run(runtime.interpreter(moves_and_pools(), [delegate]), *inputs)[0], harness.run(reference, *inputs)[0])
    assert {node.op for node in tvmq_delegate.report(delegate).nodes if node.reason == LEFT} == (LEAVABLE if kept else set())


def test_what_gained_nothing_by_being_left_is_not_tried_again(runtime: harness.Runtime, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[object] = []
    monkeypatch.setattr(leaving, "compare", lambda *networks: tried.append(networks) or (2.0, 2.0, 1.0))
    monkeypatch.setattr(leaving, "LEAST_SHARE", 1e-9)
    for wanted in (len(LEAVABLE), 0):
        tried.clear()
        assert not tuning.tune(moves_and_pools(), runtime=runtime.module, out=tmp_path / "a.jsonl", trials=0).kept
        assert len(tried) == wanted


@pytest.mark.parametrize("rescales", [False, True])
def test_a_record_where_there_is_nothing_to_choose(runtime: harness.Runtime, network: tasks.Network, tmp_path: pathlib.Path, rescales: bool) -> None:
    """A CONCATENATION that only moves bytes may be left to the runtime, and has a signature; one that rescales has none."""
    model = models.ModelBuilder()
    inputs = [model.add_tensor(name, (1, 256), "uint8", scale=0.05 if rescales else 0.07, zero_point=7) for name in "ab"]
    output = model.add_tensor("joined", (1, 512), "uint8", scale=0.07, zero_point=7)
    model.add_op("CONCATENATION", inputs, [output], axis=1)
    source = model.build(inputs, [output])
    (task,) = tasks_by_op(runtime, source)["CONCATENATION"] or {""}
    assert bool(task) != rescales
    pattern = next(record for record in made(network, random.Random(0)) if record.task.startswith("CONV_2D"))
    delegate = runtime.load(tuning_records=write(tmp_path / "a.jsonl", [dataclasses.replace(pattern, task=task)]))
    interpreter, reference = runtime.interpreter(source, [delegate]), runtime.interpreter(source)
    given = harness.random_inputs(reference, 1)
    harness.assert_equal(harness.run(interpreter, *given)[0], harness.run(reference, *given)[0])
    (node,) = tvmq_delegate.report(delegate).nodes
    assert node.claimed and not node.tuned
    assert node.refusal == ("" if rescales else "not legal here: there is nothing to choose")
