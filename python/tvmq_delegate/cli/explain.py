"""Explain what takes MODEL's time, and measure what helps.

Says of each node what bounds it: multiplications, the output stage, preparing rows, memory, overhead; and which nodes are left behind. Changes are tried, and
recommended only if they are measured to be faster. With --node, its candidates and numbers of threads are measured.

\b
tvmq explain model.tflite
tvmq explain model.tflite --node 12 --num-threads 2
"""

from __future__ import annotations

from typing import Any

import click

from .. import tuning
from ..reports import explanation, screen
from .command import FloatRange, model_command, num_threads, print_json, progress


@model_command(decides=["estimate", "profile"])
@click.option("--node", type=int, metavar="NODE", help="A node of the main subgraph: measure its candidates and numbers of threads instead.")
@click.option("--seconds", type=FloatRange(min=0), default=tuning.SECONDS, show_default=True, help="How long to run each contender.")
@click.option("--advice/--no-advice", "advise", default=True, show_default=True, help="Whether to try changes, which takes most of the time.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def explain(source: bytes, name: str, module: Any, options: dict[str, Any], node: int | None, seconds: float, advise: bool, as_json: bool) -> None:
    threads = num_threads(options)
    with progress() as follow:
        found = tuning.explain(source, node=node, advise=advise, seconds=seconds, runtime=module, name=name, progress=follow, num_threads=threads, **options)
    if as_json:
        benchmark = found.benchmark
        about = {"model": name, "busy": benchmark.busy, "ms": benchmark.results[0].latency_metrics.of(benchmark.leading)}
        print_json({**about, "causes": found.causes, "advice": found.advice, "detail": found.detail})
        return
    for part in explanation.report(found, screen.console.width):
        screen.console.print(part, soft_wrap=isinstance(part, str))
