"""Times that others have published of boards and estimates of the same networks: tools/arm/boards.json.

From both comes the error of an estimate on each core.
"""

from __future__ import annotations

import dataclasses
import json
import math
import pathlib
import statistics
from collections.abc import Sequence

FILE = pathlib.Path(__file__).resolve().parents[1] / "boards.json"


@dataclasses.dataclass(frozen=True)
class Row:
    """A published time of one thread of the stock runtime.

    runtime: as the source names it. source: one of the file's. estimated_mcycles: of the runtime that the file names.
    """

    model: str
    board: str
    core: str
    ghz: float
    milliseconds: float
    runtime: str
    source: str
    estimated_mcycles: float

    @property
    def mcycles(self) -> float:
        """Millions of cycles that the published time is."""
        return self.milliseconds * self.ghz

    @property
    def ratio(self) -> float:
        return self.estimated_mcycles / self.mcycles


def read(file: pathlib.Path = FILE) -> list[Row]:
    return [Row(**row) for row in json.loads(file.read_text(encoding="utf-8"))["rows"]]


def rewritten(rows: Sequence[Row], file: pathlib.Path = FILE) -> None:
    """Writes the rows in place of the file's."""
    found = json.loads(file.read_text(encoding="utf-8"))
    found["rows"] = [dataclasses.asdict(row) for row in rows]
    file.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def error(rows: Sequence[Row]) -> tuple[float, float]:
    """Geometric mean of the ratios, and the factor by which they spread around it: that of one standard deviation."""
    logs = [math.log(row.ratio) for row in rows]
    return math.exp(statistics.fmean(logs)), math.exp(statistics.pstdev(logs))


def table(rows: Sequence[Row]) -> str:
    """Markdown: the rows, and below them the error on each core."""
    lines = ["| Model | Board, core, clock | Published | Runtime there | Millions of cycles | Estimated | Ratio |"]
    lines.append("|---|---|---|---|---|---|---|")
    for row in rows:
        numbers = f"{row.mcycles:.2f} | {row.estimated_mcycles:.2f} | {row.ratio:.2f}"
        board = f"{row.board}, {row.core}, {row.ghz:g} GHz | {row.milliseconds:g} ms | {row.runtime}"
        lines.append(f"| {row.model} | {board} | {numbers} |")
    lines += ["", "| Core | Rows | Geometric mean of the ratios | Factor of spread |", "|---|---|---|---|"]
    for core in dict.fromkeys(row.core for row in rows):
        own = [row for row in rows if row.core == core]
        mean, spread = error(own)
        lines.append(f"| {core} | {len(own)} | {mean:.2f} | {spread:.2f} |")
    return "\n".join(lines)
