"""The tuner and its records: nothing recorded changes a result, what was measured outlives the tuner, and only what is proven is kept. No times matter."""

from __future__ import annotations

import collections
import dataclasses
import functools
import itertools
import json
import math
import pathlib
import random
import signal
import subprocess
import time
from collections.abc import Iterable, Mapping, Sequence

import harness
import numpy as np
import pytest
from test_cli import prints, refuses, tvmq

import tvmq_delegate
from tvmq_delegate import binding, tuning
from tvmq_delegate.models import zoo
from tvmq_delegate.models.network import Network
from tvmq_delegate.tuning import leaving, search, tasks
from tvmq_delegate.tuning.model import ByModel


@functools.cache
def source() -> bytes:
    return zoo.mobilenet_v1(width=0.25, resolution=32, classes=7)


@pytest.fixture()
def network(runtime: harness.Runtime) -> tasks.Network:
    return tasks.Network(source(), runtime.module, num_threads=1, options={})


def made(network: tasks.Network, choose: random.Random | None, **changes: object) -> list[tuning.Record]:
    """Records of a random choice for each task, as if proven; or of the default."""
    by = search.Search(network, tuning.tuner("random"), "random", 1, None, lambda _: None)
    found = []
    for task in network.tasks:
        choice = choose.choice(list(task.choices)) if choose else task.default
        found.append(dataclasses.replace(by.record(task, choice, (100.0, 120.0), (200.0,), True), **changes))
    return found


def write(path: pathlib.Path, records: Iterable[tuning.Record], more: str = "") -> pathlib.Path:
    path.write_text("".join(record.line() for record in records) + more, encoding="utf-8")
    return path


def outputs(runtime: harness.Runtime, **options: object) -> tuple[object, object, list[np.ndarray]]:
    """Delegate, the interpreter that keeps it planned, and what it computes."""
    delegate = runtime.load(**options)
    interpreter = runtime.interpreter(source(), [delegate])
    return delegate, interpreter, harness.run(interpreter, *harness.random_inputs(interpreter, 1))


def expected(runtime: harness.Runtime) -> np.ndarray:
    interpreter = runtime.interpreter(source())
    return harness.run(interpreter, *harness.random_inputs(interpreter, 1))[0]


# ---- exactness


def test_nodes_run_as_recorded(runtime: harness.Runtime, network: tasks.Network, tmp_path: pathlib.Path) -> None:
    records = made(network, random.Random(0))
    half = len(records) // 2
    files = [write(tmp_path / "a.jsonl", records[:half], "{\n"), write(tmp_path / "b.jsonl", records[half:])]
    delegate, _interpreter, (got,) = outputs(runtime, tuning_records=files)
    harness.assert_equal(got, expected(runtime))
    choices = {record.task: record.choice for record in records}
    seen = 0
    for index, node in enumerate(tvmq_delegate.report(delegate).nodes):
        signature = tvmq_delegate.signature(delegate, index)
        if signature in choices:
            (runs,) = [candidate for candidate in tvmq_delegate.candidates(delegate, index) if candidate.runs]
            assert node.tuned and not node.forced and tuning.records.choice_of(runs) == choices[signature]
            seen += 1
    assert seen == sum(len(task.nodes) for task in network.tasks) > 20


@pytest.mark.parametrize("change", ["cpu", "identity", "kernel", "rows", "signature"])
def test_records_that_do_not_fit_leave_the_default(runtime: harness.Runtime, network: tasks.Network, tmp_path: pathlib.Path, change: str) -> None:
    def changed(record: tuning.Record) -> tuning.Record:
        if change in ("cpu", "identity"):
            return dataclasses.replace(record, origin=dataclasses.replace(record.origin, **{change: "another"}))
        if change == "signature":
            return dataclasses.replace(record, task=record.task.replace("threads=1", "threads=2"))
        choice = dataclasses.replace(record.choice, **{"kernel": {"kernel": "tvmq_nothing"}, "rows": {"rows": 1 << 20}}[change])
        return dataclasses.replace(record, choice=choice)

    path = write(tmp_path / "a.jsonl", map(changed, made(network, random.Random(0))))
    delegate, _interpreter, (got,) = outputs(runtime, tuning_records=path)
    harness.assert_equal(got, expected(runtime))
    assert (tuning.records.usable(tuning.read_records([path])[0])["for_this_cpu"] == 0) == (change in ("cpu", "identity"))
    nodes = tvmq_delegate.report(delegate).nodes
    assert not any(node.tuned for node in nodes if change != "rows" or node.op.endswith("CONV_2D"))
    assert any("not legal here" in node.refusal for node in nodes) == (change == "rows")


# ---- leaving nodes to the runtime

LEFT = "a tuning record leaves it to the runtime"
LEFT_ALONE = tuning.records.LEFT
LEAVABLE = {"MAX_POOL_2D", "CONCATENATION", "TRANSPOSE", "RESHAPE"}  # of moves_and_pools()


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


# ---- records


def test_a_line_and_back(network: tasks.Network) -> None:
    for record in made(network, random.Random(1)):
        assert tuning.parse(record.line()) == record and record.gain == 2
    line = json.loads(record.line())
    for broken in ({**line, "version": 2}, {**line, "times_ns": []}, {**line, "threads": "1"}, {**line, "choice": {}}, {**line, "default_times_ns": [0]}):
        with pytest.raises(tuning.RecordError):
            tuning.parse(json.dumps(broken))


def test_best_and_merge_do_not_depend_on_the_order(network: tasks.Network) -> None:
    records = [*made(network, random.Random(0)), *made(network, random.Random(1), times_ns=(90.0,)), *made(network, None, proven=False, times_ns=(1.0,))]
    best = tuning.best(records)
    assert len(best) == len(network.tasks) and all(record.proven and min(record.times_ns) == 90 for record in best)
    assert tuning.best(reversed(records)) == best and tuning.best(tuning.merged(records)) == best
    assert tuning.merged(records) == tuning.merged([*reversed(records), records[0]])


def test_commands_on_records(network: tasks.Network, tmp_path: pathlib.Path) -> None:
    records = made(network, random.Random(0))
    good, bad = write(tmp_path / "good.jsonl", records), write(tmp_path / "bad.jsonl", records[:1], '{"version": 9}\nnonsense\n')
    assert len(prints("records", "show", good).splitlines()) == 1 + len(records)
    prints("records", "merge", good, bad, good, "--out", tmp_path / "all.jsonl")
    assert len((tmp_path / "all.jsonl").read_text().splitlines()) == len(records)
    assert json.loads(prints("records", "best", tmp_path / "all.jsonl", "--json"))[0]["proven"]
    about = json.loads(prints("records", "check", good, "--json"))
    assert (about["records"], about["proven"], about["tasks"], about["skipped"]) == (len(records), len(records), len(records), [])
    checked = tvmq("records", "check", bad)
    assert checked.exit_code == 1 and "bad.jsonl:2: another version" in checked.output and "bad.jsonl:3: no record" in checked.output
    assert "nowhere" in refuses("records", "show", "nowhere")


def test_records_in_the_package(runtime: harness.Runtime) -> None:
    """They are proven, the best of their tasks, sorted, and of kernels that there are in the library for their machines."""
    records: list[tuning.Record] = []
    for path in binding.shipped_records():
        own, skipped = tuning.read_records([path])
        assert own and not skipped and own == tuning.best(own), path
        records += own
    assert len(tuning.best(records)) == len(records), "a task of one machine is in two files"
    kernels = (harness.REPOSITORY / "delegate/kernels/variants.def").read_text(encoding="utf-8")
    for record in records:
        assert record.choice.kernel.removeprefix("tvmq_").partition("__")[0] in kernels, record.choice.kernel
    _, _interpreter, (got,) = outputs(runtime, tuning_records=["shipped", "none"])
    harness.assert_equal(got, expected(runtime))
    info = prints("info")
    assert all(f"{path.name}: " in info for path in binding.shipped_records())


# ---- the search


def test_measures_writes_and_resumes(runtime: harness.Runtime, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.jsonl"
    found = tuning.tune(source(), runtime=runtime.module, out=path, tuner_name="random", trials=2)
    records, skipped = tuning.read_records([path])
    assert not skipped and {record.task for record in records} == {task.signature for task in found.tasks}
    assert sum(len(task.trials) for task in found.tasks) == sum(not record.proven for record in records) == 2 * len(found.tasks)
    path.write_text(path.read_text(encoding="utf-8") + '{"version": 1, "torn', encoding="utf-8")
    again = tuning.tune(source(), runtime=runtime.module, out=path, tuner_name="random", trials=3)
    assert all(task.known >= 2 and len(task.trials) == 3 - task.known for task in again.tasks)
    records, skipped = tuning.read_records([path])
    assert len(skipped) == 1
    tried = [(record.task, record.choice) for record in records if not record.proven]
    assert len(tried) == len(set(tried)) == 3 * len(found.tasks)
    assert "tasks of" in str(again) and ("nothing to gain" in str(again)) != again.kept


@pytest.mark.parametrize("name", tuning.NAMES)
def test_tuners_propose_each_choice_once(network: tasks.Network, name: str) -> None:
    """Costs are made up. All tuners but the model's propose everything."""
    by = tuning.tuner(name)
    for task in network.tasks:
        measured: dict[tuning.Choice, float] = {}
        while (choice := by.propose(task, measured)) is not None:
            assert choice not in measured and choice in task.choices and choice != task.default
            measured[choice] = task.choices[choice] / task.choices[task.default]
            by.learn(task, choice, measured[choice])
        assert len(measured) == len(task.choices) - 1 or name == "model"


def test_the_model_learns_from_other_tasks(network: tasks.Network) -> None:
    """A way and kernel that took half of what is estimated for some tasks is predicted to be faster than estimated for another one, too; the others are not."""

    def others(task: tuning.Task) -> list[tuning.Choice]:
        return [choice for choice in task.choices if choice.group != task.default.group]

    group = collections.Counter(group for task in network.tasks for group in {choice.group for choice in others(task)}).most_common(1)[0][0]
    *known, new = [task for task in network.tasks if group in {choice.group for choice in others(task)}]
    by, untaught = ByModel(), ByModel()
    for task in known:
        for choice in others(task):
            by.learn(task, choice, (0.5 if choice.group == group else 1.0) * task.choices[choice] / task.choices[task.default])
    changes = by.predicted(new, {})[0] - untaught.predicted(new, {})[0]
    assert len(known) > 2
    for choice, change in zip(new.choices, changes):
        if choice.group != new.default.group:
            assert change < -0.4 if choice.group == group else change > -0.3, (choice, change)


@pytest.mark.parametrize("node_gain, network_gain", [(1.5, 1.2), (1.5, 1.005), (1.01, 1.2), (0.9, 1.2)])
def test_only_what_is_proven_is_kept(
    runtime: harness.Runtime, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, node_gain: float, network_gain: float
) -> None:
    def measured(_: tasks.Network, choices: Mapping[tuning.Task, tuning.Choice], parts: int = 5, follow: object = None) -> dict[tuning.Task, tuple[float, ...]]:
        return {task: (1000.0 if choice == task.default else 1000.0 / node_gain,) * parts for task, choice in choices.items()}

    monkeypatch.setattr(search, "measure", measured)
    monkeypatch.setattr(search, "compare", lambda *_: (2.0, 2.0 / network_gain, network_gain))
    path = tmp_path / "a.jsonl"
    found = tuning.tune(source(), runtime=runtime.module, out=path, trials=2)
    kept = node_gain >= 1.03 and network_gain >= 1.01
    records = tuning.read_records([path])[0]
    assert found.kept == kept == any(record.proven for record in records) and any(task.kept for task in found.tasks) == kept
    assert math.isnan(found.gain) == (node_gain < 1.03)
    delegate, _interpreter, (got,) = outputs(runtime, tuning_records=path)
    harness.assert_equal(got, expected(runtime))
    assert any(node.tuned for node in tvmq_delegate.report(delegate).nodes) == kept


def test_an_interruption_ends_the_search_alone(runtime: harness.Runtime, tmp_path: pathlib.Path) -> None:
    phases: list[str] = []

    def interrupt(now: tuning.Progress) -> None:
        phases.append(now.what)
        if len(phases) == 2:
            raise KeyboardInterrupt

    path = tmp_path / "a.jsonl"
    found = tuning.tune(source(), runtime=runtime.module, out=path, tuner_name="random", trials=50, progress=interrupt)
    assert found.interrupted and phases[:2] == ["searching"] * 2 and "searching" not in phases[2:]
    assert sum(len(task.trials) for task in found.tasks) == sum(not record.proven for record in tuning.read_records([path])[0]) == 2 * len(found.tasks)


def test_a_killed_tuner_loses_nothing_that_it_measured(runtime: harness.Runtime, tmp_path: pathlib.Path) -> None:
    model, path = tmp_path / "net.tflite", tmp_path / "a.jsonl"
    model.write_bytes(source())
    command = [*harness.PYTHON, "-m", "tvmq_delegate", "tune", str(model), "--tuner", "exhaustive", "--out", str(path), "--runtime", runtime.name]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        for _ in itertools.repeat(None):
            if path.exists() and path.read_bytes().count(b"\n") > 30:
                break
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
    begun = path.with_name("a.jsonl.begun")
    pending = tuning.read_records([begun])[0] if begun.exists() else []
    lines = path.read_bytes().split(b"\n")
    records, skipped = tuning.read_records([path])
    assert len(records) == len(lines) - 1 > 30 and len(skipped) == bool(lines[-1])
    with tuning.Log(path):  # takes up what had been measured of the trials that were under way
        assert tuning.read_records([path])[0][len(records) :] == pending and not begun.exists()


def test_trials_that_were_under_way_are_taken_up(runtime: harness.Runtime, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, begin = tmp_path / "a.jsonl", tuning.Log.begin

    class Killed(BaseException):
        pass

    def dies(log: tuning.Log, records: Sequence[tuning.Record]) -> None:
        begin(log, records)
        if len(records[0].times_ns) == 2:
            raise Killed

    monkeypatch.setattr(tuning.Log, "begin", dies)
    with pytest.raises(Killed):
        tuning.tune(source(), runtime=runtime.module, out=path)
    assert not path.read_bytes()
    begun = path.with_name("a.jsonl.begun").read_bytes()
    monkeypatch.undo()
    found = tuning.tune(source(), runtime=runtime.module, out=path, seconds=1e-9)
    assert sum(task.known for task in found.tasks) == begun.count(b"\n") > 0


def test_an_interruption_keeps_what_was_begun(runtime: harness.Runtime, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, begin, begun = tmp_path / "a.jsonl", tuning.Log.begin, []

    def interrupt(log: tuning.Log, records: Sequence[tuning.Record]) -> None:
        begin(log, records)
        if len(records[0].times_ns) == 2:
            begun[:] = records
            raise KeyboardInterrupt

    monkeypatch.setattr(tuning.Log, "begin", interrupt)
    found = tuning.tune(source(), runtime=runtime.module, out=path)
    assert found.interrupted and tuning.read_records([path])[0] == begun != []
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


def test_the_command(runtime: harness.Runtime, tmp_path: pathlib.Path) -> None:
    pytest.importorskip("plotly")
    model, path, page = tmp_path / "net.tflite", tmp_path / "a.jsonl", tmp_path / "a.html"
    model.write_bytes(source())
    result = tvmq("tune", model, "--runtime", runtime.name, "--trials", "1", "--out", path, "--html", page)
    text = result.output  # that on stderr, too
    assert result.exit_code == 0 and "searching: " in text and " trials by model" in text and "CONV_2D" in text
    html = page.read_text(encoding="utf-8")
    assert all(heading in html for heading in ("The network before and after", "Search curves", "Predicted against measured", "Tasks"))
    assert 'addEventListener("theme", tint)' in html and '".sortable th"' in html  # plots in the dark, and tables
    assert json.loads(tvmq("tune", model, "--runtime", runtime.name, "--time", "0.01", "--json").stdout)["tuner"] == "model"
