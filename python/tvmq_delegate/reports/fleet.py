"""A fleet as tables: its boards, and its networks."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from ..binding import plural
from ..measure import judged
from .columns import Column, fitted, milliseconds

if TYPE_CHECKING:
    from .. import fleet


def boards(listed: Sequence[fleet.Board], width: int) -> Table:
    columns = [
        Column("board", lambda item: item.name, left=True, least=12),
        Column("CPU", lambda item: item.cpu, left=True, least=16),
        Column("isa", lambda item: item.isa, 3, left=True),
        Column("cores", lambda item: str(item.count), 4),
        Column("governor", lambda item: item.governor, 6, left=True),
        Column("temperature", lambda item: item.temperature, 2),
        Column("version", lambda item: item.version, 7),
        Column("runtimes", lambda item: ", ".join(item.runtimes), 8, left=True),
        Column("via", lambda item: item.via, 9, left=True),
    ]
    return fitted(columns, listed, width)


def status(listed: Sequence[fleet.Board], queue: Mapping[str, int], width: int) -> Table:
    columns = [
        Column("board", lambda item: item.name, left=True, least=12),
        Column("CPU", lambda item: item.cpu, 2, left=True, least=12),
        Column("state", lambda item: "busy" if queue.get(item.address) else "free", left=True),
        Column("queue", lambda item: str(queue.get(item.address, 0))),
        Column("last measurement", lambda item: item.last, 1, left=True, least=16),
        Column("reference task", lambda item: f"up to {item.spread:.2f}x" if item.spread else "", left=True),
        Column("temperature", lambda item: item.temperature),
    ]
    return fitted(columns, listed, width)


def networks(found: fleet.Table, width: int) -> Table:
    columns = [
        Column("network", lambda cell: cell.model, left=True, least=16),
        Column("board", lambda cell: cell.board, left=True, least=8),
        Column("tvmq ms", lambda cell: _ms(cell, "tvmq")),
        Column("stock ms", lambda cell: _ms(cell, "stock"), 2),
        Column("stock/tvmq", lambda cell: Text(f"{cell.ratio:.2f}", _STYLES[judged(cell.ratio)]) if cell.ratio else Text("")),
        Column("taken", lambda cell: f"{cell.taken} of {cell.nodes}" if cell.nodes else "", 3),
        Column("exact", exactness, left=True),
        Column("problem", lambda cell: "; ".join(cell.doubts), 1, left=True, least=8),
    ]
    return fitted(columns, found.cells, width)


_STYLES = {"good": "green", "bad": "red", "": ""}


def tuned(found: Sequence[fleet.Found], width: int) -> Table:
    columns = [
        Column("network", lambda item: item.model, left=True, least=16),
        Column("CPU", lambda item: item.cpu, left=True, least=12),
        Column("boards", lambda item: ", ".join(item.boards), 2, left=True, least=6),
        Column("records", lambda item: str(item.records)),
        Column("tuned", lambda item: f"{item.gain:.3f}x" if item.gain else "nothing to gain", left=True),
        Column("problem", lambda item: "; ".join((*item.problems, *item.busy)), 1, left=True, least=8),
    ]
    return fitted(columns, found, width)


def exactness(cell: fleet.Cell) -> str:
    return {None: "nothing taken" * cell.nothing_taken, True: "yes", False: f"NO, {cell.different:,} differ"}[cell.exact]


def _ms(cell: fleet.Cell, contender: str) -> str:
    return milliseconds(cell.ms[contender]) if contender in cell.ms else ""


def as_csv(found: fleet.Table) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["model", "sha256", "board", "runtime", "num_threads", "tvmq_ms", "stock_ms", "stock_over_tvmq", "taken", "nodes", "exact", "problems"])
    for cell in found.cells:
        exact = "" if cell.exact is None else str(cell.exact).lower()
        row = [cell.model, cell.sha256, cell.board, cell.runtime, cell.num_threads, cell.ms.get("tvmq", ""), cell.ms.get("stock", ""), cell.ratio or ""]
        writer.writerow([*row, cell.taken, cell.nodes, exact, "; ".join(cell.doubts)])
    return stream.getvalue()


def slower(found: Sequence[fleet.Regression]) -> str:
    return "\n".join(map(_slower, found))


def _slower(item: fleet.Regression) -> str:
    text = f"{item.model} on {item.board}: {item.before_ms:.3f} ms before, {item.after_ms:.3f} ms now, {item.ratio:.2f}x"
    return f"perhaps slower: {text}; {'; '.join(item.doubts)}: measure again" if item.doubts else f"SLOWER {text}"


def page(found: fleet.Table) -> str:
    """The table as one HTML page, which needs no network. Needs the extra `report`."""
    from .pages import environment

    exact = sum(cell.exact is True for cell in found.cells)
    counts = {
        "networks": plural(len({cell.model for cell in found.cells}), "network"),
        "boards": plural(len({cell.board for cell in found.cells}), "board"),
        "pairs": plural(len(found.cells), "pair"),
    }
    template = environment().get_template("fleet.html")
    return template.render(title="tvmq fleet bench", cells=found.cells, exact=exact, exactness=exactness, shade=judged, **counts)
