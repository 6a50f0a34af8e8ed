"""The terminal: how wide it is, and that nothing reaches it raw which a model or a runtime has put into a name or a message."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from typing import TextIO

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

# Into a pipe or a file tables go at their full width.
UNLIMITED = 1000
# Control characters, with those of terminals' escape sequences; characters that turn the direction of what follows; line and paragraph separators.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def clean(text: str, keep: str = "") -> str:
    """The text with control characters spelled out, such as \\x1b, but for those in `keep`."""
    return _CONTROL.sub(lambda found: found[0] if found[0] in keep else ascii(found[0])[1:-1], text)


def csv_cell(value: object) -> object:
    """A cell that no spreadsheet takes for a formula: text that begins like one gets an apostrophe in front, as they write it themselves."""
    if not isinstance(value, str) or _is_number(value):
        return value
    text = clean(value)
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


class Screen(Console):
    """A console that cleans what it prints; styles are its own and stay. lacking: what stands before the names of columns that it has no room for."""

    lacking = "--wide: also"

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for text, style, control in super().render(renderable, options):
            yield Segment(text if control else clean(text, keep="\n"), style, control)

    def on_broken_pipe(self) -> None:
        """The error is the command's to handle, as that of any other output."""
        raise

    def widen(self) -> None:
        """From now on tables have all their columns."""
        self.width = UNLIMITED


def is_terminal(stream: TextIO | None) -> bool:
    """Whether it is one; a stream that was closed before the program began is not."""
    return stream is not None and stream.isatty()


def for_programs() -> bool:
    """Whether the output goes into a pipe or a file, where programs look for the lines of TFLite's tools."""
    return not is_terminal(sys.stdout)


console = Screen(width=None if is_terminal(sys.stdout) else UNLIMITED, highlight=False, markup=False)
