"""Measure how fast MODEL runs, and where the time goes.

The delegate and its contenders run in processes of their own, in turn, for as long as benchmark_model would. Flags are benchmark_model's.

\b
tvmq bench model.tflite --against stock --enable-op-profiling
tvmq bench model.tflite --against /tmp/before.so
tvmq bench --compare yesterday.json today.json --fail-above 10
"""

from __future__ import annotations

import dataclasses
import io
import json
from typing import Any

import click

from .. import accuracy, measure
from ..binding import Threads
from ..reports import bench as report
from ..reports import benchmark_model, screen, serving, tables, trace
from ..sessions import inputs
from .command import FOLDER, FloatRange, as_json, command_line, listed, model_command, num_threads, page, pictures, print_json, progress
from .group import DIFFERENT, INCONCLUSIVE
from .history import Kept
from .output import OutputFile, write_all


def _compare_files(context: click.Context, _: click.Parameter, files: tuple[str, str] | None) -> None:
    if files:
        if any(context.params.get(name) for name in ("model", "graph", "network")):
            raise click.UsageError("--compare takes two JSON files, and no model")
        output = context.params["html_file"]
        html = page("comparison_page") if output else None
        found = measure.compare(*files)
        limit = context.params["fail_above"]
        _print_comparison(found, limit, as_data=context.params["json_wanted"])
        if limit is not None:
            click.echo(report.verdict(found, limit), err=True)
        write_all((output, lambda: html.page(found, limit) if html else ""))
        slower = limit is not None and found.slower(limit)
        context.exit((DIFFERENT if found.judged else INCONCLUSIVE) if slower else 0)


def _print_comparison(found: measure.Comparison, limit: float | None, *, as_data: bool) -> None:
    if as_data:
        print_json(found)
        return
    for warning in found.warnings:
        screen.console.print(f"not measured alike: {warning}", style="yellow", soft_wrap=True)
    screen.console.print(report.comparison(found, screen.console.width, limit))


def _sweep(_: click.Context, __: click.Parameter, text: str | None) -> tuple[str, tuple[str, ...]] | None:
    if text is None:
        return None
    option, _equals, listed = text.partition("=")
    values = listed.split(",")
    if len(set(values)) < len(values):
        raise click.UsageError(f"--sweep takes each value once, not {text!r}")
    if not option or not all(values):
        raise click.UsageError(f"--sweep takes an option and its values, such as num_threads=1,2,4, not {text!r}")
    return option.replace("-", "_"), tuple(values)


AGAINST = "Other contenders, run in turn: stock,builtin,reference,network, or the path of a compiled network, libNAME.so, or of another build of the delegate."

FAIL_ABOVE = "With --compare: exit code 1 if anything is so much slower, 3 if a machine was busy then."

GROUPS = {
    "What runs": ["--graph", "--network", "--runtime", "--against", "--sweep", "--use-xnnpack", "--streams", "--rate"],
    "How long": ["--num-runs", "--min-secs", "--max-secs", "--warmup-runs", "--warmup-min-secs", "--run-delay", "--dry-run"],
    "Inputs": ["--input-layer", "--input-layer-shape", "--input-layer-value-files"],
    "Nodes": ["--enable-op-profiling", "--op-profiling-output-mode", "--op-profiling-output-file"],
    "Output": ["--benchmark-model", "--json", "--result-file-path", "--history", "--csv", "--trace", "--html", "--svg", "--png", "--wide", "--help"],
    "Two files": ["--compare", "--fail-above"],
}


@model_command(decides=["estimate"], groups=GROUPS)
@click.option("--num-runs", default=measure.DEFAULTS.num_runs, show_default=True, help="Runs to take the time of, at least.")
@click.option("--min-secs", default=measure.DEFAULTS.min_secs, show_default=True, help="Seconds to run, at least.")
@click.option("--max-secs", default=measure.DEFAULTS.max_secs, show_default=True, help="Seconds after which no run begins.")
@click.option("--warmup-runs", default=measure.DEFAULTS.warmup_runs, show_default=True, help="Runs before that, at least.")
@click.option("--warmup-min-secs", default=measure.DEFAULTS.warmup_min_secs, show_default=True, help="Seconds to run before that, at least.")
@click.option("--run-delay", default=measure.DEFAULTS.run_delay, show_default=True, help="Seconds of rest after each run.")
@click.option("--dry-run", is_flag=True, help="Prepare the model, run nothing.")
@click.option("--streams", default=0, metavar="N", help="Then N interpreters at the same time, for --min-secs: throughput, latencies, cold and warm starts.")
@click.option("--rate", default=0.0, metavar="REQUESTS", help="With --streams: requests a second, arriving at random.  [default: back to back]")
@click.option("--against", type=listed(str, "contenders"), default=(), metavar="LIST", help=AGAINST)
@click.option("--sweep", callback=_sweep, metavar="OPTION=VALUES", help="Set the delegate against itself: num_threads=1,2,4.")
@click.option("--enable-op-profiling", is_flag=True, help="Measure every node: in the delegate, and alone in each contender (stock, unless --against).")
@click.option(
    "--op-profiling-output-mode",
    type=click.Choice(["stdout", "csv"]),
    default="stdout",
    show_default=True,
    help="How to print the nodes; benchmark_model's proto is not offered.",
)
@click.option("--op-profiling-output-file", type=OutputFile(), help="Where to write them instead.")
@click.option("--use-xnnpack/--no-use-xnnpack", default=True, show_default=True, help="Whether XNNPACK runs the nodes that the delegate leaves to the runtime.")
@click.option("--input-layer", metavar="NAMES", help="The inputs that the shapes are of, with commas between.  [default: the model's]")
@click.option("--input-layer-shape", metavar="SHAPE", help="Resize the inputs: 1,224,224,3, with colons between the shapes of several.")
@click.option("--report-peak-memory-footprint", is_flag=True, expose_value=False, hidden=True)  # which is always reported
@click.option("--input-layer-value-files", metavar="FILE", help="What to feed: a .npy or .npz file, or NAME:FILE,... of raw bytes or .npy. Else random.")
@click.option("--benchmark-model", is_flag=True, help="Print benchmark_model's lines on a terminal, too; pipes and files always get them.")
@click.option("--json", "json_wanted", is_flag=True, is_eager=True, help="Print JSON.")
@click.option("--result-file-path", type=OutputFile(), help="Write the JSON to a file.")
@click.option("--history", "history_folder", type=FOLDER, metavar="FOLDER", help="Keep the JSON in a folder, and write a page of all runs there, index.html.")
@click.option("--csv", "--profiling-output-csv-file", "csv_file", type=OutputFile(), help="Write the nodes, with benchmark_model's columns first.")
@click.option("--trace", "trace_file", type=OutputFile(), help="Write a trace for ui.perfetto.dev, with the threads' tracks.")
@click.option("--html", "html_file", type=OutputFile(), is_eager=True, help="Write a page with plots that needs no network; of --compare, too.")
@click.option("--svg", "svg_file", type=OutputFile(), help="Write a chart of the contenders, and of the nodes if they are measured.")
@click.option("--png", "png_file", type=OutputFile(), help="The same as PNG, which needs cairosvg.")
@click.option("--fail-above", type=FloatRange(min=0), is_eager=True, metavar="PERCENT", help=FAIL_ABOVE)
@click.option("--compare", nargs=2, callback=_compare_files, expose_value=False, metavar="OLD NEW", help="Two JSON files: what changed.")
def bench(source: bytes, name: str, module: Any, options: dict[str, Any], **flags: Any) -> None:
    settings = measure.Settings(**{field.name: flags[field.name] for field in dataclasses.fields(measure.Settings)})
    nodes_file, as_csv = flags["op_profiling_output_file"], flags["op_profiling_output_mode"] == "csv"
    files = (nodes_file, flags["csv_file"], flags["trace_file"], flags["html_file"])
    if settings.dry_run and any((*files, flags["svg_file"], flags["png_file"])):
        raise click.UsageError("--dry-run measures no nodes: there is nothing to write but --result-file-path")
    if flags["fail_above"] is not None:
        raise click.UsageError("--fail-above needs --compare")
    profiled = any(files) or flags["enable_op_profiling"] or as_csv
    html = page("html") if flags["html_file"] else None
    charts = pictures(png=flags["png_file"] is not None, layout=False) if flags["svg_file"] or flags["png_file"] else None
    kept = Kept(flags["history_folder"]) if flags["history_folder"] is not None else None
    if kept and settings.dry_run:
        raise click.UsageError("--dry-run measures nothing: there is nothing to keep in --history")
    arrays = _inputs(source, module, profiled, flags["input_layer_value_files"], flags["input_layer_shape"], flags["input_layer"])
    threads = num_threads(options)
    with progress() as follow:
        found = measure.bench(
            source,
            runtime=module,
            name=name,
            settings=settings,
            against=flags["against"],
            sweep=flags["sweep"],
            rest="stock" if flags["use_xnnpack"] else "builtin",
            op_profiling=profiled,
            counters=flags["trace_file"] is not None,
            inputs=arrays,
            num_threads=threads,
            progress=follow,
            **options,
        )
    verdict = _verdict(source, module, arrays, threads, options) if html else ""
    data = as_json({name: value for name, value in vars(found).items() if name != "profiled"})  # which is for the trace
    if flags["json_wanted"]:
        click.echo(data)
    else:
        _print(found, lines=flags["benchmark_model"] or screen.for_programs())
        if found.op_profile and not nodes_file and as_csv:
            click.echo("\n" + benchmark_model.op_csv(found), nl=False)
        elif found.op_profile and not nodes_file:
            _print_nodes(found, screen.console)
    write_all(
        (flags["result_file_path"], lambda: data + "\n"),
        (flags["csv_file"], lambda: benchmark_model.op_csv(found)),
        (nodes_file, lambda: benchmark_model.op_csv(found) if as_csv else _nodes_text(found)),
        (flags["trace_file"], lambda: json.dumps(trace.trace(found)) + "\n"),
        (flags["svg_file"], lambda: charts.charts(found) if charts else ""),
        (flags["png_file"], lambda: charts.png(charts.charts(found)) if charts else b""),
        (flags["html_file"], lambda: html.page(found, command=command_line(click.get_current_context()), verdict=verdict) if html else ""),
    )
    if flags["trace_file"] and found.profiled and found.profiled.not_counted:
        click.echo(f"not in the trace: {report.not_counted(found.profiled.not_counted)}", err=True)
    if kept:
        kept.keep(found, data)


def _inputs(source: bytes, module: Any, profiled: bool, files: str | None, shapes: str | None, names: str | None) -> list[Any] | None:
    """The samples to feed; None for random values in the model's own shapes."""
    if names is not None and shapes is None:
        raise click.UsageError("--input-layer names the inputs of --input-layer-shape")
    if shapes is not None and profiled:
        raise click.UsageError("--input-layer-shape: nodes can be measured in the model's own shapes only")
    if files is None and shapes is None:
        return None
    tensors = inputs.describe(source, module)
    if shapes is not None:
        tensors = inputs.reshaped(tensors, shapes, names)
    return inputs.value_files(files, tensors) if files is not None else inputs.random(tensors)[0].load()


def _nodes_text(found: measure.Benchmark) -> str:
    stream = io.StringIO()
    _print_nodes(found, screen.Screen(file=stream, width=screen.UNLIMITED, highlight=False, markup=False))
    return stream.getvalue()


def _print(found: measure.Benchmark, *, lines: bool) -> None:
    """lines: benchmark_model's, too."""
    console = screen.console
    console.print(report.machine(found), soft_wrap=True)
    console.print(f"{tables.summary(found.delegation)}\n", soft_wrap=True)
    console.print(report.contenders(found, console.width))
    for line in report.remarks(found):
        console.print(line, style="yellow", soft_wrap=True)
    if found.serving:
        console.print(f"\n{serving.heading(found)}", soft_wrap=True)
        console.print(serving.table(found, console.width))
    for result in found.results if lines else ():
        heading = f"\n{result.name}:\n" if len(found.results) > 1 else "\n"
        console.print(heading + "\n".join(benchmark_model.lines(result)), soft_wrap=True)


def _print_nodes(found: measure.Benchmark, console: screen.Screen) -> None:
    for table in (report.run_order, report.top, report.by_type):
        console.print(table(found, console.width))
    console.print(report.bounds(measure.causes(found), console.width))
    console.print(f"\n{report.legend(found)}\n\n{report.reconciliation(found)}", soft_wrap=True)


def _verdict(source: bytes, module: Any, arrays: list[Any] | None, threads: Threads, options: dict[str, Any]) -> str:
    """Whether results are the reference kernels', for what was fed, or for random values and for extremes."""
    described = inputs.describe(source, module)
    samples = [inputs.Sample("the input", lambda: arrays)] if arrays is not None else inputs.random(described, 2, distribution="mixed")
    return accuracy.diff(source, samples=samples, runtime=module, num_threads=threads, apart=True, **options).verdict
