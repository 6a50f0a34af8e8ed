"""`bench --history`: runs of one model under the same circumstances are one series, each against the run before, with a page."""

from __future__ import annotations

import html
import json
import pathlib

import pytest
from test_cli import refuses, tvmq
from test_metrics import _file

from tvmq_delegate import measure
from tvmq_delegate.reports import bench as report

pytest.importorskip("plotly")
pytest.importorskip("jinja2")

MACHINE = {"cpu": "c", "count": 2, "governor": "", "version": "0.1"}


def run(folder: pathlib.Path, day: int, ms: float, busy: str = "", **about: object) -> pathlib.Path:
    machine = {**MACHINE, "date": f"2026-11-{day:02}T10:00:00+00:00"}
    return _file(folder / f"{day}.json", {"tvmq": (ms, 1.1 * ms, 1.2 * ms)}, {0: (100 * ms, 1)}, machine=machine, busy=busy, **about)


def test_series(tmp_path: pathlib.Path) -> None:
    for day, ms in ((9, 1.0), (10, 1.01), (3, 4.0)):  # whose names are not in the order of their dates
        run(tmp_path, day, ms)
    run(tmp_path, 5, 1.0, num_threads=2)
    run(tmp_path, 6, 1.0, model="other")
    (tmp_path / "no.json").write_text("{")
    (tmp_path / "list.json").write_text("[]")
    found = measure.history(tmp_path)
    assert [(series.model, len(series.runs)) for series in found.series] == [("m", 3), ("other", 1), ("m", 1)]
    assert len(found.skipped) == 2 and all(str(tmp_path) in why for why in found.skipped)
    first = found.series[0]
    assert [run.date[8:10] for run in first.runs] == ["03", "09", "10"] and first.leading == "median"
    assert [first.ms(run, "tvmq") for run in first.runs] == [4.4, 1.1, pytest.approx(1.111)] and first.ms(first.runs[0], "stock") is None
    assert first.change is not None and first.change.contenders[0].ratio == pytest.approx(1.01) and found.series[1].change is None
    line = report.latest(found, str(tmp_path / "10.json"))
    assert line == f"3 runs of m in {tmp_path}; against the run before: tvmq +1.0% (within the noise)"


def test_each_file_is_read_once(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for day in (1, 2, 3):
        run(tmp_path, day, 1.0)
    opened: list[str] = []
    load = json.load
    monkeypatch.setattr(json, "load", lambda stream: opened.append(stream.name) or load(stream))
    (series,) = measure.history(tmp_path).series
    assert series.change and sorted(opened) == [run.path for run in series.runs]


def test_a_busy_run_makes_the_least_times_lead(tmp_path: pathlib.Path) -> None:
    run(tmp_path, 1, 1.0)
    run(tmp_path, 2, 3.0, busy="load 9 on 2 processors")
    (series,) = measure.history(tmp_path).series
    assert series.leading == "min" and [series.ms(run, "tvmq") for run in series.runs] == [1.0, 3.0]
    assert "load 9 on 2 processors" in report.latest(measure.history(tmp_path), str(tmp_path / "2.json"))


def test_command(one_conv: pathlib.Path, tmp_path: pathlib.Path, runtime: object) -> None:
    folder = tmp_path / "kept"
    flags = ("--runtime", runtime.name, "--num-runs", "3", "--min-secs", "0", "--warmup-min-secs", "0", "--history", folder)
    for count in (1, 2, 3):
        done = tvmq("bench", one_conv, *flags)
        assert done.exit_code == 0 and f"{count} run{'s' * (count > 1)} of {one_conv} in {folder}" in done.stderr, done.stderr
        assert len([*folder.glob("*.json")]) == count
    text = html.unescape((folder / "index.html").read_text(encoding="utf-8"))
    for path in folder.glob("*.json"):
        assert path.name in text and json.loads(path.read_text())["machine"]["date"] in text
    assert sorted(path.suffix for path in folder.iterdir()) == [".html", ".json", ".json", ".json"]


def test_what_cannot_be_kept(one_conv: pathlib.Path, tmp_path: pathlib.Path) -> None:
    assert "nothing to keep" in refuses("bench", one_conv, "--history", tmp_path, "--dry-run")
    assert "/proc/nowhere" in refuses("bench", one_conv, "--history", "/proc/nowhere")
    assert not [*tmp_path.iterdir()]


def test_names_of_files() -> None:
    assert measure.file_name("a/b c/net.tflite", "2026-11-29T13:40:04+00:00") == "20261129T134004_net"
    assert measure.file_name("../..", "2026-11-29T13:40:04+00:00") == "20261129T134004_.."
    assert "/" not in measure.file_name("x\x1b/\n", "") and len(measure.file_name("n" * 999, "2026-11-29T13:40:04+00:00")) < 120
