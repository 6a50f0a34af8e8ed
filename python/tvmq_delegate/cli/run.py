"""Run a program with the delegate in each network that it opens.

PROGRAM is a Python file, or with -m a module, or any other program that starts Python or uses TFLite's C library. Everything behind it is the program's. It
runs unmodified, and so do the processes that it starts: every Interpreter of tflite_runtime, ai_edge_litert and tensorflow.lite, and every CompiledModel, gets
the delegate, unless it has delegates or an environment of its own, keeps all tensors, or asks for the reference kernels. At the end, a line on stderr says how
many nodes the delegate has taken.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from .. import hosts
from .command import page
from .group import Failure, documented


def _flags(function: Any) -> Any:
    for names, parameter, value, text in reversed(hosts.FLAGS):
        function = click.option(*names, parameter, is_flag=not value, metavar=value or None, help=text)(function)
    return function


@documented(click.Command, context_settings={"allow_interspersed_args": False})
@_flags
@click.argument("program")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def run(program: str, arguments: tuple[str, ...], **given: Any) -> None:
    if given["report"] is not None:
        page("run_page")
        _check_folder(Path(given["report"]))
    try:
        hosts.start(program, arguments, **given)
    except OSError as error:
        raise Failure(f"{program}: {error.strerror}" if error.strerror else str(error)) from None


def _check_folder(file: Path) -> None:
    """The page is written when the program ends, which is late to say that it cannot be."""
    if file.is_dir() or not os.access(file.parent, os.W_OK) or (file.exists() and not os.access(file, os.W_OK)):
        raise Failure(f"{file}: no file can be written there")
