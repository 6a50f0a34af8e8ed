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
from tvmq_delegate.tuning import search, tasks
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
    assert all(task.known == 2 and len(task.trials) <= 1 for task in again.tasks), "some instruction sets have but two choices for a task"
    assert any(task.trials for task in again.tasks)
    records, skipped = tuning.read_records([path])
    assert len(skipped) == 1
    tried = [(record.task, record.choice) for record in records if not record.proven]
    assert len(tried) == len(set(tried)) == sum(len(task.trials) for task in (*found.tasks, *again.tasks))
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
    """An algorithm and kernel that took half of its estimate for some tasks is predicted to be faster than estimated for another task; others are not."""

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
