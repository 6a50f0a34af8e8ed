"""A model as a server runs it: several interpreters in one process, each in a thread of its own, fed with requests back to back or at a rate."""

from __future__ import annotations

import itertools
import random
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from .metrics import percentile

Start = tuple[float, Callable[[], None]]  # the milliseconds from nothing to the first result, and how to run another inference


@dataclass(frozen=True)
class Serving:
    """Figures of `streams` interpreters of one contender that ran together.

    rate: requests for each second, arriving at random times (a Poisson process); 0: each stream begins the next inference when it has done one. requests: that
    were answered; seconds: until the last one was. pN_ms, max_ms: latencies, from the arrival of a request on. cold_start_ms: from nothing to the first result
    of the first interpreter in its process; warm_start_ms: the same for those after it, median.
    """

    name: str
    streams: int
    rate: float
    requests: int
    seconds: float
    requests_per_second: float
    p50_ms: float
    p90_ms: float
    p95_ms: float
    p99_ms: float
    max_ms: float
    cold_start_ms: float
    warm_start_ms: float


@dataclass(frozen=True)
class Served:
    """The raw times of a process, in nanoseconds but for warm_start_ms."""

    latencies: tuple[int, ...]
    lasted: int
    warm_start_ms: float


def serve(start: Callable[[], Start], streams: int, rate: float, secs: float) -> Served:
    """Starts `streams` interpreters, one after the other, and runs them for `secs` seconds, or at a rate until all requests of that time are answered."""
    starts = [start() for _ in range(streams)]
    latencies: list[list[int]] = [[] for _ in starts]
    errors: list[BaseException] = []
    gate = threading.Barrier(streams + 1)
    arrivals: Iterator[int] = _arrivals(rate, secs) if rate > 0 else itertools.repeat(0)
    begin = 0

    def work(stream: int, invoke: Callable[[], None]) -> None:
        clock = time.perf_counter_ns
        gate.wait()
        try:
            while not errors:
                now = clock()
                with turn:
                    arrival = next(arrivals, None)
                if arrival is None or (rate <= 0 and now - begin >= secs * 1e9):
                    return
                arrived = begin + arrival if rate > 0 else now
                if arrived > now:
                    time.sleep((arrived - now) / 1e9)
                invoke()
                latencies[stream].append(clock() - arrived)
        except BaseException as error:  # whoever called hears of it
            errors.append(error)

    turn = threading.Lock()
    threads = [threading.Thread(target=work, args=(i, invoke), daemon=True) for i, (_, invoke) in enumerate(starts)]
    for thread in threads:
        thread.start()
    begin = time.perf_counter_ns()
    gate.wait()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return Served(tuple(itertools.chain(*latencies)), time.perf_counter_ns() - begin, statistics.median(ms for ms, _ in starts))


def summary(name: str, streams: int, rate: float, served: Served, cold_start_ms: float) -> Serving:
    ordered = sorted(ns / 1e6 for ns in served.latencies)
    seconds = served.lasted / 1e9
    p50, p90, p95, p99 = (percentile(ordered, percent) for percent in (50, 90, 95, 99))
    rate_served = len(ordered) / seconds
    return Serving(name, streams, rate, len(ordered), seconds, rate_served, p50, p90, p95, p99, max(ordered, default=0.0), cold_start_ms, served.warm_start_ms)


def _arrivals(rate: float, secs: float) -> Iterator[int]:
    """Nanoseconds from the beginning on, the same whenever the rate is."""
    generator = random.Random(0)
    times = itertools.accumulate(generator.expovariate(rate) for _ in itertools.count())
    return (int(at * 1e9) for at in itertools.takewhile(lambda at: at < secs, times))
