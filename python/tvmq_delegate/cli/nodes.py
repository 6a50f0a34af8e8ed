"""Show each node of MODEL: taken or why not, and its kernel.

Also its packing, partition, multiply-accumulates and packed bytes.
"""

from __future__ import annotations

from typing import Any

import click

from .. import models, sessions
from ..reports import graph, screen, tables
from .command import model_command, page, print_json
from .output import Output, OutputFile, write_all


@model_command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--dot", "dot_file", type=OutputFile(), help="Write the partitioned graph for graphviz.")
@click.option("--html", "html_file", type=OutputFile(), help="Write the partitioned graph as a page that needs no network.")
@click.option("--times", "times_file", type=click.Path(), metavar="FILE", help="With --html: the nodes' times, from JSON of tvmq bench --enable-op-profiling.")
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
    times_file: str | None,
    contender: str,
) -> None:
    html = page("graph_page") if html_file else None
    found = sessions.nodes(source, runtime=module, name=name, contender=contender, **options)
    if times_file and not html_file:
        raise click.UsageError("--times needs --html")
    times_us = _times(times_file, source) if times_file else {}
    if as_json:
        print_json({"sentence": found.sentence, **vars(found)})
    else:
        screen.console.print(tables.delegation(found, screen.console.width))
        screen.console.print(f"\n{tables.summary(found)}", soft_wrap=True)
    write_all((dot_file, lambda: graph.dot(found, models.ops(source))), (html_file, lambda: html.page(found, models.ops(source), times_us) if html else ""))


def _times(path: str, source: bytes) -> dict[int, float]:
    from .. import measure  # which nothing else here needs

    return measure.node_times(path, source)
