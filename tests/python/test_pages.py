"""Pages and graphs: that they stand alone, and that a browser shows them without an error."""

from __future__ import annotations

import dataclasses
import html
import importlib
import itertools
import json
import math
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
from tvmq_delegate.binding import library
from tvmq_delegate.models import zoo
from tvmq_delegate.reports import bench, graph

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

# The script writes what a visitor would see where the test finds it.
PROBE = """<script>
  addEventListener("load", () => setTimeout(() => {
    const large = (element) => { const area = element.getBoundingClientRect(); return area.width > 200 && area.height > 40; };
    const seen = (selector) => [...document.querySelectorAll(selector)].filter(large).length;
    const plots = seen(".js-plotly-plot .main-svg"), drawn = document.querySelectorAll(".js-plotly-plot .point, .js-plotly-plot .box").length;
    const boxes = [...document.querySelectorAll(".scroll")], cut = boxes.filter((box) => box.scrollWidth > box.clientWidth);
    const hinted = cut.filter((box) => getComputedStyle(box, "::before").content.includes("more columns"));
    const unhinted = boxes.filter((box) => !cut.includes(box) && box.classList.contains("cut")).length + (cut.length - hinted.length);
    const within = (inner, outer) => inner.x >= outer.x && inner.x + inner.width <= outer.x + outer.width;
    const spilt = [...document.querySelectorAll("#graph g[data-place]")].filter((box) => {
      const frame = box.querySelector("rect").getBBox(), texts = [...box.querySelectorAll("text")].map((text) => text.getBBox());
      const [first, second] = texts;  // a time stands before the title, in its line
      return texts.some((text) => !within(text, frame)) || (box.querySelector(".note") && second.x + second.width > first.x);
    }).length + [...document.querySelectorAll("h1, h2, p")].filter((text) => text.scrollWidth > text.clientWidth).length;
    document.body.dataset.seen = JSON.stringify({plots, drawn, tables: seen("table"), drawings: seen("#graph svg"), cut: cut.length, unhinted, spilt});
  }, 500));
</script>"""


def look(page: str, tmp_path: pathlib.Path, width: int = 1400) -> dict[str, int]:
    """Opens a page without network in a headless browser, whose windows are 500 pixels wide at least; nothing may be reported to its console."""
    if BROWSER is None:
        pytest.skip("no browser: the page is not looked at (apt-get install chromium)")
    path = tmp_path / "page.html"
    path.write_text(page.replace("</body>", f"{PROBE}</body>"), encoding="utf-8")
    command = [BROWSER, "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}", f"--window-size={width},1000"]
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
    pytest.importorskip("grandalf", reason="the extra `report` is not installed: no pages")
    from tvmq_delegate.reports import html as pages

    return pages


def test_bench_page(report: object, benchmark: measure.Benchmark, tmp_path: pathlib.Path) -> None:
    page = report.page(benchmark)
    assert stands_alone(page) and all(op.kernel.removeprefix("tvmq_") in page for op in benchmark.op_profile)
    assert benchmark.machine.cpu in html.unescape(page) and benchmark.machine.date in page
    seen = look(page, tmp_path)
    assert seen["plots"] >= 5 and seen["tables"] == 4 and seen["drawn"] > len(benchmark.op_profile)


def test_tables_that_are_cut_say_so(report: object, benchmark: measure.Benchmark, tmp_path: pathlib.Path) -> None:
    narrow = look(report.page(benchmark), tmp_path, 500)
    assert narrow["cut"] >= 2 and narrow["unhinted"] == 0
    assert look(report.page(benchmark), tmp_path, 1900)["unhinted"] == 0


def luminance(colour: str) -> float:
    """Relative, after the Web Content Accessibility Guidelines."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear))


def test_marks_can_be_told_from_both_grounds(report: object) -> None:
    """Three to one, which the guidelines ask of graphical objects, on cards of both themes."""
    page = importlib.import_module("tvmq_delegate.reports.pages").source("page.html")
    grounds = [re.search(rf"{theme} {{[^}}]*--card: (#\w+);", page)[1] for theme in (":root", r"\[data-theme=dark\]")]
    grounds = [ground if len(ground) == 7 else "#" + "".join(2 * digit for digit in ground[1:]) for ground in grounds]
    assert luminance(grounds[0]) > 0.9 and luminance(grounds[1]) < 0.1
    for colour in (*report.PALETTE, *report.MARKS, report.OTHER, report.LEFT, report.MARK, report.GOOD, report.BAD):
        for ground in grounds:
            dark, light = sorted([luminance(colour), luminance(ground)])
            assert (light + 0.05) / (dark + 0.05) >= 3, (colour, ground)


@pytest.mark.parametrize(
    ("low", "high"), [(0.5, 400), (0.62, 1.94), (0.95, 1.06), (0.001, 5000), (3, 30), (0.9, 9.5), (0.998, 1.001), (12.3, 12.4), (1e-5, 1e5)]
)
def test_logarithmic_axes(low: float, high: float) -> None:
    """Whole numbers at the ticks, a few of them, in the range; plotly's own are single digits, or one a decade."""
    axis = importlib.import_module("tvmq_delegate.reports.axes").logarithmic(low, high, title="x")
    assert axis["title"] == "x" and axis["range"] == [math.log10(low), math.log10(high)]
    ticks = axis["tickvals"]
    assert 3 <= len(ticks) <= 12 and ticks == sorted(set(ticks)) and all(low <= tick <= high for tick in ticks)
    assert [float(text) for text in axis["ticktext"]] == ticks


def test_no_logarithmic_axis_is_plotlys_own(report: object, benchmark: measure.Benchmark) -> None:
    for figure in (report._roofline(benchmark), report._latency(benchmark)):
        for axis in (figure.layout.xaxis, figure.layout.yaxis):
            assert axis.type != "log" or len(axis.tickvals) >= 3
    sources = [path.read_text() for path in (harness.REPOSITORY / "python/tvmq_delegate/reports").glob("*.py") if path.name != "axes.py"]
    assert not [text for text in sources if '"log"' in text]


def test_page_tells_the_command_and_the_verdict(report: object, benchmark: measure.Benchmark) -> None:
    page = report.page(benchmark, command="tvmq bench 'a b.tflite'", verdict="tvmq is bit-exact")
    assert "<code>tvmq bench &#39;a b.tflite&#39;</code>" in page and "Results: tvmq is bit-exact." in page


def test_memory_of_tensors() -> None:
    ops = models.ops(zoo.load(NETWORK))
    live = measure.live_bytes(ops)
    assert len(live) == len(ops)
    for op, there in zip(ops, live):  # at least what it reads and writes; in a chain, no more
        around = {tensor.index: math.prod(tensor.shape) for tensor in (*op.inputs, *op.outputs) if tensor and not tensor.constant}
        assert there == sum(around.values())


def test_map_of_the_arena(benchmark: measure.Benchmark) -> None:
    assert benchmark.profiled
    buffers = benchmark.profiled.buffers
    summary = benchmark.delegation.summary
    assert summary.partitions == 1 and len(buffers) > 10
    assert max(buffer.offset + buffer.bytes for buffer in buffers) <= summary.arena_bytes < sum(buffer.bytes for buffer in buffers)
    for one, other in itertools.combinations(buffers, 2):
        together = one.first_node <= other.last_node and other.first_node <= one.last_node
        assert not together or one.offset + one.bytes <= other.offset or other.offset + other.bytes <= one.offset


def span(thread: int, task: int, start: int, end: int) -> library.Span:
    return library.Span(0, 3, thread, task, start, end)


def test_occupancy() -> None:
    shared = (span(0, -1, 0, 100), span(0, 0, 0, 60), span(1, 1, 10, 50), span(0, 2, 60, 80))
    alone = (library.Span(0, 4, 0, -1, 100, 150),)
    busy = measure.occupancy(measure.Profiled((), (*shared, *alone), ((0, 200),), 2, ()))
    assert busy.nodes == {3: (0.8, 0.4), 4: (1.0, 0.0)} and busy.whole == (0.65, 0.2)


def test_bars_marks_and_ratios_are_of_the_same_times(report: object, benchmark: measure.Benchmark) -> None:
    figure = report._nodes(benchmark)
    bars = {x: y for trace in figure.data if trace.type == "bar" and trace.yaxis == "y" for x, y in zip(trace.x, trace.y)}
    (marks,) = (dict(zip(trace.x, trace.y)) for trace in figure.data if trace.name == "stock, alone")
    (ratios,) = (dict(zip(trace.x, trace.y)) for trace in figure.data if trace.type == "bar" and trace.yaxis == "y2")
    assert ratios and all(2**ratio == pytest.approx(marks[order] / bars[order]) for order, ratio in ratios.items())
    assert "bars in the delegate, marks in stock" in report.page(benchmark)
    assert all(drawn.layout.legend.y < 0 for drawn in (figure, report._roofline(benchmark)))  # away from the tools, which lie above


def test_a_busy_machine_is_told(report: object, benchmark: measure.Benchmark) -> None:
    assert bench.remarks(dataclasses.replace(benchmark, busy="")) == []
    busy = dataclasses.replace(benchmark, busy="load 18 on 2 processors")
    (line,) = bench.remarks(busy)
    assert line.startswith("busy: load 18 on 2 processors; the least times lead")
    assert line in html.unescape(report.page(busy)) and line in str(busy)


def test_pages_escape_what_models_say(report: object, benchmark: measure.Benchmark) -> None:
    hostile = dataclasses.replace(benchmark, model="<script>alert(1)</script>", options={"isa": "<b>"})
    assert "<script>alert(1)" not in report.page(hostile) and "isa=&lt;b&gt;" in report.page(hostile)


def test_graph_page(report: object, runtime: harness.Runtime, tmp_path: pathlib.Path) -> None:
    graph_page = importlib.import_module("tvmq_delegate.reports.graph_page")
    source = zoo.load("mobilenet_v2_0.35_96")
    delegation, ops = tvmq_delegate.nodes(source, runtime=runtime.name, name="<network>"), models.ops(source)
    page = graph_page.page(delegation, ops, {0: 12.5, 1: 25.0})
    assert stands_alone(page) and page.count('<g class="node') == len(delegation.nodes) and "&lt;network&gt;" in page
    assert page.count('<path class="way"') == len({(edge.source, edge.target) for edge in graph.edges(ops)})
    assert page.count('<rect class="under"') == page.count('<text class="shape"') == page.count('<path class="way"')
    assert page.rindex('<path class="way"') < page.index('<rect class="under"')  # edges lie under the plates of labels
    assert page.count("12.5 µs</text>") == 1 and "12.5 \\u00b5s, 33.3% of all nodes" in page
    details = json.loads(re.search(r'id="nodes">(.*?)</script>', page)[1])
    (filter_facts,) = (facts for name, facts in details[0]["sections"] if name == "input 1")
    filter_tensor = ops[0].inputs[1]
    values = filter_tensor.numpy()
    assert filter_facts["range"] == f"{values.min()} to {values.max()}"
    assert f"{len(filter_tensor.quantization.scale)} along dimension 0" in filter_facts["scale"]
    assert look(page, tmp_path)["drawings"] == 1


def test_texts_stay_within_their_boxes(report: object, runtime: harness.Runtime, tmp_path: pathlib.Path) -> None:
    """The longest names, reasons and times."""
    network = zoo.load("mobilenet_v1_0.25_128")
    found = tvmq_delegate.nodes(network, runtime=runtime.name)
    reason = "some of the runtimes do not broadcast tensors of this rank, and this sentence goes on beyond two lines"
    listed = [dataclasses.replace(node, **({"claimed": False, "reason": reason} if n % 2 else {})) for n, node in enumerate(found.nodes)]
    listed[3] = dataclasses.replace(listed[3], op="BIDIRECTIONAL_SEQUENCE_LSTM", kernel="a_kernel_" * 12)
    found = dataclasses.replace(found, nodes=tuple(listed))
    page = importlib.import_module("tvmq_delegate.reports.graph_page").page
    for times in ({}, {node.node: 12345.6 for node in listed}):
        assert look(page(found, models.ops(network), times), tmp_path)["spilt"] == 0


def test_long_paths_break(report: object, benchmark: measure.Benchmark, tmp_path: pathlib.Path) -> None:
    path = "/" + "deep_folder_" * 12 + "/model.tflite"
    assert look(report.page(dataclasses.replace(benchmark, model=path), command=f"tvmq bench {path}"), tmp_path, 500)["spilt"] == 0


def test_boxes_do_not_overlap_and_ways_join_them(report: object) -> None:
    layout = importlib.import_module("tvmq_delegate.reports.layout").layout
    sizes = [(100.0, 40.0 + 10 * (i % 3)) for i in range(8)]
    edges = [(0, 1), (0, 2), (1, 3), (2, 3), (0, 3), (3, 4), (3, 4), (5, 6)]  # a branch that skips, two tensors between the same, a part and a box of their own
    placed = layout(sizes, edges)
    boxes = [(x, y, x + w, y + h) for (x, y), (w, h) in zip(placed.corners, sizes)]
    apart = [a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1] for i, a in enumerate(boxes) for b in boxes[:i]]
    assert all(apart) and all(0 <= x0 and 0 <= y0 and x1 <= placed.width and y1 <= placed.height for x0, y0, x1, y1 in boxes)
    assert set(placed.ways) == set(edges)
    for (a, b), points in placed.ways.items():
        assert boxes[a][3] == points[0][1] < points[-1][1] == boxes[b][1] and boxes[a][0] < points[0][0] < boxes[a][2]


def test_times_are_of_the_same_model(report: object, runtime: harness.Runtime, one_conv: pathlib.Path, tmp_path: pathlib.Path) -> None:
    where = ("--runtime", runtime.name, "--html", tmp_path / "nodes.html", "--times", tmp_path / "times.json")
    prints("bench", one_conv, "--runtime", runtime.name, *FLAGS, "--enable-op-profiling", "--result-file-path", tmp_path / "times.json")
    prints("nodes", one_conv, *where)
    assert "µs</text>" in (tmp_path / "nodes.html").read_text()
    assert "measured on another model" in refuses("nodes", "--network", NETWORK, *where)
    (tmp_path / "times.json").write_text("{}")
    assert "not written by tvmq bench" in refuses("nodes", one_conv, *where)


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
    for name in ("html", "pages", "graph_page"):
        monkeypatch.delitem(sys.modules, f"tvmq_delegate.reports.{name}", raising=False)
        monkeypatch.delattr(tvmq_delegate.reports, name, raising=False)
    monkeypatch.setitem(sys.modules, "jinja2", None)
    for command in ("bench", "nodes"):
        line = refuses(command, one_conv, "--runtime", runtime.name, "--html", tmp_path / "page.html")
        assert re.search(r"need (jinja2|grandalf): pip install jinja2 plotly grandalf \(the extra `report`\)$", line)  # the first that is missing
