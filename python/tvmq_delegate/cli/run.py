"""Run a program with the delegate in each network that it opens.

PROGRAM is a Python file, or with -m a module, or any other program that starts Python. Everything behind it is the program's. It runs unmodified, and so do
the processes that it starts: every Interpreter of tflite_runtime, ai_edge_litert and tensorflow.lite, and every CompiledModel, gets the delegate, unless it
has delegates or an environment of its own, keeps all tensors, or asks for the reference kernels. At the end, a line on stderr says how many nodes the delegate
has taken.
"""

from __future__ import annotations

import os
import signal
import sys

import click

from .. import hosts
from .group import Failure, documented


@documented(click.Command, context_settings={"allow_interspersed_args": False})
@click.option("-m", "--module", "is_module", is_flag=True, help="PROGRAM is a module, as for python -m.")
@click.option("--options", metavar="NAME=VALUE,...", help="The delegate's options; otherwise those in the environment variable TVMQ_OPTIONS.")
@click.option("--compare", is_flag=True, help="Run each inference without the delegate, too, and tell the times of both.")
@click.argument("program")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def run(is_module: bool, options: str | None, compare: bool, program: str, arguments: tuple[str, ...]) -> None:
    given = os.environ.get("TVMQ_OPTIONS") if options is None else options
    if given:
        hosts.check(given)
    command = hosts.program(program, arguments, is_module=is_module)
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # which Python ignores, and the program would too
        signal.signal(number, signal.SIG_DFL)
    sys.stdout.flush()
    try:
        os.execve(command[0], command, hosts.environment(given, compare=compare))
    except OSError as error:
        raise Failure(f"{program}: {error.strerror}") from None
