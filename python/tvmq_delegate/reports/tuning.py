"""Tuning as tables and lines for a terminal."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from rich.table import Table

from ..binding import plural
from ..tuning import NETWORK_GAIN, NODE_GAIN, Choice, Record, Tuning
from .columns import Column, fitted


def shape(signature: str) -> str:
    """The operator, types and shapes of a task in short: "CONV_2D s8 56x56x24 > u8 56x56x144, 1x1"."""
    operator = signature.partition(" ")[0]
    words = dict(re.findall(r" (\w+)=(\S+)", signature))
    types, sizes = {}, {}
    for name in ("in", "out", "filter"):
        types[name], _, within = words.get(name, "").partition("[")
        sizes[name] = re.findall(r"\d+", within)
    if not sizes["filter"]:
        return f"{operator} {words.get('elements', '')} {words.get('in', '')}"
    stride = words.get("stride", "1,1")
    step = f"/{stride[0]}" if stride != "1,1" else ""
    return f"{operator} {types['in']} {'x'.join(sizes['in'][1:])} > {types['out']} {'x'.join(sizes['out'])}, {'x'.join(sizes['filter'][:2])}{step}"


def changed(default: Choice, best: Choice) -> str:
    """The parts of a choice in which another one differs: "algorithm, kernel"."""
    parts = [("algorithm", default.algorithm != best.algorithm), ("kernel", default.kernel != best.kernel)]
    parts += [("blocks", (default.rows, default.panels) != (best.rows, best.panels)), ("flip", default.flipped_copy != best.flipped_copy)]
    return ", ".join(name for name, differs in parts if differs)


def source(default: Choice, best: Choice) -> str:
    """The weightiest of them."""
    return (changed(default, best) or "nothing").partition(",")[0]


def rate(macs: int, ns: float) -> str:
    return f"{macs / ns:.0f}" if macs and ns else ""


def tasks(found: Tuning, width: int) -> Table:
    """One line for each task, the longest first."""
    columns = [
        Column("nodes", lambda task: str(task.nodes), 3),
        Column("task", lambda task: shape(task.signature), left=True, least=34),
        Column("default us", lambda task: f"{task.default_ns / 1e3:.1f}", 1),
        Column("best us", lambda task: f"{task.default_ns * task.best_ratio / 1e3:.1f}"),
        Column("gain", lambda task: f"{1 / task.best_ratio:.2f}x"),
        Column("kept", lambda task: "yes" if task.kept else ""),
        Column("GMAC/s", lambda task: rate(task.macs, task.default_ns * task.best_ratio), 4),
        Column("trials", lambda task: str(len(task.trials) + task.known), 2),
        Column("changed", lambda task: changed(task.default, task.best), 5, left=True),
        Column("choice", lambda task: str(task.best), 6, left=True),
    ]
    ordered = sorted(found.tasks, key=lambda task: -task.default_ns * task.nodes)
    return fitted(columns, ordered, width)


def summary(found: Tuning) -> str:
    trials = sum(len(task.trials) for task in found.tasks)
    known = sum(task.known for task in found.tasks)
    lines = [
        f"{plural(len(found.tasks), 'task')} of {plural(sum(task.nodes for task in found.tasks), 'node')} on {plural(found.threads, 'thread')}, "
        f"{found.choices:,} choices; "
        f"{plural(trials, 'trial')} "
        f"by {found.tuner}{f', {known} known before' if known else ''}, {found.seconds:.1f} s{', interrupted' if found.interrupted else ''}"
    ]
    kept = [task for task in found.tasks if task.kept]
    recorded = f"; {found.path} has what was measured, and the next search goes on from it" if found.path else ""
    if found.kept:
        lines.append(f"the network: {found.default_ms:.3f} ms by default, {found.tuned_ms:.3f} ms tuned: {found.gain:.3f}x by {plural(len(kept), 'choice')}")
        lines.append(f"written to {found.path}: load(tuning_records={found.path!r})" if found.path else "--out FILE.jsonl keeps what was found")
    elif found.gain == found.gain:
        lines.append(f"nothing to gain: all choices together gain less than {NETWORK_GAIN - 1:.0%}; the defaults stay{recorded}")
    elif found.interrupted:
        lines.append(f"interrupted: no choice is proven {NODE_GAIN - 1:.0%} faster than the default yet{recorded}")
    else:
        lines.append(f"nothing to gain: no choice is proven {NODE_GAIN - 1:.0%} faster than the default{recorded}")
    if found.busy:
        lines.append(f"busy: {found.busy}; what is kept is proven, but a search on a quiet machine may find more")
    return "\n".join(lines)


def report(found: Tuning, width: int) -> Iterable[Table | str]:
    yield tasks(found, width)
    yield "\n" + summary(found)


def records(listed: Sequence[Record], width: int) -> Table:
    """One line for each record."""
    columns = [
        Column("task", lambda record: shape(record.task), left=True, least=34),
        Column("threads", lambda record: str(record.origin.threads), 2),
        Column("us", lambda record: f"{min(record.times_ns) / 1e3:.1f}"),
        Column("default", lambda record: f"{min(record.default_times_ns) / 1e3:.1f}", 1),
        Column("gain", lambda record: f"{record.gain:.2f}x"),
        Column("proven", lambda record: "yes" if record.proven else ""),
        Column("tuner", lambda record: record.tuner, 4, left=True),
        Column("choice", lambda record: str(record.choice), 3, left=True),
        Column("CPU", lambda record: record.origin.cpu, 5, left=True),
        Column("date", lambda record: record.date[:10], 6, left=True),
    ]
    return fitted(columns, listed, width)
