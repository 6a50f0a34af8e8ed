"""Find the fastest kernels for MODEL on this machine.

For each task, which is nodes of equal shapes, the fastest algorithm, kernel and blocks are searched. Choices are measured in the network and proven against the
default; the network with all of them is then compared as a whole. Results are the same, bit for bit. Ctrl-C ends the search, and what was found is proven and
kept; a second Ctrl-C ends that, too.
"""

from __future__ import annotations

import contextlib
import math
import os
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from .. import tuning
from ..binding import plural
from ..reports import screen
from ..reports import tuning as report
from .command import FloatRange, model_command, num_threads, page, print_json
from .group import Interrupted
from .output import Output, OutputFile, write_all

PLAIN_SECS = 5.0  # between lines of progress where stderr is no terminal


def _told(now: tuning.Progress) -> str:
    rate = f", {now.rate:.0f} GMAC/s" if now.rate else ""
    return f"{now.what}: {now.tasks} tasks, {now.trials} trials, best {now.gain:.3f}x{rate}"


@contextlib.contextmanager
def _progress() -> Iterator[Callable[[tuning.Progress], None]]:
    """A bar on stderr for each phase; a line now and then where that is no terminal."""
    if not screen.is_terminal(sys.stderr):
        told, phase = 0.0, ""

        def tell(now: tuning.Progress) -> None:
            nonlocal told, phase
            if now.what != phase or time.monotonic() - told >= PLAIN_SECS:
                told, phase = time.monotonic(), now.what
                click.echo(f"{_told(now)}, {now.fraction:.0%}", err=True)

        yield tell
        return
    columns = (BarColumn(16), TimeRemainingColumn(), TextColumn("{task.description}", markup=False))
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        rows: dict[str, Any] = {}

        def show(now: tuning.Progress) -> None:
            if now.what not in rows:
                for row in rows.values():
                    bar.remove_task(row)
                rows.clear()
                rows[now.what] = bar.add_task("", total=1.0)
            bar.update(rows[now.what], completed=now.fraction, description=_told(now))

        yield show


@model_command(decides=["estimate", "profile", "tuning_records"])
@click.option("--trials", type=click.IntRange(min=1), default=tuning.TRIALS, show_default=True, help="Choices of a task to measure, at most.")
@click.option("--time", "seconds", type=FloatRange(min=0, min_open=True), metavar="SECONDS", help="Seconds to search, at most.")
@click.option(
    "--tuner",
    "tuner_name",
    type=click.Choice(tuning.NAMES),
    default="model",
    show_default=True,
    help="How to search; exhaustive measures all, whatever --trials.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="The seed of what is drawn at random.")
@click.option("--out", "out", type=click.Path(dir_okay=False), metavar="FILE.jsonl", help="Append records to a file; what it holds is not measured again.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--html", "html_file", type=OutputFile(), help="Write a page with plots that needs no network.")
@click.option("--fleet", "scheduler", metavar="SCHEDULER", help="Tune on boards instead, once for each kind of CPU; as tvmq fleet tune.")
@click.option("--boards", "wanted", default="", help="With --fleet: the boards that match FIELD=PATTERN, several with commas between them.  [default: all]")
@click.option("--certificates", metavar="FOLDER", help="With --fleet: certificates for tls://.")
def tune(source: bytes, name: str, module: Any, options: dict[str, Any], **flags: Any) -> None:
    if flags["scheduler"]:
        return _on_fleet(source, name, options, flags)
    if flags["wanted"] or flags["certificates"]:
        raise click.UsageError("--boards and --certificates are for --fleet")
    html_file: Output | None = flags["html_file"]
    html = page("tuning_page") if html_file else None
    threads = num_threads(options)
    out: str | os.PathLike[str] | None = flags["out"]
    with _progress() as follow:
        try:
            found = tuning.tune(
                source,
                runtime=module,
                name=name,
                out=out,
                tuner_name=flags["tuner_name"],
                trials=flags["trials"],
                seconds=flags["seconds"] or math.inf,
                seed=flags["seed"],
                progress=follow,
                num_threads=threads,
                **options,
            )
        except KeyboardInterrupt:
            raise Interrupted(_left(out)) from None
    if flags["as_json"]:
        print_json(found)
    else:
        for part in report.report(found, screen.console.width):
            screen.console.print(part, soft_wrap=isinstance(part, str))
    write_all((html_file, lambda: html.page(found) if html else ""))


def _left(out: str | os.PathLike[str] | None) -> str:
    """Says what is in the file of an interrupted search."""
    if out is None or not os.path.exists(out):
        return "Interrupted: nothing is written"
    records = tuning.read_records([out])[0]
    proven = sum(record.proven for record in records)
    return f"Interrupted: {out} has {plural(len(records), 'record')}, {proven} of them proven; the next search goes on from it"


def _on_fleet(source: bytes, name: str, options: dict[str, Any], flags: dict[str, Any]) -> None:
    from .fleet import tune_on

    if flags["out"] is None:
        raise click.UsageError("--fleet needs --out FILE.jsonl")
    if flags["html_file"] or flags["as_json"] or flags["tuner_name"] != "model":
        raise click.UsageError("--html, --json and other tuners than model are not for --fleet")
    limit = {"seconds": flags["seconds"]} if flags["seconds"] else {}
    threads = num_threads(options)
    arguments = {"out": flags["out"], "trials": flags["trials"], "num_threads": threads, **limit, **options}
    tune_on(flags["scheduler"], flags["certificates"], [(source, os.path.basename(name))], flags["wanted"], **arguments)
