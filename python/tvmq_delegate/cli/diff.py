"""Compare what MODEL computes under several contenders.

\b
reference  the runtime's reference kernels
builtin    its optimized kernels, without delegates
stock      the runtime as it is by default
tvmq       this delegate

The model is compared as a whole and, with --per-op, node by node. Exit code 1 if a difference is greater than allowed or the expected class is not the best, 3
if the delegate has taken nothing or the baseline differs from itself.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import click
from rich.text import Text

from .. import accuracy
from ..reports import diff as report
from ..reports import screen
from ..sessions import NAMES, RESOLVERS, inputs
from .command import FOLDER, FloatRange, listed, model_command, num_threads, page, print_json, progress
from .group import DIFFERENT, INCONCLUSIVE
from .output import Output, OutputFile, write_all

ALLOWED = FloatRange(min=0)
NUMBERS = listed(float, "numbers")


@model_command(decides=["estimate"])
@click.option(
    "--contenders",
    type=listed(str, "contenders"),
    default="reference,tvmq",
    show_default=True,
    metavar="LIST",
    help=f"At least two of {', '.join(NAMES)} and lib<name>.so of tvmq compile; the first is what the others differ from.",
)
@click.option("--rest", type=click.Choice([*RESOLVERS]), default="reference", show_default=True, help="Kernels of the nodes that tvmq leaves to the runtime.")
@click.option("--input", "files", metavar="FILE", multiple=True, help="Feed a .npy or .npz file, arrays called as the inputs or in their order; repeatable.")
@click.option("--images", metavar="DIR", help="Feed a folder of images, resized to cover the input and cropped, pixels spread over the input's range.")
@click.option("--mean", type=NUMBERS, default=(), help="Feed images as (pixel - mean) / std; a number, or one for each channel.")
@click.option("--std", type=NUMBERS, default=(), help="What to divide by when images are fed; see --mean.")
@click.option("--num-runs", type=click.IntRange(min=1), default=accuracy.NUM_RUNS, show_default=True, help="Random inputs, where no others are given.")
@click.option(
    "--distribution", type=click.Choice(inputs.DISTRIBUTIONS), default="mixed", show_default=True, help="How inputs are drawn at random; mixed: both in turn."
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="The seed of the first random input.")
@click.option("--labels", metavar="FILE", help="Names of the classes that the first output rates, one on each line.")
@click.option("--expected", metavar="CLASS", help="What all inputs show, by label or number.")
@click.option("--per-op", is_flag=True, help="Compare each node alone too, fed with the reference's activations.")
@click.option(
    "--save-failing",
    type=FOLDER,
    metavar="DIR",
    help="Write each node that differs by more than allowed, with its inputs, as a model; implies --per-op.",
)
@click.option("--save-outputs", type=FOLDER, metavar="DIR", help="Write inputs and outputs: DIR/inputs/0000.npz, DIR/CONTENDER/0000.npz and so on.")
@click.option("--bisect", is_flag=True, help="Find the node in which each difference begins, by running ever shorter beginnings of the model.")
@click.option("--summary-max-rows", type=click.IntRange(min=1), default=20, show_default=True, help="Nodes to list, those that differ most.")
@click.option("--max-lsb", type=ALLOWED, default=0, show_default=True, help="Allowed difference of quantized tensors.")
@click.option("--max-abs", type=ALLOWED, default=0, show_default=True, help="Allowed difference of other tensors.")
@click.option("--inference-diff", "lines", is_flag=True, help="Print inference_diff's lines on a terminal, too; pipes and files always get them.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--html", "html_file", type=OutputFile(), help="Write a page with histograms of differences that needs no network.")
def diff(
    source: bytes,
    name: str,
    module: ModuleType,
    options: dict[str, Any],
    files: tuple[str, ...],
    images: str | None,
    mean: tuple[float, ...],
    std: tuple[float, ...],
    num_runs: int,
    distribution: str,
    seed: int,
    labels: str | None,
    summary_max_rows: int,
    lines: bool,
    as_json: bool,
    html_file: Output | None,
    **settings: Any,
) -> None:
    if files and images:
        raise click.UsageError("--input and --images at once")
    if (mean or std) and not images:
        raise click.UsageError("--mean and --std need --images")
    context = click.get_current_context()
    random = [name for name in ("num_runs", "distribution", "seed") if context.get_parameter_source(name) == click.core.ParameterSource.COMMANDLINE]
    if random and (files or images):
        raise click.UsageError(f"--{random[0].replace('_', '-')} is for random inputs, not for --input or --images")
    html = page("diff_page") if html_file else None
    tensors = inputs.describe(source, module)
    if files:
        samples = inputs.files(files, tensors)
    elif images:
        samples = inputs.images(images, tensors, mean=mean, std=std)
    else:
        samples = inputs.random(tensors, num_runs, seed=seed, distribution=distribution)
    with progress() as follow:
        found = accuracy.diff(
            source,
            samples=samples,
            labels=accuracy.read_labels(labels) if labels else (),
            runtime=module,
            name=name,
            num_threads=num_threads(options),
            progress=follow,
            apart=True,
            **settings,
            **options,
        )
    if as_json:
        print_json({"passed": found.passed, "nothing_taken": found.nothing_taken, "as_expected": found.as_expected, "verdict": found.verdict, **vars(found)})
    else:
        ratings = bool(images or labels or settings["expected"])
        lines = lines or screen.for_programs()
        for part in report.report(found, ratings=ratings, max_rows=summary_max_rows, width=screen.console.width, lines=lines):
            screen.console.print(part, soft_wrap=isinstance(part, Text))
    write_all((html_file, lambda: html.page(found) if html else ""))
    if not (found.passed and found.as_expected):
        raise click.exceptions.Exit(DIFFERENT)
    if found.inconclusive:
        raise click.exceptions.Exit(INCONCLUSIVE)
