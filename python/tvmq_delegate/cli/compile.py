"""Make a small C library of MODEL.

The library has the network's plan, its packed weights and the code that it needs, and no other: it allocates nothing, needs the C library alone, and gives the
results of TFLite's reference kernels, bit for bit. Beside it are a header, an example, and files for CMake and pkg-config.

The delegate must take every node of the model. Needs a C compiler: that of the system, or zig (pip install 'tvmq-delegate[compile]').

\b
tvmq compile model.tflite -o build/model
tvmq compile model.tflite -o build/model --target aarch64-linux-gnu --isa neon,dotprod --static
"""

from __future__ import annotations

from pathlib import Path

import click

from .. import compiler
from ..models import opened
from ..reports import screen
from .command import FOLDER, faults_of, progress
from .group import documented


@documented(click.Command)
@click.argument("model")
@click.option("-o", "--out", type=FOLDER, required=True, metavar="FOLDER", help="Where to write; made if it is not there.")
@click.option("--name", help="Name of the library and of its functions.  [default: the model's]")
@click.option("--target", default=compiler.NATIVE, show_default=True, metavar="TRIPLE", help="What to compile for, such as aarch64-linux-gnu.")
@click.option(
    "--isa",
    metavar="SETS",
    help="Instruction set of the kernels, or several with commas, of which the best is taken at run time.  [default: avx2 for x86_64, neon for aarch64]",
)
@click.option("--static", is_flag=True, help="Make a static library instead of a shared one.")
@click.option(
    "--kernels-of", type=click.Choice(["litert", "tflite"]), default="litert", show_default=True, help="Whose kernels to reproduce where these differ."
)
@click.option(
    "--winograd", type=click.Choice(["auto", "on", "off"]), default="auto", show_default=True, help="Winograd's algorithm: faster, with larger weights."
)
@click.option("--tuning-records", metavar="FILES", help="Files written by tvmq tune, whose choices are used.")
def compile(
    model: str, out: str, name: str | None, target: str, isa: str | None, static: bool, kernels_of: str, winograd: str, tuning_records: str | None
) -> None:
    options = {"runtime": kernels_of, "winograd": winograd} | ({"tuning_records": tuning_records} if tuning_records else {})
    called = compiler.identifier(name or Path(model).name.removesuffix(".tflite"))
    with faults_of(screen.clean(model)), progress() as follow:
        source, _ = opened(model)
        made = compiler.compile(source, Path(out), called, title=Path(model).name, target=target, isa=isa, static=static, options=options, progress=follow)
    for path in made.kept:
        click.echo(f"{path}: edited, and left as it is", err=True)
    screen.console.print(f"{made.files[0]}: {made.constants:,} bytes of weights, {made.code:,} of all else; an arena has {made.arena_bytes:,}", soft_wrap=True)
