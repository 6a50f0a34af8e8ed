"""Pages of comparisons: `bench --compare --html` and `diff --html`."""

from __future__ import annotations

import pathlib

import harness
import pytest
from test_cli import tvmq
from test_metrics import _file

pytest.importorskip("plotly")
pytest.importorskip("jinja2")


def test_before_and_after(tmp_path: pathlib.Path) -> None:
    old = _file(tmp_path / "old.json", {"tvmq": (1.0, 1.1, 1.2)}, {0: (100, 1), 1: (50, 1)})
    new = _file(tmp_path / "new.json", {"tvmq": (2.0, 2.2, 2.3)}, {0: (300, 1), 1: (50, 1)}, num_threads=2)
    done = tvmq("bench", "--compare", old, new, "--fail-above", "10", "--html", tmp_path / "page.html")
    assert done.exit_code == 1 and "page.html: written" in done.stderr
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "slower by more than 10 %: tvmq, 0 CONV_2D" in text and "num_threads 1 before, 2 after" in text
    assert text.count("counts</td>") == 2 and "within the noise</td>" in text and "+200.0</td>" in text


@pytest.mark.parametrize("busy", ["old", "new"])
def test_a_busy_machine_proves_nothing(tmp_path: pathlib.Path, busy: str) -> None:
    """Load that shares a core doubles even the least times."""
    for name, ms in (("old", 1.0), ("new", 2.0)):
        _file(tmp_path / f"{name}.json", {"tvmq": (ms, 1.1 * ms, 1.2 * ms)}, {}, busy="load 9 on 2 processors" if name == busy else "")
    files = (tmp_path / "old.json", tmp_path / "new.json")
    done = tvmq("bench", "--compare", *files, "--fail-above", "10", "--html", tmp_path / "page.html")
    assert done.exit_code == 3 and "measure again when it is quiet" in done.stderr, done.output
    assert "+100.0%  busy" in done.stdout and tvmq("bench", "--compare", *files, "--fail-above", "200").exit_code == 0
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "busy</td>" in text and "counts</td>" not in text and 'class="bad"' not in text


def test_differences(runtime: harness.Runtime, tmp_path: pathlib.Path) -> None:
    """Rounding that is not the reference's makes differences; a page of equal results has none."""
    for rounding, word in (("single", "DIFFERENT"), ("reference", "SAME")):
        network = ("--network", "mobilenet_v1_0.25_128", "--runtime", runtime.name, "--num-runs", "1", "--per-op")
        done = tvmq("diff", *network, "--rounding", rounding, "--html", tmp_path / "page.html")
        text = (tmp_path / "page.html").read_text(encoding="utf-8")
        assert f">{word}</b>" in text and (done.exit_code == 1) == (word == "DIFFERENT"), done.output
        assert ("differs first in node" in text) == ("equal ones are left out" in text) == (word == "DIFFERENT")
