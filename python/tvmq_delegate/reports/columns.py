"""Tables without lines that fit the terminal: one line a row, and the columns that there is room for, by importance."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from .screen import Screen, clean

GAP = 2  # blanks between columns


@dataclass(frozen=True)
class Column:
    """A column, and how a row shows in it.

    rank: the greatest is the first to be left out; 0 goes last, from the right, and never from the first column. least: 0, or the width below which the cells
    are not cut short; cells of columns without one never are.
    """

    header: str
    cell: Callable[[Any], str | Text]
    rank: int = 0
    left: bool = False
    least: int = 0


class Fitted(Table):
    """A table of the columns that there is room for, with a line below that names the others, as the screen puts it."""

    absent: Sequence[str] = ()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if self.absent:
            self.caption = f"{getattr(console, 'lacking', Screen.lacking)} {', '.join(self.absent)}"
        yield from super().__rich_console__(console, options)


def fitted(columns: Iterable[Column], rows: Iterable[Any], width: int, *, title: str | None = None) -> Table:
    """A table of at most `width` characters. A line below says which columns there was no room for."""
    listed = list(rows)
    cells = {column: [_text(column.cell(row)) for row in listed] for column in columns}
    wants = {column: max([len(column.header), *(text.cell_len for text in texts)]) for column, texts in cells.items()}
    takes = {column: min(want, max(column.least, len(column.header))) if column.least else want for column, want in wants.items()}
    shown = list(cells)
    while sum(takes[column] + GAP for column in shown) - GAP > width and len(shown) > 1:
        ranked = max(shown, key=lambda column: column.rank)
        shown.remove(ranked if ranked.rank else shown[-1])
    spare = max(0, width - sum(takes[column] + GAP for column in shown) + GAP)
    table = Fitted(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False, header_style="bold", caption_justify="left")
    for column in shown:
        room = min(wants[column], takes[column] + spare)
        spare -= room - takes[column]
        table.add_column(column.header, justify="left" if column.left else "right", no_wrap=True, overflow="ellipsis", max_width=room)
    for row in range(len(listed)):
        table.add_row(*(cells[column][row] for column in shown))
    table.absent = [column.header for column in cells if column not in shown]
    return table


def milliseconds(ms: float) -> str:
    """Three decimals; five below 0.1 ms, where networks of a few microseconds would otherwise look alike."""
    return f"{ms:.{5 if 0 < ms < 0.1 else 3}f}"


def microseconds(ms: float) -> str:
    """A decimal; three significant digits below 10 µs, where small nodes would otherwise look alike."""
    us = 1e3 * ms
    return f"{us:.1f}" if us >= 10 or not us else f"{us:#.3g}"


def _text(cell: str | Text) -> Text:
    """The text of a cell, in one line."""
    return Text(clean(cell.plain if isinstance(cell, Text) else cell), cell.style if isinstance(cell, Text) else "")
