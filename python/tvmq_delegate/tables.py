"""What the tools found, as tables for a terminal."""

from __future__ import annotations

import collections
import sys

from rich.console import Console
from rich.table import Table
from rich.text import Text

from . import demo, library, nodes

# Into a pipe or a file tables go at their full width.
console = Console(width=None if sys.stdout.isatty() else 1000, highlight=False, markup=False)


def _table(*columns: str, right: tuple[str, ...] = (), title: str | None = None) -> Table:
    table = Table(title=title, title_justify="left", box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, justify="right" if column in right else "left", overflow="fold")
    return table


def kernels(listed: list[library.Kernel]) -> Table:
    table = _table("kernel", "family", "needs", "packing", "tile", "on this CPU")
    for kernel in listed:
        tile = f"{kernel.mr}x{kernel.nr}" if kernel.nr else ""
        table.add_row(kernel.name, kernel.family, kernel.isa, kernel.packing, tile, "yes" if kernel.available else "no")
    return table


def options(listed: list[library.Option]) -> Table:
    table = _table("option", "values", "default", "meaning")
    for option in listed:
        table.add_row(option.name, option.names.replace("|", ", ") or option.kind, option.default_value, option.help)
    return table


def delegation(found: nodes.Delegation) -> Table:
    table = _table("#", "op", "input", "filter", "output", "kernel, or why not", "packing", "part", "MACs", "packed", right=("#", "part", "MACs", "packed"))
    for node in found.nodes:
        table.add_row(
            str(node.node) if node.subgraph == 0 else f"{node.subgraph}:{node.node}",
            node.op,
            Text("\n".join(dict.fromkeys(node.inputs))),
            Text(node.constants[0] if node.macs and node.constants else ""),
            Text("\n".join(node.outputs)),
            Text(node.kernel, "green") if node.claimed else Text(node.reason, "yellow"),
            node.packing,
            str(node.partition) if node.claimed else "",
            f"{node.macs:,}" if node.macs else "",
            f"{node.packed_bytes:,}" if node.claimed else "",
        )
    return table


def times(listed: list[demo.Time]) -> Table:
    table = _table("", "median ms", "min ms", "runs", "speed-up by the delegate", right=("median ms", "min ms", "runs", "speed-up by the delegate"))
    for time in listed:
        table.add_row(time.what, f"{time.median_ms:.2f}", f"{time.min_ms:.2f}", str(time.runs), f"{time.ratio:.2f}x" if time is not listed[0] else "")
    return table


def summary(found: nodes.Delegation) -> str:
    totals = found.summary
    extent = f"{totals.claimed} of {len(found.nodes)} nodes in {totals.partitions} partitions"
    lines = [f"{found.model} in {found.runtime}: {found.sentence}", f"{extent}, {totals.packed_bytes:,} bytes of packed weights, {totals.threads} thread(s)"]
    reasons = collections.Counter(f"{node.op}: {node.reason}" for node in found.nodes if not node.claimed)
    return "\n".join([*lines, *(f"  left to the runtime: {count} x {reason}" for reason, count in reasons.most_common())])


def verdict(found: demo.Verdict) -> str:
    bad = [node for node in found.nodes if node.different]
    elements = sum(node.elements for node in found.nodes)
    return "\n".join(
        [
            f"bit-exact against the reference kernels: {'yes' if found.exact else 'NO'}",
            f"  {len(found.nodes)} nodes, each fed with the reference's activations: {elements:,} elements, {sum(node.different for node in bad):,} differ",
            f"  {found.whole.what}: {found.whole.elements:,} elements, {found.whole.different:,} differ",
            *(f"  {node.what}: {node.different:,} of {node.elements:,} elements differ" for node in bad),
        ]
    )
