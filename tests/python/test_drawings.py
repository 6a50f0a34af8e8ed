"""The graph and charts as SVG and PNG, and node data for Model Explorer."""

from __future__ import annotations

import builtins
import dataclasses
import json
import pathlib
import re
import xml.etree.ElementTree as xml
from typing import Any

import harness
import pytest
from test_cli import prints, refuses, tvmq

from tvmq_delegate import measure, models
from tvmq_delegate.models import zoo
from tvmq_delegate.reports import picture

pytest.importorskip("grandalf")
pytest.importorskip("jinja2")

NETWORK = "mobilenet_v1_0.25_128"
SVG = "{http://www.w3.org/2000/svg}"


def times_file(benchmark: measure.Benchmark, path: pathlib.Path) -> pathlib.Path:
    ops = [{"run_order": op.run_order, "us": op.us, "median_us": op.median_us} for op in benchmark.op_profile]
    path.write_text(json.dumps({"model": NETWORK, "model_sha256": benchmark.model_sha256, "op_profile": ops}))
    return path


def test_graph(runtime: harness.Runtime, benchmark: measure.Benchmark, tmp_path: pathlib.Path) -> None:
    """Every node stands inside the picture, with its time; nothing is left to a browser: no script, no variable of a style sheet."""
    where = ("--network", NETWORK, "--runtime", runtime.name, "--svg", tmp_path / "g.svg", "--times", times_file(benchmark, tmp_path / "t.json"))
    prints("nodes", *where)
    text = (tmp_path / "g.svg").read_text(encoding="utf-8")
    root = xml.fromstring(text)
    boxes = [box for box in root.iter(f"{SVG}g") if (box.get("class") or "").startswith(("node", "end"))]
    assert len(boxes) == 31 + 2 and text.count("µs</text>") == 31 and "var(" not in text and "<script" not in text
    for box in boxes:
        x, y = map(float, re.findall(r"[-\d.]+", box.get("transform") or ""))
        frame = box.find(f"{SVG}rect")
        assert x >= 0 and x + float(frame.get("width")) <= float(root.get("width")) and y + float(frame.get("height")) <= float(root.get("height"))


def test_names_are_escaped(runtime: harness.Runtime, tmp_path: pathlib.Path) -> None:
    net = models.ModelBuilder()
    x, y = (net.add_tensor(name, (1, 8), "int8", scale=0.1) for name in ("<script>&\x1b", "y"))
    net.add_op("RELU", [x], [y])
    path = tmp_path / "named.tflite"
    path.write_bytes(net.build([x], [y]))
    prints("nodes", path, "--runtime", runtime.name, "--svg", tmp_path / "g.svg", "--model-explorer", tmp_path / "n.json")
    xml.parse(tmp_path / "g.svg")
    assert "<script>" not in (tmp_path / "g.svg").read_text() and json.loads((tmp_path / "n.json").read_text())["results"].keys() == {"y"}


def test_charts(benchmark: measure.Benchmark) -> None:
    root = xml.fromstring(picture.charts(benchmark))
    bars = [bar for bar in root.iter(f"{SVG}rect") if bar.get("fill") in (picture.BLUE, picture.GREY)]
    contenders, nodes = bars[:2], bars[2:]
    times = [result.latency_metrics.of(benchmark.leading) for result in benchmark.results]
    assert [float(bar.get("width")) for bar in contenders] == pytest.approx([picture.LENGTH * ms / max(times) for ms in times], abs=0.1)
    longest = max(op.us for op in benchmark.op_profile)
    assert [float(bar.get("height")) for bar in nodes] == pytest.approx([picture.PLOT * op.us / longest for op in benchmark.op_profile], abs=0.1)
    assert all(float(bar.get("x")) + float(bar.get("width")) <= float(root.get("width")) for bar in bars)
    alone = dataclasses.replace(benchmark, op_profile=(), results=benchmark.results[:1])
    assert len([*xml.fromstring(picture.charts(alone)).iter(f"{SVG}rect")]) == 2  # the ground, and the bar


def test_node_data(runtime: harness.Runtime, benchmark: measure.Benchmark, tmp_path: pathlib.Path) -> None:
    """By the names of tensors: how each node is computed, or with --times how long it takes."""
    names = [op.outputs[0].name for op in models.ops(zoo.load(NETWORK))]
    flags = ("--network", NETWORK, "--runtime", runtime.name, "--model-explorer", tmp_path / "n.json")
    prints("nodes", *flags)
    data = json.loads((tmp_path / "n.json").read_text())
    assert [*data["results"]] == names and all(re.fullmatch("#[0-9a-f]{6}", each["bgColor"]) and each["value"] for each in data["results"].values())
    prints("nodes", *flags, "--times", times_file(benchmark, tmp_path / "t.json"))
    data = json.loads((tmp_path / "n.json").read_text())
    assert [each["value"] for each in data["results"].values()] == [round(op.us, 3) for op in benchmark.op_profile]
    assert [stop["stop"] for stop in data["gradient"]] == [0, 1]


def test_png(runtime: harness.Runtime, tmp_path: pathlib.Path) -> None:
    pytest.importorskip("cairosvg", reason="cairosvg is not installed: pip install cairosvg")
    prints("nodes", "--network", NETWORK, "--runtime", runtime.name, "--png", tmp_path / "g.png")
    assert (tmp_path / "g.png").read_bytes().startswith(b"\x89PNG\r\n\x1a\n")


def test_png_without_cairosvg(one_conv: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Is told before anything is measured."""
    original = builtins.__import__

    def absent(name: str, *others: Any) -> Any:
        if name == "cairosvg":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return original(name, *others)

    monkeypatch.setattr(builtins, "__import__", absent)
    monkeypatch.setattr(measure, "bench", None)
    for command in ("nodes", "bench"):
        assert "pip install cairosvg" in refuses(command, one_conv, "--png", tmp_path / "x.png")
    assert not (tmp_path / "x.png").exists() and tvmq("nodes", one_conv, "--times", "t.json").exit_code == 2
