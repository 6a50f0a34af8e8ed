"""A profile as a trace in Chrome's JSON format, which ui.perfetto.dev and chrome://tracing open: one track for each thread."""

from __future__ import annotations

from typing import Any

from ..measure import Benchmark

_INFERENCES = 0  # the track above the threads'


def trace(found: Benchmark) -> dict[str, Any]:
    """The last inferences, as many as the delegate has kept: each of them, its nodes that the delegate runs, and each thread's tasks. Between those nodes runs
    the interpreter. Times are microseconds from the first inference on.
    """
    profiled = found.profiled
    if profiled is None:
        raise ValueError("a trace needs a benchmark with its nodes profiled")
    runs, spans = profiled.traced()
    origin = min((start for start, _ in runs), default=0)
    ops = {op.run_order: op for op in found.op_profile}

    def event(name: str, category: str, track: int, start: int, end: int, **about: Any) -> dict[str, Any]:
        times = {"ts": (start - origin) / 1e3, "dur": (end - start) / 1e3}
        return {"name": name, "cat": category, "ph": "X", **times, "pid": 1, "tid": track, "args": about}

    events = [_named("process_name", _INFERENCES, f"tvmq bench {found.model}"), _named("thread_name", _INFERENCES, "inferences")]
    threads = sorted({span.thread for span in spans})
    events += [_named("thread_name", thread + 1, f"thread {thread}" + (" (runs the interpreter)" if thread == 0 else "")) for thread in threads]
    events += [event(f"inference {i}", "inference", _INFERENCES, start, end) for i, (start, end) in enumerate(runs)]
    for span in spans:
        op = ops.get(span.node) if span.subgraph == 0 else None
        name = f"{span.node} {op.node_type if op else 'node'}"
        about = {"node": span.node, "subgraph": span.subgraph, **({"kernel": op.kernel, "macs": op.macs} if op else {})}
        if span.task < 0:
            events.append(event(name, "node", span.thread + 1, span.start_ns, span.end_ns, **about))
        else:
            events.append(event(f"{name}, task {span.task}", "task", span.thread + 1, span.start_ns, span.end_ns, **about, task=span.task))
    about = {"model": found.model, "runtime": found.runtime, "cpu": found.machine.cpu, "date": found.machine.date, "version": found.machine.version}
    return {"traceEvents": events, "displayTimeUnit": "ms", "otherData": about}


def _named(what: str, track: int, name: str) -> dict[str, Any]:
    return {"name": what, "ph": "M", "pid": 1, "tid": track, "args": {"name": name}}
