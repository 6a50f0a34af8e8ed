"""The console script `tvmq`. A command asks a module for data and prints it; a new one registers itself with @main.command()."""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Callable
from typing import Any

import click

from . import demo as _demo
from . import library, runtime, tables, zoo
from .load import library_path
from .nodes import nodes as _nodes


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
        name = model or network or _demo.DEFAULT_NETWORK
        if model:
            with open(model, "rb") as stream:
                source = stream.read()
        else:
            source = zoo.load(name)
        options = {option.name: values.pop(option.name) for option in library.options()}
        return function(source, name, runtime.find(runtime_name), options, **values)

    network_help = f"A network of the zoo instead of a model file: {', '.join(zoo.names())}.  [default: {_demo.DEFAULT_NETWORK}]"
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


@main.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def info(as_json: bool) -> None:
    """Show the CPU, its instruction sets, the kernels, the runtimes found and the delegate's options."""
    cpu, isas, kernels, options = library.cpu(), library.isas(), library.kernels(), library.options()
    found = runtime.installed()
    if as_json:
        about = {"version": library.version(), "library": str(library_path()), "runtimes": found}
        _print_json({**about, "cpu": cpu, "isas": isas, "kernels": kernels, "options": options})
        return
    print = tables.console.print
    print(f"tvmq-delegate {library.version()}, {library_path()}", soft_wrap=True)
    order = "in order" if cpu.in_order else "out of order"
    print(f"CPU: {cpu.name}; executes {order}; {cpu.count} processors for this process")
    offered, absent = (", ".join(isa.name for isa in isas if isa.available is available) for available in (True, False))
    print(f"instruction sets: {offered}; not on this CPU: {absent}")
    print(f"TFLite runtimes: {', '.join(f'{name} {version}' for name, version in found.items()) or 'none installed'}\n")
    print(tables.kernels(kernels))
    print()
    print(tables.options(options))


@model_command
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def nodes(source: bytes, name: str, module: Any, options: dict[str, Any], as_json: bool) -> None:
    """Show every node of MODEL: taken or why not, kernel, packing, partition, multiply-accumulates, packed bytes."""
    found = _nodes(source, runtime=module, name=name, **options)
    if as_json:
        _print_json({"sentence": found.sentence, **vars(found)})
        return
    tables.console.print(tables.delegation(found))
    tables.console.print(f"\n{tables.summary(found)}", soft_wrap=True)


@model_command
@click.option("--seconds", default=3.0, show_default=True, help="How long to take times.")
def demo(source: bytes, name: str, module: Any, options: dict[str, Any], seconds: float) -> None:
    """Run MODEL: what the delegate takes, whether every node equals the reference kernels bit for bit, and the time beside the stock runtime.

    Exit code 1 if anything differs.
    """
    print = tables.console.print
    found = _nodes(source, runtime=module, name=name, **options)
    print(tables.delegation(found))
    print(f"\n{tables.summary(found)}\n", soft_wrap=True)
    verdict = _demo.compare(source, module, **options)
    print(f"{tables.verdict(verdict)}\n", soft_wrap=True)
    num_threads = max(1, int(options.pop("num_threads") or 1))
    print(tables.times(_demo.race(source, module, num_threads=num_threads, seconds=seconds, **options)))
    cpu = library.cpu()
    print(f"\n{cpu.name}, {num_threads} thread(s), {found.summary.isa} kernels; one inference of each in turn", soft_wrap=True)
    if not verdict.exact:
        raise click.exceptions.Exit(1)


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


def _print_json(data: Any) -> None:
    """JSON, dataclasses as objects."""
    click.echo(json.dumps(data, indent=2, default=dataclasses.asdict))


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
