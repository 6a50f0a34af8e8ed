"""Results as text, and as HTML for notebooks: the tables of the commands."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from typing import Any

from rich.console import RenderableType
from rich.terminal_theme import DEFAULT_TERMINAL_THEME
from rich.text import Text

from ..accuracy import Diff
from ..binding import library
from ..measure import Benchmark, Calibration, Comparison, causes
from ..sessions import Delegation
from ..tuning import Explanation, Tuning
from . import bench, calibration, diff, explanation, serving, tables, tuning
from .screen import Screen

WIDTH = 120


class _Page(Screen):
    """A screen of that width, which no flag widens."""

    lacking = "columns left out:"


def text(found: object) -> str:
    """Plain, without styles."""
    stream = io.StringIO()
    _print(found, _Page(file=stream, width=WIDTH, highlight=False, markup=False, force_terminal=False))
    return "\n".join(line.rstrip() for line in stream.getvalue().rstrip("\n").splitlines())


def html(found: object) -> str:
    """With styles, to stand in a page."""
    console = _Page(file=io.StringIO(), width=WIDTH, highlight=False, markup=False, record=True, force_terminal=True, color_system="truecolor")
    _print(found, console)
    return console.export_html(theme=DEFAULT_TERMINAL_THEME, inline_styles=True, code_format='<pre style="line-height: 1.2; white-space: pre">{code}</pre>')


def _print(found: object, console: Screen) -> None:
    for part in _PARTS[type(found)](found):
        console.print(part, soft_wrap=isinstance(part, (str, Text)))


def _benchmark(found: Benchmark) -> Iterable[RenderableType]:
    yield f"{bench.machine(found)}\n{tables.summary(found.delegation)}\n"
    yield bench.contenders(found, WIDTH)
    yield from bench.remarks(found)
    if found.serving:
        yield f"\n{serving.heading(found)}"
        yield serving.table(found, WIDTH)
    if found.op_profile:
        yield from (table(found, WIDTH) for table in (bench.run_order, bench.top, bench.by_type))
        yield bench.bounds(causes(found), WIDTH)
        yield f"\n{bench.legend(found)}\n\n{bench.reconciliation(found)}"


def _comparison(found: Comparison) -> Iterable[RenderableType]:
    yield from (f"not measured alike: {warning}" for warning in found.warnings)
    yield bench.comparison(found, WIDTH)


def _delegation(found: Delegation) -> Iterable[RenderableType]:
    yield tables.delegation(found, WIDTH)
    yield f"\n{tables.summary(found)}"


_PARTS: dict[type, Callable[[Any], Iterable[RenderableType]]] = {
    Benchmark: _benchmark,
    Calibration: lambda found: calibration.report(found, WIDTH),
    Comparison: _comparison,
    Delegation: _delegation,
    Diff: lambda found: diff.report(found, ratings=any(rating.expected is not None for rating in found.ratings), width=WIDTH),
    Explanation: lambda found: explanation.report(found, WIDTH),
    Tuning: lambda found: tuning.report(found, WIDTH),
    library.Report: lambda found: [tables.report(found, WIDTH)],
}
