"""Exit codes of the commands: the same, different, wrong input, nothing taken, interrupted."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import os
import pathlib
import shlex
import subprocess
import sys
import types

import builders
import harness
import pytest
from test_cli import prints, refuses, tvmq

import tvmq_delegate
from tvmq_delegate import measure
from tvmq_delegate.cli import fleet, group
from tvmq_delegate.models import zoo
from tvmq_delegate.reports import bench, screen
from tvmq_delegate.sessions import inputs


@pytest.fixture()
def foreign(tmp_path: pathlib.Path) -> pathlib.Path:
    """A model of which the delegate takes nothing."""
    path = tmp_path / "float.tflite"
    path.write_bytes(builders.build_conv(dtype="float32"))
    return path


def test_nothing_taken(runtime: harness.Runtime, foreign: pathlib.Path) -> None:
    """Results that are the runtime's own prove nothing of the delegate."""
    result = tvmq("diff", foreign, "--runtime", runtime.name, "--per-op")
    last = result.output.splitlines()[-1]
    assert result.exit_code == 3 and last.startswith("NOTHING TAKEN: ") and "tvmq (0 of 1 node) has left everything to the runtime" in last
    assert "SAME" not in result.output and "bit-exact" not in last
    data = json.loads(tvmq("diff", foreign, "--runtime", runtime.name, "--json").stdout)
    assert (data["passed"], data["nothing_taken"], data["taken"]) == (True, True, 0)
    demo = tvmq("demo", foreign, "--runtime", runtime.name, "--seconds", "0")
    assert demo.exit_code == 3 and "nothing to compare, as the delegate has taken 0 of 1 node" in demo.output
    # Without the delegate among the contenders there is nothing that it could have taken.
    assert tvmq("diff", foreign, "--runtime", runtime.name, "--contenders", "reference,builtin", "--max-abs", "1").exit_code == 0


def test_a_wrong_class(runtime: harness.Runtime, tmp_path: pathlib.Path) -> None:
    source = zoo.mobilenet_v1(width=0.25, resolution=32, classes=7)
    (tmp_path / "net.tflite").write_bytes(source)
    (sample,) = inputs.random(inputs.describe(source, runtime.module))
    rated = tvmq_delegate.diff(source, samples=[sample], runtime=runtime.name).ratings[0].classes
    command = ("diff", tmp_path / "net.tflite", "--runtime", runtime.name, "--num-runs", "1", "--distribution", "uniform", "--expected")
    assert tvmq(*command, rated[0]).exit_code == 0
    wrong = tvmq(*command, rated[1])
    assert wrong.exit_code == 1 and wrong.output.splitlines()[-1].startswith("NOT AS EXPECTED: ")


@pytest.mark.parametrize("arguments", [("bench", "--min-secs", "0"), ("demo",), ("diff",)])
def test_interrupted(runtime: harness.Runtime, foreign: pathlib.Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("tvmq_delegate.measure.bench", interrupted)
    monkeypatch.setattr("tvmq_delegate.accuracy.diff", interrupted)
    result = tvmq(arguments[0], foreign, "--runtime", runtime.name, *arguments[1:])
    assert result.exit_code == 130 and result.output.splitlines()[-1] == "Interrupted"


def test_seconds_are_not_negative() -> None:
    assert "-1" in refuses("demo", "--seconds", "-1")


@pytest.fixture()
def measured(runtime: harness.Runtime, one_conv: pathlib.Path, tmp_path: pathlib.Path) -> pathlib.Path:
    path = tmp_path / "before.json"
    assert tvmq("bench", one_conv, "--runtime", runtime.name, "--num-runs", "3", "--min-secs", "0", "--result-file-path", path).exit_code == 0
    return path


def changed(path: pathlib.Path, name: str, factor: float = 1.0, **others: object) -> pathlib.Path:
    """The same file with other times of the first contender."""
    data = json.loads(path.read_text(encoding="utf-8")) | others
    times = data["results"][0]["latency_metrics"]
    times.update({what: times["median_ms"] * factor for what in ("median_ms", "p25_ms", "p75_ms")})
    path.with_name(name).write_text(json.dumps(data), encoding="utf-8")
    return path.with_name(name)


def test_fail_above(measured: pathlib.Path) -> None:
    before, after = changed(measured, "equal.json"), changed(measured, "slow.json", 2.38)
    for limit, code in (("100", 1), ("137", 1), ("139", 0)):
        for flags in (("--compare", before, after, "--fail-above", limit), ("--fail-above", limit, "--json", "--compare", before, after)):
            result = tvmq("bench", *flags)
            assert result.exit_code == code and (f"slower by more than {limit} %: tvmq" in result.output) == (code == 1), result.output
            assert (f"nothing that counts is slower by more than {limit} %" in result.output) == (code == 0), result.output
    assert tvmq("bench", "--compare", before, after).exit_code == 0 and tvmq("bench", "--compare", after, before, "--fail-above", "1").exit_code == 0
    assert "--compare" in refuses("bench", "--fail-above", "5")
    assert "No such file" in refuses("bench", "--compare", "/no/such.json", "/no/other.json")
    assert "no model" in refuses("bench", "--compare", before, after, "--network", "mobilenet_v2")


@pytest.mark.parametrize("limit", [None, 0.0, 5.0, 50.0, 200.0])
def test_the_rows_that_count_are_marked(limit: float | None) -> None:
    """Exactly those of the verdict; a row that is slower by more and does not count says why."""
    times = [("tvmq", 1.0, 1.02, True), ("0 CONV_2D", 0.5, 0.8, True), ("1 ADD", 0.001, 0.002, True), ("2 PAD", 0.1, 0.2, False), ("3 MEAN", 0.2, 0.1, True)]
    changes = [measure.Change(what, before, after, after / before, clear) for what, before, after, clear in times]
    found = measure.Comparison("a.json", "b.json", (), tuple(changes[:1]), tuple(changes[1:]))
    out = io.StringIO()
    screen.Screen(file=out, width=120, highlight=False, markup=False).print(bench.comparison(found, 120, limit))
    rows = {change.what: next(line for line in out.getvalue().splitlines() if line.startswith(change.what)) for change in changes}
    slower = {change.what for change in found.slower(limit)} if limit is not None else set()
    assert {what for what, row in rows.items() if row.rstrip().endswith("counts")} == slower
    for change in changes:
        if limit is not None and change.ratio > 1 + limit / 100 and change.what not in slower:
            assert "noise" in rows[change.what] or "under 1 %" in rows[change.what]
    if limit is not None:
        assert all(what in bench.verdict(found, limit) for what in slower) and bench.verdict(found, limit).startswith("slower" if slower else "nothing")


def test_models_are_told_apart_by_their_contents(measured: pathlib.Path) -> None:
    assert len(json.loads(measured.read_text())["model_sha256"]) == 64
    assert measure.compare(measured, changed(measured, "moved.json", model="elsewhere.tflite")).warnings == ()
    (warning,) = measure.compare(measured, changed(measured, "other.json", model_sha256="0" * 64)).warnings
    assert warning.startswith("model of SHA-256 ") and warning.endswith("000000000000 after")
    (warning,) = measure.compare(measured, changed(measured, "old.json", model_sha256="", model="elsewhere.tflite")).warnings
    assert "elsewhere.tflite after" in warning
    with pytest.raises(ValueError, match="nothing to compare"):
        measure.compare(measured, changed(measured, "none.json", results=[dict(json.loads(measured.read_text())["results"][0], name="other")]))


def test_a_saved_node_shows_its_difference_again(runtime: harness.Runtime, tmp_path: pathlib.Path) -> None:
    """By the command that is printed, and as it stands: the contender that failed is not among the defaults, or not with its options."""
    path = tmp_path / "conv.tflite"
    path.write_bytes(builders.build_conv(in_shape=(1, 9, 9, 8), out_c=12))
    result = tvmq("diff", path, "--runtime", runtime.name, "--rounding", "single", "--save-failing", tmp_path / "a folder")
    (line,) = [line for line in result.output.splitlines() if line.startswith("tvmq diff ")]
    again = tvmq(*shlex.split(line)[1:])
    assert again.exit_code == 1 and again.output.splitlines()[-1].startswith("DIFFERENT: "), again.output
    found = tvmq_delegate.diff(zoo.mobilenet_v2(width=0.35, resolution=32), contenders=("reference", "builtin", "tvmq"), runtime=runtime.name,
                               save_failing=tmp_path, samples=None, num_threads=2, max_abs=0.5)  # fmt: skip
    assert len(found.replays) == len(found.saved) and all("--contenders reference,builtin --runtime" in replay for replay in found.replays)
    assert all("--num-threads=2" in replay and "--max-abs=0.5" in replay and "--rest" not in replay for replay in found.replays)


def program(*arguments: str | pathlib.Path, **streams: object) -> subprocess.Popen[str]:
    """The command as a process."""
    command = [sys.executable, "-m", "tvmq_delegate", *map(str, arguments)]
    return subprocess.Popen(command, text=True, **{"stderr": subprocess.PIPE, **streams})  # type: ignore[call-overload, no-any-return]


def test_interrupted_while_it_is_imported(tmp_path: pathlib.Path) -> None:
    """Importing is what the first second goes to on a small machine."""
    (tmp_path / "rich.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
    process = program("info", env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])})
    assert (process.communicate(timeout=300)[1], process.returncode) == ("Interrupted\n", 130)


def test_the_tests_take_no_signal_state_from_their_parent() -> None:
    """A shell lets its jobs in the background ignore SIGINT."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"{__file__}::test_interrupted_while_it_is_imported"]
    done = subprocess.run(["sh", "-c", "trap '' INT; exec \"$@\"", "sh", *command], check=False, stdout=subprocess.PIPE, text=True)
    assert done.returncode == 0, done.stdout


# Commands that print in each way: by click, by rich and as JSON, less than a buffer holds and more, all at once and in parts.
PRINTING = {
    "version": ("--version",),
    "help of a command": ("nodes", "--help"),
    "text": ("info",),
    "JSON": ("info", "--json"),
    "a table": ("nodes", "MODEL"),
    "a file": ("nodes", "MODEL", "--dot", "/dev/stdout"),
    "a difference": ("diff", "MODEL", "--rounding", "single", "--num-runs", "1"),
}
printing = pytest.mark.parametrize("arguments", PRINTING.values(), ids=PRINTING)


def on(model: pathlib.Path, arguments: tuple[str, ...]) -> list[str]:
    return [argument.replace("MODEL", str(model)) for argument in arguments]


@printing
def test_a_reader_that_has_seen_enough(one_conv: pathlib.Path, arguments: tuple[str, ...]) -> None:
    """It ends the command as a closed pipe ends others, not as a difference does."""
    read, write = os.pipe()
    os.close(read)
    process = program(*on(one_conv, arguments), stdout=write)
    os.close(write)
    assert (process.communicate(timeout=300)[1], process.returncode) == ("", 141)


@printing
def test_output_into_a_full_device(one_conv: pathlib.Path, arguments: tuple[str, ...]) -> None:
    """One line and exit code 2, whatever is left in buffers."""
    with open("/dev/full", "w", encoding="utf-8") as full:
        process = program(*on(one_conv, arguments), stdout=full, env={**os.environ, "PYTHONUNBUFFERED": ""})
    assert (process.communicate(timeout=300)[1], process.returncode) == ("Error: No space left on device\n", 2)


@pytest.mark.parametrize("arguments", [("nodes", "/no/such"), ("--no-such",), ("nodes", "--no-such"), ("fleet",), ()])
def test_errors_into_a_full_device(arguments: tuple[str, ...]) -> None:
    with open("/dev/full", "w", encoding="utf-8") as full:
        assert program(*arguments, stderr=full).wait(timeout=300) == 2


def test_a_terminal_without_unicode(measured: pathlib.Path) -> None:
    process = program("bench", "--compare", measured, measured, stdout=subprocess.PIPE, env={**os.environ, "PYTHONIOENCODING": "ascii"})
    told, complaint = process.communicate(timeout=300)
    assert (process.returncode, complaint) == (0, "") and "before ?s" in told


@pytest.mark.parametrize(("error", "reason"), [(asyncio.TimeoutError(), "TimeoutError"), (OSError(111, "Connection refused"), "Connection refused")])
def test_a_scheduler_that_cannot_be_reached_has_a_reason(error: Exception, reason: str) -> None:
    """Errors that have no message of their own are named."""
    with pytest.raises(group.Failure) as told, fleet.unanswered("tcp://host:1"):
        raise error
    assert told.value.message.startswith("Error: no scheduler answers at tcp://host:1: ") and told.value.message.endswith(reason)


@pytest.mark.parametrize("command", ["status", "boards"])
def test_a_fleet_without_boards_says_so(monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    empty = types.SimpleNamespace(listed=list, silent=lambda listed: [], queue=dict)
    monkeypatch.setattr(fleet, "_boards", lambda *_: contextlib.nullcontext(empty))
    monkeypatch.setattr(fleet, "package", lambda: types.SimpleNamespace(identity=lambda: ()))
    assert prints("fleet", command, "tcp://127.0.0.1:1") == "no board is connected\n"


def test_closed_streams() -> None:
    command = shlex.join([sys.executable, "-m", "tvmq_delegate", "info"])
    for closed in (">&-", "2>&-"):
        assert subprocess.run(f"exec {command} {closed}", shell=True, stderr=subprocess.PIPE, timeout=300).stderr == b""


def test_output_into_a_pipe(one_conv: pathlib.Path) -> None:
    process = program("nodes", one_conv, "--dot", "/dev/stdout", stdout=subprocess.PIPE)
    assert "digraph" in process.communicate(timeout=300)[0] and process.returncode == 0


def test_help_needs_no_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TVMQ_LIBRARY", "/absent.so")
    assert "--dot" in prints("nodes", "--help") and "/absent.so does not exist" in refuses("nodes", "--isa", "c")


def test_a_group_without_a_command_shows_its_help() -> None:
    for name in ("fleet", "records"):
        assert "\nCommands:\n" in tvmq(name).output
