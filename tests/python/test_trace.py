"""Traces for Perfetto: what was counted for each inference, why one was slow, and a program's own inferences."""

from __future__ import annotations

import errno
import json
import os
import pathlib
import threading
import time
from typing import Any

import harness
import numpy as np
import pytest
from test_cli import tvmq

import tvmq_delegate
from tvmq_delegate import measure
from tvmq_delegate.measure import counters
from tvmq_delegate.models import zoo
from tvmq_delegate.reports import trace

NETWORK = "mobilenet_v1_0.25_128"


def events(path: pathlib.Path, **about: object) -> list[dict[str, Any]]:
    return [event for event in json.loads(path.read_text())["traceEvents"] if all(event.get(name) == value for name, value in about.items())]


def test_each_inference_has_its_counts(one_conv: pathlib.Path, tmp_path: pathlib.Path, runtime: harness.Runtime) -> None:
    flags = ("--runtime", runtime.name, "--num-runs", "5", "--min-secs", "0", "--warmup-min-secs", "0")
    done = tvmq("bench", one_conv, *flags, "--trace", tmp_path / "t.json")
    assert done.exit_code == 0, done.output
    inferences = events(tmp_path / "t.json", cat="inference")
    assert len(inferences) == 5 and all({"preempted", "slept", "page faults"} <= event["args"].keys() for event in inferences)
    tracks = {event["name"] for event in events(tmp_path / "t.json", ph="C")}
    assert tracks == {name for event in inferences for name in event["args"]}
    missing = json.loads((tmp_path / "t.json").read_text())["otherData"]["not counted"]
    assert tracks.isdisjoint(missing) and {"cycles", "instructions", "cache misses"} <= tracks | missing.keys()
    assert ("not in the trace: " in done.stderr) == bool(missing) and all(why in done.stderr for why in missing.values())


@pytest.mark.parametrize(
    ("code", "told"),
    [(errno.ENOENT, "virtual machine"), (errno.EACCES, "perf_event_paranoid"), (errno.EPERM, "container"), (errno.EIO, "Input/output")],
)
def test_what_perf_refuses(monkeypatch: pytest.MonkeyPatch, code: int, told: str) -> None:
    def refused(event: int, thread: int) -> int:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(counters, "_opened", refused)
    found = measure.Counters()
    assert all(told in found.missing[name] for name in counters.EVENTS)
    assert found.between(found.read(), found.read()).counts["preempted"] >= 0
    found.close()


def test_the_clock_is_cycles_of_the_time_on_processors() -> None:
    found = measure.Counters()
    before, after = {"cycles": 100.0, "busy us": 10.0, "page faults": 1.0}, {"cycles": 20100.0, "busy us": 20.0, "page faults": 4.0}
    counts = found.between(before, after).counts
    assert counts["GHz"] == 2.0 and counts["page faults"] == 3 and "busy us" not in counts
    found.close()


def test_waiting_of_threads_is_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """The caller has waited 3 us for a processor, every other thread 5 us."""
    stop = threading.Event()
    thread = threading.Thread(target=stop.wait)
    thread.start()
    own = str(threading.get_native_id())
    monkeypatch.setattr(counters, "_numbers", lambda path: [20_000, 3_000 if own in path.parts else 5_000, 1])
    try:
        found = measure.Counters()
        n = len(os.listdir("/proc/self/task"))
        told = found.read()
        found.close()
    finally:
        stop.set()
        thread.join()
    assert (told["waited us"], told["workers waited us"], told["busy us"]) == (3, 5 * (n - 1), 20 * n)


@pytest.mark.parametrize(
    ("ms", "counts", "told"),
    [
        (1.1, {"waited us": 100.0}, ""),
        (3.0, {"waited us": 1500.0}, " (3.0x the median: waited 1.5 ms for a processor)"),
        (3.0, {"workers waited us": 1500.0}, " (3.0x the median: other threads waited 1.5 ms for a processor)"),
        (3.0, {"waited us": 20.0, "preempted": 2}, " (3.0x the median: lost its processor 2 times)"),
        (3.0, {"page faults": 7}, " (3.0x the median: 7 page faults)"),
        (3.0, {}, " (3.0x the median)"),
        (3.0, None, " (3.0x the median)"),
    ],
)
def test_why_an_inference_was_slow(ms: float, counts: dict[str, float] | None, told: str) -> None:
    assert trace.why_slow(ms * 1e6, 1e6, measure.Counted(counts) if counts is not None else None) == told


@pytest.mark.parametrize("threads", [1, 2])
def test_inferences_of_a_program(runtime: harness.Runtime, tmp_path: pathlib.Path, threads: int) -> None:
    path = tmp_path / "own.json"
    with tvmq_delegate.Interpreter(zoo.load(NETWORK), runtime=runtime.name, profile=True, num_threads=threads) as interpreter:
        image = np.zeros(interpreter.get_input_details()[0]["shape"], np.int8)
        times = []
        for _ in range(4):
            begin = time.monotonic_ns()
            interpreter.run(image)
            times.append((time.monotonic_ns() - begin) / 1e3)
        assert tvmq_delegate.write_trace(interpreter.delegate, path) == 4
        claimed = [node for node in interpreter.report().nodes if node.claimed]
    inferences, nodes = events(path, cat="inference"), events(path, cat="node")
    assert len(inferences) == 4 and all(event["dur"] <= whole for event, whole in zip(inferences, times))
    for event in inferences:
        inside = [node for node in nodes if event["ts"] <= node["ts"] and node["ts"] + node["dur"] <= event["ts"] + event["dur"] + 1e-6]
        assert len(inside) == len(nodes) / 4
        assert {node["args"]["node"] for node in inside} <= {node.node for node in claimed} and inside[0]["name"] == "0 CONV_2D"


def test_a_ring_that_has_lost_the_beginning(runtime: harness.Runtime, tmp_path: pathlib.Path) -> None:
    """4096 spans hold 141 inferences of 29 nodes, the first of which is not whole."""
    with tvmq_delegate.Interpreter(zoo.load(NETWORK), runtime=runtime.name, profile=True) as interpreter:
        image = np.zeros(interpreter.get_input_details()[0]["shape"], np.int8)
        for _ in range(150):
            interpreter.run(image)
        count = tvmq_delegate.write_trace(interpreter.delegate, tmp_path / "own.json")
    nodes, inferences = events(tmp_path / "own.json", cat="node"), events(tmp_path / "own.json", cat="inference")
    assert 100 < count == len(inferences) < 150 and len(nodes) % count == 0 and min(event["ts"] for event in nodes) == 0


def test_what_has_no_times(runtime: harness.Runtime, tmp_path: pathlib.Path) -> None:
    with tvmq_delegate.Interpreter(zoo.load(NETWORK), runtime=runtime.name) as interpreter:
        interpreter.invoke()
        with pytest.raises(ValueError, match="profile=True"):
            tvmq_delegate.write_trace(interpreter.delegate, tmp_path / "own.json")
        with pytest.raises(TypeError, match="Interpreter is not a Delegate of a TFLite runtime; its attribute `delegate` is one"):
            tvmq_delegate.write_trace(interpreter, tmp_path / "own.json")
    with pytest.raises(TypeError):
        tvmq_delegate.write_trace("model.tflite", tmp_path / "own.json")
    assert not [*tmp_path.iterdir()]
