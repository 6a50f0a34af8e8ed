"""Hosts that load the library by its path and set no options: they get what load() gives, in the builds of the runtimes that are known."""

from __future__ import annotations

import functools
import importlib.machinery
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import types
from collections.abc import Callable

import builders
import harness
import litert_host
import pytest

import tvmq_delegate
from tvmq_delegate.binding import reference, runtimes
from tvmq_delegate.models.flatbuffer import Record, read, write

KNOWN = (harness.REPOSITORY / "delegate/host/known_runtimes.def").read_text(encoding="utf-8")
HYBRID = dict(dtype="float32", filter_dtype="int8")
NODES = {
    "FULLY_CONNECTED": builders.build_fully_connected,
    "hybrid CONV_2D": lambda: builders.build_conv(**HYBRID),
    "hybrid FULLY_CONNECTED": lambda: builders.build_fully_connected(per_channel=False, **HYBRID),
    "QUANTIZE": lambda: builders.build_quantize(in_dtype="float32"),
}


def by_path(runtime: harness.Runtime, model: bytes | str, options: dict[str, str]) -> tvmq_delegate.Report:
    """The report of a delegate that was loaded as by any host."""
    delegate = runtime.module.load_delegate(str(tvmq_delegate.library_path()), options)
    interpreter = runtime.interpreter(model, [delegate])
    report = tvmq_delegate.report(delegate)
    del interpreter
    return report


@pytest.fixture
def known(runtime: harness.Runtime) -> harness.Runtime:
    """The runtime, if its build is in the table: by its code, where its name is."""
    summary = by_path(runtime, builders.build_conv(), {}).summary
    code = re.search(r"code (\w{16})(\w{16}) of (\d+) bytes", summary.runtime)
    assert code, f"the runtime's code was not found: {summary.runtime!r}"
    if ", 0x{}, 0x{}, {},".format(*code.groups()) not in KNOWN:
        machine = os.uname().machine.replace("_", "-")
        name = f"{runtime.name.replace('_', '-')} {runtimes.installed()[runtime.name]} cp{sys.version_info.major}{sys.version_info.minor} {machine}"
        assert f'"{name}"' not in KNOWN, f"another hash than in the table: {summary.runtime}"
        pytest.skip(f"{summary.runtime}: no known build: run tools/runtimes --installed")
    return runtime


def test_the_table_says_what_the_kernels_say(known):
    summary = by_path(known, builders.build_conv(), {}).summary
    assert not summary.runtime.startswith("unknown")
    for option, (_, ask) in reference.OPTIONS.items():
        assert getattr(summary, option) == ask(known.module), option


@functools.cache
def tool() -> types.ModuleType:
    """The module of tools/runtimes."""
    folder = harness.REPOSITORY / "tools"
    loader = importlib.machinery.SourceFileLoader("tool", str(folder / "runtimes"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("tool", loader))
    sys.path.insert(0, str(folder))
    try:
        loader.exec_module(module)
    finally:
        sys.path.remove(str(folder))
    return module


def test_the_table_is_as_the_tool_writes_it():
    """A row for each code, sorted, with a name of its own."""
    rows = tool().read_table()
    assert tool().text_of(rows) == KNOWN and len({name for name, *_ in rows.values()}) == len(rows) > 20
    assert tool().merged({}, rows) == rows == tool().merged(rows, rows)


def test_what_load_knows_of_all_versions_is_in_the_table():
    """A build of a runtime that answers otherwise would compute other bits."""
    for option, (known, _) in reference.OPTIONS.items():
        place = list(reference.OPTIONS).index(option)
        for package, value in known.items():
            rows = [row for row in tool().read_table().values() if row[0].startswith(package.replace("_", "-") + " ")]
            assert [row for row in rows if row[4 + place].lower() != value] == [], option


def claimed(report: tvmq_delegate.Report) -> list[tuple[int, int, str]]:
    return [(node.subgraph, node.node, node.reason) for node in report.nodes]


@pytest.mark.parametrize("kind", NODES)
def test_nodes_are_those_of_load(known, kind):
    model = NODES[kind]()
    delegate = tvmq_delegate.load(runtime=known.name)
    interpreter = known.interpreter(model, [delegate])
    report = by_path(known, model, {})
    assert claimed(report) == claimed(tvmq_delegate.report(delegate))
    unknown = kind.startswith("hybrid") and report.summary.hybrid == "auto"  # tflite-runtime on Arm
    assert report.summary.claimed == (0 if unknown else 1), claimed(report)
    del interpreter


def test_networks_are_those_of_load(known, networks):
    """As many nodes, and those left for the same reasons."""
    for path in sorted(networks.rglob("*.tflite")):
        delegate = tvmq_delegate.load(runtime=known.name)
        try:
            interpreter = known.interpreter(str(path), [delegate])
        except (RuntimeError, ValueError):
            continue  # operators that this runtime lacks
        assert claimed(by_path(known, str(path), {})) == claimed(tvmq_delegate.report(delegate)), path.name
        harness.counts["networks whose nodes were compared"] += 1
        del interpreter


def test_the_main_graph_says_what_the_runtime_is(known):
    """Networks with variables have a graph without nodes, or of other nodes alone."""
    root = read(memoryview(builders.build_fully_connected()))
    root.subgraphs = (*root.subgraphs, Record(tensors=[], inputs=(), outputs=(), operators=[], name="empty"))
    report = by_path(known, write(root), {})
    assert report.summary.subgraphs == 2 and report.summary.claimed == 1
    assert not report.summary.runtime.startswith("unknown")


def test_options_by_hand_win(runtime):
    options = dict(fully_connected="fixed_point", fast_math="on", hybrid="neon", float32="library")
    summary = by_path(runtime, builders.build_conv(), options).summary
    assert {option: getattr(summary, option) for option in options} == options and summary.runtime == ""
    summary = by_path(runtime, builders.build_conv(), dict(hybrid="neon")).summary
    assert summary.hybrid == "neon" and summary.runtime != ""


def filling(code: bytes) -> int:
    """The offset of a byte between functions, which never runs."""
    for pattern in (b"\xcc" * 5, b"\x66\x2e\x0f\x1f\x84\x00\x00\x00\x00\x00", bytes(16)):
        at = code.find(pattern, len(code) // 2)
        if at >= 0:
            return at + len(pattern) // 2
    raise AssertionError("no byte between functions was found")


SCRIPT = """
import pathlib, sys
import {module} as module
import tvmq_delegate
{before}
for model in sys.argv[1:]:
    delegate = module.load_delegate(str(tvmq_delegate.library_path()), {{}})
    interpreter = module.Interpreter(model, experimental_delegates=[delegate])
    report = tvmq_delegate.report(delegate)
    print(report.summary.runtime.partition(":")[0], "|", report.nodes[0].reason)
"""


@pytest.fixture
def copied(known, tmp_path) -> tuple[pathlib.Path, Callable[[str], list[str]]]:
    """A copy of the runtime: the library with its kernels, and a function that runs models that depend on the build in it, after some statements. It returns
    what was found of the runtime in each, and why its node was left."""
    if harness.EMULATED:
        pytest.skip("another Python is started without the emulator's folders")
    name = re.search(r"bytes in (\S+)", by_path(known, builders.build_conv(), {}).summary.runtime)[1]
    installed = pathlib.Path(known.module.__file__).parent
    if not (installed / name).is_file():
        pytest.skip(f"{name} is not beside {installed}")
    shutil.copytree(installed, tmp_path / known.name, ignore=shutil.ignore_patterns("vendors", "libLiteRtWebGpuAccelerator.so"))
    models = []
    for kind in ("FULLY_CONNECTED", "hybrid CONV_2D"):
        models.append(tmp_path / f"{kind}.tflite")
        models[-1].write_bytes(NODES[kind]())

    def run(before: str) -> list[str]:
        script = f"import sys\nsys.path.insert(0, {str(tmp_path)!r})\n" + SCRIPT.format(module=known.module.__name__, before=before)
        return subprocess.run([*harness.PYTHON, "-c", script, *map(str, models)], check=True, capture_output=True, text=True).stdout.splitlines()

    return tmp_path / known.name / name, run


def test_an_altered_runtime_is_unknown(copied):
    """One byte of its code differs, which never runs: nodes that depend on the build are left to the runtime."""
    library, run = copied
    code = bytearray(library.read_bytes())
    code[filling(code)] ^= 0x01
    library.write_bytes(code)
    first, second = run("")
    assert first.startswith("unknown |") and "option fully_connected" in first
    assert second.startswith("unknown |") and "option hybrid" in second


@pytest.mark.parametrize("change", ["unlink()", "replace({path!r} + '.old')", "unlink(); pathlib.Path({path!r}).write_bytes(b'another file')"])
def test_what_counts_is_the_code_in_memory(copied, change):
    """A package manager updates the runtime of a process that runs."""
    library, run = copied
    lines = run(f"pathlib.Path({str(library)!r})." + change.format(path=str(library)))
    assert len(lines) == 2
    for line in lines:
        assert line.partition(" |")[0] in KNOWN and line.endswith(" | "), line


@pytest.fixture(scope="module")
def c_host(tmp_path_factory) -> litert_host.Host:
    """A C program with LiteRT's C library, if that is in the table."""
    version = runtimes.installed().get("ai_edge_litert", "0.0")
    if tuple(map(int, version.split(".")[:2])) < (2, 2):
        pytest.skip("CompiledModel takes the delegate from LiteRT 2.2 on: pip install 'ai-edge-litert>=2.2'")
    if harness.SANITIZED:
        pytest.skip("LiteRT loads its plugins by RTLD_DEEPBIND, at which a sanitizer ends the process")
    if harness.EMULATED or shutil.which("cc") is None:
        pytest.skip("there is no C compiler (apt-get install gcc), or it is this machine's")
    folder = tmp_path_factory.mktemp("host")
    host = litert_host.Host(folder, pathlib.Path(importlib.util.find_spec("ai_edge_litert").origin).with_name("libLiteRt.so"))
    (folder / "conv.tflite").write_bytes(builders.build_conv())
    said = host.delegate(folder / "conv.tflite").runtime
    if said.startswith("runtime: unknown"):
        name = rf'"ai-edge-litert {re.escape(version)} cp\d+ {os.uname().machine.replace("_", "-")} libLiteRt.so"'
        assert not re.search(name, KNOWN), f"another hash than in the table: {said}"
        pytest.skip(f"{said}: no known build: run tools/runtimes --installed")
    return host


def test_a_c_program_gets_the_nodes_of_load(c_host, networks):
    """By default, for all networks: as many nodes, and those left for the same reasons."""
    module = runtimes.find("ai_edge_litert")
    for path in sorted(networks.rglob("*.tflite")):
        delegate = tvmq_delegate.load(runtime=module)
        try:
            interpreter = module.Interpreter(str(path), experimental_delegates=[delegate])
        except (RuntimeError, ValueError):
            continue  # operators that LiteRT lacks
        assert c_host.delegate(path).nodes == claimed(tvmq_delegate.report(delegate)), path.name
        harness.counts["networks whose nodes were compared with those of a C program"] += 1
        del interpreter


@pytest.mark.parametrize("kind", NODES)
def test_a_c_program_gets_nodes_that_depend_on_the_build(c_host, kind, tmp_path):
    (tmp_path / "model.tflite").write_bytes(NODES[kind]())
    assert [reason for *_, reason in c_host.delegate(tmp_path / "model.tflite").nodes] == [""]
