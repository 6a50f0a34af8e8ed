"""One statistic leads: two figures of one sample that stand in a line agree, whether the machine is quiet or busy."""

from __future__ import annotations

import dataclasses
import io
import json
import math
import pathlib
import random
import re
from collections.abc import Iterator, Sequence

import pytest

from tvmq_delegate import measure
from tvmq_delegate.cli.command import as_json
from tvmq_delegate.measure import metrics, statistic
from tvmq_delegate.reports import bench as report
from tvmq_delegate.reports import screen
from tvmq_delegate.reports import tuning as tuning_report
from tvmq_delegate.tuning import Choice, Tuned, Tuning, tune

ROUNDED = 0.006  # of figures with two decimals


@pytest.fixture(autouse=True)
def _spreads_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statistic, "NOISY", 0.1)


def drawn(seed: int, scale: float, disturbed: bool) -> list[list[int]]:
    """Runs of 40 rounds; disturbed: every other one takes up to ten times as long."""
    generator = random.Random(seed)
    longer = [generator.uniform(1, 10) if disturbed and generator.random() < 0.5 else 1.0 for _ in range(40)]
    return [[round(scale * times * generator.uniform(1e6, 1.04e6)) for _ in range(5)] for times in longer]


def measured(benchmark: measure.Benchmark, load: str, disturbed: bool) -> measure.Benchmark:
    """The benchmark with drawn runs, as bench() puts them together."""
    rounds = [drawn(1, 1.0, disturbed), drawn(2, 1.7, disturbed)]
    results = []
    for result, runs in zip(benchmark.results, rounds):
        latency = metrics.latency([ns for each in runs for ns in each], [], 1)
        results.append(dataclasses.replace(result, latency_metrics=latency, misc_metrics=dataclasses.replace(result.misc_metrics, num_runs=200)))
    spreads = [(each.name, 200, each.latency_metrics.p25_ms, each.latency_metrics.median_ms, each.latency_metrics.p75_ms) for each in results]
    busy = statistic.busy(load, 2, 1, spreads)
    results[1] = dataclasses.replace(results[1], ratio=metrics.ratio(rounds[1], rounds[0], statistic.leading(busy)))
    return dataclasses.replace(benchmark, results=tuple(results), busy=busy)


def rows(table: object) -> Iterator[dict[str, str]]:
    """The cells of a table by their headings."""
    stream = io.StringIO()
    screen.Screen(file=stream, width=screen.UNLIMITED, highlight=False, markup=False).print(table)
    lines = stream.getvalue().splitlines()
    head = next(n for n, line in enumerate(lines) if len(re.split(r"\s{2,}", line.strip())) > 2)
    names = [(match[0], match.end()) for match in re.finditer(r"\S+(?: \S+)*", lines[head])]
    for line in lines[head + 1 :]:
        cells = [(match[0], match.start(), match.end()) for match in re.finditer(r"\S+(?: \S+)*", line)]
        yield {name: text for name, end in names for text, left, right in cells if right == end or left == end - len(name)}


def number(text: str) -> float:
    return float(re.sub(r"[x%,]", "", text))


@pytest.mark.parametrize(("load", "disturbed", "leads"), [("0.3", False, "median"), ("18.1", False, "min"), ("0.3", True, "min"), ("", False, "median")])
def test_bench(benchmark: measure.Benchmark, load: str, disturbed: bool, leads: str) -> None:
    found = measured(benchmark, load, disturbed)
    assert found.leading == leads
    first, second = rows(report.contenders(found, 1000))
    assert list(first)[1] == f"{leads} ms"  # which stands first
    assert number(second["time vs tvmq"]) == pytest.approx(number(second[f"{leads} ms"]) / number(first[f"{leads} ms"]), abs=ROUNDED)
    low, high = map(float, second["95 % interval"].split(" - "))
    assert low - ROUNDED <= number(second["time vs tvmq"]) <= high + ROUNDED
    said = [line for line in report.remarks(found) if line.startswith("busy: ")]
    assert len(said) == (leads == "min")
    assert load != "18.1" or said == ["busy: load 18 on 2 processors; the least times lead instead of the medians"]


def test_nodes(benchmark: measure.Benchmark) -> None:
    compared = 0
    for row in rows(report.run_order(benchmark, 1000)):
        if row.get("vs stock") and row.get("alone") and row.get("stock"):
            stock, alone = number(row["stock"]), number(row["alone"])
            assert number(row["vs stock"]) == pytest.approx(stock / alone, abs=ROUNDED, rel=0.02)
            compared += 1
        if row.get("GMAC/s") and row.get("MACs"):
            assert number(row["GMAC/s"]) == pytest.approx(number(row["MACs"]) / number(row["µs"]) / 1e3, abs=0.06, rel=0.02)
    assert compared > 10


def test_an_inference_is_the_sum_of_its_parts(benchmark: measure.Benchmark) -> None:
    """All of the least inference: a run that others disturbed leaves no rest that no node has taken."""
    profiled = benchmark.profiled
    least = min(end - start for start, end in profiled.runs_ns) / 1e3
    sums = benchmark.reconciliation
    assert sums.inference_us == pytest.approx(least) and sum(us for _, us in sums.parts) == pytest.approx(least)
    assert 0 < sums.claimed_us <= sums.inference_us
    first = report.reconciliation(benchmark).splitlines()
    figures = [float(re.search(r"([\d.]+) ms", line)[1]) for line in first[:4]]
    assert figures[0] == pytest.approx(sum(figures[1:]), abs=0.002)
    assert "the least of" in first[0]


@pytest.mark.parametrize("busy", ["", "load 18 on 2 processors"])
def test_files(benchmark: measure.Benchmark, tmp_path: pathlib.Path, busy: str) -> None:
    """Times of two files: a busy one makes the least times lead, and what is slower in it by its load alone does not count."""
    quiet, other = measured(benchmark, "0", False), measured(benchmark, "18" if busy else "0", bool(busy))
    paths = [tmp_path / "a.json", tmp_path / "b.json"]
    for path, found in zip(paths, (quiet, other)):
        path.write_text(as_json({name: value for name, value in vars(found).items() if name != "profiled"}))
    assert json.loads(paths[1].read_text())["busy"] == busy
    found = measure.compare(*paths)
    assert found.leading == ("min" if busy else "median") and not found.slower(10)
    assert any(busy in warning for warning in found.warnings) or not busy
    for row in rows(report.comparison(found, 1000)):
        if "before µs" in row and "after µs" in row:
            assert number(row["change"]) == pytest.approx(100 * (number(row["after µs"]) / number(row["before µs"]) - 1), abs=1)


def test_tune() -> None:
    choice, other = Choice("tile", "a", False, 1, 1), Choice("tile", "b", False, 1, 1)
    tasks = [Tuned(f"CONV_2D {n}", n, 1000, choice, 1000.0 * n, (), 0, other, ratio, True) for n, ratio in ((1, 0.8), (2, 0.93))]
    found = Tuning("m", "model", 1, "r.jsonl", tuple(tasks), 4, 1.0, 2.0, 1.3, 1.2, 1.3 / 1.2, True, False)
    default, tuned, gain = map(float, re.search(r"([\d.]+) ms by default, ([\d.]+) ms tuned: ([\d.]+)x", tuning_report.summary(found)).groups())
    assert gain == pytest.approx(default / tuned, abs=2e-3)
    listed = [row for row in rows(tuning_report.tasks(found, 1000)) if "gain" in row]
    assert len(listed) == 2
    for row in listed:
        assert number(row["gain"]) == pytest.approx(number(row["default us"]) / number(row["best us"]), abs=ROUNDED, rel=0.03)


@pytest.mark.parametrize("busy", ["", "load 18 on 2 processors"])
@pytest.mark.parametrize("gain", [math.nan, 1.001, 1.2])
def test_tune_says_that_the_machine_is_busy(busy: str, gain: float) -> None:
    """Whatever was found: little gain is no news of a machine whose noise is greater."""
    found = Tuning("m", "model", 1, "r.jsonl", (), 4, 1.0, 2.0, gain, 1.0, gain, gain > 1.1, False, busy)
    said = [line for line in tuning_report.summary(found).splitlines() if line.startswith("busy: ")]
    assert said == ([f"busy: {busy}; what is kept is proven, but a search on a quiet machine may find more"] if busy else [])


def test_tune_asks_for_the_load(monkeypatch: pytest.MonkeyPatch, one_conv: pathlib.Path) -> None:
    monkeypatch.setattr(statistic, "load", lambda: "99.5")
    assert tune(one_conv, seconds=0, trials=0).busy.startswith("load 100 on ")


def compared_networks(times: Sequence[Sequence[int]]) -> tuple[float, float, float]:
    """compare() of two networks whose inferences take these nanoseconds."""
    from tvmq_delegate.tuning import tasks

    class Fake:
        def __init__(self, given: Sequence[int]):
            self.given, self.at = given, 0

        def invoke(self) -> int:
            self.at += 1
            return self.given[self.at % len(self.given)]

    return tasks.compare(Fake(times[0]), Fake(times[1]), seconds=0.01)


@pytest.mark.parametrize("times", [([1_000_000, 1_010_000], [900_000, 905_000]), ([1_000_000, 9_000_000, 5_000_000], [1_000_000, 2_000_000, 1_500_000])])
def test_networks_that_tune_compares(times: tuple[list[int], list[int]]) -> None:
    """The gain is the ratio of the two times, and a disturbance of one network makes none."""
    default, tuned, gain = compared_networks(times)
    assert gain == pytest.approx(default / tuned)
    if max(times[0]) > 2 * min(times[0]):
        assert math.isclose(gain, 1.0)
