"""Logarithmic axes of plots: every tick has its whole number, and there are a few of them whatever the range."""

from __future__ import annotations

import math
from typing import Any

DIGITS = ((1,), (1, 3), (1, 2, 5), (1, 2, 3, 5, 7), (1, 2, 3, 4, 5, 6, 7, 8, 9))
FEW = 4  # ticks, at least


def logarithmic(low: float, high: float, **others: Any) -> dict[str, Any]:
    """An axis from low to high, both above 0. others: what else plotly is to know of it, such as its title."""
    ticks = _ticks(low, high)
    return {"type": "log", "range": [math.log10(low), math.log10(high)], "tickvals": ticks, "ticktext": [f"{tick:g}" for tick in ticks], **others}


def _ticks(low: float, high: float) -> list[float]:
    """The fewest of 1, 2, 3, ... times powers of ten that are enough; in a narrow range, even steps."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for digits in DIGITS:
        ticks = [float(f"{digit}e{power}") for power in powers for digit in digits]
        inside = [tick for tick in ticks if low <= tick <= high]
        if len(inside) >= FEW:
            return inside
    step = 10.0 ** math.floor(math.log10((high - low) / FEW))
    return [float(f"{n * step:.12g}") for n in range(math.ceil(low / step), math.floor(high / step) + 1)][:: max(1, round((high - low) / step / FEW))]
