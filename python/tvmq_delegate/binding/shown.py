"""How results show themselves: as the text that the commands print, and as tables in notebooks."""

from __future__ import annotations

import importlib
from typing import Any


def plural(n: int, word: str) -> str:
    """ "1 thread", "2 threads"."""
    return f"{n:,} {word}{'s' * (n != 1)}"


class Shown:
    """The base of results that have a report. What makes it is imported when somebody looks: results are made without it, and without rich."""

    def __str__(self) -> str:
        text: str = _reports().text(self)
        return text

    def _repr_html_(self) -> str:
        page: str = _reports().html(self)
        return page


def _reports() -> Any:
    return importlib.import_module("..reports.shown", __package__)
