"""Tables without lines that fit the terminal: one line a row, and the columns that there is room for, by importance."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from rich.table import Table
from rich.text import Text

from .screen import clean

GAP = 2  # blanks between columns


@dataclass(frozen=True)
class Column:
    """A column, and how a row shows in it.

    rank: 0 is shown always; of the others the greatest is the first to be left out. least: 0, or the width below which the cells are not cut short.
    """

    header: str
    cell: Callable[[Any], str | Text]
    rank: int = 0
    left: bool = False
    least: int = 0


def fitted(columns: Iterable[Column], rows: Iterable[Any], width: int, *, title: str | None = None, hint: bool = False) -> Table:
    """A table of at most `width` characters. hint: a line below says which columns there was no room for."""
    listed = list(rows)
    cells = {column: [_text(column.cell(row)) for row in listed] for column in columns}
    wants = {column: max([len(column.header), *(text.cell_len for text in texts)]) for column, texts in cells.items()}
    takes = {column: min(want, max(column.least, len(column.header))) if column.least else want for column, want in wants.items()}
    shown = list(cells)
    while sum(takes[column] + GAP for column in shown) - GAP > width and any(column.rank for column in shown):
        shown.remove(max(shown, key=lambda column: column.rank))
    spare = width - sum(takes[column] + GAP for column in shown) + GAP
    table = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False, header_style="bold", caption_justify="left")
    for column in shown:
        room = takes[column] + max(0, spare) if column.least else None
        table.add_column(column.header, justify="left" if column.left else "right", no_wrap=True, overflow="ellipsis", max_width=room)
    for row in range(len(listed)):
        table.add_row(*(cells[column][row] for column in shown))
    absent = [column.header for column in cells if column not in shown]
    if hint and absent:
        table.caption = f"--wide: also {', '.join(absent)}"
    return table


def _text(cell: str | Text) -> Text:
    """The text of a cell, in one line."""
    return Text(clean(cell.plain if isinstance(cell, Text) else cell), cell.style if isinstance(cell, Text) else "")
