"""How far the estimates for cores that are not here lie from what tools/arm/estimate counts: the file counted.json, which tools/arm/check-estimates writes."""

from __future__ import annotations

import functools
import json
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..binding import packaged


@dataclass(frozen=True)
class Agreement:
    """networks: how many were compared. median, worst: errors of an estimate, as parts of what was counted. rank: Spearman's correlation of both."""

    networks: int
    median: float
    worst: float
    rank: float


@functools.cache
def counted() -> Mapping[str, Mapping[str, tuple[float, float]]]:
    """Network -> core -> the cycles of an inference as they were counted, and as they were estimated then."""
    networks = json.loads(packaged("counted.json").read_text(encoding="utf-8"))["networks"]
    return {name: {core: (cycles, each["estimated"][core]) for core, cycles in each["counted"].items()} for name, each in networks.items()}


def agreement(core: str) -> Agreement | None:
    """How the networks' estimates for one core agree; None: it has not been compared."""
    pairs = [cores[core] for cores in counted().values() if core in cores]
    return of(pairs) if pairs else None


def of(pairs: Sequence[tuple[float, float]]) -> Agreement:
    """pairs: counted, estimated."""
    errors = [abs(estimate / count - 1) for count, estimate in pairs]
    ranks = [[sum(other < value for other in values) for value in values] for values in zip(*pairs)]
    n = len(pairs)
    apart = sum((a - b) ** 2 for a, b in zip(*ranks))
    return Agreement(n, statistics.median(errors), max(errors), 1 - 6 * apart / (n * (n * n - 1)) if n > 1 else 1.0)
