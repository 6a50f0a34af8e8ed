"""Calibration: constants are found again in times that were made of them, and what the command writes is a machine file that load() takes."""

from __future__ import annotations

import json
import pathlib
from collections.abc import Iterator, Sequence

import harness
import numpy as np
import pytest
from click.testing import CliRunner

import tvmq_delegate
from tvmq_delegate import cli, measure
from tvmq_delegate.binding import machines
from tvmq_delegate.measure import calibration, fit, machine_text, samples, statistic


def problem(factors: np.ndarray, noise: float) -> fit.Problem:
    """Forty nodes of eight candidates, each of which two constants decide on."""
    random = np.random.default_rng(3)
    node = np.repeat(np.arange(40), 8)
    terms = random.uniform(100, 1000, (len(node), len(factors))) * (random.random((len(node), len(factors))) < 0.4)
    inverse = np.array([1.0, -1.0] * (len(factors) // 2))
    rest = np.full(len(node), 50.0)
    made = fit.Problem(np.zeros(len(node)), node, terms, rest, inverse)
    ns = made.cycles(np.log(factors)) / 3 * np.exp(random.normal(0, noise, len(node)))
    ns[::37] *= 3  # an interruption
    return fit.Problem(ns, node, terms, rest, inverse)


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests pass on a busy machine, too."""
    monkeypatch.setattr(calibration, "NOISE", 1e9)


class Candidate:
    """A sampler of one candidate."""

    def __init__(self) -> None:
        self.times: dict[int, list[float]] = {0: []}


def measures(samplers: list[Candidate], times: Iterator[Sequence[float]]) -> int:
    """Two rounds, as samples.measure()."""
    added = next(times)
    samplers[0].times[0] += added
    return len(added)


@pytest.mark.parametrize(
    ("times", "rounds"),
    [([[100, 101]], 2), ([[100, 200], [100, 101], [100, 101]], 6), ([[100, 200]] * 9, None)],
    ids=["steady", "steady in the end", "never steady"],
)
def test_noise_is_measured_again_or_refused(times: list[list[float]], rounds: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calibration, "NOISE", 0.1)
    more = iter(times)
    monkeypatch.setattr(samples, "measure", lambda samplers, seconds, progress: measures(samplers, more))
    sampler = Candidate()
    if rounds is None:
        with pytest.raises(RuntimeError, match="^busy: times of one candidate differ by 100% from one half of 6 rounds"):
            calibration._steady([sampler], 1.0, lambda fraction, what: None)
    else:
        assert calibration._steady([sampler], 1.0, lambda fraction, what: None) == rounds


def test_a_busy_machine_is_not_calibrated(runtime: harness.Runtime, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file of a quiet run stays."""
    monkeypatch.setattr(statistic, "load", lambda: "1800.4")
    monkeypatch.setattr(samples, "measure", lambda *_: pytest.fail("measured"))
    path = tmp_path / "a.machine"
    path.write_text("of a quiet run")
    refused = CliRunner().invoke(cli.main, ["calibrate", "--out", str(path), "--runtime", runtime.name])
    assert refused.exit_code == 2 and refused.stderr.startswith("Error: busy: load 1800 on ") and len(refused.stderr.splitlines()) == 1
    assert path.read_text() == "of a quiet run"


def test_constants_are_found_again() -> None:
    true = np.array([2.0, 0.6, 1.0, 1.5, 0.7, 1.0])
    found, hold = fit.fit(problem(true, 0.02))
    assert np.isfinite(hold) and np.abs(np.log(found / true)).max() < 0.25, found


def test_shipped_constants_stay_where_they_are_right() -> None:
    made = problem(np.ones(6), 0.0)
    found, _ = fit.fit(made)
    everything = np.full(len(made.ns), True)
    assert fit.regret(made, np.log(found), everything) <= fit.regret(made, np.zeros(6), everything)


def test_text_is_changed_in_place() -> None:
    text = next(machine.text for machine in tvmq_delegate.machines() if machine.name == "zen5")
    numbers = machine_text.numbers(text)
    assert f"\npointer_cycles = {numbers[0][2]:g}  #" in text and numbers[0][:2] == ("pointer_cycles", "") and ("rate", "tvmq_gemm_s8_4x8__c", 3.5) in numbers
    changed = machine_text.changed(text, {("pointer_cycles", ""): 88.0, ("tile_cycles", "tvmq_gemm_s8_4x8__c"): 100.0}, name="a # name\n")
    old, new = text.splitlines(), changed.splitlines()
    different = [after for before, after in zip(old, new, strict=True) if before != after]
    assert [line.partition("  #")[0] for line in different] == ["name = a   name", "pointer_cycles = 88", "kernel tvmq_gemm_s8_4x8__c = 3.5 100"]


def test_command(runtime: harness.Runtime, one_conv: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    page = tmp_path / "page.html"
    arguments = ["calibrate", "--time", "0.1", "--base", "sapphire-rapids", "--runtime", runtime.name, "--json", "--html", str(page)]
    done = CliRunner().invoke(cli.main, arguments)
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    file = machines.cache_file(tvmq_delegate.library_path())
    assert found["rounds"] >= 1
    if found["path"]:
        assert found["path"] == str(file) and file.read_text() == found["text"]
    else:
        assert not file.exists(), "nothing was gained: a busy machine may hide what there is to gain"
    assert len(found["measured"]) > 50 and {"int8", "uint8"} == {sample["network"] for sample in found["measured"]}
    assert "Measured against predicted" in page.read_text()
    delegate = runtime.load()
    runtime.interpreter(one_conv.read_bytes(), [delegate])
    names = {machine.name for machine in tvmq_delegate.machines()}
    assert tvmq_delegate.report(delegate).summary.machine in ({machine_text._one_line(tvmq_delegate.cpu().name)} if found["path"] else names)
    known = runtime.load(machine="known")
    assert tvmq_delegate.report(known).summary.machine in names
    nowhere = page.parent / "absent" / "a.machine"
    refused = CliRunner().invoke(cli.main, ["calibrate", "--out", str(nowhere), "--runtime", runtime.name])
    assert refused.exit_code == 2 and "no file can be made in its folder" in refused.output and not nowhere.parent.exists()
    refused = CliRunner().invoke(cli.main, ["calibrate", "--base", "vax", "--runtime", runtime.name])
    assert refused.exit_code == 2 and "no machine is called 'vax'" in refused.stderr


def test_no_file_keeps_what_is_shipped(runtime: harness.Runtime, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing is gained by one, later releases' constants are taken; a file that is asked for by its name is written all the same."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    fitted = measure.Calibration("a CPU", "zen5", 1, np.inf, 0.0, 0.0, 0.0, 0.0, (), (), "a text", "")
    monkeypatch.setattr(calibration, "_fitted", lambda *_: fitted)
    file = machines.cache_file(tvmq_delegate.library_path())
    file.parent.mkdir()
    file.write_text("measured before", encoding="utf-8")
    found = measure.calibrate(seconds=0.1, runtime=runtime.name)
    assert found.path == "" and not file.exists() and "written" not in str(found)
    assert measure.calibrate(seconds=0.1, runtime=runtime.name, out=tmp_path / "asked").path and (tmp_path / "asked").read_text() == "a text"


def test_files_that_cannot_be_written_are_told_before_anything_is_measured(tmp_path: pathlib.Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    for path in (tmp_path, tmp_path / "file" / "machine"):
        with pytest.raises(OSError):
            measure.calibrate(out=path, progress=lambda fraction, what: pytest.fail(what))
    assert [each.name for each in tmp_path.iterdir()] == ["file"]
