"""Common parts of the commands: how they get their help, arguments of the commands on a model, progress, JSON."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import importlib
import json
import math
import shlex
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from types import MappingProxyType
from typing import Any

import click

from ..binding import Threads, asked_threads, library, option_values, runtimes
from ..models import ModelError, opened, zoo
from ..reports import screen
from .group import Failure, documented, one_line

DEFAULT_NETWORK = "mobilenet_v2"


DELEGATES = "Options of the delegate"
TYPED = "tvmq.typed"  # the key of a command's arguments in its context


class FloatRange(click.FloatRange):
    """Numbers in a range, which NaN is not."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        return self.fail(f"{value} is not a number", param, ctx) if math.isnan(number) else number


FOLDER = click.Path(file_okay=False)  # which need not be there


def listed(kind: Callable[[str], Any], what: str) -> Callable[[Any], tuple[Any, ...]]:
    """A type of parameters: one or more, with commas between them, as a tuple; each converted by `kind`. what: the plural for messages."""

    def convert(value: Any) -> tuple[Any, ...]:
        if isinstance(value, tuple):
            return value
        try:
            return tuple(kind(part.strip()) for part in value.split(","))
        except ValueError:
            raise click.BadParameter(f"{value!r}: not {what} with commas between them") from None

    convert.__name__ = what
    return convert


class ModelCommand(click.Command):
    """A command on one model: takes it, the runtime, and the options of the delegate, by the names and help texts of the library itself.

    decides: the options that the command itself decides. groups: headings of its help, and the options below each.
    """

    def __init__(self, *arguments: Any, decides: Collection[str], groups: Mapping[str, Collection[str]], **others: Any):
        super().__init__(*arguments, **others)
        self.decides, self.groups = decides, groups

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options by groups: the command's own, those that all commands have, and the delegate's."""
        headings = {name: heading for heading, names in self.groups.items() for name in names}
        sections: dict[str, list[tuple[str, str]]] = {heading: [] for heading in (*self.groups, "Options", DELEGATES)}
        for parameter in self.get_params(ctx):
            shown = parameter.get_help_record(ctx)
            if shown and isinstance(parameter, click.Option):
                heading = next((headings[name] for name in parameter.opts if name in headings), "Options")
                sections[heading if parameter in self.params or "--help" in parameter.opts else DELEGATES].append(shown)
        for heading, listed in sections.items():
            if listed:
                with formatter.section(heading):
                    formatter.write_dl(listed)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        try:
            return [*super().get_params(ctx), *_delegate_options(self.decides)]
        except OSError:  # the library cannot be loaded
            if {*ctx.help_option_names}.isdisjoint(ctx.meta[TYPED]):
                raise
            return super().get_params(ctx)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Flags may have values, as benchmark_model's do: --dry_run=true."""
        ctx.meta[TYPED] = args
        flags = {name: option for option in self.get_params(ctx) if isinstance(option, click.Option) and option.is_flag for name in option.opts}
        return super().parse_args(ctx, [spelled for argument in args for spelled in _without_value(argument, flags)])


def _without_value(argument: str, flags: dict[str, click.Option]) -> list[str]:
    """A flag as click knows it: by its name where it is true, by the opposite one, if there is one, or not at all where it is false."""
    name, equals, value = argument.partition("=")
    option = flags.get(name.replace("_", "-"))
    if option is None or not equals:
        return [argument]
    if value.lower() in ("true", "1", "yes", "on"):
        return [name]
    if value.lower() in ("false", "0", "no", "off"):
        return option.secondary_opts[:1]
    raise click.UsageError(f"{name}={value}: neither true nor false")


@contextlib.contextmanager
def faults_of(name: str) -> Iterator[None]:
    """Has messages about a malformed model say which model it is."""
    try:
        yield
    except ModelError as error:
        raise Failure(f"{name}: {one_line(error)}") from None


def model_command(
    *, decides: Collection[str] = (), groups: Mapping[str, Collection[str]] = MappingProxyType({})
) -> Callable[[Callable[..., Any]], click.Command]:
    """Registers `function(source, name, runtime, options, ...)`: the model's bytes, what to call it, the runtime's module, the delegate's options.

    decides: the options that the function decides, and the command does not take. groups: as ModelCommand's.
    """
    return functools.partial(_registered, decides, groups)


def _registered(decides: Collection[str], groups: Mapping[str, Collection[str]], function: Callable[..., Any]) -> click.Command:
    @functools.wraps(function)
    def call(model: str | None, graph: str | None, network: str | None, runtime_name: str | None, **values: Any) -> Any:
        if model is not None and graph is not None:
            raise click.UsageError("two model files at once")
        model = graph if model is None else model
        if model is not None and network is not None:
            raise click.UsageError("a model file and a network of the zoo at once")
        name = screen.clean(model) if model is not None else network or DEFAULT_NETWORK
        options = {option.name: _single(option, values.pop(option.name)) for option in library.options() if option.name not in decides}
        with faults_of(name):
            source = opened(model)[0] if model is not None else zoo.load(name)
            return function(source, name, runtimes.find(runtime_name), options, **values)

    network_help = f"A network of the zoo instead of a model file: {zoo.described()}.  [default: {DEFAULT_NETWORK}]"
    wide_help = "Show all columns of tables, however narrow the terminal."
    runtime_help = "TFLite runtime: ai_edge_litert, tflite_runtime, tensorflow, or LiteRT's compiled_model.  [default: the first that is installed]"
    parameters = [
        click.argument("model", required=False, is_eager=True),
        click.option("--graph", "--model-file", "graph", is_eager=True, metavar="FILE", help="MODEL, as benchmark_model and inference_diff call it."),
        click.option("--network", is_eager=True, metavar="NAME", help=network_help),
        click.option("--runtime", "runtime_name", metavar="PACKAGE", help=runtime_help),
        click.option("--wide", is_flag=True, expose_value=False, callback=widened, help=wide_help),
    ]
    for parameter in reversed(parameters):
        call = parameter(call)
    return documented(ModelCommand, decides=decides, groups=groups)(call)


def _single(option: library.Option, value: Any) -> Any:
    """The value of an option. Raises UsageError for several values of an option whose values have no commas."""
    if option.kind in ("name", "int") and "," in str(value):
        raise click.UsageError(f"--{option.name.replace('_', '-')} takes one value; tvmq bench --sweep {option.name}={value} sets several against each other")
    return value


def command_line(context: click.Context) -> str:
    """The command as it was typed."""
    return shlex.join(["tvmq", context.info_name or "", *context.meta[TYPED]])


def widened(_: click.Context, __: click.Parameter, wide: bool) -> None:
    """Applies the flag --wide."""
    if wide:
        screen.console.widen()


def _delegate_options(without: Collection[str]) -> list[click.Parameter]:
    """The options of the library as parameters. Their values are its to check."""
    parameters: list[click.Parameter] = []
    for option in (option for option in library.options() if option.name not in without):
        name, text = option.name.replace("_", "-"), f"{option.help[0].upper()}{option.help[1:]}."
        if option.kind == "bool":
            parameters.append(click.Option([f"--{name}/--no-{name}"], default=None, help=text))
        else:
            metavar = f"[{'|'.join(option_values(option))}]" if option.names else option.kind.upper()
            parameters.append(click.Option([f"--{name}"], metavar=metavar, help=f"{text}  [default: {option.default_value}]"))
    return parameters


def num_threads(options: dict[str, Any]) -> Threads:
    """Takes the delegate's option of that name out: the threads of every interpreter, which the delegate in it goes by; one where the choice is left to it."""
    try:
        return asked_threads(options.pop("num_threads"))
    except ValueError as error:
        raise click.UsageError(str(error)) from None


@contextlib.contextmanager
def progress() -> Iterator[Callable[[float, str], None]]:
    """A bar on stderr while work goes on, on a terminal: to be told the fraction that is done, and what comes next."""
    from rich.console import Console  # which take longer to import than the help of a command to print
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (BarColumn(), TaskProgressColumn(), TimeRemainingColumn(), TextColumn("{task.description}", markup=False))
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=not screen.is_terminal(sys.stderr)) as bar:
        task = bar.add_task("", total=1.0)

        def tell(fraction: float, what: str) -> None:
            if fraction < bar.tasks[0].completed:  # a new phase, whose speed is not that of the one before
                bar.reset(task)
            bar.update(task, completed=fraction, description=what)

        yield tell


def page(name: str) -> Any:
    """The module of reports that makes a page. It needs packages that may not be there, which is to be told before anything is measured."""
    try:
        return importlib.import_module(f"..reports.{name}", __package__)
    except ImportError as error:
        raise Failure(f"HTML reports need {error.name}: pip install jinja2 plotly grandalf (the extra `report`)") from None


def pictures(*, png: bool, layout: bool) -> Any:
    """The module that makes pictures. The packages that it needs may not be there, which is to be told before anything is measured. layout: of a graph."""
    if layout:
        page("graph_page")
    module = importlib.import_module("..reports.picture", __package__)
    if png:
        try:
            module.renderer()
        except (ImportError, OSError) as error:
            raise Failure(f"PNG needs cairosvg and the cairo library: pip install cairosvg, apt-get install libcairo2 ({one_line(error)})") from None
    return module


def as_json(data: Any) -> str:
    """JSON, dataclasses as objects, numbers that JSON does not know as null."""
    return json.dumps(_plain(data), indent=2, allow_nan=False)


def print_json(data: Any) -> None:
    click.echo(as_json(data))


def _plain(data: Any) -> Any:
    if dataclasses.is_dataclass(data) and not isinstance(data, type):
        return {field.name: _plain(getattr(data, field.name)) for field in dataclasses.fields(data)}
    if isinstance(data, dict):
        return {key: _plain(value) for key, value in data.items()}
    if isinstance(data, (list, tuple)):
        return [_plain(value) for value in data]
    return None if isinstance(data, float) and not math.isfinite(data) else data
