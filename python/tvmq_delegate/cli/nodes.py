"""`tvmq nodes`."""

from __future__ import annotations

from typing import Any

import click

from .. import tables
from ..nodes import nodes as _nodes
from ._command import model_command, print_json


@model_command
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def nodes(source: bytes, name: str, module: Any, options: dict[str, Any], as_json: bool) -> None:
    """Show every node of MODEL: taken or why not, kernel, packing, partition, multiply-accumulates, packed bytes."""
    found = _nodes(source, runtime=module, name=name, **options)
    if as_json:
        print_json({"sentence": found.sentence, **vars(found)})
        return
    tables.console.print(tables.delegation(found))
    tables.console.print(f"\n{tables.summary(found)}", soft_wrap=True)
