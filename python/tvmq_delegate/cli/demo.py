"""`tvmq demo`."""

from __future__ import annotations

from typing import Any

import click

from .. import demo as _demo
from .. import library, tables
from ..nodes import nodes
from ._command import model_command


@model_command
@click.option("--seconds", default=3.0, show_default=True, help="How long to take times.")
def demo(source: bytes, name: str, module: Any, options: dict[str, Any], seconds: float) -> None:
    """Run MODEL: what the delegate takes, whether every node equals the reference kernels bit for bit, and the time beside the stock runtime.

    Exit code 1 if anything differs.
    """
    print = tables.console.print
    found = nodes(source, runtime=module, name=name, **options)
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
