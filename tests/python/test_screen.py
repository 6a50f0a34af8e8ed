"""Output to the terminal and to files: tables fit, and no control character of a model or of a runtime's message gets through."""

from __future__ import annotations

import csv
import dataclasses
import io
import pathlib

import builders
import harness
import pytest
from test_cli import NETWORK, prints, refuses

import tvmq_delegate
from tvmq_delegate import measure, models
from tvmq_delegate.models import flatbuffer, zoo
from tvmq_delegate.reports import bench, benchmark_model, columns, graph, screen, tables

ESCAPE = "\x1b[2J\x1b]0;title\x07"
NAME = f"=cmd(){ESCAPE}\nnext line\u202e"


@pytest.fixture(params=[80, 120, 200])
def width(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """The width of a terminal; its output goes to the test."""
    monkeypatch.setattr(screen, "console", screen.Screen(width=request.param, highlight=False, markup=False))
    return request.param


@pytest.fixture()
def hostile() -> bytes:
    """A model with one convolution whose tensors have such names."""
    model = flatbuffer.read(builders.build_conv())
    for tensor in model.subgraphs[0].tensors:
        tensor.name = NAME.encode()
    return flatbuffer.write(model)


def test_a_node_is_one_line(runtime: harness.Runtime, width: int) -> None:
    text = prints("nodes", "--network", NETWORK, "--runtime", runtime.name)
    table = text.partition("\n\n")[0].splitlines()
    ops = [op.name for op in models.ops(zoo.load(NETWORK))]
    assert max(map(len, table)) <= width and table[0].split()[:2] == ["#", "op"]
    assert [line.split()[1] for line in table[1 : 1 + len(ops)]] == ops
    columns = ["output", "MACs", "packed", "packing", "filter", "input"]  # the first are the most important
    shown = [name for name in columns if name in table[0]]
    assert shown == columns[: len(shown)] and len(shown) >= {80: 1, 120: 3, 200: 6}[width]  # beside whole names of kernels
    assert ("--wide: also " in table[-1]) == (len(shown) < 6)


def test_wide_shows_all_columns(runtime: harness.Runtime, width: int) -> None:
    header = prints("nodes", "--network", NETWORK, "--runtime", runtime.name, "--wide").splitlines()[0]
    assert all(name in header for name in ("input", "filter", "output", "packing", "part", "MACs", "packed"))


def test_demo_fits(runtime: harness.Runtime, width: int) -> None:
    lines = prints("demo", "--network", NETWORK, "--runtime", runtime.name, "--seconds", "0").splitlines()
    assert sum(" DEPTHWISE_CONV_2D " in line for line in lines) == 13
    assert max(len(line) for line in lines[: lines.index("")]) <= width


def test_diff_fits(runtime: harness.Runtime, width: int) -> None:
    contenders = ("--contenders", "reference,stock,builtin,tvmq", "--per-op", "--num-runs", "1", "--max-lsb", "255")
    lines = prints("diff", "--network", NETWORK, "--runtime", runtime.name, *contenders).splitlines()
    tables = [line for line in lines if line.split()[:1] and (line.split()[0] in ("output", "stock", "builtin", "tvmq", "#") or line.split()[0].isdigit())]
    assert len(tables) >= 6 and max(map(len, tables)) <= width


@pytest.mark.parametrize(("command", "flag", "line"), [("bench", "--benchmark-model", "Timings (micro"), ("diff", "--inference-diff", "Test run latency")])
def test_lines_for_programs(
    runtime: harness.Runtime, one_conv: pathlib.Path, command: str, flag: str, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In pipes, and on a terminal if asked for."""
    given = (command, one_conv, "--runtime", runtime.name, "--num-runs", "1", *(("--min-secs", "0", "--warmup-min-secs", "0") if command == "bench" else ()))
    assert line in prints(*given)
    monkeypatch.setattr(screen, "is_terminal", lambda stream: True)
    assert line not in prints(*given) and line in prints(*given, flag)


@pytest.mark.parametrize("columns_of_terminal", [30, 40, 50, 60, 70])
def test_numbers_are_never_cut(benchmark: measure.Benchmark, columns_of_terminal: int) -> None:
    """Columns go instead, also those that are shown first; a line says which."""
    stream = io.StringIO()
    console = screen.Screen(file=stream, width=columns_of_terminal, highlight=False, markup=False)
    for table in (bench.contenders, bench.run_order, bench.top, bench.by_type):
        shown = table(benchmark, columns_of_terminal)
        console.print(shown)
        absent = {column.header for column in table(benchmark, 1000).columns} - {column.header for column in shown.columns}
        assert absent and all(header in str(shown.caption) for header in absent)
    lines = stream.getvalue().splitlines()
    assert max(map(len, lines)) <= columns_of_terminal and not any("…" in line[20:] for line in lines)


def test_two_columns_share_the_room_that_is_left() -> None:
    listed = [columns.Column(name, lambda _: "x" * 20, left=True, least=6) for name in "ab"] + [columns.Column("ms", lambda _: "1234.567")]
    stream = io.StringIO()
    screen.Screen(file=stream, width=40).print(columns.fitted(listed, [None], 40))
    assert "1234.567" in stream.getvalue() and len(stream.getvalue().splitlines()[1].rstrip()) <= 40


def test_short_times_have_more_digits() -> None:
    assert [columns.milliseconds(ms) for ms in (0, 0.00123, 0.0999, 0.1, 12.3456)] == ["0.000", "0.00123", "0.09990", "0.100", "12.346"]


def test_info_has_options_first_and_kernels_when_asked(width: int) -> None:
    text = prints("info")
    sections = [text.index(heading) for heading in ("Options", "CPU\n", "TFLite runtimes\n", "Kernels\n")]
    assert sections == sorted(sections) and "--kernels lists them" in text
    assert max(map(len, text.splitlines()[2:])) <= width and len(text.splitlines()) < 140
    listed = prints("info", "--kernels")
    assert all(kernel.name in listed for kernel in tvmq_delegate.kernels()) and max(map(len, listed.splitlines()[2:])) <= width


def test_what_is_spelled_out() -> None:
    assert screen.clean("a\x1b[0m\x07\x9b\u202e\nä µs → ±") == r"a\x1b[0m\x07\x9b\u202e\nä µs → ±"
    assert screen.clean("a\nb\t", keep="\n") == "a\nb\\t"


def printable(text: str) -> bool:
    return screen.clean(text, keep="\n") == text


def test_names_do_not_reach_the_terminal_raw(runtime: harness.Runtime, tmp_path: pathlib.Path, hostile: bytes) -> None:
    path = tmp_path / f"{ESCAPE}\n.tflite"
    path.write_bytes(hostile)
    for command in ("nodes", "diff", "demo"):
        extra = ("--seconds", "0") if command == "demo" else ()
        text = prints(command, path, "--runtime", runtime.name, *extra)
        assert printable(text) and r"\x1b[2J" in text and "\n.tflite" not in text
    assert r"\x1b" in refuses("nodes", f"{ESCAPE}absent.tflite") and printable(refuses("nodes", f"{ESCAPE}absent.tflite"))


def test_graphs_are_clean(runtime: harness.Runtime, hostile: bytes) -> None:
    found, ops = tvmq_delegate.nodes(hostile, runtime=runtime.name, name=NAME), models.ops(hostile)
    assert printable(graph.dot(found, ops)) and printable(tables.summary(found).replace(NAME, ""))
    pytest.importorskip("jinja2")
    pytest.importorskip("grandalf")
    from tvmq_delegate.reports import graph_page

    page = graph_page.page(found, ops)
    assert "\x1b" not in page and "\u202e" not in page and r"\x1b" in page


def test_cells_are_no_formulas(benchmark: measure.Benchmark) -> None:
    rows = [dataclasses.replace(op, name=NAME, node_type="@SUM(1)") for op in benchmark.op_profile]
    text = benchmark_model.op_csv(dataclasses.replace(benchmark, op_profile=tuple(rows)))
    first = list(csv.reader(io.StringIO(text)))[1]
    assert first[0] == "'@SUM(1)" and first[7] == r"'=cmd()\x1b[2J\x1b]0;title\x07\nnext line\u202e" and printable(text)
    assert [screen.csv_cell(value) for value in ("-1.5", "+x", "=1", 3, "a", "\t=1")] == ["-1.5", "'+x", "'=1", 3, "a", r"\t=1"]
