"""A Benchmark, or a Comparison of two, as tables and lines for a terminal, with the columns that its width has room for."""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterable, Mapping, Sequence

from rich.table import Table
from rich.text import Text

from ..binding import plural
from ..measure import LEAST, MEDIAN, Benchmark, BenchmarkResult, Cause, Change, Comparison, History, OpProfileData, by_bound, causes, judged
from ..sessions import DELEGATE
from .columns import Column, fitted, microseconds, milliseconds

NARROW, MIDDLE, ROOMY, WIDE = 1, 2, 3, 4  # ranks of columns: the last go first where there is no room
TOP = 10
LONGEST_NAME = 16  # of a contender, in a heading


def machine(found: Benchmark) -> str:
    """One line on what measured."""
    about = found.machine
    clock = ", ".join(filter(None, (about.clock, about.governor, about.temperature)))
    threads = f"{plural(found.num_threads, 'thread')} on {plural(about.count, 'processor')}, load {about.load or 'unknown'}"
    return f"{about.cpu}{f' ({clock})' if clock else ''}, {threads}; {found.runtime} {about.runtimes.get(found.runtime, '')}, tvmq-delegate {about.version}"


def contenders(found: Benchmark, width: int) -> Table:
    """Times and memory of each contender, and its time over the first's. Where nothing ran, of times only that of making it ready."""

    def ms(name: str) -> Callable[[BenchmarkResult], str]:
        return lambda result: milliseconds(getattr(result.latency_metrics, name))

    names = {MEDIAN: "median_ms", LEAST: "min_ms"}
    leading, other = sorted(names, key=lambda name: name != found.leading)
    runs = [
        Column(f"{leading} ms", ms(names[leading])),
        Column("p90", ms("p90_ms"), MIDDLE),
        Column("p95", ms("p95_ms"), NARROW),
        Column(other, ms(names[other]), ROOMY if found.busy else 0),
        Column("avg", ms("avg_ms"), MIDDLE),
        Column("±", ms("stddev_ms"), WIDE),
        Column("runs", lambda result: str(result.misc_metrics.num_runs), MIDDLE),
    ]
    ran = any(result.misc_metrics.num_runs for result in found.results)
    columns = [
        Column("contender", lambda result: result.name, left=True),
        *(runs if ran else ()),
        Column("init ms", lambda result: f"{result.latency_metrics.init_ms:.1f}", NARROW),
        Column("memory MB", lambda result: f"{result.memory_metrics.overall_footprint_kb / 1024:.1f}", NARROW),
        Column("peak MB", lambda result: f"{result.memory_metrics.peak_mem_mb:.0f}", WIDE),
    ]
    if ran and len(found.results) > 1:
        first = found.results[0].name
        baseline = first if len(first) <= LONGEST_NAME else "the first"
        columns.append(Column(f"time vs {baseline}", lambda result: _factor(result.ratio.value) if result.ratio else ""))
        columns.append(Column("95 % interval", lambda result: result.ratio.interval if result.ratio else "", MIDDLE))
    return fitted(columns, found.results, width)


def remarks(found: Benchmark) -> list[str]:
    """A line for each contender that could not run, and one where the machine is busy."""
    lines = [f"{name} is left out: {reason}" for name, reason in found.absent.items()]
    if found.busy:
        lines.append(f"busy: {found.busy}; the least times lead instead of the medians")
    return lines


def run_order(found: Benchmark, width: int) -> Table:
    return _ops("Run Order", found, found.op_profile, width)


def top(found: Benchmark, width: int) -> Table:
    return _ops("Top by Computation Time", found, sorted(found.op_profile, key=lambda op: op.us, reverse=True)[:TOP], width)


def by_type(found: Benchmark, width: int) -> Table:
    """Sums over the nodes of each type."""
    groups: dict[str, list[OpProfileData]] = collections.defaultdict(list)
    for op in found.op_profile:
        groups[op.node_type].append(op)
    rows = sorted(groups.values(), key=_spent, reverse=True)
    total = _spent(found.op_profile) or 1.0
    cumulated = {id(row): _spent(op for other in rows[: n + 1] for op in other) for n, row in enumerate(rows)}
    columns = [
        Column("node type", lambda ops: ops[0].node_type, left=True, least=17),
        Column("count", lambda ops: str(len(ops))),
        Column("claimed", lambda ops: str(sum(op.claimed for op in ops)), MIDDLE),
        Column("ms", lambda ops: milliseconds(_spent(ops) / 1e3)),
        Column("%", lambda ops: f"{100 * _spent(ops) / total:.1f}%"),
        Column("cdf %", lambda ops: f"{100 * cumulated[id(ops)] / total:.1f}%", WIDE),
        Column("mem KB", lambda ops: f"{size:.1f}" if (size := sum(op.mem_kb for op in ops)) else "", MIDDLE),
    ]
    columns += [Column(f"vs {name}", _summed(name)) for name in found.against]
    return fitted(columns, rows, width, title="\nSummary by node type")


def bounds(causes: Sequence[Cause], width: int) -> Table:
    """Sums over the nodes by what bounds them."""
    total = sum(cause.us for cause in causes) or 1.0
    columns = [
        Column("nodes bound by", lambda row: row[0], left=True),
        Column("ms", lambda row: milliseconds(row[1] / 1e3)),
        Column("%", lambda row: f"{row[1] / total:.1%}"),
        Column("nodes", lambda row: str(row[2])),
    ]
    return fitted(columns, by_bound(causes), width, title="\nSummary by what bounds nodes")


def legend(found: Benchmark) -> str:
    """The caption that says how the times in the tables of nodes were taken."""
    alone = ", ".join(["alone", *found.against])
    times = f"µs: {found.leading} in the network, by the delegate's clock; {alone}: the least as a model of its own, interpreter included, caches warm"
    ratios = ", ".join(f"vs {name}" for name in found.against)
    return f"{times}; {ratios}: that contender's time divided by alone" if ratios else times


def reconciliation(found: Benchmark) -> str:
    """How the nodes add up to an inference, and what the machine could do."""
    sums, peak = found.reconciliation, found.peak
    assert sums and peak
    whole = sums.inference_us or 1.0
    unprofiled = found.results[0].latency_metrics.min_ms
    profiled = f"{milliseconds(sums.inference_us / 1e3)} ms, the least of {sums.inferences}"
    lines = [f"one inference, profiled: {profiled} (not profiled: {milliseconds(unprofiled)} ms)"]
    lines += [f"  {milliseconds(us / 1e3):>8} ms {us / whole:6.1%}  {what}" for what, us in sums.parts]
    lines[1] += f": {found.gmacs_per_second:.1f} GMAC/s, {found.share_of_peak:.0%} of the machine's peak"
    rates = f"{peak.macs_per_second / 1e9:.1f} GMAC/s ({peak.kernel})"
    bandwidth = f"{peak.cache_bytes_per_second / 1e9:.1f} GB/s from caches, {peak.memory_bytes_per_second / 1e9:.1f} GB/s from memory"
    return "\n".join([*lines, f"the machine's peak, measured on {plural(peak.threads, 'thread')}: {rates}; {bandwidth}"])


def comparison(found: Comparison, width: int, limit: float | None = None) -> Table:
    """A row for each change. limit: percent; the rows that are slower by more are marked, and it is said why others do not count."""
    slower = found.slower(limit) if limit is not None else ()
    columns = [
        Column("", lambda change: change.what, left=True),
        Column("before µs", lambda change: microseconds(change.before_ms)),
        Column("after µs", lambda change: microseconds(change.after_ms)),
        Column("change", lambda change: _change(change, found.judged)),
        Column("", lambda change: Text(remark(change, found, limit), "red" if change in slower and found.judged else ""), left=True),
    ]
    return fitted(columns, [*found.contenders, *found.nodes], width, title=f"\n{found.before} → {found.after}, regressions first")


def remark(change: Change, found: Comparison, limit: float | None) -> str:
    """Says why a change counts, or why not."""
    if not change.clear:
        return "within the noise"
    if not found.judged:
        return "busy"
    if limit is None or change.ratio <= 1 + limit / 100:
        return ""
    return "counts" if change in found.slower(limit) else "costs under 1 % of the network's time"


def verdict(found: Comparison, limit: float) -> str:
    """Which changes are slower by more than so many percent, and count."""
    slower = found.slower(limit)
    what = f"slower by more than {limit:g} %"
    if not slower:
        return f"nothing that counts is {what}"
    doubt = "" if found.judged else "; the machine was busy, which may be why: measure again when it is quiet"
    return f"{what}: {', '.join(change.what for change in slower)}{doubt}"


def not_counted(missing: Mapping[str, str]) -> str:
    """Lists the counts that are missing, by reason."""
    reasons: dict[str, list[str]] = {}
    for name, why in missing.items():
        reasons.setdefault(why, []).append(name)
    return "; ".join(f"{', '.join(names)} ({why})" for why, names in reasons.items())


def latest(found: History, path: str) -> str:
    """How the run in a file of the history compares with the one before."""
    series = next((series for series in found.series if path in (run.path for run in series.runs)), None)
    if series is None:
        return f"{path} cannot be read again: {'; '.join(found.skipped)}"
    count = f"{plural(len(series.runs), 'run')} of {series.model} in {found.folder}"
    if series.change is None:
        return count
    changes = [f"{change.what} {change.ratio - 1:+.1%}{_doubt(change, series.change.judged)}" for change in series.change.contenders]
    busy = [warning for warning in series.change.warnings if warning.startswith("busy")]
    return "; ".join([count, f"against the run before: {', '.join(changes)}", *busy])


def _doubt(change: Change, judged: bool) -> str:
    return " (within the noise)" if not change.clear else "" if judged else " (busy)"


def _ops(title: str, found: Benchmark, ops: Sequence[OpProfileData], width: int) -> Table:
    """Cumulated shares follow the order of the rows."""
    total = _spent(found.op_profile) or 1.0
    cumulated = {op.run_order: _spent(ops[: n + 1]) for n, op in enumerate(ops)}
    bound = {cause.node: cause.bound for cause in causes(found)}
    columns = [
        Column("#", lambda op: str(op.run_order)),
        Column("node type", lambda op: op.node_type, left=True, least=17),
        Column("kernel, or why not", _kernel, MIDDLE, left=True, least=20),
        Column("packing", lambda op: op.packing, WIDE, left=True),
        Column("bound by", lambda op: bound.get(op.run_order, ""), MIDDLE, left=True),
        Column("thr", lambda op: str(op.threads) if op.claimed else "", WIDE),
        Column("MACs", lambda op: f"{op.macs:,}" if op.macs else "", WIDE),
        Column("µs", lambda op: microseconds(op.us / 1e3)),
        Column("avg µs", lambda op: microseconds(op.inference_microseconds.avg / 1e3) if op.inference_microseconds else "", WIDE),
        Column("%", lambda op: f"{100 * op.us / total:.1f}%"),
        Column("cdf%", lambda op: f"{100 * cumulated[op.run_order] / total:.1f}%", WIDE),
        Column("GMAC/s", lambda op: f"{op.gmacs_per_second:.1f}" if op.gmacs_per_second else "", NARROW),
        Column("peak", lambda op: f"{op.share_of_peak:.0%}" if op.gmacs_per_second else "", NARROW),
        Column("alone", _alone(DELEGATE), NARROW),
    ]
    for n, name in enumerate(found.against):
        columns.append(Column(name, _alone(name), 0 if n == 0 else WIDE))
        columns.append(Column(f"vs {name}", _speedup(name), 0 if n == 0 else ROOMY))
    return fitted(columns, ops, width, title=f"\n{title}")


def _kernel(op: OpProfileData) -> Text:
    return Text(op.how.removeprefix("tvmq_"), "cyan" if op.claimed else "yellow")


def _spent(ops: Iterable[OpProfileData]) -> float:
    return sum(op.us for op in ops)


def _alone(name: str) -> Callable[[OpProfileData], str]:
    return lambda op: microseconds(op.alone_us[name] / 1e3) if name in op.alone_us else ""


def _speedup(against: str) -> Callable[[OpProfileData], Text]:
    return lambda op: _factor(op.speedup(against))


def _summed(against: str) -> Callable[[Sequence[OpProfileData]], Text]:
    """The speed-up of sums over the nodes that have both times."""

    def cell(ops: Sequence[OpProfileData]) -> Text:
        both = [op for op in ops if op.speedup(against) is not None]
        return _factor(sum(op.alone_us[against] for op in both) / sum(op.alone_us[DELEGATE] for op in both) if both else None)

    return cell


def _factor(factor: float | None) -> Text:
    if factor is None:
        return Text("")
    return Text(f"{factor:.2f}x", {"good": "green", "bad": "red"}.get(judged(factor), ""))


def _change(change: Change, judged: bool) -> Text:
    style = ("red" if change.ratio > 1 else "green") if change.clear and judged else ""
    return Text(f"{change.ratio - 1:+.1%}", style)
