"""`tvmq nodes`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .. import models, sessions
from ..reports import graph, screen, tables
from .command import OutputFile, model_command, print_json


@model_command
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--dot", "dot_file", type=OutputFile(), help="Write the partitioned graph for graphviz.")
@click.option("--html", "html_file", type=OutputFile(), help="Write the partitioned graph as a page that needs no network.")
def nodes(source: bytes, name: str, module: Any, options: dict[str, Any], as_json: bool, dot_file: Path | None, html_file: Path | None) -> None:
    """Show every node of MODEL: taken or why not, kernel, packing, partition, multiply-accumulates, packed bytes."""
    found = sessions.nodes(source, runtime=module, name=name, **options)
    for path, write in ((dot_file, graph.dot), (html_file, graph.page)):
        if path:
            path.write_text(write(found, models.ops(source)), encoding="utf-8")
    if as_json:
        print_json({"sentence": found.sentence, **vars(found)})
        return
    screen.console.print(tables.delegation(found, screen.console.width))
    screen.console.print(f"\n{tables.summary(found)}", soft_wrap=True)
