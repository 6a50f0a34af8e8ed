"""Streams of requests, as a table."""

from __future__ import annotations

from collections.abc import Callable

from rich.table import Table

from ..binding import plural
from ..measure import Benchmark, Serving
from .columns import Column, fitted, milliseconds


def heading(found: Benchmark) -> str:
    first = found.serving[0]
    load = f"{first.rate:g} requests a second, arriving at random" if first.rate else "back to back"
    return f"{plural(first.streams, 'stream')} of {plural(found.num_threads, 'thread')}, {load}:"


def table(found: Benchmark, width: int) -> Table:
    def ms(name: str) -> Callable[[Serving], str]:
        return lambda serving: milliseconds(getattr(serving, name))

    columns = [
        Column("contender", lambda serving: serving.name, left=True),
        Column("requests/s", lambda serving: f"{serving.requests_per_second:,.1f}"),
        Column("p50 ms", ms("p50_ms")),
        Column("p90", ms("p90_ms"), 2),
        Column("p95", ms("p95_ms"), 2),
        Column("p99", ms("p99_ms")),
        Column("max", ms("max_ms"), 1),
        Column("requests", lambda serving: f"{serving.requests:,}", 3),
        Column("cold start ms", lambda serving: f"{serving.cold_start_ms:.1f}"),
        Column("warm start ms", lambda serving: f"{serving.warm_start_ms:.1f}"),
    ]
    return fitted(columns, found.serving, width)
