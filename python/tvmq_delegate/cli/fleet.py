"""`tvmq board` and `tvmq fleet`. dask is imported when they run: everybody else does without."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import click

from ..reports import fleet as report
from ..reports import screen
from .command import DIFFERENT, Failure, as_json, main, progress
from .output import Output, OutputFile, write_all

if TYPE_CHECKING:
    from .. import fleet

FOUND_SLOWER = 4


def _fleet() -> Any:
    try:
        from .. import fleet
    except ImportError as error:
        raise Failure(f"a fleet needs {error.name}: pip install 'tvmq-delegate[fleet]'") from None
    return fleet


def _security(folder: str | None) -> Any:
    return _fleet().security(folder) if folder else None


@contextlib.contextmanager
def _boards(scheduler: str, certificates: str | None) -> Iterator[fleet.Boards]:
    """The boards of a scheduler; of this machine alone, where it is called "local"."""
    if scheduler == "local":
        with _fleet().local() as boards:
            yield boards
        return
    security = _security(certificates)
    try:
        boards = _fleet().connect(scheduler, security=security)
    except (OSError, asyncio.TimeoutError) as error:
        raise Failure(f"no scheduler answers at {scheduler}: {error}") from None
    with boards:
        yield boards


def _page() -> Callable[[fleet.Table], str]:
    """Before anything is measured: the extra may be missing."""
    importlib.import_module("..reports.pages", __package__)
    return report.page


def scheduler_options(function: Callable[..., Any]) -> Callable[..., Any]:
    function = click.option("--certificates", metavar="FOLDER", help="Certificates for tls://, as `tvmq fleet certificates` makes them.")(function)
    return click.argument("scheduler")(function)


@main.command()
@scheduler_options
@click.option("--name", help="What to call this board.  [default: the name of the host]")
def board(scheduler: str, certificates: str | None, name: str | None) -> None:
    """Serve as a board of SCHEDULER: measure what its clients send, one thing at a time, until it says goodbye.

    Whoever may send work to the scheduler may run any program on this machine.
    """
    module, security = _fleet(), _security(certificates)
    try:
        module.serve(scheduler, name=name, security=security)
    except (OSError, asyncio.TimeoutError) as error:
        raise Failure(f"no scheduler answers at {scheduler}: {error}") from None


@main.group(name="fleet")
def fleet_group() -> None:
    """Measure on boards through a scheduler of dask; "local" instead of its address is this machine alone."""


@fleet_group.command()
@click.argument("folder")
@click.option("--host", "hosts", multiple=True, help="A name or address of the scheduler, beside localhost; may be given again.")
def certificates(folder: str, hosts: tuple[str, ...]) -> None:
    """Make certificates for a fleet in FOLDER; scheduler, boards and clients each get a copy of all three files."""
    for path in _fleet().make_certificates(folder, hosts):
        screen.console.print(str(path))


@fleet_group.command()
@scheduler_options
@click.option("--json", "json_", is_flag=True, help="Print JSON.")
def boards(scheduler: str, certificates: str | None, json_: bool) -> None:
    """List the boards of SCHEDULER."""
    module = _fleet()
    with _boards(scheduler, certificates) as there:
        listed = there.listed()
        if json_:
            click.echo(as_json(listed))
            return
        screen.console.print(report.boards(listed, there.queue(), screen.console.width))
        version, kernels = module.identity()
        for item in listed:
            for mismatch in item.mismatches(version, kernels):
                screen.console.print(f"{item.name}: {mismatch}", soft_wrap=True)


@fleet_group.command()
@scheduler_options
@click.argument("models", nargs=-1, required=True)
@click.option("--boards", "wanted", default="", help="Which boards: FIELD=PATTERN with commas between them.  [default: all]")
@click.option("--out", required=True, type=click.Path(dir_okay=False), metavar="FILE.jsonl", help="Append records to a file.")
@click.option("--trials", type=click.IntRange(min=1), default=8, show_default=True, help="Choices of a task to measure on each kind of board, at most.")
@click.option("--num-threads", type=click.IntRange(min=1), default=1, show_default=True)
@click.option("--max-secs", type=click.FloatRange(min=1), default=120.0, show_default=True, help="Limit of each board's share.")
def tune(scheduler: str, certificates: str | None, models: tuple[str, ...], wanted: str, out: str, trials: int, num_threads: int, max_secs: float) -> None:
    """Tune MODELS on the boards of SCHEDULER, once for each kind of CPU; boards of a kind share the work.

    Exit code 1 if something could not be measured.
    """
    with _boards(scheduler, certificates) as there, progress() as follow:
        chosen = there.select(wanted)
        found = _fleet().tune(there, models, chosen, out=out, trials=trials, seconds=max_secs, num_threads=num_threads, progress=follow)
    screen.console.print(report.tuned(found, screen.console.width))
    if any(item.problems for item in found):
        raise click.exceptions.Exit(DIFFERENT)


@fleet_group.command()
@scheduler_options
@click.argument("models", nargs=-1, required=True)
@click.option("--boards", "wanted", default="", help="Which boards: FIELD=PATTERN with commas between them, such as cpu=*A72*,isa=neon.  [default: all]")
@click.option("--only", type=click.Choice(["bench", "diff"]), help="Measure times alone, or compare alone.")
@click.option("--num-threads", type=click.IntRange(min=1), default=1, show_default=True)
@click.option("--max-secs", type=click.FloatRange(min=1), default=120.0, show_default=True, help="Limit of each measurement.")
@click.option("--csv", "csv_file", type=OutputFile(), metavar="FILE")
@click.option("--json", "json_file", type=OutputFile(), metavar="FILE")
@click.option("--html", "html_file", type=OutputFile(), metavar="FILE", help="A page with the table.")
@click.option("--compare", type=click.Path(exists=True, dir_okay=False), metavar="OLD.json", help="Name what is slower than there, and exit with 4.")
@click.option("--fail-above", type=click.FloatRange(min=0), default=10.0, show_default=True, metavar="PERCENT", help="With --compare: what counts as slower.")
def bench(scheduler: str, certificates: str | None, models: tuple[str, ...], wanted: str, only: str | None, num_threads: int, max_secs: float,
          csv_file: Output | None, json_file: Output | None, html_file: Output | None, compare: str | None, fail_above: float) -> None:  # fmt: skip
    """Measure and compare MODELS on the boards of SCHEDULER: the network table.

    Exit code 1 if anything differs from the reference kernels or could not be measured, 4 if something has become slower.
    """
    module = _fleet()
    page = _page() if html_file else None
    outcomes = []
    with _boards(scheduler, certificates) as there:
        todo = module.jobs(models, there.select(wanted), kinds=[only] if only else ["diff", "bench"], seconds=max_secs, num_threads=num_threads)
        with progress() as follow:
            for outcome in there.run(todo):
                outcomes.append(outcome)
                follow(len(outcomes) / len(todo), outcome.job.model)
        quarantined = dict(there.quarantined)
    found = module.tabulate(outcomes)
    screen.console.print(report.networks(found, screen.console.width))
    for name, why in quarantined.items():
        screen.console.print(f"{name} is in quarantine: {why}", soft_wrap=True)
    write_all((csv_file, lambda: report.as_csv(found)), (json_file, lambda: as_json(found)), (html_file, lambda: page(found) if page else ""))
    slower = module.regressions(compare, found, fail_above) if compare else []
    if slower:
        screen.console.print(report.slower(slower), soft_wrap=True)
    if not found.passed:
        raise click.exceptions.Exit(DIFFERENT)
    if slower:
        raise click.exceptions.Exit(FOUND_SLOWER)
