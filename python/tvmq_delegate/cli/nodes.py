"""`tvmq nodes`."""

from __future__ import annotations

from typing import Any

import click

from .. import models, sessions
from ..reports import graph, screen, tables
from .command import model_command, print_json
from .output import Output, OutputFile, write_all


@model_command
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--dot", "dot_file", type=OutputFile(), help="Write the partitioned graph for graphviz.")
@click.option("--html", "html_file", type=OutputFile(), help="Write the partitioned graph as a page that needs no network.")
def nodes(source: bytes, name: str, module: Any, options: dict[str, Any], as_json: bool, dot_file: Output | None, html_file: Output | None) -> None:
    """Show every node of MODEL: taken or why not, kernel, packing, partition, multiply-accumulates, packed bytes."""
    found = sessions.nodes(source, runtime=module, name=name, **options)
    texts = [write(found, models.ops(source)) if file else "" for file, write in ((dot_file, graph.dot), (html_file, graph.page))]
    if as_json:
        print_json({"sentence": found.sentence, **vars(found)})
    else:
        screen.console.print(tables.delegation(found, screen.console.width))
        screen.console.print(f"\n{tables.summary(found)}", soft_wrap=True)
    write_all((dot_file, lambda: texts[0]), (html_file, lambda: texts[1]))
