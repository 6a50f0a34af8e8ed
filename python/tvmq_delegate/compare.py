"""Two benchmarks, as JSON files of `tvmq bench --json`: what became slower, and what faster."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Change:
    """Times of a contender or of a node before and after, in milliseconds. ratio: after over before; above 1 is a regression.

    clear: the middle halves of the samples do not overlap.
    """

    what: str
    before_ms: float
    after_ms: float
    ratio: float
    clear: bool


@dataclass(frozen=True)
class Comparison:
    """Changes, regressions first, then by size. warnings: what the two have not in common, so that they cannot be told apart by the code alone."""

    before: str
    after: str
    warnings: tuple[str, ...]
    contenders: tuple[Change, ...]
    nodes: tuple[Change, ...]


def compare(before: str | os.PathLike, after: str | os.PathLike) -> Comparison:
    """Raises OSError if a file cannot be read, ValueError if it does not hold a benchmark."""
    old, new = _load(before), _load(after)
    try:
        differ = [f"{what} {_text(a)} before, {_text(b)} after" for what, a, b in _circumstances(old, new) if a != b]
        nodes = _changes(_nodes(old), _nodes(new))
        return Comparison(os.fspath(before), os.fspath(after), tuple(differ), _changes(_contenders(old), _contenders(new)), nodes)
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError(f"{os.fspath(before)}, {os.fspath(after)}: not written by tvmq bench --json ({type(error).__name__} {error})") from None


def _load(path: str | os.PathLike) -> dict[str, Any]:
    with open(path, encoding="utf-8") as stream:
        try:
            loaded = json.load(stream)
        except (UnicodeDecodeError, json.JSONDecodeError):
            raise ValueError(f"{os.fspath(path)} is not JSON") from None
    if not isinstance(loaded, dict) or "results" not in loaded:
        raise ValueError(f"{os.fspath(path)}: not written by tvmq bench --json")
    return loaded


def _circumstances(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[tuple[str, Any, Any]]:
    both = [(name, old[name], new[name]) for name in ("model", "runtime", "num_threads", "options")]
    return both + [(name, old["machine"][name], new["machine"][name]) for name in ("cpu", "count", "governor")]


def _text(value: Any) -> str:
    return (", ".join(f"{name}={each}" for name, each in value.items()) if isinstance(value, dict) else str(value)) or "none"


# Name -> median in milliseconds, first and third quartile.
Times = dict[str, tuple[float, float, float]]


def _contenders(found: Mapping[str, Any]) -> Times:
    rows = {each["name"]: each["latency_metrics"] for each in found["results"]}
    return {name: (row["median_ms"], row["p25_ms"], row["p75_ms"]) for name, row in rows.items()}


def _nodes(found: Mapping[str, Any]) -> Times:
    rows = {f"{op['run_order']} {op['node_type']}": op for op in found["op_profile"] if op["claimed"]}
    return {name: (op["median_us"] / 1e3, op["p25_us"] / 1e3, op["p75_us"] / 1e3) for name, op in rows.items()}


def _changes(old: Times, new: Times) -> tuple[Change, ...]:
    changes = []
    for name in old.keys() & new.keys():
        (before, old_low, old_high), (after, new_low, new_high) = old[name], new[name]
        if before and after:
            changes.append(Change(name, before, after, after / before, new_low > old_high or new_high < old_low))
    return tuple(sorted(changes, key=lambda change: change.after_ms - change.before_ms, reverse=True))
