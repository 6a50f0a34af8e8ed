"""The folder of `tvmq bench --history`."""

from __future__ import annotations

import itertools
from pathlib import Path

import click

from .. import measure
from ..reports import bench as report
from .command import page
from .output import Output, write_all


class Kept:
    """If the packages for its page are missing, or nothing can be written there, that is told before anything is measured."""

    def __init__(self, folder: str):
        self.page = page("history_page")
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.index = Output(self.folder / "index.html")
        click.get_current_context().call_on_close(self.index.discard)

    def keep(self, found: measure.Benchmark, data: str) -> None:
        """Writes the run's JSON and the page of all runs, and says how this one compares with the one before."""
        stem = measure.file_name(found.model, found.machine.date)
        path = next(path for n in itertools.count() if not (path := self.folder / f"{stem}{f'-{n}' if n else ''}.json").exists())
        write_all((Output(path), lambda: data + "\n"))
        history = measure.history(self.folder)
        write_all((self.index, lambda: str(self.page.page(history))))
        click.echo(report.latest(history, str(path)), err=True)
