"""Pages and graphs: that they stand alone, and that a browser shows them without an error."""

from __future__ import annotations

import dataclasses
import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import harness
import pytest
from test_bench import FLAGS, NETWORK
from test_cli import prints, refuses

import tvmq_delegate
import tvmq_delegate.reports
from tvmq_delegate import measure, models
from tvmq_delegate.models import zoo
from tvmq_delegate.reports import bench, graph

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

# The script writes what a visitor would see where the test finds it.
PROBE = """<script>
  addEventListener("load", () => setTimeout(() => {
    const large = (element) => { const area = element.getBoundingClientRect(); return area.width > 200 && area.height > 40; };
    const seen = (selector) => [...document.querySelectorAll(selector)].filter(large).length;
    const plots = seen(".js-plotly-plot .main-svg"), drawn = document.querySelectorAll(".js-plotly-plot .point, .js-plotly-plot .box").length;
    document.body.dataset.seen = JSON.stringify({plots, drawn, tables: seen("table"), drawings: seen("#graph svg")});
  }, 500));
</script>"""


def look(page: str, tmp_path: pathlib.Path) -> dict[str, int]:
    """Opens a page without network in a headless browser; nothing may be reported to its console."""
    if BROWSER is None:
        pytest.skip("no browser: the page is not looked at (apt-get install chromium)")
    path = tmp_path / "page.html"
    path.write_text(page.replace("</body>", f"{PROBE}</body>"), encoding="utf-8")
    command = [BROWSER, "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}", "--window-size=1400,1000"]
    command += ["--host-resolver-rules=MAP * ~NOTFOUND", "--enable-logging=stderr", "--virtual-time-budget=10000", "--dump-dom", path.as_uri()]
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}  # a sanitizer's runtime is not for browsers
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=300, env=environment)
    assert not [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    seen = re.search(r'data-seen="([^"]+)"', done.stdout)
    assert seen, done.stdout[-2000:]
    return json.loads(html.unescape(seen[1]))


def stands_alone(page: str) -> bool:
    """Nothing in it, scripts and their texts aside, is fetched from elsewhere."""
    markup = re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)
    return not re.search(r'(src|href)="(?!data:)', markup) and not re.search(r"<script[^>]*src=", page)


@pytest.fixture(scope="session")
def report() -> object:
    pytest.importorskip("plotly", reason="the extra `report` is not installed: no pages")
    pytest.importorskip("jinja2", reason="the extra `report` is not installed: no pages")
    from tvmq_delegate.reports import html as pages

    return pages


def test_bench_page(report: object, benchmark: measure.Benchmark, tmp_path: pathlib.Path) -> None:
    page = report.page(benchmark)
    assert stands_alone(page) and all(op.kernel.removeprefix("tvmq_") in page for op in benchmark.op_profile)
    assert benchmark.machine.cpu in html.unescape(page) and benchmark.machine.date in page
    seen = look(page, tmp_path)
    assert seen["plots"] >= 3 and seen["tables"] == 3 and seen["drawn"] > len(benchmark.op_profile)


def test_bars_marks_and_ratios_are_of_the_same_times(report: object, benchmark: measure.Benchmark) -> None:
    figure = report._nodes(benchmark)
    bars = {x: y for trace in figure.data if trace.type == "bar" and trace.yaxis == "y" for x, y in zip(trace.x, trace.y)}
    (marks,) = (dict(zip(trace.x, trace.y)) for trace in figure.data if trace.name == "stock, alone")
    (ratios,) = (dict(zip(trace.x, trace.y)) for trace in figure.data if trace.type == "bar" and trace.yaxis == "y2")
    assert ratios and all(2**ratio == pytest.approx(marks[order] / bars[order]) for order, ratio in ratios.items())
    assert "bars in the delegate, marks in stock" in report.page(benchmark)
    assert all(drawn.layout.legend.y < 0 for drawn in (figure, report._roofline(benchmark)))  # away from the tools, which lie above


def test_noise_is_told(report: object, benchmark: measure.Benchmark) -> None:
    def runs(p25_ms: float, count: int = 20) -> measure.Benchmark:
        first = benchmark.results[0]
        times = dataclasses.replace(first.latency_metrics, p25_ms=p25_ms, median_ms=1.0, p75_ms=1.05)
        quiet = dataclasses.replace(first, latency_metrics=times, misc_metrics=dataclasses.replace(first.misc_metrics, num_runs=count))
        return dataclasses.replace(benchmark, results=(quiet,))

    assert bench.noise(runs(0.98)) == [] == bench.noise(runs(0.5, count=5))
    (line,) = bench.noise(runs(0.85))
    assert line.startswith("noisy: the middle half of the runs of tvmq spans 20% of the median")
    assert line in html.unescape(report.page(runs(0.85))) and line in str(runs(0.85))


def test_pages_escape_what_models_say(report: object, benchmark: measure.Benchmark) -> None:
    hostile = dataclasses.replace(benchmark, model="<script>alert(1)</script>", options={"isa": "<b>"})
    assert "<script>alert(1)" not in report.page(hostile) and "isa=&lt;b&gt;" in report.page(hostile)


def test_graph_page(report: object, runtime: harness.Runtime, tmp_path: pathlib.Path) -> None:
    source = zoo.load("mobilenet_v2_0.35_96")
    delegation = tvmq_delegate.nodes(source, runtime=runtime.name, name="<network>")
    page = graph.page(delegation, models.ops(source))
    assert stands_alone(page) and page.count('<g class="node">') == len(delegation.nodes) and "&lt;network&gt;" in page
    assert page.count("<path d=") - 1 == sum(op.name == "ADD" for op in models.ops(source))  # each residual goes around
    assert look(page, tmp_path)["drawings"] == 1


def test_edges_and_dot(runtime: harness.Runtime) -> None:
    source = zoo.load("mobilenet_v2_0.35_96")
    ops = models.ops(source)
    edges = graph.edges(ops)
    assert sum(edge.source is None for edge in edges) == sum(edge.target is None for edge in edges) == 1
    assert sum(edge.target is not None for edge in edges) == sum(len({t.index for t in op.inputs if t and not t.constant}) for op in ops)
    delegation = tvmq_delegate.nodes(source, runtime=runtime.name, name='a "name"')
    text = graph.dot(delegation, ops)
    assert text.startswith('digraph "a \\"name\\"" {') and text.count("{") == text.count("}") == 1 + delegation.summary.partitions
    assert text.count(" -> ") == len(edges) and all(f"n{place} [" in text for place in range(len(ops)))


def test_commands_write_pages(report: object, runtime: harness.Runtime, one_conv: pathlib.Path, tmp_path: pathlib.Path) -> None:
    prints("bench", one_conv, "--runtime", runtime.name, *FLAGS, "--html", tmp_path / "bench.html")
    prints("nodes", "--network", NETWORK, "--runtime", runtime.name, "--html", tmp_path / "nodes.html", "--dot", tmp_path / "nodes.dot")
    assert "Roofline" in (tmp_path / "bench.html").read_text() and "<svg" in (tmp_path / "nodes.html").read_text()
    assert "digraph" in (tmp_path / "nodes.dot").read_text()


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch, runtime: harness.Runtime, one_conv: pathlib.Path, tmp_path: pathlib.Path) -> None:
    for name in ("html", "pages"):
        monkeypatch.delitem(sys.modules, f"tvmq_delegate.reports.{name}", raising=False)
        monkeypatch.delattr(tvmq_delegate.reports, name, raising=False)
    monkeypatch.setitem(sys.modules, "jinja2", None)
    for command in ("bench", "nodes"):
        line = refuses(command, one_conv, "--runtime", runtime.name, "--html", tmp_path / "page.html")
        assert "jinja2" in line and "tvmq-delegate[report]" in line
