"""Screens of the commands, kept as files in tests/python/golden and looked at: at 80, 120 and 200 columns, into a pipe, and with NO_COLOR.

    TVMQ_GOLDEN=write python -m pytest tests/python/test_golden.py

writes them anew; what changed is to be looked at before it is committed. Times are replaced by others that are always the same, escape characters by ␛.
"""

from __future__ import annotations

import dataclasses
import os
import pathlib
import re
from typing import Any

import harness
import pytest
from test_cli import tvmq

import tvmq_delegate
from tvmq_delegate import accuracy, measure, tuning
from tvmq_delegate.reports import screen

GOLDEN = pathlib.Path(__file__).parent / "golden"
NETWORK = ("--network", "mobilenet_v1_0.25_128", "--isa", "c", "--tune", "out_of_order")
QUICK = ("--num-runs", "3", "--min-secs", "0", "--warmup-min-secs", "0")
COMMANDS = {
    "info": ("info",),
    "nodes": ("nodes", *NETWORK),
    "demo": ("demo", *NETWORK, "--seconds", "0"),
    "diff": ("diff", *NETWORK, "--num-runs", "1", "--per-op"),
    "bench": ("bench", *NETWORK, *QUICK, "--enable-op-profiling"),
    "explain": ("explain", *NETWORK),
    "explain-node": ("explain", *NETWORK, "--node", "6"),
}
SCREENS = {"80": 80, "120": 120, "200": 200, "piped": screen.UNLIMITED, "no_color": 80}


@pytest.fixture(scope="module")
def compared() -> dict[str, accuracy.Diff]:
    """The comparison that each command has made, which is the same on all screens."""
    return {}


@pytest.fixture(scope="module")
def measured() -> measure.Benchmark:
    """One benchmark, whose times are replaced by others that are the same everywhere."""
    runtime = next(iter(harness.installed())).name
    settings = measure.Settings(num_runs=3, min_secs=0, warmup_min_secs=0)
    found = measure.bench(
        measured_network(), runtime=runtime, name="mobilenet_v1_0.25_128", settings=settings, against=["stock"], op_profiling=True, isa="c", tune="out_of_order"
    )
    about = {field.name: "" for field in dataclasses.fields(found.machine)}
    machine = dataclasses.replace(
        found.machine, **{**about, "cpu": "a processor", "count": 4, "memory_mb": 8192, "runtimes": {runtime: "1.0"}, "version": "0.0", "load": "0.25"}
    )
    results = tuple(_result(result, 1.0 + 1.5 * i) for i, result in enumerate(found.results))
    ops = tuple(_op(op) for op in found.op_profile)
    spent = sum(op.us for op in ops)
    sums = dataclasses.replace(found.reconciliation, inferences=50, inference_us=spent + 10, claimed_us=spent, left_us=0.0, rest_us=10.0)
    peak = dataclasses.replace(found.peak, kernel="tvmq_the_fastest", macs_per_second=4e11, cache_bytes_per_second=5e10, memory_bytes_per_second=1e10)
    nodes = tuple(dataclasses.replace(node, cycles=0.0) for node in found.delegation.nodes)  # which differ between machines, as parts do
    about = {"delegation": dataclasses.replace(found.delegation, nodes=nodes)}
    return dataclasses.replace(found, machine=machine, results=results, op_profile=ops, reconciliation=sums, peak=peak, busy="", **about)


@pytest.fixture(scope="module")
def explained(measured: measure.Benchmark) -> dict[bool, tuning.Explanation]:
    """Whether a node is asked for -> what is said."""
    causes = measure.causes(measured)
    advice = (
        tuning.Advice("--num-threads 2", 1.0, 0.6, 0.58, 0.62, True),
        tuning.Advice("--winograd off", 1.0, 1.2, 1.15, 1.25, False),
        tuning.Advice("tvmq tune --out FILE.jsonl", 0.0, 0.0, None, None, False),
    )
    choices = (tuning.Choice("im2col", "tvmq_gemm_s8_4x8__c", False, 64, 2), tuning.Choice("row table", "tvmq_gemm_s8_4x8__c", False, 64, 2))
    candidates = (tuning.Candidate(choices[0], 90000.0, 10.0, False), tuning.Candidate(choices[1], 80000.0, 11.5, True))
    detail = tuning.Detail(causes[6], measured.op_profile[6].parts, candidates, {1: 11.5, 2: 6.25})
    return {False: tuning.Explanation(measured, causes, advice, None), True: tuning.Explanation(measured, causes, (), detail)}


def measured_network() -> bytes:
    return tvmq_delegate.models.zoo.load("mobilenet_v1_0.25_128")


def _result(result: measure.BenchmarkResult, ms: float) -> measure.BenchmarkResult:
    times = dataclasses.replace(result.latency_metrics, **{field.name: ms for field in dataclasses.fields(result.latency_metrics)})
    sizes = {"init_footprint_kb": 1024, "overall_footprint_kb": 2048, "peak_mem_mb": 64.0}
    memory = dataclasses.replace(result.memory_metrics, **sizes)
    misc = dataclasses.replace(result.misc_metrics, num_runs=50, num_warmup_runs=5, model_throughput_in_mb_per_sec=1.0)
    ratio = dataclasses.replace(result.ratio, value=2.5, low=2.4, high=2.6, rounds=20) if result.ratio else None
    return dataclasses.replace(result, latency_metrics=times, memory_metrics=memory, misc_metrics=misc, ratio=ratio)


def _op(op: measure.OpProfileData) -> measure.OpProfileData:
    us = 1.0 + op.macs / 1e5
    times = op.inference_microseconds
    alike = dict.fromkeys(("median_us", "p25_us", "p75_us", "least_us", "us"), us)
    same = dataclasses.replace(times, **{field.name: us for field in dataclasses.fields(times)}) if times else None
    rates = {"gmacs_per_second": op.macs / us / 1e3, "share_of_peak": op.macs / us / 4e5}
    parts = {"multiplications": 0.6, "output stage": 0.3, "overhead": 0.1} if "CONV" in op.node_type and op.run_order else {}
    parts = parts or ({"preparing rows": 0.5, "multiplications": 0.45, "memory": 0.05} if op.macs else {})
    return dataclasses.replace(op, **alike, alone_us={"tvmq": us, "stock": 2 * us}, inference_microseconds=same, **rates, parts=parts)


def masked(text: str) -> str:
    """Without what differs between machines, runtimes and versions."""
    text = re.sub(r"(?s)(Options, with their defaults.*?\n).*?(?=\n\S*CPU)", r"\1  ...\n", text)  # which docs/options.md lists
    text = re.sub(r"(?s)(\n\S*CPU\S*\n).*?(?=\n\S*Kernels)", r"\1  ...\n", text)
    text = re.sub(r"\d+, of which this CPU runs \d+", "N, of which this CPU runs N", text)
    text = text.replace(str(tvmq_delegate.library_path()), "LIBRARY").replace(f"tvmq-delegate {tvmq_delegate.__version__}", "tvmq-delegate VERSION")
    text = text.replace(tvmq_delegate.cpu().name, "a processor")
    for runtime in harness.installed():
        text = text.replace(runtime.name, "RUNTIME")
    text = re.sub(r"latency: avg=[\d.e+]+\(us\)", "latency: avg=1(us)", text)
    return "\n".join(line.rstrip() for line in text.replace("\x1b", "␛").splitlines()) + "\n"


@pytest.mark.parametrize("kind", SCREENS)
@pytest.mark.parametrize("command", COMMANDS)
def test_screen(
    command: str,
    kind: str,
    measured: measure.Benchmark,
    compared: dict[str, accuracy.Diff],
    explained: dict[bool, tuning.Explanation],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (monkeypatch.setenv if kind == "no_color" else lambda name, _: monkeypatch.delenv(name, raising=False))("NO_COLOR", "1")
    terminal: dict[str, Any] = {"force_terminal": True, "color_system": "standard"} if kind != "piped" else {"force_terminal": False}
    monkeypatch.setattr(screen, "console", screen.Screen(width=SCREENS[kind], highlight=False, markup=False, **terminal))
    monkeypatch.setattr(screen, "for_programs", lambda: kind == "piped")
    monkeypatch.setattr(measure, "bench", lambda source, **_: measured)
    monkeypatch.setattr(tuning, "explain", lambda source, node, **_: explained[node is not None])
    diff = accuracy.diff
    monkeypatch.setattr(accuracy, "diff", lambda source, **given: compared.get(command) or compared.setdefault(command, diff(source, **given)))
    result = tvmq(*COMMANDS[command], *(() if command == "info" else ("--runtime", measured.runtime)))
    assert result.exit_code == 0, result.output
    text, path = masked(result.output), GOLDEN / f"{command}-{kind}.txt"
    if os.environ.get("TVMQ_GOLDEN") == "write":
        GOLDEN.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8"), f"{path.name}: look at it, then TVMQ_GOLDEN=write python -m pytest {pathlib.Path(__file__).name}"
    if kind in ("80", "120", "200", "no_color"):
        plain = re.sub("␛\\[[0-9;]*m", "", text).partition("\n\n")[0]
        assert command == "info" or max(map(len, plain.splitlines())) <= SCREENS[kind] or command in ("bench", "diff", "explain", "explain-node")
    assert kind != "piped" or "␛" not in text
