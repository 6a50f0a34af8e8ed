"""Results of the tools, as tables and lines for a terminal."""

from __future__ import annotations

import collections
import functools
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from ..binding import library, option_values, plural
from ..sessions import Delegation
from .columns import Column, fitted

if TYPE_CHECKING:
    from .. import accuracy, measure

KERNEL = 33  # characters, which nearly all names of kernels have room in
LISTED = 3  # tensors of a node that are shown in one line


def plain_table(*columns: str, right: tuple[str, ...] = (), title: str | None = None) -> Table:
    """A table without lines. right: headers of columns of numbers, which are not folded."""
    table = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, justify="right" if column in right else "left", no_wrap=column in right, overflow="fold")
    return table


def kernels(listed: Sequence[library.Kernel], width: int) -> Table:
    columns = [
        Column("kernel", lambda kernel: kernel.name, left=True),
        Column("family", lambda kernel: kernel.family, 3, left=True),
        Column("needs", lambda kernel: kernel.isa, 1, left=True),
        Column("packing", lambda kernel: kernel.packing, 2, left=True),
        Column("tile", lambda kernel: f"{kernel.mr}x{kernel.nr}" if kernel.nr else "", 2, left=True),
        Column("here", lambda kernel: "yes" if kernel.available else "no", left=True),
    ]
    return fitted(columns, listed, width)


def options(listed: Sequence[library.Option], width: int) -> list[Text]:
    """A line for each option, with its default and values, and its meaning below."""
    lines: list[Text] = []
    for option in listed:
        lines.append(Text.assemble("  ", (option.name, "bold"), f" = {option.default_value}"))
        values = ", ".join(option_values(option)) if option.names else option.kind
        lines += [Text(f"      {line}") for line in textwrap.wrap(f"{option.help} ({values})", max(40, width - 6))]
    return lines


def estimates(found: Mapping[measure.Target, Delegation], width: int) -> Table:
    """The cycles of each node on several cores, and of all nodes together, also as milliseconds; with one core its kernels, too."""
    first = next(iter(found.values()))
    columns = [
        Column("#", lambda i: str(first.nodes[i].node) if isinstance(i, int) else ""),
        Column("op", lambda i: first.nodes[i].op if isinstance(i, int) else i, left=True, least=17),
        *(Column(target.name, functools.partial(_cycles, target, nodes), rank) for rank, (target, nodes) in enumerate(found.items())),
    ]
    if len(found) == 1:
        columns.append(Column("kernel", lambda i: first.nodes[i].how.removeprefix("tvmq_") if isinstance(i, int) else "", 1, left=True))
    rows = [ALL, MILLISECONDS, *(i for i, node in enumerate(first.nodes) if node.cycles > 0)]
    return fitted(columns, rows, width, title=f"Estimated cycles, one thread: {first.model}")


def agreements(found: Mapping[str, measure.Agreement | None]) -> list[str]:
    """For each core how far estimates of networks lie from counted cycles."""
    checked = {core: each for core, each in found.items() if each}
    lines = [f"\nCompared with what tools/arm/estimate counts of whole networks, {next(iter(checked.values())).networks} of them:"] if checked else []
    width = max(map(len, checked), default=0)
    lines += [
        f"  {core:{width}}  error {each.median:.0%} (median), {each.worst:.0%} at most; rank correlation {each.rank:.3f}" for core, each in checked.items()
    ]
    rest = [core for core in found if core not in checked]
    return lines + ([f"\nNot compared with anything: {', '.join(rest)}"] if rest else [])


ALL, MILLISECONDS = "all nodes", "milliseconds"


def _cycles(target: measure.Target, found: Delegation, row: int | str) -> str:
    cycles = found.nodes[row].cycles if isinstance(row, int) else sum(node.cycles for node in found.nodes)
    if row != MILLISECONDS:
        return f"{cycles / 1e3:,.1f}k"
    time = target.milliseconds(cycles)
    return "" if time is None else f"{time:,.3g}"


def delegation(found: Delegation, width: int) -> Table:
    """One line for each node. What has no room is cut short or left out; the reasons stand in the summary, too."""
    columns = [
        Column("#", lambda node: str(node.node) if node.subgraph == 0 else f"{node.subgraph}:{node.node}"),
        Column("op", lambda node: node.op, left=True, least=17),
        Column("input", lambda node: _listed(node.inputs), 6, left=True),
        Column("filter", lambda node: node.constants[0] if node.macs and node.constants else "", 5, left=True),
        Column("output", lambda node: _listed(node.outputs), 1, left=True),
        Column("kernel, or why not", _how, left=True, least=KERNEL),
        Column("packing", lambda node: node.packing, 4, left=True),
        Column("part", lambda node: str(node.partition) if node.claimed else "", 3),
        Column("MACs", lambda node: f"{node.macs:,}" if node.macs else "", 2),
        Column("packed", lambda node: f"{node.packed_bytes:,}" if node.packed_bytes else "", 3),
    ]
    return fitted(columns, found.nodes, width)


def report(found: library.Report, width: int) -> Table:
    """The table of the nodes, as the delegate itself reports them."""
    columns = [
        Column("#", lambda node: str(node.node) if node.subgraph == 0 else f"{node.subgraph}:{node.node}"),
        Column("op", lambda node: node.op, left=True, least=17),
        Column("kernel, or why not", _how, left=True, least=KERNEL),
        Column("packing", lambda node: node.packing, 2, left=True),
        Column("part", lambda node: str(node.partition) if node.claimed else "", 2),
        Column("MACs", lambda node: f"{node.macs:,}" if node.macs else "", 1),
        Column("packed", lambda node: f"{node.packed_bytes:,}" if node.packed_bytes else "", 2),
    ]
    return fitted(columns, found.nodes, width)


def _how(node: library.Node) -> Text:
    return Text(node.how.removeprefix("tvmq_"), "green" if node.claimed else "yellow")


def _listed(tensors: Sequence[str]) -> str:
    """Each type and shape once."""
    different = list(dict.fromkeys(tensors))
    more = len(different) - LISTED
    return ", ".join([*different[:LISTED], *([f"{more} more"] if more > 0 else [])])


def summary(found: Delegation) -> str:
    totals = found.summary
    extent = f"{totals.claimed} of {plural(len(found.nodes), 'node')} in {plural(totals.partitions, 'partition')}"
    size = f"{totals.packed_bytes:,} bytes of packed weights, {plural(totals.threads, 'thread')}"
    left = by_reason((node.reason, node.op) for node in found.nodes if not node.claimed)
    refused = by_reason((node.refusal, node.op) for node in found.nodes if node.claimed and node.refusal)
    reasons = [*(f"  left to the runtime: {line}" for line in left), *(f"  not as requested: {line}" for line in refused)]
    return "\n".join([f"{found.model} in {found.runtime}: {found.sentence}", f"{extent}, {size}", *reasons])


def by_reason(nodes: Iterable[tuple[str, str]]) -> list[str]:
    """A line for each reason, with the nodes that it holds of; they are given as pairs of a reason and an operator."""
    reasons: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    for reason, op in nodes:
        reasons[reason][op] += 1
    return [f"{', '.join(f'{count} x {op}' for op, count in ops.most_common())}: {reason}" for reason, ops in reasons.items()]


def verdict(found: accuracy.Diff) -> str:
    """The verdict of a comparison with the reference kernels on one input, every node alone and the whole network."""
    nodes, ends = ([item.difference for item in listed] for listed in (found.ops, found.outputs))
    bad = [op for op in found.ops if op.difference.different]

    def extent(differences: list[accuracy.Difference]) -> str:
        return f"{sum(d.elements for d in differences):,} elements, {sum(d.different for d in differences):,} differ"

    if found.passed and found.nothing_taken:
        return f"bit-exact against the reference kernels: nothing to compare, as the delegate has taken 0 of {plural(found.nodes, 'node')}"
    count = sum(map(found.compared, found.contenders))
    return "\n".join(
        [
            f"bit-exact against the reference kernels: {'yes' if found.passed else 'NO'}",
            f"  {plural(count, 'node')}, each fed with the reference's activations: {extent(nodes)}",
            f"  the network's outputs: {extent(ends)}",
            *(f"  the reference differs from itself between two runs on the same input: nothing is said of {name}" for name in found.unsteady),
            *(f"  {remark}" for remark in found.remarks),
            *(f"  {op.index} {op.op}: {op.difference.different:,} of {op.difference.elements:,} elements differ" for op in bad),
        ]
    )
