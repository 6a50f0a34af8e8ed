"""Writes the page of `tvmq run --report` from the notes in a folder: `python -m tvmq_delegate.cli.run_report FOLDER FILE`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from ..hosts import settings, tally
from . import chatter, streams
from .command import page
from .output import Output, write_all


def main(folder: str, file: str) -> None:
    output = Output(Path(file))
    options = settings.parsed(os.environ.get(settings.OPTIONS, ""))
    try:
        write_all((output, lambda: page("run_page").page(tally.notes(folder), options)))
    finally:
        output.discard()


if __name__ == "__main__":
    streams.prepare()
    chatter.silence()
    main(*sys.argv[1:])
