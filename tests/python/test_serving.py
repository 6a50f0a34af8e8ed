"""Streams of requests: that they are all answered, at the rate that was asked for, and what is said of them."""

from __future__ import annotations

import json
import pathlib
import threading
import time

import harness
import pytest
from test_bench import FLAGS
from test_cli import prints, refuses

from tvmq_delegate import measure
from tvmq_delegate.measure import serving


def test_streams_run_at_the_same_time() -> None:
    together = threading.Barrier(3)

    def start() -> serving.Start:
        first = iter([lambda: together.wait(timeout=30)])  # passes when all streams have come to it
        return 1.0, lambda: next(first, lambda: time.sleep(0.001))()

    served = serving.serve(start, 3, 0, 0.05)
    assert len(served.latencies) >= 3 and served.lasted >= 50e6 and served.warm_start_ms == 1.0


def test_a_request_waits_for_those_before_it() -> None:
    served = serving.serve(lambda: (1.0, lambda: time.sleep(0.02)), 1, 200, 0.1)  # an answer takes as long as four requests to come
    found = serving.summary("tvmq", 1, 200, served, 7.0)
    assert found.requests == len(served.latencies) > 5 and found.requests_per_second < 50 and found.cold_start_ms == 7.0
    assert found.p50_ms > 40 and found.p50_ms <= found.p99_ms <= found.max_ms


def test_an_error_in_a_stream_is_told() -> None:
    def fail() -> None:
        raise RuntimeError("out of order")

    with pytest.raises(RuntimeError, match="out of order"):
        serving.serve(lambda: (1.0, fail), 2, 0, 10.0)


def test_bench_with_streams(runtime: harness.Runtime, one_conv: pathlib.Path) -> None:
    flags = ("--runtime", runtime.name, *FLAGS, "--against", "stock", "--streams", "2")
    found = json.loads(prints("bench", one_conv, *flags, "--min-secs", "0.05", "--rate", "400", "--json"))
    assert [(each["name"], each["streams"], each["rate"]) for each in found["serving"]] == [("tvmq", 2, 400.0), ("stock", 2, 400.0)]
    assert all(each["requests"] > 5 and 0 < each["p50_ms"] <= each["max_ms"] and each["cold_start_ms"] > 0 < each["warm_start_ms"] for each in found["serving"])
    assert "2 streams of 1 thread, back to back:" in prints("bench", one_conv, *flags, "--min-secs", "0.01")
    assert "number of interpreters" in refuses("bench", one_conv, "--rate", "5")
    with pytest.raises(ValueError, match="streams is 0 to"):
        measure.Settings(streams=-1)
