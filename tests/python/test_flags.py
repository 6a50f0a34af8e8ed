"""Flags as TFLite's own tools spell them, files that are written, and files that are no models."""

from __future__ import annotations

import json
import os
import pathlib

import harness
import numpy as np
import pytest
from test_bench import FLAGS
from test_cli import prints, refuses, tvmq

import tvmq_delegate
from tvmq_delegate import models
from tvmq_delegate.sessions import inputs


@pytest.mark.parametrize("flag", ["--graph", "--model_file", "--model-file"])
def test_the_model_by_other_names(runtime: harness.Runtime, one_conv: pathlib.Path, flag: str) -> None:
    assert "CONV_2D" in prints("nodes", f"{flag}={one_conv}", "--runtime", runtime.name)
    assert "two model files" in refuses("nodes", one_conv, flag, one_conv)
    assert "at once" in refuses("nodes", flag, one_conv, "--network", "mobilenet_v2")


def test_flags_with_values(runtime: harness.Runtime, one_conv: pathlib.Path) -> None:
    command = ("bench", one_conv, "--runtime", runtime.name, *FLAGS)
    assert "Run Order" in prints(*command, "--enable_op_profiling=true", "--report_peak_memory_footprint=true")
    assert "Run Order" not in prints(*command, "--enable_op_profiling=false")
    assert "median ms" not in prints(*command, "--dry_run=1", "--use_xnnpack=false")
    assert "median ms" in prints(*command, "--dry_run=0", "--require_full_delegation=true", "--require_full_delegation=false")
    assert "neither true nor false" in refuses(*command, "--dry_run=perhaps")


def test_xnnpack_is_for_what_the_delegate_leaves(runtime: harness.Runtime, one_conv: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def bench(*_: object, rest: str, **__: object) -> None:
        asked.append(rest)
        raise ValueError("enough")

    monkeypatch.setattr("tvmq_delegate.measure.bench", bench)
    for flag in ("--use_xnnpack=true", "--use_xnnpack=false", "--no-use-xnnpack", "--use-xnnpack"):
        refuses("bench", one_conv, "--runtime", runtime.name, flag)
    assert asked == ["stock", "builtin", "builtin", "stock"]


@pytest.mark.parametrize(("command", "tool"), [("bench", "measure.bench"), ("diff", "accuracy.diff"), ("demo", "accuracy.diff"), ("explain", "measure.bench")])
def test_automatic_threads_are_left_to_the_delegate(
    runtime: harness.Runtime, one_conv: pathlib.Path, command: str, tool: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def record(*_: object, num_threads: object, **__: object) -> None:
        asked.append(num_threads)
        raise ValueError("enough")

    monkeypatch.setattr(f"tvmq_delegate.{tool}", record)
    for value in ("auto", "2"):
        assert tvmq(command, one_conv, "--runtime", runtime.name, "--num-threads", value).exit_code == 2
    assert asked == ["auto", 2]


@pytest.mark.parametrize(
    ("command", "flag", "there"),
    [
        ("diff", "--against", "--contenders"),
        ("bench", "--contenders", "--against"),
        ("bench", "--threads", "--num-threads"),
        ("bench", "--seconds", "--min-secs"),
        ("estimate", "--board", "--core"),
    ],
)
def test_a_flag_of_another_command_is_answered_with_that_of_this_one(command: str, flag: str, there: str) -> None:
    assert there in refuses(command, flag, "1")


def test_several_values_of_an_option(one_conv: pathlib.Path) -> None:
    assert "tvmq bench --sweep num_threads=1,2" in refuses("bench", one_conv, "--num-threads", "1,2")
    assert "tvmq bench --sweep isa=avx2,c" in refuses("nodes", one_conv, "--isa", "avx2,c")


def test_shapes_of_inputs(runtime: harness.Runtime, one_conv: pathlib.Path) -> None:
    (fed,) = inputs.describe(one_conv, runtime.module)
    command = ("bench", one_conv, "--runtime", runtime.name, *FLAGS, "--json")
    smaller = ",".join(map(str, (1, 20, 24, fed.shape[3])))

    def input_megabytes(*arguments: str) -> float:
        (result,) = json.loads(prints(*command, *arguments))["results"]
        return result["misc_metrics"]["model_throughput_in_mb_per_sec"] * result["latency_metrics"]["avg_ms"]

    ratio = input_megabytes() / input_megabytes("--input_layer_shape", smaller, "--input_layer", fed.name)
    assert ratio == pytest.approx(np.prod(fed.shape) / (20 * 24 * fed.shape[3]), rel=0.01)
    for arguments, told in [
        (("--input_layer_shape", "1,a"), "not a shape"),
        (("--input_layer_shape", "1,2:3"), "takes a shape"),
        (("--input_layer_shape", "1,0,4,8"), "above 0"),
        (("--input_layer_shape", smaller, "--input_layer", "other"), "other"),
        (("--input_layer", fed.name), "--input-layer-shape"),
        (("--input_layer_shape", smaller, "--enable_op_profiling"), "own shapes"),
    ]:
        assert told in refuses(*command, *arguments)


# ---- files that are written


def test_a_folder_that_cannot_be_made_is_refused_before_anything_is_compared(runtime: harness.Runtime, one_conv: pathlib.Path) -> None:
    """Though nothing differs, so that nothing would be written there."""
    command = ("diff", one_conv, "--runtime", runtime.name, "--num-runs", "1", "--save-failing")
    for folder in (one_conv / "below a file", "/proc/none"):
        assert str(folder) in refuses(*command, folder)


def test_what_cannot_be_written_is_named_and_nothing_is_lost(runtime: harness.Runtime, one_conv: pathlib.Path, tmp_path: pathlib.Path) -> None:
    result = tvmq("bench", one_conv, "--runtime", runtime.name, *FLAGS, "--csv", "/dev/full", "--trace", tmp_path / "t.json")
    assert result.exit_code == 2 and result.output.splitlines()[-1] == "Error: /dev/full: No space left on device"
    assert "Inference timings in us" in result.output and "Run Order" in result.output
    assert json.loads((tmp_path / "t.json").read_text())["traceEvents"] and os.listdir(tmp_path) == ["t.json"]
    result = tvmq("nodes", one_conv, "--runtime", runtime.name, "--dot", "/dev/full")
    assert result.exit_code == 2 and "CONV_2D" in result.output and "/dev/full" in result.output


def test_a_file_is_whole_or_as_before(runtime: harness.Runtime, one_conv: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "r.json").write_text("before")
    (tmp_path / "r.json").chmod(0o640)
    (tmp_path / "link.json").symlink_to("r.json")
    refuses("bench", one_conv, "--runtime", runtime.name, "--isa", "absent", "--result-file-path", tmp_path / "link.json", "--csv", tmp_path / "new.csv")
    assert (tmp_path / "r.json").read_text() == "before" and sorted(os.listdir(tmp_path)) == ["link.json", "r.json"]
    prints("bench", one_conv, "--runtime", runtime.name, *FLAGS, "--result-file-path", tmp_path / "link.json")
    assert json.loads((tmp_path / "r.json").read_text())["results"] and (tmp_path / "link.json").is_symlink()
    assert (tmp_path / "r.json").stat().st_mode & 0o777 == 0o640 and sorted(os.listdir(tmp_path)) == ["link.json", "r.json"]


def test_a_usage_error_leaves_no_file(one_conv: pathlib.Path, tmp_path: pathlib.Path) -> None:
    page, csv = tmp_path / "a.html", tmp_path / "a.csv"
    for arguments in [
        ("bench", one_conv, "--html", page, "--num-runs", "x"),
        ("bench", one_conv, "--html", page, "--csv", tmp_path / "absent/a.csv"),
        ("tune", one_conv, "--html", page, "--trials", "x"),
        ("records", "best", "--out", csv, "absent.jsonl"),
    ]:
        refuses(*arguments)
        assert not os.listdir(tmp_path), arguments


def test_a_file_is_no_folder(one_conv: pathlib.Path) -> None:
    """Which is told before anything is measured."""
    for arguments in (("diff", "--save-failing", one_conv, "no.tflite"), ("fleet", "certificates", one_conv)):
        assert refuses(*arguments).endswith(f"Directory '{one_conv}' is a file.")


# ---- what is no model, and no option


def test_a_large_file_that_is_no_model_is_not_read(tmp_path: pathlib.Path) -> None:
    with (tmp_path / "large.tflite").open("wb") as stream:
        stream.truncate(1 << 40)
    assert "the identifier at byte 4" in refuses("nodes", tmp_path / "large.tflite")
    assert "the identifier at byte 4" in refuses("nodes", "/dev/zero")
    with (tmp_path / "large.tflite").open("r+b") as stream:
        stream.write(b"\x18\0\0\0TFL3")
    assert "malformed table" in refuses("nodes", tmp_path / "large.tflite")


def test_a_model_from_a_pipe(one_conv: pathlib.Path) -> None:
    read, write = os.pipe()
    with os.fdopen(write, "wb") as stream:
        stream.write(one_conv.read_bytes())
    assert models.opened(f"/dev/fd/{read}")[0] == one_conv.read_bytes()
    os.close(read)


def test_a_number_is_no_model(runtime: harness.Runtime) -> None:
    with pytest.raises(TypeError, match="not as int"):
        tvmq_delegate.nodes(5, runtime=runtime.name)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"num_threads": 1, "num-threads": 2}, "option num_threads is given twice, the second time with value '2'"),
        ({"isa": "c\0amx"}, r"option 'isa' cannot be 'c\\x00amx'"),
        ({"isa\0": "c"}, "NUL"),
    ],
)
def test_options_that_no_runtime_would_refuse(runtime: harness.Runtime, options: dict[str, object], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        runtime.load(**options)
