"""Statistics of samples, and the comparison of two benchmarks' files."""

from __future__ import annotations

import json
import pathlib
import statistics

import pytest

from tvmq_delegate import measure
from tvmq_delegate.measure import metrics, regressions
from tvmq_delegate.measure.runner import Limits


@pytest.mark.parametrize(
    ("samples", "percent", "expected"),
    [([], 50, 0), ([7], 5, 7), ([1, 2], 50, 1.5), ([1, 2, 3, 4, 5], 50, 3), ([1, 2, 3, 4, 5], 90, 4.6), ([1, 2, 3, 4, 5], 100, 5), ([1, 9], 0, 1)],
)
def test_percentiles(samples: list[float], percent: float, expected: float) -> None:
    assert metrics.percentile(samples, percent) == pytest.approx(expected)


def test_percentiles_are_those_of_the_standard_library() -> None:
    samples = sorted((i * 7919) % 1000 for i in range(123))
    cuts = statistics.quantiles(samples, n=20, method="inclusive")
    assert [metrics.percentile(samples, 5 * (i + 1)) for i in range(19)] == pytest.approx(cuts)


def test_latency() -> None:
    found = metrics.latency([4_000_000, 1_000_000, 3_000_000, 2_000_000], [9_000_000, 5_000_000], 8_000_000)
    assert (found.avg_ms, found.min_ms, found.max_ms, found.median_ms) == (2.5, 1, 4, 2.5)
    assert found.stddev_ms == pytest.approx(1.25**0.5)
    assert (found.first_ms, found.last_ms, found.first_inference_ms, found.average_warm_up_ms, found.init_ms) == (4, 2, 9, 7, 8)
    assert found.min_ms <= found.p5_ms <= found.p25_ms <= found.median_ms <= found.p75_ms <= found.p90_ms <= found.p95_ms <= found.max_ms
    nothing = metrics.latency([], [], 1)
    assert nothing.avg_ms == nothing.median_ms == nothing.first_inference_ms == 0


def test_ratio_is_of_rounds() -> None:
    """A machine that slows down in the middle, for both, leaves the ratio alone."""
    slow = [[2 * ns, 2 * ns] for ns in (10, 10, 1000, 1000, 10, 10)]
    base = [[ns] for ns in (10, 10, 1000, 1000, 10, 10)]
    assert metrics.ratio(slow, base) == metrics.Ratio(2, 2, 2, 6)
    few = metrics.ratio(slow[:5], base)
    assert few == metrics.Ratio(2, None, None, 5) and few.interval == ""
    assert metrics.ratio([], []) is None
    spread = metrics.ratio([[n] for n in range(100, 140)], [[100]] * 40)
    assert spread and 1.0 <= spread.low < spread.value < spread.high <= 1.4 and spread.interval.startswith(f"{spread.low:.2f} - ")
    assert spread == metrics.ratio([[n] for n in range(100, 140)], [[100]] * 40)


def test_stopping_rule() -> None:
    limits = Limits(50, 1.0, 150.0)
    assert limits.allow(0, 0) and limits.allow(49, 2) and limits.allow(60, 0.5) and not limits.allow(50, 1.0) and not limits.allow(10, 150.1)
    assert limits.after(20, 0.25) == Limits(30, 0.75, 149.75)
    assert not measure.Settings(dry_run=True).limits.allow(0, 0)
    with pytest.raises(ValueError, match="num_runs"):
        measure.Settings(num_runs=-1)


# ---- two files


def _file(path: pathlib.Path, times: dict[str, tuple[float, float, float]], nodes: dict[int, tuple[float, float]], **about: object) -> pathlib.Path:
    data = {
        "model": "m",
        "runtime": "r",
        "num_threads": 1,
        "options": {},
        "machine": {"cpu": "c", "count": 2, "governor": ""},
        "results": [{"name": name, "latency_metrics": {"p25_ms": a, "median_ms": b, "p75_ms": c, "min_ms": a}} for name, (a, b, c) in times.items()],
        "op_profile": [
            {"run_order": i, "node_type": "CONV_2D", "claimed": True, "median_us": median, "p25_us": median - half, "p75_us": median + half}
            for i, (median, half) in nodes.items()
        ],
        **about,
    }
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def test_regressions_come_first(tmp_path: pathlib.Path) -> None:
    old = _file(tmp_path / "old.json", {"tvmq": (1.0, 1.1, 1.2), "stock": (2, 2.1, 2.2)}, {0: (100, 1), 1: (50, 1), 2: (10, 1), 7: (1, 0)})
    nodes = {0: (101, 1), 1: (70, 1), 2: (2, 1), 8: (1, 0)}
    new = _file(tmp_path / "new.json", {"tvmq": (0.8, 0.9, 0.95), "stock": (2.1, 2.2, 2.3)}, nodes, num_threads=2, options={"isa": "c"})
    found = regressions.compare(old, new)
    assert [(change.what, change.clear) for change in found.contenders] == [("stock", False), ("tvmq", True)]
    assert [(change.what, change.clear) for change in found.nodes] == [("1 CONV_2D", True), ("0 CONV_2D", False), ("2 CONV_2D", True)]
    assert found.nodes[0].ratio == pytest.approx(1.4) and found.warnings == ("num_threads 1 before, 2 after", "options none before, isa=c after")


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"results": [1]}', '{"results": [], "model": 1}', "\0\xff"])
def test_other_files_are_refused(tmp_path: pathlib.Path, text: str) -> None:
    good = _file(tmp_path / "good.json", {}, {})
    bad = tmp_path / "bad.json"
    bad.write_text(text, encoding="latin-1")
    with pytest.raises(ValueError, match="bad.json"):
        regressions.compare(good, bad)
