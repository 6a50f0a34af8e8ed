"""Ctrl-C while `tvmq tune` proves: the first one lets the proof go on, the second one ends with what the file has."""

from __future__ import annotations

import os
import pathlib
import signal

import harness
import pytest
from click.testing import CliRunner
from test_tuning import source

from tvmq_delegate import cli, tuning
from tvmq_delegate.tuning import interrupts, leaving, search


def pressed(times: int) -> None:
    for _ in range(times):
        os.kill(os.getpid(), signal.SIGINT)


def test_the_first_is_noted_and_the_second_raises() -> None:
    before = signal.getsignal(signal.SIGINT)
    with interrupts.noted(False) as interrupted:
        assert not interrupted()
        pressed(1)
        assert interrupted()
        with pytest.raises(KeyboardInterrupt):
            pressed(1)
    with interrupts.noted(True), pytest.raises(KeyboardInterrupt):
        pressed(1)
    assert signal.getsignal(signal.SIGINT) is before


def test_a_handler_of_the_program_stays() -> None:
    calls: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: calls.append(number))
    try:
        with interrupts.noted(False) as interrupted:
            pressed(1)
            assert calls == [signal.SIGINT] and not interrupted()
    finally:
        signal.signal(signal.SIGINT, before)


def command(runtime: harness.Runtime, folder: pathlib.Path, times: int, monkeypatch: pytest.MonkeyPatch) -> tuple[object, list[str]]:
    """The command with Ctrl-C, as often as told, when it begins to prove; and the steps that it then did to the end."""
    steps: list[str] = []
    prove, worth = search.Search.prove, leaving.worth

    def proving(self: search.Search) -> object:
        pressed(times)
        found = prove(self)
        steps.append("proven")
        return found

    monkeypatch.setattr(search.Search, "prove", proving)
    monkeypatch.setattr(leaving, "worth", lambda *arguments: steps.append("left") or worth(*arguments))
    (folder / "net.tflite").write_bytes(source())
    arguments = ["tune", str(folder / "net.tflite"), "--out", str(folder / "a.jsonl"), "--tuner", "random", "--trials", "1", "--runtime", runtime.name]
    return CliRunner().invoke(cli.main, arguments), steps


def test_the_proof_goes_on(runtime: harness.Runtime, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done, steps = command(runtime, tmp_path, 1, monkeypatch)
    assert done.exit_code == 0 and "interrupted" in done.stdout, done.output
    assert steps == ["proven"]


def test_what_the_file_has_is_said(runtime: harness.Runtime, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done, steps = command(runtime, tmp_path, 2, monkeypatch)
    records = tuning.read_records([tmp_path / "a.jsonl"])[0]
    assert done.exit_code == 130 and records and not steps
    assert f"Interrupted: {tmp_path / 'a.jsonl'} has {len(records)} record" in done.stderr and "0 of them proven" in done.stderr
