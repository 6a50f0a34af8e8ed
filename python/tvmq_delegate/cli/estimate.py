"""Estimate the cycles of MODEL's nodes on other cores.

Of each node, on one thread. Nothing is computed.
"""

from __future__ import annotations

from typing import Any

import click

from .. import measure, models, sessions
from ..binding import plural
from ..reports import screen, tables
from .command import listed, model_command, print_json

DEFAULT = ("cortex-a53", "cortex-a55", "cortex-a72", "neoverse-n1", "neoverse-v1")


@model_command(decides=["cpu_affinity", "estimate", "isa", "machine", "num_threads", "tune"])
@click.option("--core", "cores", type=listed(str, "cores"), default=",".join(DEFAULT), show_default=True, help="Names of cores, boards, chips or machines.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def estimate(source: bytes, name: str, module: Any, options: dict[str, Any], cores: tuple[str, ...], as_json: bool) -> None:
    try:
        targets = [measure.target(core) for core in dict.fromkeys(cores)]
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    planned = {each.machine: sessions.nodes(source, runtime=module, name=name, **{**options, "estimate": each.machine}) for each in targets}
    found = {target: planned[target.machine] for target in targets}
    if as_json:
        print_json({target.name: _as_json(target, delegation) for target, delegation in found.items()})
        return
    if not any(node.claimed for delegation in found.values() for node in delegation.nodes) and not _quantized(source):
        screen.console.print(f"{name}: no quantized node; the delegate takes quantized networks, and there is nothing to estimate", soft_wrap=True)
        return
    screen.console.print(tables.estimates(found, screen.console.width))
    for target in targets:
        screen.console.print(f"{target.name}: {target}", soft_wrap=True)
    left = max(sum(not node.claimed for node in delegation.nodes) for delegation in found.values())
    if left:
        screen.console.print(f"\n{plural(left, 'node')} left to the runtime and not estimated", soft_wrap=True)
    for line in tables.agreements({machine: measure.agreement(machine) for machine in planned}):
        screen.console.print(line, soft_wrap=True)


def _quantized(source: bytes) -> bool:
    """Whether any node computes quantized tensors."""
    return any(tensor.quantization for op in models.ops(source) for tensor in (*op.inputs, *op.outputs) if tensor)


def _as_json(target: measure.Target, found: sessions.Delegation) -> dict[str, Any]:
    cycles = sum(node.cycles for node in found.nodes)
    about = {"core": target.core, "machine": target.machine, "ghz": target.ghz or None, "milliseconds": target.milliseconds(cycles)}
    return {"cycles": cycles, **about, "nodes": found.nodes, "agreement": measure.agreement(target.machine)}
