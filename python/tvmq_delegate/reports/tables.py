"""What the tools found, as tables for a terminal."""

from __future__ import annotations

import collections
import sys

from rich.console import Console
from rich.table import Table
from rich.text import Text

from .. import accuracy
from ..binding import library
from ..sessions import Delegation

# Into a pipe or a file tables go at their full width.
UNLIMITED = 1000
console = Console(width=None if sys.stdout.isatty() else UNLIMITED, highlight=False, markup=False)


def plain_table(*columns: str, right: tuple[str, ...] = (), title: str | None = None) -> Table:
    """A table without lines. right: headers of columns of numbers, which are not folded."""
    table = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, justify="right" if column in right else "left", no_wrap=column in right, overflow="fold")
    return table


def plural(n: int, word: str) -> str:
    """ "1 thread", "2 threads"."""
    return f"{n} {word}" if n == 1 else f"{n} {word}s"


def kernels(listed: list[library.Kernel]) -> Table:
    table = plain_table("kernel", "family", "needs", "packing", "tile", "on this CPU")
    for kernel in listed:
        tile = f"{kernel.mr}x{kernel.nr}" if kernel.nr else ""
        table.add_row(kernel.name, kernel.family, kernel.isa, kernel.packing, tile, "yes" if kernel.available else "no")
    return table


def options(listed: list[library.Option]) -> Table:
    table = plain_table("option", "values", "default", "meaning")
    for option in listed:
        table.add_row(option.name, option.names.replace("|", ", ") or option.kind, option.default_value, option.help)
    return table


def delegation(found: Delegation) -> Table:
    numbers = ("part", "MACs", "packed")
    table = plain_table("#", "op", "input", "filter", "output", "kernel, or why not", "packing", *numbers, right=("#", *numbers))
    for node in found.nodes:
        table.add_row(
            str(node.node) if node.subgraph == 0 else f"{node.subgraph}:{node.node}",
            node.op,
            Text("\n".join(dict.fromkeys(node.inputs))),
            Text(node.constants[0] if node.macs and node.constants else ""),
            Text("\n".join(node.outputs)),
            Text(node.how, "green" if node.claimed else "yellow"),
            node.packing,
            str(node.partition) if node.claimed else "",
            f"{node.macs:,}" if node.macs else "",
            f"{node.packed_bytes:,}" if node.packed_bytes else "",
        )
    return table


def summary(found: Delegation) -> str:
    totals = found.summary
    extent = f"{totals.claimed} of {len(found.nodes)} nodes in {plural(totals.partitions, 'partition')}"
    size = f"{totals.packed_bytes:,} bytes of packed weights, {plural(totals.threads, 'thread')}"
    reasons: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    for node in found.nodes:
        if not node.claimed:
            reasons[node.reason][node.op] += 1
    left = [f"{', '.join(f'{count} x {op}' for op, count in ops.most_common())}: {reason}" for reason, ops in reasons.items()]
    return "\n".join([f"{found.model} in {found.runtime}: {found.sentence}", f"{extent}, {size}", *(f"  left to the runtime: {line}" for line in left)])


def verdict(found: accuracy.Diff) -> str:
    """Of a comparison with the reference kernels on one input, every node alone and the whole network."""
    nodes, ends = ([item.difference for item in listed] for listed in (found.ops, found.outputs))
    bad = [op for op in found.ops if op.difference.different]

    def extent(differences: list[accuracy.Difference]) -> str:
        return f"{sum(d.elements for d in differences):,} elements, {sum(d.different for d in differences):,} differ"

    return "\n".join(
        [
            f"bit-exact against the reference kernels: {'yes' if found.passed else 'NO'}",
            f"  {sum(map(found.compared, found.contenders))} nodes, each fed with the reference's activations: {extent(nodes)}",
            f"  the network's outputs: {extent(ends)}",
            *(f"  {op.index} {op.op}: {op.difference.different:,} of {op.difference.elements:,} elements differ" for op in bad),
        ]
    )
