"""The time of the delegate beside the stock runtime's."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from . import inputs as _inputs
from . import runtime as _runtime
from .contenders import Contender, check

DEFAULT_NETWORK = "mobilenet_v2"


@dataclass(frozen=True)
class Time:
    """Inference times of one interpreter in milliseconds. ratio: its median over the delegate's; above 1, the delegate is faster."""

    what: str
    runs: int
    median_ms: float
    min_ms: float
    ratio: float


def race(source: bytes, runtime: ModuleType, *, num_threads: int = 1, seconds: float = 3.0, min_runs: int = 10, **options: Any) -> list[Time]:
    """Times the delegate beside the runtime as it comes, and the runtime's own kernels without XNNPACK, one inference each in turn.

    The first of the list is the delegate. Each interpreter runs `min_runs` times at least, and until `seconds` have passed for all of them together.
    """
    contenders = {
        "with the delegate": Contender("tvmq", options=options),
        f"stock {_runtime.name(runtime)}": Contender("stock"),
        "stock, built-in kernels alone": Contender("builtin"),
    }
    sessions = {what: contender.open(source, runtime, num_threads=num_threads) for what, contender in contenders.items()}
    check(source, list(sessions.values()))
    (sample,) = _inputs.random(_inputs.describe(source, runtime))
    for session in sessions.values():
        session.run(sample.load())  # warms up
    times: dict[str, list[float]] = {what: [] for what in sessions}
    end, rounds = time.perf_counter() + seconds, 0
    while rounds < min_runs or time.perf_counter() < end:
        rounds += 1
        for what, session in sessions.items():
            start = time.perf_counter()
            session.invoke()
            times[what].append((time.perf_counter() - start) * 1e3)
    medians = {what: statistics.median(samples) for what, samples in times.items()}
    ours = next(iter(medians.values()))
    return [Time(what, rounds, medians[what], min(samples), medians[what] / ours) for what, samples in times.items()]
