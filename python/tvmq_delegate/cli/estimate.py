"""Estimate the cycles of MODEL's nodes on other cores.

Of each node, on one thread. Nothing is computed.
"""

from __future__ import annotations

from typing import Any

import click

from .. import measure, models, sessions
from ..binding import library, plural
from ..reports import screen, tables
from .command import listed, model_command, print_json

DEFAULT = ("cortex-a53", "cortex-a55", "cortex-a72", "neoverse-n1", "neoverse-v1")


@model_command(decides=["cpu_affinity", "estimate", "isa", "machine", "num_threads", "tune"])
@click.option("--core", "cores", type=listed(str, "cores"), default=",".join(DEFAULT), show_default=True, help="Names of known machines.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def estimate(source: bytes, name: str, module: Any, options: dict[str, Any], cores: tuple[str, ...], as_json: bool) -> None:
    known = [machine.name for machine in library.machines()]
    for core in cores:
        if core not in known:
            raise click.UsageError(f"no core is called {core!r}; known are {', '.join(known)}")
    found = {core: sessions.nodes(source, runtime=module, name=name, **{**options, "estimate": core}) for core in dict.fromkeys(cores)}
    if as_json:
        print_json({core: _as_json(core, delegation) for core, delegation in found.items()})
        return
    if not any(node.claimed for delegation in found.values() for node in delegation.nodes) and not _quantized(source):
        screen.console.print(f"{name}: no quantized node; the delegate takes quantized networks, and there is nothing to estimate", soft_wrap=True)
        return
    screen.console.print(tables.estimates(found, screen.console.width))
    left = max(sum(not node.claimed for node in delegation.nodes) for delegation in found.values())
    if left:
        screen.console.print(f"\n{plural(left, 'node')} left to the runtime and not estimated", soft_wrap=True)
    for line in tables.agreements({core: measure.agreement(core) for core in found}):
        screen.console.print(line, soft_wrap=True)


def _quantized(source: bytes) -> bool:
    """Whether any node computes quantized tensors."""
    return any(tensor.quantization for op in models.ops(source) for tensor in (*op.inputs, *op.outputs) if tensor)


def _as_json(core: str, found: sessions.Delegation) -> dict[str, Any]:
    return {"cycles": sum(node.cycles for node in found.nodes), "nodes": found.nodes, "agreement": measure.agreement(core)}
