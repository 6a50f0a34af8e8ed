"""Read files of tuning records: show, best, merge, check."""

from __future__ import annotations

import collections

import click

from .. import tuning
from ..binding import plural
from ..reports import screen
from ..reports import tuning as report
from .command import print_json, widened
from .group import DIFFERENT, Failure, documented
from .output import Output, OutputFile, write_all

FILES = click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False))
JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
OUT = click.option("--out", "out", type=OutputFile(), metavar="FILE.jsonl", help="Write the records to a file.")
NONE = "there are no such records"
WIDE = click.option("--wide", is_flag=True, expose_value=False, callback=widened, help="Show all columns of tables, however narrow the terminal.")


def _read(files: tuple[str, ...]) -> tuple[list[tuning.Record], list[tuning.Skipped]]:
    """With a line on stderr of what was skipped."""
    found, skipped = tuning.read_records(files)
    for why, n in collections.Counter(each.why for each in skipped).items():
        click.echo(f"skipped {plural(n, 'line')}: {why}", err=True)
    return found, skipped


def _records(files: tuple[str, ...]) -> list[tuning.Record]:
    """The records of files that are empty, or have one at least."""
    found, skipped = _read(files)
    if skipped and not found:
        raise Failure(f"no line of {', '.join(files)} is a record")
    return found


def _show(found: list[tuning.Record], as_json: bool, out: Output | None, none: str = NONE) -> None:
    """none: what is said if there are none."""
    if not found:
        click.echo(none, err=True)
    if as_json:
        print_json(found)
    elif out is None and found:
        screen.console.print(report.records(found, screen.console.width))
    write_all((out, lambda: "".join(record.line() for record in found)))


@documented(click.Group)
def records() -> None:
    pass


@records.command()
@FILES
@JSON
@WIDE
def show(files: tuple[str, ...], as_json: bool) -> None:
    """Show all records of FILES, in their order."""
    _show(_records(files), as_json, None)


@records.command()
@FILES
@JSON
@OUT
@WIDE
def best(files: tuple[str, ...], as_json: bool, out: Output | None) -> None:
    """Show the best proven record of each machine and task.

    It is the record of the greatest gain, by which the delegate goes.
    """
    listed = _records(files)
    none = f"none of {plural(len(listed), 'record')} is proven: tvmq tune has found nothing faster than the defaults" if listed else NONE
    _show(tuning.best(listed), as_json, out, none)


@records.command()
@FILES
@click.option("--out", "out", type=OutputFile(), metavar="FILE.jsonl", required=True, help="Write the records to a file.")
def merge(files: tuple[str, ...], out: Output) -> None:
    """Write all records of FILES to one file, each once, sorted."""
    _show(tuning.merged(_records(files)), False, out)


@records.command()
@FILES
@JSON
def check(files: tuple[str, ...], as_json: bool) -> None:
    """Say what of FILES this library can use on this CPU.

    Exit code 1 if there are lines that are no records.
    """
    found, skipped = _read(files)
    about = tuning.usable(found)
    if as_json:
        print_json({**about, "skipped": skipped})
    else:
        for name, n in about.items():
            click.echo(f"{n:6} {name.replace('_', ' ').replace('cpu', 'CPU')}")
        for each in skipped:
            click.echo(f"{each.path}:{each.line}: {each.why}")
    if skipped:
        raise click.exceptions.Exit(DIFFERENT)
