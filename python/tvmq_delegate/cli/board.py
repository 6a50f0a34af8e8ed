"""Serve as a board: measure what clients of SCHEDULER send.

One thing is measured at a time, until the scheduler closes.

With --via this machine stands for a board without Python, to which it brings tvmq-measure: "adb -s SERIAL shell", "ssh pi@host",
"qemu-aarch64 -cpu cortex-a76". COMMAND is taken apart as a shell does it, and no shell runs it here.

Anyone who can send work to the scheduler can run any program on this machine.
"""

from __future__ import annotations

from pathlib import Path

import click

from .fleet import package, scheduler_options, security, unanswered
from .group import Failure, documented


@documented(click.Command)
@scheduler_options
@click.option("--name", help="What to call this board.  [default: the name of the host]")
@click.option("--via", metavar="COMMAND", help="The board is another one, without Python: the command that runs programs there.")
@click.option("--measure", type=click.Path(exists=True, dir_okay=False), metavar="FILE", help="tvmq-measure for that board.  [default: beside the library]")
def board(scheduler: str, certificates: str | None, name: str | None, via: str | None, measure: str | None) -> None:
    module, trusted = package(), security(certificates)
    if measure and not via:
        raise Failure("--measure needs --via COMMAND")
    try:
        plugin = module.proxy(via, Path(measure) if measure else None) if via is not None else None
    except (module.ProgramError, ValueError) as error:
        raise Failure(f"--via {via!r}: {error}") from None
    with unanswered(scheduler):
        module.serve(scheduler, name=name, security=trusted, plugin=plugin)
