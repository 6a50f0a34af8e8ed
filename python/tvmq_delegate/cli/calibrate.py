"""Fit the delegate's cost model to this machine.

Candidates of layers of every kind are measured, and the machine file is written that the delegate takes from then on.
"""

from __future__ import annotations

import os

import click

from .. import measure
from ..reports import calibration, screen
from .command import FloatRange, page, print_json, progress, widened
from .group import documented
from .output import Output, OutputFile, write_all

_DEFAULT_FILE = "[default: that of this CPU in the user's cache folder]"


@documented(click.Command)
@click.option("--out", type=click.Path(dir_okay=False), metavar="FILE", help=f"The machine file to write.  {_DEFAULT_FILE}")
@click.option("--dry-run", is_flag=True, help="Write no machine file.")
@click.option(
    "--time",
    "seconds",
    type=FloatRange(0.1, 600),
    default=measure.CALIBRATION_SECONDS,
    show_default=True,
    help="Seconds to measure; up to three times as many where two halves of the rounds differ.",
)
@click.option("--base", metavar="NAME", help="The known machine whose constants the fit is held near.  [default: the one that the CPU says it is]")
@click.option("--runtime", "runtime_name", metavar="PACKAGE", help="TFLite runtime.  [default: the first that is installed]")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--html", "html_file", type=OutputFile(), help="Write a page that plots measured against predicted times. It needs no network.")
@click.option("--wide", is_flag=True, expose_value=False, callback=widened, help="Show all columns of tables, however narrow the terminal.")
def calibrate(out: str | None, dry_run: bool, seconds: float, base: str | None, runtime_name: str | None, as_json: bool, html_file: Output | None) -> None:
    if out is not None and not os.path.isdir(os.path.dirname(out) or "."):
        raise click.UsageError(f"{out}: no file can be made in its folder")
    html = page("calibration_page") if html_file else None
    with progress() as tell:
        found = measure.calibrate(out=out, write=not dry_run, seconds=seconds, base=base, runtime=runtime_name, progress=tell)
    if as_json:
        print_json(found)
    else:
        for part in calibration.report(found, screen.console.width):
            screen.console.print(part, soft_wrap=isinstance(part, str))
    write_all((html_file, lambda: html.page(found) if html else ""))
