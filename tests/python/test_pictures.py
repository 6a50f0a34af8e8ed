"""The chart of the README and a table of the benchmarks are made from docs/pictures/speed.json."""

from __future__ import annotations

import json
import re
import runpy

import harness
import pytest

PICTURES = harness.REPOSITORY / "docs/pictures"
PACKAGES = "git make gcc libc6-dev python3-venv"


@pytest.fixture(scope="module")
def measured() -> dict:
    return json.loads((PICTURES / "speed.json").read_text(encoding="utf-8"))


def test_the_chart_is_drawn_from_the_record(measured: dict) -> None:
    pictures = runpy.run_path(str(harness.REPOSITORY / "tools/pictures.py"))
    assert len(pictures["NETWORKS"]) == 8
    assert (PICTURES / "speed.svg").read_text(encoding="utf-8") == pictures["chart"](measured)


def test_the_record_says_where_it_is_from(measured: dict) -> None:
    about = measured["machine"]
    assert about["cpu"] and about["isa"] and about["threads"] == 1
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", about["date"]) and re.match(r"\d+\.\d+\.\d+", about["litert"]) and about["tvmq_delegate"]


def test_no_output_differs(measured: dict) -> None:
    counts = [network["outputs_that_differ"] for network in measured["networks"]]
    assert len(counts) >= 8 and all(count["tvmq"] == 0 < count["of"] for count in counts)


def test_the_table_has_the_speed_ups_of_the_record(measured: dict) -> None:
    section = (harness.REPOSITORY / "docs/benchmarks.md").read_text(encoding="utf-8").partition("## AMD EPYC, Zen 3\n")[2].partition("\n## ")[0]
    shown = re.findall(r"^\| [^|]+ \| ([\d.]+ ms) \| ([\d.]+ ms) \| ([\d.]+x) \|", section, re.MULTILINE)
    milliseconds = runpy.run_path(str(harness.REPOSITORY / "tools/pictures.py"))["milliseconds"]
    times = [(network["stock_us"], network["tvmq_us"]) for network in measured["networks"]]
    assert shown == [(milliseconds(stock), milliseconds(ours), f"{stock / ours:.1f}x") for stock, ours in times]


def test_the_workflow_installs_the_packages_of_the_readme() -> None:
    for name in ("README.md", ".github/workflows/test.yml"):
        assert f"install {PACKAGES}" in (harness.REPOSITORY / name).read_text(encoding="utf-8").replace("--yes ", "")
