"""Measure on boards, through a scheduler of dask.

"local" instead of a scheduler's address is this machine alone.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import signal
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from ..reports import fleet as report
from ..reports import screen
from .command import FOLDER, FloatRange, as_json, page, progress
from .group import DIFFERENT, INCONCLUSIVE, Failure, documented, one_line
from .output import Output, OutputFile, write_all

if TYPE_CHECKING:
    from ..fleet import Boards, Table

FOUND_SLOWER = 4
FAIL_ABOVE = 10.0  # percent
NO_BOARD = "no board is connected"


def package() -> Any:
    """The room of fleets. dask is imported when a command runs: everybody else does without."""
    try:
        return importlib.import_module("..fleet", __package__)
    except ImportError as error:
        raise Failure(f"a fleet needs {error.name}: pip install distributed cryptography") from None


def security(folder: str | None) -> Any:
    return package().security(folder) if folder else None


@contextlib.contextmanager
def unanswered(scheduler: str) -> Iterator[None]:
    """Says which scheduler cannot be reached."""
    try:
        yield
    except (OSError, asyncio.TimeoutError) as error:
        raise Failure(f"no scheduler answers at {scheduler}: {one_line(error)}") from None


@contextlib.contextmanager
def _boards(scheduler: str, certificates: str | None) -> Iterator[Boards]:
    """The boards of a scheduler; of this machine alone, where it is called "local"."""
    if scheduler == "local":
        with package().local() as boards:
            yield boards
        return
    trusted = security(certificates)
    with unanswered(scheduler):
        boards = package().connect(scheduler, security=trusted)
    with boards:
        yield boards


def scheduler_options(function: Callable[..., Any]) -> Callable[..., Any]:
    function = click.option("--certificates", metavar="FOLDER", help="Certificates for tls://, as `tvmq fleet certificates` makes them.")(function)
    return click.argument("scheduler")(function)


@documented(click.Group)
def fleet() -> None:
    pass


@fleet.command()
@click.argument("folder", type=FOLDER)
@click.option("--host", "hosts", multiple=True, help="A name or address of the scheduler, in addition to localhost; may be given again.")
def certificates(folder: str, hosts: tuple[str, ...]) -> None:
    """Make certificates for a fleet in FOLDER.

    Scheduler, boards and clients each get a copy of all three files.
    """
    for path in package().make_certificates(folder, hosts):
        screen.console.print(str(path))


@fleet.command()
@click.option("--boards", "n", type=click.IntRange(min=1), default=1, show_default=True, help="How many; all are this machine, and get into each other's way.")
@click.option("--port", type=click.IntRange(0, 65535), default=8786, show_default=True, help="The port of the scheduler; 0: any that is free.")
def local(n: int, port: int) -> None:
    """Serve as a fleet of this machine alone, for trying it.

    A scheduler and boards run until Ctrl-C. No other machine can connect.
    """
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # `kill` is how it ends in the background
    with package().local(n, port) as there:
        screen.console.print(f"tcp://{there.client.scheduler.address.partition('://')[2]} is a fleet of {n}; Ctrl-C ends it", soft_wrap=True)
        there.wait()


@fleet.command()
@scheduler_options
@click.option("--json", "json_", is_flag=True, help="Print JSON.")
def boards(scheduler: str, certificates: str | None, json_: bool) -> None:
    """List the boards of SCHEDULER: what they are."""
    module = package()
    with _boards(scheduler, certificates) as there:
        listed = there.listed()
        if json_:
            click.echo(as_json(listed))
            return
        screen.console.print(report.boards(listed, screen.console.width) if listed else NO_BOARD)
        identity = module.identity()
        for item in listed:
            for mismatch in item.mismatches(*identity):
                screen.console.print(f"{item.name}: {mismatch}", soft_wrap=True)


@fleet.command()
@scheduler_options
def status(scheduler: str, certificates: str | None) -> None:
    """List the boards of SCHEDULER: what they are doing.

    Exit code 1 if one does not answer.
    """
    with _boards(scheduler, certificates) as there:
        listed = there.listed()
        silent = there.silent(listed)
        if listed:
            screen.console.print(report.status(listed, there.queue(), screen.console.width))
        elif not silent:
            screen.console.print(NO_BOARD)
    for name in silent:
        screen.console.print(f"{name} does not answer", soft_wrap=True)
    if silent:
        raise click.exceptions.Exit(DIFFERENT)


@fleet.command()
@scheduler_options
@click.argument("models", nargs=-1, required=True)
@click.option("--boards", "wanted", default="", help="The boards that match FIELD=PATTERN, several with commas between them.  [default: all]")
@click.option("--out", required=True, type=click.Path(dir_okay=False), metavar="FILE.jsonl", help="Append records to a file.")
@click.option("--trials", type=click.IntRange(min=1), default=8, show_default=True, help="Choices of a task to measure on each kind of board, at most.")
@click.option("--num-threads", type=click.IntRange(min=1), default=1, show_default=True)
@click.option("--max-secs", type=FloatRange(min=1), default=120.0, show_default=True, help="Limit of each board's share.")
def tune(scheduler: str, certificates: str | None, models: tuple[str, ...], wanted: str, out: str, trials: int, num_threads: int, max_secs: float) -> None:
    """Tune MODELS on the boards of SCHEDULER.

    This is done once for each kind of CPU; boards of a kind share the work. Exit code 1 if something could not be measured.
    """
    tune_on(scheduler, certificates, models, wanted, out=out, trials=trials, num_threads=num_threads, seconds=max_secs)


def tune_on(scheduler: str, certificates: str | None, networks: Sequence[Any], wanted: str, **arguments: Any) -> None:
    """Tunes networks on boards of a scheduler, and shows what came of it."""
    networks = [package().opened(network) for network in networks]  # what cannot be read is told before anybody is waited for
    with _boards(scheduler, certificates) as there, progress() as follow:
        found = package().tune(there, networks, there.select(wanted), progress=follow, **arguments)
    screen.console.print(report.tuned(found, screen.console.width))
    if any(item.problems for item in found):
        raise click.exceptions.Exit(DIFFERENT)


def table_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The arguments of commands that make the network table."""
    for option in reversed(
        [
            click.argument("models", nargs=-1, required=True),
            click.option("--boards", "wanted", default="", help="Those that match FIELD=PATTERN,..., such as cpu=*A72*,isa=neon.  [default: all]"),
            click.option("--num-threads", type=click.IntRange(min=1), default=1, show_default=True),
            click.option("--max-secs", type=FloatRange(min=1), default=120.0, show_default=True, help="Limit of each measurement."),
            click.option("--csv", "csv_file", type=OutputFile(), metavar="FILE"),
            click.option("--json", "json_file", type=OutputFile(), metavar="FILE"),
            click.option("--html", "html_file", type=OutputFile(), metavar="FILE", help="A page with the table."),
        ]
    ):
        function = option(function)
    return scheduler_options(function)


def _table(kinds: Sequence[str], scheduler: str, certificates: str | None, models: tuple[str, ...], wanted: str, num_threads: int, max_secs: float,
           csv_file: Output | None, json_file: Output | None, html_file: Output | None) -> Table:  # fmt: skip
    """Makes the network table, shows it and writes it."""
    module = package()
    if html_file:
        page("pages")
    networks = [module.opened(model) for model in models]  # what cannot be read is told before anybody is waited for
    outcomes = []
    with _boards(scheduler, certificates) as there:
        todo = module.jobs(networks, there.select(wanted), kinds=kinds, seconds=max_secs, num_threads=num_threads)
        with progress() as follow:
            for outcome in there.run(todo):
                outcomes.append(outcome)
                follow(len(outcomes) / len(todo), outcome.job.model)
        quarantined, returned = dict(there.quarantined), dict(there.returned)
    found: Table = module.tabulate(outcomes)
    screen.console.print(report.networks(found, screen.console.width))
    for name, why in returned.items():
        screen.console.print(f"{name} was in quarantine for a while: {why}", soft_wrap=True)
    for name, why in quarantined.items():
        screen.console.print(f"{name} is in quarantine: {why}", soft_wrap=True)
    write_all((csv_file, lambda: report.as_csv(found)), (json_file, lambda: as_json(found)), (html_file, lambda: report.page(found)))
    return found


@fleet.command()
@table_options
@click.option("--only", type=click.Choice(["bench", "diff"]), help="Measure times alone, or compare alone.")
@click.option("--compare", type=click.Path(exists=True, dir_okay=False), metavar="OLD.json", help="Name what is slower than there, and exit with 4.")
@click.option("--fail-above", type=FloatRange(min=0), metavar="PERCENT", help="With --compare: what counts as slower.  [default: 10]")
def bench(only: str | None, compare: str | None, fail_above: float | None, **arguments: Any) -> None:
    """Measure and compare MODELS on the boards of SCHEDULER.

    MODELS are files or networks of the zoo; the result is the network table.

    Exit code 1 if anything differs from the reference kernels, could not be measured or was measured on a board that was hot or busy by its reference task, 4
    if something has become slower, 3 if nothing of a network was taken, or if what is slower was measured on a busy board.
    """
    if fail_above is not None and not compare:
        raise click.UsageError("--fail-above needs --compare")
    before = package().earlier(compare) if compare else {}
    found = _table([only] if only else ["diff", "bench"], **arguments)
    slower = package().regressions(before, found, FAIL_ABOVE if fail_above is None else fail_above)
    if slower:
        screen.console.print(report.slower(slower), soft_wrap=True)
    certain = any(not item.doubts for item in slower)
    _judge(found, FOUND_SLOWER if certain else INCONCLUSIVE if slower else 0)


@fleet.command()
@table_options
def diff(**arguments: Any) -> None:
    """Compare MODELS with the reference kernels on the boards.

    The same as `fleet bench --only diff`. Exit code 1 if anything differs, or could not be compared, 3 if nothing of a network was taken.
    """
    _judge(_table(["diff"], **arguments))


def _judge(found: Table, otherwise: int = 0) -> None:
    """Ends with the exit code of the weightiest that is wrong."""
    code = otherwise or (INCONCLUSIVE if any(cell.nothing_taken for cell in found.cells) else 0)
    raise click.exceptions.Exit(code if found.passed else DIFFERENT)
