"""What the commands of the console script share: the group, errors as one line, arguments of the commands on a model, JSON."""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Callable
from typing import Any

import click

from .. import library, runtime, zoo
from ..demo import DEFAULT_NETWORK


class Failure(click.ClickException):
    """The user's input is at fault: one line on stderr, exit code 2."""

    exit_code = 2


class Group(click.Group):
    """Errors that the package documents come out as one line. Any other is a defect and keeps its traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (click.exceptions.Exit, click.Abort):  # click's own, and RuntimeErrors
            raise
        except click.UsageError as error:
            raise Failure(error.format_message()) from None
        except OSError as error:
            raise Failure(f"{error.filename}: {error.strerror}" if error.filename else _one_line(error)) from None
        except (ImportError, RuntimeError, ValueError) as error:
            raise Failure(_one_line(error)) from None


class ModelCommand(click.Command):
    """A command on one model: takes it, the runtime, and every option of the delegate, by the names and help texts of the library itself."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        return [*super().get_params(ctx), *_delegate_options()]


def model_command(function: Callable[..., Any]) -> click.Command:
    """Registers `function(source, name, runtime, options, ...)`: bytes of the model, what to call it, the runtime's module, the delegate's options."""

    @functools.wraps(function)
    def call(model: str | None, network: str | None, runtime_name: str | None, **values: Any) -> Any:
        if model and network:
            raise click.UsageError("a model file and a network of the zoo at once")
        name = model or network or DEFAULT_NETWORK
        if model:
            with open(model, "rb") as stream:
                source = stream.read()
        else:
            source = zoo.load(name)
        options = {option.name: values.pop(option.name) for option in library.options()}
        return function(source, name, runtime.find(runtime_name), options, **values)

    network_help = f"A network of the zoo instead of a model file: {', '.join(zoo.names())}.  [default: {DEFAULT_NETWORK}]"
    runtime_help = "TFLite runtime: ai_edge_litert, tflite_runtime or tensorflow.  [default: the first that is installed]"
    parameters = [
        click.argument("model", required=False),
        click.option("--network", metavar="NAME", help=network_help),
        click.option("--runtime", "runtime_name", metavar="PACKAGE", help=runtime_help),
    ]
    for parameter in reversed(parameters):
        call = parameter(call)
    return main.command(cls=ModelCommand)(call)


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"], "token_normalize_func": lambda token: token.replace("_", "-")})
@click.version_option(package_name="tvmq-delegate", prog_name="tvmq")
def main() -> None:
    """Quantized convolutions for TensorFlow Lite, bit for bit what its reference kernels compute."""


def _delegate_options() -> list[click.Parameter]:
    """The options of the library as parameters. Their values are its to check."""
    parameters: list[click.Parameter] = []
    for option in library.options():
        name, text = option.name.replace("_", "-"), f"{option.help[0].upper()}{option.help[1:]}."
        if option.kind == "bool":
            parameters.append(click.Option([f"--{name}/--no-{name}"], default=None, help=text))
        else:
            metavar = f"[{option.names}]" if option.names else option.kind.upper()
            parameters.append(click.Option([f"--{name}"], metavar=metavar, help=f"{text}  [default: {option.default_value}]"))
    return parameters


def print_json(data: Any) -> None:
    """JSON, dataclasses as objects."""
    click.echo(json.dumps(data, indent=2, default=dataclasses.asdict))


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
