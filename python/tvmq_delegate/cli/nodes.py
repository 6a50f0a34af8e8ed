"""Show each node of MODEL: taken or why not, and its kernel.

Also its packing, partition, multiply-accumulates and packed bytes.
"""

from __future__ import annotations

from typing import Any

import click

from .. import models, sessions
from ..reports import graph, model_explorer, screen, tables
from .command import model_command, page, pictures, print_json
from .output import Output, OutputFile, write_all


@model_command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--dot", "dot_file", type=OutputFile(), help="Write the partitioned graph for graphviz.")
@click.option("--html", "html_file", type=OutputFile(), help="Write the partitioned graph as a page that needs no network.")
@click.option("--svg", "svg_file", type=OutputFile(), help="Write the partitioned graph as a picture.")
@click.option("--png", "png_file", type=OutputFile(), help="The same as PNG, which needs cairosvg.")
@click.option("--model-explorer", "explorer_file", type=OutputFile(), help="Write node data for Google's Model Explorer: times, or how each node is computed.")
@click.option("--times", "times_file", type=click.Path(), metavar="FILE", help="For pages, pictures and node data: JSON of tvmq bench --enable-op-profiling.")
@click.option(
    "--contender",
    type=click.Choice([sessions.DELEGATE, sessions.NETWORK]),
    default=sessions.DELEGATE,
    show_default=True,
    help="network: the model without a runtime, taken as a whole or refused.",
)
def nodes(
    source: bytes,
    name: str,
    module: Any,
    options: dict[str, Any],
    as_json: bool,
    dot_file: Output | None,
    html_file: Output | None,
    svg_file: Output | None,
    png_file: Output | None,
    explorer_file: Output | None,
    times_file: str | None,
    contender: str,
) -> None:
    drawn = (html_file, svg_file, png_file, explorer_file)
    if times_file and not any(drawn):
        raise click.UsageError("--times needs --html, --svg, --png or --model-explorer")
    picture = pictures(png=png_file is not None, layout=True) if svg_file or png_file else None
    html = page("graph_page") if html_file else None
    found = sessions.nodes(source, runtime=module, name=name, contender=contender, **options)
    times_us = _times(times_file, source) if times_file else {}
    if as_json:
        print_json({"sentence": found.sentence, **vars(found)})
    else:
        screen.console.print(tables.delegation(found, screen.console.width))
        screen.console.print(f"\n{tables.summary(found)}", soft_wrap=True)
    ops = models.ops(source)
    write_all(
        (dot_file, lambda: graph.dot(found, ops)),
        (html_file, lambda: html.page(found, ops, times_us) if html else ""),
        (svg_file, lambda: picture.graph(found, ops, times_us) if picture else ""),
        (png_file, lambda: picture.png(picture.graph(found, ops, times_us)) if picture else b""),
        (explorer_file, lambda: model_explorer.node_data(found, ops, times_us)),
    )


def _times(path: str, source: bytes) -> dict[int, float]:
    from .. import measure  # which nothing else here needs

    return measure.node_times(path, source)
