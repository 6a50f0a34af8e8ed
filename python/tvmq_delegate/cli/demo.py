"""Try MODEL: what is taken, whether it is exact, how fast it is.

Shows every node, compares every node with the reference kernels bit for bit, and takes the time beside the stock runtime's.

Exit code 1 if anything differs, 3 if there was nothing to compare.
"""

from __future__ import annotations

from typing import Any

import click

from .. import accuracy, measure
from ..binding import library, plural
from ..reports import bench as report
from ..reports import screen, tables
from ..sessions import inputs, nodes
from .command import FloatRange, listed, model_command, num_threads, progress
from .group import DIFFERENT, INCONCLUSIVE

AGAINST = "stock,builtin"
NUM_RUNS = 10  # of each, at least


@model_command(decides=["estimate"])
@click.option("--seconds", type=FloatRange(min=0), default=3.0, show_default=True, help="How long to take times.")
@click.option("--against", type=listed(str, "contenders"), default=AGAINST, show_default=True, metavar="LIST", help="Whose time to take beside the delegate's.")
def demo(source: bytes, name: str, module: Any, options: dict[str, Any], seconds: float, against: list[str]) -> None:
    print = screen.console.print
    found = nodes(source, runtime=module, name=name, **options)
    print(tables.delegation(found, screen.console.width))
    print(f"\n{tables.summary(found)}\n", soft_wrap=True)
    threads = num_threads(options)
    samples = inputs.random(inputs.describe(source, module))
    with progress() as follow:
        verdict = accuracy.diff(source, samples=samples, per_op=True, runtime=module, num_threads=threads, progress=follow, apart=True, **options)
    print(f"{tables.verdict(verdict)}\n", soft_wrap=True)
    settings = measure.Settings(num_runs=NUM_RUNS, min_secs=seconds / (1 + len(against)), warmup_min_secs=min(seconds, 0.5))
    with progress() as follow:
        times = measure.bench(source, runtime=module, name=name, settings=settings, against=against, num_threads=threads, progress=follow, **options)
    print(report.contenders(times, screen.console.width))
    for line in report.remarks(times):
        print(line, style="yellow", soft_wrap=True)
    words = {"stock": f"{found.runtime} as it is by default", "builtin": "without its delegates", "network": "without a runtime"}
    explained = ", ".join(f"{contender}: {words[contender]}" for contender in against if contender in words)
    print(f"\n{library.cpu().name}, {plural(times.num_threads, 'thread')}, {found.summary.isa} kernels; {explained}", soft_wrap=True)
    if not verdict.passed:
        raise click.exceptions.Exit(DIFFERENT)
    if verdict.inconclusive:
        raise click.exceptions.Exit(INCONCLUSIVE)
