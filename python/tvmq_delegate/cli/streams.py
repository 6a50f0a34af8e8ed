"""stdout and stderr of a command: text that reaches nobody is a failure of the command, never of the interpreter that ends it."""

from __future__ import annotations

import contextlib
import io
import os
import sys

import click


def prepare() -> None:
    """Makes stdout print a question mark for a character that the terminal's encoding lacks."""
    if isinstance(sys.stdout, io.TextIOWrapper):  # it may be closed
        sys.stdout.reconfigure(errors="replace")


def flush() -> None:
    """Hands on what is left in stdout's buffer.

    Raises:
      OSError: a full device, or a pipe without a reader.
    """
    if sys.stdout is not None:
        sys.stdout.flush()


def complain(text: str) -> None:
    """Prints on stderr, if that can be written."""
    with contextlib.suppress(OSError):
        click.echo(text, err=True)


def close() -> None:
    """Drops what cannot be written. The interpreter flushes both streams once more at its end, and would end with 120."""
    for stream in filter(None, (sys.stdout, sys.stderr)):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
