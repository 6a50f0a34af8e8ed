"""Benchmarks as JSON files of `tvmq bench`, read again."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@contextlib.contextmanager
def recorded(path: str | os.PathLike[str]) -> Iterator[Any]:
    """The data of a file. Raises OSError if it cannot be read, ValueError if it, or what is looked up in it meanwhile, is not as `tvmq bench` writes it."""
    try:
        with open(path, encoding="utf-8") as stream:
            found = json.load(stream)
    except (UnicodeDecodeError, json.JSONDecodeError):
        raise ValueError(f"{os.fspath(path)} is not JSON") from None
    try:
        yield found
    except (AttributeError, KeyError, TypeError):
        raise ValueError(f"{os.fspath(path)}: not written by tvmq bench --json") from None


# Name -> milliseconds: median, first and third quartile, least.
Times = dict[str, tuple[float, float, float, float]]


@dataclass(frozen=True)
class Recorded:
    """The fields by which files are compared. path: of the file. sha256: of the model, "" in files of earlier versions. date, version: of the run, as in
    Machine.
    """

    path: str
    model: str
    sha256: str
    circumstances: dict[str, str]
    contenders: Times
    nodes: Times
    has_least_of_nodes: bool
    busy: str
    date: str
    version: str

    def models(self, by_contents: bool) -> str:
        """Which model was measured: by what is in its file, or by its name."""
        return f"of SHA-256 {self.sha256[:12]}" if by_contents else self.model


def read(path: str | os.PathLike[str]) -> Recorded:
    """Raises as recorded()."""
    with recorded(path) as found:
        sha256, busy = str(found.get("model_sha256", "")), str(found.get("busy", ""))
        has_least = all("least_us" in op for op in found["op_profile"] if op["claimed"])
        when, version = (str(found["machine"].get(name, "")) for name in ("date", "version"))
        times = _circumstances(found), _contenders(found), _nodes(found)
        return Recorded(os.fspath(path), str(found["model"]), sha256, *times, has_least, busy, when, version)


def _circumstances(found: Mapping[str, Any]) -> dict[str, str]:
    told = {name: found[name] for name in ("runtime", "num_threads")} | {name: found["machine"][name] for name in ("cpu", "count", "governor")}
    options = ", ".join(f"{name}={value}" for name, value in found["options"].items())
    return {name: str(value) or "none" for name, value in (told | {"options": options}).items()}


def _contenders(found: Mapping[str, Any]) -> Times:
    rows = {each["name"]: each["latency_metrics"] for each in found["results"]}
    return {name: (row["median_ms"], row["p25_ms"], row["p75_ms"], row["min_ms"]) for name, row in rows.items()}


def _nodes(found: Mapping[str, Any]) -> Times:
    rows = {f"{op['run_order']} {op['node_type']}": op for op in found["op_profile"] if op["claimed"]}
    return {name: (op["median_us"] / 1e3, op["p25_us"] / 1e3, op["p75_us"] / 1e3, op.get("least_us", op["median_us"]) / 1e3) for name, op in rows.items()}


def node_times(path: str | os.PathLike[str], model: bytes) -> dict[int, float]:
    """The microseconds of each node of the main subgraph, by the statistic that leads.

    Raises ValueError too if the benchmark is of another model, or has no nodes.
    """
    with recorded(path) as found:
        if found["model_sha256"] != hashlib.sha256(model).hexdigest():
            raise ValueError(f"{os.fspath(path)}: measured on another model, {found['model']}")
        times = {int(op["run_order"]): float(op.get("us", op["median_us"])) for op in found["op_profile"]}
    if not times:
        raise ValueError(f"{os.fspath(path)}: without the nodes' times; tvmq bench takes them with --enable-op-profiling")
    return times
