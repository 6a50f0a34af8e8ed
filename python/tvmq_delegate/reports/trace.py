"""Inferences as a trace in Chrome's JSON format, which ui.perfetto.dev and chrome://tracing open: a track for each thread, and one for each counter."""

from __future__ import annotations

import json
import os
import statistics
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..binding import Delegate, library
from ..measure import Benchmark, Counted, machine

_INFERENCES = 0  # the track above the threads'
SLOW = 1.2  # times the median of the inferences
EXPLAINS = 0.5  # share of the time that a slow inference takes longer: waiting for so much of it is its cause

Run = tuple[int, int]  # start and end of an inference, nanoseconds of time.monotonic_ns()


def trace(found: Benchmark) -> dict[str, Any]:
    """The last inferences, as many as the delegate has kept: each of them, its nodes that the delegate runs, and each thread's tasks. Between those nodes runs
    the interpreter. Times are microseconds from the first inference on. What was counted for an inference stands in its arguments and in tracks of counters.
    """
    profiled = found.profiled
    if profiled is None:
        raise ValueError("a trace needs a benchmark with its nodes profiled")
    runs, spans = profiled.traced()
    ops = {op.run_order: op for op in found.op_profile}
    counted = dict(zip(profiled.runs_ns, profiled.counted))

    def described(span: library.Span) -> tuple[str, dict[str, Any]]:
        op = ops.get(span.node) if span.subgraph == 0 else None
        return op.node_type if op else "node", {"kernel": op.kernel, "macs": op.macs} if op else {}

    about = {"model": found.model, "runtime": found.runtime, **_machine(found.machine), "not counted": dict(profiled.not_counted)}
    return _trace(f"tvmq bench {found.model}", runs, spans, described, [counted.get(run) for run in runs], about)


def write_trace(delegate: Delegate, path: str | os.PathLike[str]) -> int:
    """Writes a trace of a program's own last inferences, for ui.perfetto.dev: their nodes, and the tasks of each thread.

        with tvmq_delegate.Interpreter("model.tflite", profile=True) as interpreter:
            ...
            tvmq_delegate.write_trace(interpreter.delegate, "trace.json")

    The delegate keeps the last 4096 spans of each thread. An inference begins whenever the first node of the main subgraph that the delegate runs begins anew.
    Call it while no other thread runs the interpreter.

    Args:
      delegate: what load(profile=True) returned, or an Interpreter's `delegate`.
      path: of the file to write.

    Returns: how many inferences the trace holds.

    Raises:
      TypeError: no Delegate object.
      ValueError: one of another library, or it has no times: it was loaded without profile=True, or no inference has run.
      OSError: the file cannot be written.
    """
    spans = library.spans(delegate)
    nodes = {(node.subgraph, node.node): node for node in library.report(delegate).nodes}
    runs = _inferences(spans)
    if not runs:
        raise ValueError("the delegate has kept no times: load it with profile=True, and run an inference first")
    spans = [span for span in spans if span.start_ns >= runs[0][0]]

    def described(span: library.Span) -> tuple[str, dict[str, Any]]:
        node = nodes.get((span.subgraph, span.node))
        return node.op if node else "node", {"kernel": node.kernel, "macs": node.macs} if node else {}

    data = _trace("inferences with tvmq-delegate", runs, spans, described, [None] * len(runs), _machine(machine.describe()))
    Path(path).write_text(json.dumps(data) + "\n", encoding="utf-8")
    return len(runs)


def _inferences(spans: Sequence[library.Span]) -> list[Run]:
    """From the first node of each inference to its last. What the ring of spans has lost the beginning of is left out."""
    nodes = sorted((span for span in spans if span.task < 0), key=lambda span: span.start_ns)
    first = min((span.node for span in nodes if span.subgraph == 0), default=None)
    begins = [i for i, span in enumerate(nodes) if (span.subgraph, span.node) == (0, first)]
    return [(nodes[begin].start_ns, max(span.end_ns for span in nodes[begin:end])) for begin, end in zip(begins, [*begins[1:], len(nodes)])]


def _machine(about: machine.Machine) -> dict[str, Any]:
    return {"cpu": about.cpu, "clock": about.clock, "load": about.load, "date": about.date, "version": about.version}


def _trace(
    title: str,
    runs: Sequence[Run],
    spans: Sequence[library.Span],
    described: Callable[[library.Span], tuple[str, dict[str, Any]]],
    counted: Sequence[Counted | None],
    about: Mapping[str, Any],
) -> dict[str, Any]:
    origin = min((start for start, _ in runs), default=0)

    def event(name: str, category: str, track: int, start: int, end: int, **about: Any) -> dict[str, Any]:
        times = {"ts": (start - origin) / 1e3, "dur": (end - start) / 1e3}
        return {"name": name, "cat": category, "ph": "X", **times, "pid": 1, "tid": track, "args": about}

    events = [_named("process_name", _INFERENCES, title), _named("thread_name", _INFERENCES, "inferences")]
    threads = sorted({span.thread for span in spans})
    events += [_named("thread_name", thread + 1, f"thread {thread}" + (" (runs the interpreter)" if thread == 0 else "")) for thread in threads]
    median = statistics.median(end - start for start, end in runs) if runs else 0.0
    for i, ((start, end), counts) in enumerate(zip(runs, counted)):
        slow = why_slow(end - start, median, counts)
        events.append(event(f"inference {i}{slow}", "inference", _INFERENCES, start, end, **(counts.counts if counts else {})))
        for name, value in counts.counts.items() if counts else ():
            events.append({"name": name, "ph": "C", "ts": (start - origin) / 1e3, "pid": 1, "args": {name: value}})
    for span in spans:
        op, more = described(span)
        facts = {"node": span.node, "subgraph": span.subgraph, **more}
        name = f"{span.node} {op}"
        if span.task < 0:
            events.append(event(name, "node", span.thread + 1, span.start_ns, span.end_ns, **facts))
        else:
            events.append(event(f"{name}, task {span.task}", "task", span.thread + 1, span.start_ns, span.end_ns, **facts, task=span.task))
    return {"traceEvents": events, "displayTimeUnit": "ms", "otherData": dict(about)}


def why_slow(ns: float, median_ns: float, counted: Counted | None) -> str:
    """A remark on an inference that took longer than most, with the cause if the counts show it."""
    if not median_ns or ns < SLOW * median_ns:
        return ""
    slow, longer_us = f" ({ns / median_ns:.1f}x the median", (ns - median_ns) / 1e3
    counts = counted.counts if counted else {}
    for name, whose in (("waited us", ""), ("workers waited us", "other threads ")):
        if counts.get(name, 0.0) > EXPLAINS * longer_us:
            return f"{slow}: {whose}waited {counts[name] / 1e3:.3g} ms for a processor)"
    if counts.get("preempted"):
        return f"{slow}: lost its processor {counts['preempted']:.0f} times)"
    if counts.get("page faults"):
        return f"{slow}: {counts['page faults']:.0f} page faults)"
    return f"{slow})"


def _named(what: str, track: int, name: str) -> dict[str, Any]:
    return {"name": what, "ph": "M", "pid": 1, "tid": track, "args": {"name": name}}
