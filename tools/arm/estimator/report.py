"""Estimates as tables and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from .cost import Estimate, Price
from .kernels import Bench, Speed, solved
from .symbols import Place

WIDEST = 64  # columns of a function's name; C++ has longer ones


def summary(estimates: Sequence[Estimate]) -> str:
    """A row for each core: thousands of cycles of each contender, and how many times the first one's they are."""
    cores, contenders = dict.fromkeys(e.core for e in estimates), _unique(e.contender for e in estimates)
    cycles = {(e.contender, e.core): e.total.cycles for e in estimates}
    first, *others = contenders
    rows = [["core", "instruction sets", "llvm-mca", first, *(cell for other in others for cell in (other, f"/ {first}"))]]
    for core in cores:
        row = [core.name, core.level, core.llvm, _thousands(cycles[first, core])]
        for other in others:
            row += [_thousands(cycles[other, core]), f"{cycles[other, core] / cycles[first, core]:.2f}x"]
        rows.append(row)
    return table(rows, left=3)


def functions(estimates: Sequence[Estimate], count: int) -> str:
    """The dearest functions of one contender: a column for each core, with thousands of cycles and their share."""
    shares: dict[Place, float] = {}
    for estimate in estimates:
        for place, price in estimate.places.items():
            shares[place] = max(shares.get(place, 0.0), price.cycles / estimate.total.cycles)
    dearest = sorted(shares, key=lambda place: -shares[place])[:count]
    rows = [["function", "file", *(e.core.label for e in estimates)]]
    for place in dearest:
        rows.append([clipped(place.function), place.file, *(_with_share(e.places.get(place), e.total) for e in estimates)])
    return table(rows, left=2)


def rates(spent: Mapping[Bench, Mapping[str, float]], cores: Sequence[str]) -> str:
    """Work per cycle; a row for each kernel and shape. spent: cycles by core."""
    rows = [["kernel", "shape", *cores]]
    for bench, cycles in spent.items():
        rows.append([bench.kernel, bench.shape, *(f"{bench.work / cycles[core]:.2f}" if core in cycles else "" for core in cores)])
    return table(rows, left=2)


def speeds(spent: Mapping[Bench, Mapping[str, float]], cores: Sequence[str]) -> str:
    """Rate and tile_cycles of the gemm kernels for which they can be solved, "" if there is none."""
    rows = [["kernel", *cores]]
    for kernel in _unique(bench.kernel for bench in spent):
        own = {bench: cycles for bench, cycles in spent.items() if bench.kernel == kernel}
        found = [solved({bench: cycles[core] for bench, cycles in own.items() if core in cycles}) for core in cores]
        if any(found):
            rows.append([kernel, *(_speed(speed) if speed else "" for speed in found)])
    return table(rows, left=1) if len(rows) > 1 else ""


def as_json(model: str, runtime: str, options: Mapping[str, str], estimates: Sequence[Estimate], *, functions: bool) -> str:
    """All that the tables say, exactly."""
    listed = []
    for estimate in estimates:
        core = estimate.core
        one = {"contender": estimate.contender, "core": core.label, "level": core.level, "llvm": core.llvm, **_numbers(estimate.total)}
        one["outputs"] = estimate.outputs
        if functions:
            one["functions"] = [{"function": place.function, "file": place.file, **_numbers(price)} for place, price in estimate.places.items()]
        listed.append(one)
    return json.dumps({"model": model, "runtime": runtime, "options": dict(options), "estimates": listed}, indent=2)


def table(rows: Sequence[Sequence[str]], *, left: int) -> str:
    """Aligned columns; the first `left` of them to the left."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(cell.ljust(w) if i < left else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, widths, strict=True))) for row in rows)
    return "\n".join(line.rstrip() for line in lines)


def clipped(name: str) -> str:
    return name if len(name) <= WIDEST else name[: WIDEST - 3] + "..."


def _numbers(price: Price) -> dict[str, object]:
    return {"cycles": round(price.cycles), "instructions": round(price.instructions)}


def _speed(speed: Speed) -> str:
    """As variants.def has it."""
    return f"{{{speed.rate:.1f}f, {speed.tile_cycles:.0f}}}"


def _thousands(cycles: float) -> str:
    return f"{cycles / 1e3:,.1f}k"


def _with_share(price: Price | None, total: Price) -> str:
    return f"{_thousands(price.cycles)} {price.cycles / total.cycles:4.0%}" if price else ""


def _unique(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))
