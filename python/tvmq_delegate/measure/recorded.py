"""Benchmarks as JSON files of `tvmq bench`, read again."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator
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
