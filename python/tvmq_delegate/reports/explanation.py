"""An Explanation as tables and lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from ..measure import LEFT, Cause
from ..tuning import Advice, Candidate, Detail, Explanation
from . import bench
from .columns import Column, fitted, microseconds, milliseconds

TOP = 10
FASTER = 1.03  # times: what of a node's candidates is less is not told from noise


def report(found: Explanation, width: int) -> Iterable[RenderableType]:
    """All of it, for a terminal so wide."""
    benchmark = found.benchmark
    first = benchmark.results[0].latency_metrics
    yield bench.machine(benchmark)
    yield f"{benchmark.model}: {milliseconds(first.of(benchmark.leading))} ms, the {benchmark.leading} of {benchmark.results[0].misc_metrics.num_runs}"
    yield from bench.remarks(benchmark)
    if found.detail:
        yield from _detail(found.detail, width)
        return
    yield bench.bounds(found.causes, width)
    yield slowest(found.causes, width)
    if found.advice:
        yield tried(found.advice, width)
        yield verdict(found.advice, found.benchmark.busy)


def slowest(causes: Sequence[Cause], width: int) -> Table:
    """The nodes that take most time, and why."""
    columns = [
        Column("#", lambda cause: str(cause.node)),
        Column("node type", lambda cause: cause.op, left=True, least=17),
        Column("µs", lambda cause: microseconds(cause.us / 1e3)),
        Column("%", lambda cause: f"{cause.share:.1%}"),
        Column("bound by", lambda cause: _bound(cause), left=True),
        Column("of it", lambda cause: f"{cause.part:.0%}" if cause.part else "", 1),
        Column("why", lambda cause: "; ".join([cause.why, *cause.remarks]), left=True, least=34),
    ]
    return fitted(columns, sorted(causes, key=lambda cause: -cause.us)[:TOP], width, title="\nThe slowest nodes")


def tried(advice: Sequence[Advice], width: int) -> Table:
    """The changes that were measured."""
    columns = [
        Column("change", lambda each: each.change, left=True),
        Column("before ms", lambda each: milliseconds(each.before_ms) if each.before_ms else "", 1),
        Column("after ms", lambda each: milliseconds(each.after_ms) if each.after_ms else ""),
        Column("time", lambda each: f"{each.after_ms / each.before_ms:.2f}x" if each.before_ms else ""),
        Column("95 % interval", lambda each: f"{each.low:.2f} - {each.high:.2f}" if each.low is not None else "", 2),
        Column("", lambda each: Text("faster", "green") if each.pays else Text(each.doubt), left=True),
    ]
    return fitted(columns, advice, width, title="\nChanges, each measured in turn with what runs now")


def verdict(advice: Sequence[Advice], busy: str) -> str:
    """The changes that are worth making."""
    if busy:
        return "\nnothing is recommended, because the machine is busy"
    paying = [each.change for each in advice if each.pays]
    return f"\nworth it here: {'; '.join(paying)}" if paying else "\nnothing that was tried is faster for certain"


def _bound(cause: Cause) -> Text:
    return Text(cause.bound, "yellow" if cause.bound == LEFT else "")


def _detail(detail: Detail, width: int) -> Iterable[RenderableType]:
    cause = detail.cause
    yield f"\nnode {cause.node}, {cause.op}: {microseconds(cause.us / 1e3)} µs, {cause.share:.1%} of all nodes"
    yield f"  {cause.bound}: {cause.why}" if cause.bound else f"  {cause.why}"
    yield from (f"  {remark}" for remark in cause.remarks)
    if detail.parts:
        yield "\nParts of its estimate by the cost model:"
        yield _parts(detail, width)
    if len(detail.threads) > 1:
        columns = [Column("threads", lambda row: str(row[0])), Column("µs", lambda row: microseconds(row[1] / 1e3))]
        yield "\nMeasured in the network:"
        yield fitted(columns, detail.threads.items(), width)
    if detail.candidates:
        yield _candidates(detail.candidates, width)
        yield _best(detail.candidates)


def _parts(detail: Detail, width: int) -> Table:
    shares = sorted(detail.parts.items(), key=lambda part: -part[1])
    columns = [Column("part", lambda row: row[0], left=True), Column("share", lambda row: f"{row[1]:.0%}")]
    return fitted(columns, shares, width)


def _candidates(candidates: Sequence[Candidate], width: int) -> Table:
    columns = [
        Column("algorithm", lambda each: each.choice.algorithm, left=True),
        Column("kernel", lambda each: each.choice.kernel.removeprefix("tvmq_"), left=True, least=20),
        Column("rows", lambda each: str(each.choice.rows) if each.choice.rows else "", 2),
        Column("panels", lambda each: str(each.choice.panels) if each.choice.panels else "", 2),
        Column("estimated cycles", lambda each: f"{each.cycles:,.0f}", 3),
        Column("µs", lambda each: microseconds(each.us / 1e3)),
        Column("", lambda each: "runs" if each.default else "", left=True),
    ]
    return fitted(columns, candidates, width, title="\nCandidates, measured in the network")


def _best(candidates: Sequence[Candidate]) -> str:
    default, best = next(each for each in candidates if each.default), candidates[0]
    if default.us < FASTER * best.us:
        return "\nwhat runs is the fastest of them, or as fast"
    return f"\n{best.choice} takes {best.us / default.us:.2f}x of the time: `tvmq tune --out FILE.jsonl` keeps what it has proven to be faster"
