"""Hosts that load the library by its path and set no options: they get what load() gives, in the builds of the runtimes that are known."""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
import sys

import builders
import harness
import pytest

import tvmq_delegate
from tvmq_delegate.binding import reference, runtimes

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
    if "UINT64_C(0x{}), UINT64_C(0x{}), {},".format(*code.groups()) not in KNOWN:
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


def claimed(report: tvmq_delegate.Report) -> list[tuple[int, int, str]]:
    return [(node.subgraph, node.node, node.reason) for node in report.nodes]


@pytest.mark.parametrize("kind", NODES)
def test_nodes_are_those_of_load(known, kind):
    model = NODES[kind]()
    delegate = tvmq_delegate.load(runtime=known.name)
    interpreter = known.interpreter(model, [delegate])
    report = by_path(known, model, {})
    assert claimed(report) == claimed(tvmq_delegate.report(delegate))
    assert report.summary.claimed == 1, claimed(report)
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


def test_options_by_hand_win(runtime):
    summary = by_path(runtime, builders.build_conv(), dict(fully_connected="fixed_point", fast_math="on", hybrid="neon")).summary
    assert (summary.fully_connected, summary.fast_math, summary.hybrid, summary.runtime) == ("fixed_point", "on", "neon", "")
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
import sys
import {module} as module
import tvmq_delegate
for model in sys.argv[1:]:
    delegate = module.load_delegate(str(tvmq_delegate.library_path()), {{}})
    interpreter = module.Interpreter(model, experimental_delegates=[delegate])
    report = tvmq_delegate.report(delegate)
    print(report.summary.runtime.partition(":")[0], "|", report.nodes[0].reason)
"""


@pytest.mark.skipif(harness.EMULATED, reason="another Python is started without the emulator's folders")
def test_an_altered_runtime_is_unknown(known, tmp_path):
    """One byte of its code differs, which never runs: nodes that depend on the build are left to the runtime."""
    name = re.search(r"bytes in (\S+)", by_path(known, builders.build_conv(), {}).summary.runtime)[1]
    installed = pathlib.Path(known.module.__file__).parent
    if not (installed / name).is_file():
        pytest.skip(f"{name} is not beside {installed}")
    shutil.copytree(installed, tmp_path / known.name, ignore=shutil.ignore_patterns("vendors", "libLiteRtWebGpuAccelerator.so"))
    library = tmp_path / known.name / name
    code = bytearray(library.read_bytes())
    code[filling(code)] ^= 0x01
    library.write_bytes(code)
    models = []
    for kind in ("FULLY_CONNECTED", "hybrid CONV_2D"):
        models.append(tmp_path / f"{kind}.tflite")
        models[-1].write_bytes(NODES[kind]())
    script = f"import sys\nsys.path.insert(0, {str(tmp_path)!r})\n" + SCRIPT.format(module=known.module.__name__)
    done = subprocess.run([*harness.PYTHON, "-c", script, *map(str, models)], check=True, capture_output=True, text=True)
    first, second = done.stdout.splitlines()
    assert first.startswith("unknown |") and "option fully_connected" in first
    assert second.startswith("unknown |") and "option hybrid" in second
