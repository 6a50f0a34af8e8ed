"""The group `tvmq`: which commands there are, each imported when it is called, and errors as one line."""

from __future__ import annotations

import contextlib
import importlib
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

import click

from . import streams

# Each is a module of this folder with a function of the same name. The module's docstring is the command's help.
COMMANDS = ("bench", "board", "calibrate", "compile", "demo", "diff", "estimate", "explain", "fleet", "info", "nodes", "records", "run", "tune")

# Flags that mean much the same in different commands: one that a command lacks is answered with one that it has.
ALIKE = (
    ("--against", "--contenders", "--contender"),
    ("--seconds", "--time", "--min-secs", "--max-secs"),
    ("--out", "--output", "--result-file-path"),
    ("--records", "--tuning-records"),
    ("--threads", "--num-threads"),
    ("--runs", "--num-runs"),
    ("--model", "--graph"),
    ("--input", "--inputs", "--input-layer-value-files"),
    ("--profile", "--enable-op-profiling", "--per-op"),
    ("--cpu", "--board", "--core", "--boards"),
)

# Exit codes, beside 0 and that of Failure.
DIFFERENT, INCONCLUSIVE, INTERRUPTED, CLOSED = 1, 3, 130, 141

NO_ARGUMENTS = getattr(click.exceptions, "NoArgsIsHelpError", ())  # which brings the help as its message; older versions of click print it

_Command = TypeVar("_Command", bound=click.Command)


def documented(kind: type[_Command], **attributes: Any) -> Callable[[Callable[..., Any]], _Command]:
    """Makes a function a command of a class, whose help is the docstring of the function's module."""
    return lambda function: click.command(cls=kind, help=sys.modules[function.__module__].__doc__, **attributes)(function)


class Ended(click.ClickException):
    """Ends the command with a text on stderr."""

    exit_code = 2

    def show(self, file: Any = None) -> None:
        del file
        streams.complain(self.message)


class Failure(Ended):
    """The user's input is at fault: one line on stderr."""

    def __init__(self, message: str):
        from ..reports import screen  # which imports rich

        super().__init__(f"Error: {screen.clean(message)}")


class Interrupted(Ended):
    exit_code = INTERRUPTED


class Commands(Mapping[str, click.Command]):
    """The commands by their names. One is imported when it is looked up: importing all of them takes half a second."""

    def __getitem__(self, name: str) -> click.Command:
        if name not in COMMANDS:
            raise KeyError(name)
        command: click.Command = getattr(importlib.import_module(f".{name}", __package__), name)
        return command

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


def summary(name: str) -> str:
    """The first sentence of a command's help, read from its module's first line without importing it."""
    with open(os.path.join(os.path.dirname(__file__), f"{name}.py"), encoding="utf-8") as lines:  # pathlib takes long to import
        return next(lines).strip('"\n')


class Group(click.Group):
    """Errors that the package documents come out as one line. Any other is a defect and keeps its traceback."""

    def __init__(self, *arguments: Any, **others: Any):
        super().__init__(*arguments, **others)
        vars(self)["commands"] = Commands()  # click's own are a dictionary

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary(name)) for name in COMMANDS])

    def make_context(self, *arguments: Any, **others: Any) -> click.Context:
        with _told():
            return super().make_context(*arguments, **others)

    def invoke(self, ctx: click.Context) -> Any:
        with _told():
            return super().invoke(ctx)


@contextlib.contextmanager
def _told() -> Iterator[None]:
    """Runs all that a command does, its output included, and turns errors into the command's end."""
    try:
        try:
            yield
        finally:
            streams.flush()
    except (click.exceptions.Exit, click.Abort):  # click's own, and RuntimeErrors
        raise
    except KeyboardInterrupt:
        raise Interrupted("Interrupted") from None
    except NO_ARGUMENTS as error:
        raise Ended(error.format_message()) from None
    except click.NoSuchOption as error:
        alike = " or ".join(map(repr, _alike(error)))
        raise Failure(f"No such option {error.option_name!r}. Did you mean {alike}?" if alike else error.format_message()) from None
    except click.UsageError as error:
        raise Failure(error.format_message()) from None
    except BrokenPipeError:  # whoever read the output has seen enough: `| head`
        raise click.exceptions.Exit(CLOSED) from None
    except OSError as error:
        raise Failure(f"{error.filename}: {error.strerror}" if error.filename else error.strerror or one_line(error)) from None
    except (ImportError, MemoryError, RuntimeError, ValueError) as error:
        raise Failure(one_line(error)) from None


def _alike(error: click.NoSuchOption) -> list[str]:
    """Flags of the command that do what the unknown one does elsewhere."""
    context = error.ctx
    there = {name for parameter in context.command.get_params(context) for name in parameter.opts} if context else set()
    return [name for row in ALIKE if error.option_name in row for name in row if name in there]


def one_line(error: Exception) -> str:
    """The message of an error. A runtime puts its own message on a line below the delegate's."""
    text = re.sub(r"(?<=\S)(?=Node number \d+ \()", "\n", str(error))  # which stands behind the message before without a blank
    lines = [" ".join(line.split()).removesuffix(".") for line in text.splitlines()]
    return "; ".join(filter(None, lines)) or type(error).__name__


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"], "token_normalize_func": lambda token: token.replace("_", "-")})
@click.version_option(package_name="tvmq-delegate", prog_name="tvmq")
def main() -> None:
    """Quantized convolutional networks for TensorFlow Lite on the CPU, bit for bit what its reference kernels compute."""
