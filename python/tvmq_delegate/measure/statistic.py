"""Which statistic leads: the median of the runs, or on a busy machine the least of them.

The median is the time that a caller waits for. Other programs that take processors away lengthen it without limit, and the least run shows what they cost
least. Whether a machine is busy is told from its load before the measurement, and from how far the runs spread.
"""

from __future__ import annotations

import os
import statistics
from collections.abc import Iterable, Sequence

from ..binding import library, plural

MEDIAN, LEAST = "median", "min"
ENOUGH, NOISY = 10, 0.1  # runs to tell from, and the share of the median that the middle half of them may span


def busy(load: str, processors: int, threads: int, spreads: Iterable[tuple[str, int, float, float, float]]) -> str:
    """Why the machine is taken to be busy, "" where it is not.

    load: the average of runnable processes, as the system gives it; "" where it does not. One of them may be the command that has just ended.
    spreads: name, number of runs, first quartile, median and third quartile of each contender.
    """
    if load and float(load) > processors - threads + 1:
        return f"load {float(load):.0f} on {plural(processors, 'processor')}"
    for name, runs, low, median, high in spreads:
        if runs >= ENOUGH and high - low > NOISY * median:
            return f"the interquartile range of {name} is {(high - low) / median:.0%} of its median"
    return ""


def load() -> str:
    """The average of runnable processes over the last minute.

    "" where the system does not tell, and where this process may not use all processors: the load counts the whole host, whose other processors may well be
    the busy ones.
    """
    if library.cpu().count < (os.cpu_count() or 1):
        return ""
    try:
        return f"{os.getloadavg()[0]:.2f}"
    except OSError:
        return ""


def leading(why_busy: str) -> str:
    return LEAST if why_busy else MEDIAN


def of(statistic: str, samples: Sequence[float]) -> float:
    return min(samples) if statistic == LEAST else statistics.median(samples)
