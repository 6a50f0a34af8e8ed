"""`tvmq explain`: words for what takes a node's time, and changes that are recommended only where they were measured to be faster. No time decides."""

from __future__ import annotations

import dataclasses
import html
import importlib
import json
import pathlib
import re
import types

import harness
import pytest
from test_cli import prints, refuses

import tvmq_delegate
from tvmq_delegate import measure, models, tuning
from tvmq_delegate.binding import library, runtimes
from tvmq_delegate.measure import machine_text, metrics, parts
from tvmq_delegate.models import zoo
from tvmq_delegate.reports import bench as report
from tvmq_delegate.sessions import Contender
from tvmq_delegate.tuning import experiments

NETWORK = "mobilenet_v1_0.25_128"
QUICK = ("--seconds", "0")


# ---- parts of estimates


def test_every_cost_of_a_machine_is_of_one_part() -> None:
    """A cost that is added is charged to a part, or the shares leave it out. small_cycles is a limit, and costs nothing."""
    text = (harness.REPOSITORY / "delegate/cpu/machine_fields.def").read_text(encoding="utf-8")
    costs = set(re.findall(r"^TVMQ_MACHINE_COST\((\w+)", text, re.MULTILINE)) - {"small_cycles"}
    charged = [name for names in parts.CHARGED.values() for name in names]
    assert sorted(charged) == sorted(costs | {"rate", "tile_cycles"})


@pytest.fixture(scope="module")
def session(runtime: harness.Runtime) -> object:
    """On two threads, where a processor is there for the other: one alone is charged for memory only where weights do not stay in the cache."""
    return Contender("tvmq", options={"machine": "known"}).open(zoo.load("mobilenet_v2_0.35_96"), runtime.module, num_threads=2)


def test_shares_add_up_and_leave_the_delegate_as_it_was(session: object) -> None:
    before = {i: library.candidates(session.delegate, i) for i in range(4)}
    found = parts.parts(session.delegate)
    assert {i: library.candidates(session.delegate, i) for i in range(4)} == before
    nodes = library.report(session.delegate).nodes
    assert set(found) >= {i for i, node in enumerate(nodes) if "CONV" in node.op}
    for shares in found.values():
        assert sum(shares.values()) == pytest.approx(1) and min(shares.values()) >= 0 and set(shares) == set(parts.CHARGED)


@pytest.mark.parametrize("part", parts.CHARGED)
def test_what_costs_more_takes_the_greater_share(session: object, part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    base = next(machine.text for machine in library.machines() if machine.name == library.report(session.delegate).summary.machine)
    plain = parts.parts(session.delegate)
    dear = {(field, kernel): value / 8 if field == "rate" else 8 * value for field, kernel, value in machine_text.numbers(base) if field in parts.CHARGED[part]}
    monkeypatch.setattr(parts, "_text", lambda name: machine_text.changed(base, dear))
    found = parts.parts(session.delegate)
    monkeypatch.undo()
    library.set_machine(session.delegate, base)
    compared = [index for index in found if 0.01 < plain[index][part] < 0.9]
    alone = library.report(session.delegate).summary.threads == 1
    assert (compared or (alone and part == parts.MEMORY)) and all(found[index][part] > plain[index][part] for index in compared)


def test_of_a_machine_that_is_not_at_hand_nothing_is_said(session: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "_text", lambda name: "")
    assert parts.parts(session.delegate) == {}


# ---- words


def said(benchmark: measure.Benchmark, place: int, threads: int = 1, **changes: object) -> measure.Cause:
    """The cause of a node whose profile is changed."""
    ops = list(benchmark.op_profile)
    ops[place] = dataclasses.replace(ops[place], **changes)
    profiled = dataclasses.replace(benchmark.profiled, threads=threads)
    return measure.causes(dataclasses.replace(benchmark, op_profile=tuple(ops), profiled=profiled))[place]


SHARES = dict.fromkeys(parts.CHARGED, 0.1)


@pytest.mark.parametrize("part", parts.CHARGED)
def test_the_greatest_part_bounds(benchmark: measure.Benchmark, part: str) -> None:
    cause = said(benchmark, 0, parts=SHARES | {part: 0.6})
    assert (cause.bound, cause.part) == (part, 0.6) and cause.why
    others = {said(benchmark, 0, parts=SHARES | {other: 0.6}).why for other in parts.CHARGED if other != part}
    assert cause.why not in others


def test_nodes_that_multiply_nothing(benchmark: measure.Benchmark) -> None:
    """Without an estimate by parts, by what they move against what the caches give, and by how short they are."""
    gbs = benchmark.peak.cache_bytes_per_second / 1e9
    moving = {"parts": {}, "us": 100.0, "macs": 0}
    assert said(benchmark, 0, **moving, bytes=round(gbs * 1e5)).bound == "memory"
    assert said(benchmark, 0, **moving, bytes=round(gbs * 1e4)).bound == "elements"
    assert said(benchmark, 0, **(moving | {"us": 1.0}), bytes=10).bound == "overhead"
    assert said(benchmark, 0, parts=SHARES | {"multiplications": 0.6}, macs=0).bound == "elements"
    assert said(benchmark, 0, us=0.0).bound == "" and said(benchmark, 0, us=0.0).why.startswith("takes no time")


def test_nodes_left_behind(benchmark: measure.Benchmark) -> None:
    left = said(benchmark, 5, claimed=False, reason="why not")
    assert (left.bound, left.why, left.part) == ("left behind", "why not", 0.0) and left.us == benchmark.op_profile[5].us
    nodes = [dataclasses.replace(node, claimed=node.node != 5, partition=int(node.node > 5)) for node in benchmark.delegation.nodes]
    split = dataclasses.replace(benchmark, delegation=dataclasses.replace(benchmark.delegation, nodes=tuple(nodes)))
    assert [cause.node for cause in measure.causes(split) if any("parts the delegate's nodes" in remark for remark in cause.remarks)] == [5]


def test_threads_that_do_not_pay(benchmark: measure.Benchmark) -> None:
    """A node without tasks runs on one thread; one whose tasks leave threads idle says for how much of its time."""

    def spans(tasks: tuple[tuple[int, int, int], ...]) -> tuple[library.Span, ...]:
        return (library.Span(0, 0, 0, -1, 0, 1000), *(library.Span(0, 0, thread, n, start, end) for n, (thread, start, end) in enumerate(tasks)))

    def remarks(*tasks: tuple[int, int, int]) -> str:
        profiled = measure.Profiled((), spans(tasks), ((0, 2000),), 2, ())
        ops = (dataclasses.replace(benchmark.op_profile[0], us=1.0),)
        return "; ".join(measure.causes(dataclasses.replace(benchmark, profiled=profiled, op_profile=ops))[0].remarks)

    assert "runs on one of 2 threads" in remarks()
    assert "work 60% of its time" in remarks((0, 0, 1000), (1, 0, 200)) and remarks((0, 0, 1000), (1, 0, 900)) == ""
    assert "work 50% of its time" in remarks((0, 0, 500), (0, 500, 1000))  # which were shared, and one thread has done both


def test_slower_than_its_kind(benchmark: measure.Benchmark) -> None:
    nodes = tuple(dataclasses.replace(node, cycles=1000.0 if node.macs else 0.0) for node in benchmark.delegation.nodes)
    ops = tuple(dataclasses.replace(op, us=(3.0 if op.run_order == 2 else 1.0)) for op in benchmark.op_profile)
    profiled = dataclasses.replace(benchmark.profiled, threads=1)
    made = dataclasses.replace(benchmark, op_profile=ops, profiled=profiled, delegation=dataclasses.replace(benchmark.delegation, nodes=nodes))
    told = {cause.node: remark for cause in measure.causes(made) for remark in cause.remarks}
    assert list(told) == [2] and "3.0 times" in told[2]


def test_bench_says_the_same(benchmark: measure.Benchmark) -> None:
    pytest.importorskip("plotly", reason="the extra `report` is not installed: no pages")
    found = measure.causes(benchmark)
    sums = measure.by_bound(found)
    assert sum(us for _, us, _ in sums) == pytest.approx(sum(op.us for op in benchmark.op_profile))
    assert sum(count for *_, count in sums) == sum(bool(cause.bound) for cause in found)
    text, page = str(benchmark), html.unescape(importlib.import_module("tvmq_delegate.reports.html").page(benchmark))
    for bound, _, count in sums:
        assert re.search(rf"^{bound} .* {count}$", text, re.MULTILINE), bound
        assert f">{bound}</td><td>{count}</td>" in page
    assert all(f'title="{"; ".join([cause.why, *cause.remarks])}">{cause.bound}</td>' in page for cause in found)
    assert measure.causes(dataclasses.replace(benchmark, profiled=None)) == () and report.bounds((), 80).row_count == 0


# ---- what is recommended


@pytest.mark.parametrize(
    ("before", "after", "kept", "busy", "pays"),
    [(0.512, 0.506, True, "", False), (0.5, 0.4, True, "", True), (0.5, 0.4, False, "", False), (0.5, 0.4, True, "load 9 on 2 processors", False)],
)
def test_tuning_is_recommended_for_a_gain_that_counts(
    monkeypatch: pytest.MonkeyPatch, before: float, after: float, kept: bool, busy: str, pays: bool
) -> None:
    """A search keeps smaller gains, which the noise of a busy machine makes as well."""
    explanation = importlib.import_module("tvmq_delegate.tuning.explanation")
    monkeypatch.setattr(explanation, "tune", lambda *_, **__: types.SimpleNamespace(default_ms=before, tuned_ms=after, kept=kept))
    assert explanation._tuned(b"", runtimes, 1, {}, 1.0, busy).pays == pays


def swept(benchmark: measure.Benchmark, low: float | None, high: float | None) -> measure.Benchmark:
    ratio = metrics.Ratio((low or 1.0) * 1.01, low, high, 9)
    return dataclasses.replace(benchmark, results=(benchmark.results[0], dataclasses.replace(benchmark.results[1], ratio=ratio)))


@pytest.mark.parametrize(
    ("low", "high", "busy", "pays"),
    [
        (0.5, 0.6, "", True),
        (0.5, 0.6, "load 9 on 2 processors", False),
        (0.9, 1.02, "", False),
        (0.97, 0.99, "", False),
        (1.1, 1.2, "", False),
        (None, None, "", False),
    ],
)
def test_only_what_is_faster_for_certain_is_recommended(
    benchmark: measure.Benchmark, monkeypatch: pytest.MonkeyPatch, low: float | None, high: float | None, busy: str, pays: bool
) -> None:
    monkeypatch.setattr(experiments, "_EXPERIMENTS", {"winograd": lambda now: ["off"]})
    asked = []
    monkeypatch.setattr(measure, "bench", lambda source, **given: asked.append(given) or dataclasses.replace(swept(benchmark, low, high), busy=busy))
    arguments = (b"", None, benchmark, 1, {}, measure.DEFAULTS, lambda fraction, what: None)
    (advice,) = experiments.experiments(*arguments)
    assert asked[0]["sweep"] == ("winograd", ("auto", "off")) and advice.change == "--winograd off"
    assert (advice.low, advice.high, advice.pays) == (low, high, pays)
    text = importlib.import_module("tvmq_delegate.reports.explanation").verdict([advice], busy)
    assert ("--winograd off" in text) == pays and ("nothing" in text) == (not pays) and ("the machine is busy" in text) == bool(busy)


def test_what_the_user_has_set_is_not_tried(benchmark: measure.Benchmark, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(experiments, "_EXPERIMENTS", {"winograd": lambda now: ["off"], "tuning_records": lambda now: []})
    monkeypatch.setattr(measure, "bench", lambda source, **given: pytest.fail("measured"))
    assert experiments.experiments(b"", None, benchmark, 1, {"winograd": "on"}, measure.DEFAULTS, lambda fraction, what: None) == []


def test_experiments_name_options_of_the_library(benchmark: measure.Benchmark) -> None:
    assert set(experiments._EXPERIMENTS) <= {option.name for option in tvmq_delegate.options()}
    now = experiments._Now(benchmark, 1, {})
    for option, values in experiments._EXPERIMENTS.items():
        for value in values(now):
            tvmq_delegate.nodes(zoo.load(NETWORK), runtime=benchmark.runtime, **{option: value})  # raises ValueError for a value that it does not know


# ---- the command


def test_command(runtime: harness.Runtime, one_conv: pathlib.Path) -> None:
    found = json.loads(prints("explain", one_conv, "--runtime", runtime.name, "--json", *QUICK))
    assert [cause["node"] for cause in found["causes"]] == [0] and found["detail"] is None and found["ms"] > 0
    changes = [advice["change"] for advice in found["advice"]]
    assert changes[-1] == "tvmq tune --out FILE.jsonl" and "--tuning-records shipped" in changes
    assert all(advice["pays"] in (True, False) for advice in found["advice"])
    text = prints("explain", one_conv, "--runtime", runtime.name, "--no-advice", *QUICK)
    assert "The slowest nodes" in text and "Changes" not in text


def test_one_node(runtime: harness.Runtime, one_conv: pathlib.Path) -> None:
    found = json.loads(prints("explain", one_conv, "--runtime", runtime.name, "--node", "0", "--json", *QUICK))
    candidates, cause = found["detail"]["candidates"], found["detail"]["cause"]
    assert sum(candidate["default"] for candidate in candidates) == 1 and len(candidates) > 1 and cause["op"] == "CONV_2D"
    assert [candidate["us"] for candidate in candidates] == sorted(candidate["us"] for candidate in candidates) and candidates[0]["us"] > 0
    assert found["detail"]["threads"]["1"] > 0 and not found["advice"]
    assert "Candidates, measured" in prints("explain", one_conv, "--runtime", runtime.name, "--node", "0", *QUICK)


def test_a_node_without_a_choice_and_one_left_behind(runtime: harness.Runtime) -> None:
    pooled = tvmq_delegate.explain(zoo.load(NETWORK), runtime=runtime.name, node=27, seconds=0)
    assert pooled.detail.candidates == () and pooled.detail.threads[1] > 0
    left = tvmq_delegate.explain(models.cut(zoo.load(NETWORK), 0), runtime=runtime.name, node=0, seconds=0, min_nodes_per_partition=9)
    assert left.detail.cause.bound == "left behind" and left.detail.threads == {}
    assert "min_nodes_per_partition" in str(left)


def test_wrong_arguments(runtime: harness.Runtime, one_conv: pathlib.Path) -> None:
    assert "has no node 7: its nodes are 0 to 0" in refuses("explain", one_conv, "--node", "7", "--runtime", runtime.name)
    assert "has no node -1" in refuses("explain", one_conv, "--node", "-1", "--runtime", runtime.name)
    assert "-1" in refuses("explain", one_conv, "--seconds", "-1")
    with pytest.raises(ValueError, match="seconds is 0 or more"):
        tuning.explain(one_conv, seconds=float("nan"))
