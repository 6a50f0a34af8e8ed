"""A calibration, for a terminal."""

from __future__ import annotations

import math
from collections.abc import Iterable

from rich.console import RenderableType

from ..binding import plural
from ..measure import Calibration, Constant, Measured
from .columns import Column, fitted


def report(found: Calibration, width: int) -> Iterable[RenderableType]:
    """Constants that differ, kernels with their times, and what it all comes to."""
    moved = [constant for constant in found.constants if constant.fitted != constant.shipped]
    if moved:
        yield fitted(_CONSTANTS, sorted(moved, key=lambda constant: -abs(math.log(constant.fitted / constant.shipped))), width, title="Constants")
        yield ""
    yield fitted(_KERNELS, kernels(found), width, title="Kernels, all candidates together")
    yield ""
    yield summary(found)


def summary(found: Calibration) -> str:
    lines = [
        f"{found.cpu}, near {found.base}: {plural(len(found.measured), 'candidate')}, {plural(found.rounds, 'round')}",
        f"median error of a time: shipped {found.shipped_error:.1%}, fitted {found.fitted_error:.1%}",
        f"what the model takes is slower than the fastest by: shipped {found.shipped_regret:.1%}, fitted {found.fitted_regret:.1%}",
    ]
    if not math.isfinite(found.hold):
        lines.append("nothing to gain: no fit chooses better than the shipped constants for layers that it has not seen, and they stay")
    if found.path:
        lines.append(f"{found.path}: written")
    return "\n".join(lines)


def kernels(found: Calibration) -> list[tuple[str, list[Measured]]]:
    """The candidates by their kernel, those of most time first."""
    groups: dict[str, list[Measured]] = {}
    for measured in found.measured:
        groups.setdefault(measured.kernel, []).append(measured)
    return sorted(groups.items(), key=lambda group: -sum(measured.ns for measured in group[1]))


def _name(constant: Constant) -> str:
    return f"{constant.kernel.removeprefix('tvmq_')} {constant.name}" if constant.kernel else constant.name


_CONSTANTS = [
    Column("constant", _name, left=True, least=30),
    Column("shipped", lambda constant: f"{constant.shipped:.4g}"),
    Column("fitted", lambda constant: f"{constant.fitted:.4g}"),
    Column("ratio", lambda constant: f"{constant.fitted / constant.shipped:.2f}"),
    Column("at most", lambda constant: f"{constant.share:.0%}", 1),
]
_KERNELS = [
    Column("kernel", lambda group: group[0].removeprefix("tvmq_"), left=True, least=24),
    Column("n", lambda group: str(len(group[1])), 1),
    Column("measured us", lambda group: f"{sum(measured.ns for measured in group[1]) / 1e3:.1f}"),
    Column("fitted us", lambda group: f"{sum(measured.fitted_ns for measured in group[1]) / 1e3:.1f}"),
    Column("shipped us", lambda group: f"{sum(measured.shipped_ns for measured in group[1]) / 1e3:.1f}"),
]
