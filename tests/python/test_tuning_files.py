"""The tuner's file of records: what it is appended to, and what stays as it is; and searches that never begin."""

from __future__ import annotations

import dataclasses
import json
import pathlib

import harness
import pytest
from test_cli import tvmq
from test_tuning import made, source

from tvmq_delegate import tuning
from tvmq_delegate.reports import tuning as report
from tvmq_delegate.tuning import search, tasks


@pytest.mark.parametrize("text", ["print(1)\n", "print(1)", '{"name": "x"}\n', "\0\1"])
def test_other_files_stay_as_they_are(runtime: harness.Runtime, tmp_path: pathlib.Path, text: str) -> None:
    path = tmp_path / "a.py"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match="is not a file of tuning records, and stays as it is"):
        tuning.tune(source(), runtime=runtime.module, out=path, trials=1)
    assert path.read_text(encoding="utf-8") == text and [each.name for each in tmp_path.iterdir()] == ["a.py"]


@pytest.mark.parametrize("text", ["", "\n", '{"version": 99}\n', '{"version": 1, "libr'])
def test_files_that_may_be_appended_to(tmp_path: pathlib.Path, text: str) -> None:
    """Empty ones, those of other versions, and those of which a writer was ended within the first line."""
    path = tmp_path / "a.jsonl"
    path.write_text(text, encoding="utf-8")
    with tuning.Log(path):
        assert path.read_text(encoding="utf-8").startswith(text)


def test_without_an_identity_the_instruction_sets_tell_machines_apart(runtime: harness.Runtime) -> None:
    """As do the files in the package: Zen 4 and Zen 5 have the same name."""
    network = tasks.Network(source(), runtime.module, num_threads=1, options={})
    (record, *_) = made(network, None)
    origin = dataclasses.replace(record.origin, identity="")
    for features, here in ((origin.features, 1), (f"{origin.features}+another", 0)):
        found = [dataclasses.replace(record, origin=dataclasses.replace(origin, features=features))]
        assert tuning.usable(found)["for_this_cpu"] == here


def test_commands_without_a_record(runtime: harness.Runtime, tmp_path: pathlib.Path) -> None:
    network = tasks.Network(source(), runtime.module, num_threads=1, options={})
    (tmp_path / "unproven.jsonl").write_text("".join(dataclasses.replace(record, proven=False).line() for record in made(network, None)))
    best = tvmq("records", "best", tmp_path / "unproven.jsonl")
    assert (best.exit_code, best.stdout, best.stderr) == (0, "", "none of 20 records is proven: tvmq tune has found nothing faster than the defaults\n")
    assert json.loads(tvmq("records", "best", tmp_path / "unproven.jsonl", "--json").stdout) == []
    (tmp_path / "notes").write_text("# Notes\n")
    for command in (("show",), ("best",), ("merge", "--out", tmp_path / "all.jsonl")):
        told = tvmq("records", *command, tmp_path / "notes")
        assert told.exit_code == 2 and told.stderr.splitlines() == ["skipped 1 line: no record", f"Error: no line of {tmp_path / 'notes'} is a record"]
    assert not (tmp_path / "all.jsonl").exists() and "for this CPU" in tvmq("records", "check", tmp_path / "unproven.jsonl").stdout


def test_tasks_of_other_types_are_told_apart() -> None:
    words = "CONV_2D in=u8[1,25,5,64] filter=s8[1,1,64] out={}[25,5,64] stride=2,2 dilation=1,1 pad=0,0 rounding=reference cpu=avx2 threads=1"
    assert report.shape(words.format("u8")) == "CONV_2D u8 25x5x64 > u8 25x5x64, 1x1/2"
    assert report.shape(words.format("s8")) == "CONV_2D u8 25x5x64 > s8 25x5x64, 1x1/2"
    assert report.shape("ADD in=s8 out=s8 elements=75264 rounding=reference cpu=avx2 threads=1") == "ADD 75264 s8"


def test_an_interruption_before_anything_is_measured(runtime: harness.Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(search, "measure", interrupt)
    with pytest.raises(KeyboardInterrupt):
        tuning.tune(source(), runtime=runtime.module, trials=1)
    with pytest.raises(ValueError, match="trials is 0 or more"):
        tuning.tune(source(), runtime=runtime.module, trials=-1)
