"""Notes of the processes of a program on their networks, which the first of them sums up in one line at its end."""

from __future__ import annotations

import atexit
import contextlib
import functools
import json
import os
import sys
from collections.abc import Iterable
from typing import Any

from .settings import RUN, TELLER

_notes: dict[str, dict[str, Any]] = {}  # of this process, by network


def note(network: str, **about: Any) -> None:
    """Notes something of a network: replaces what has been noted of the same names."""
    _notes.setdefault(key := f"{os.getpid()}.{network}", {}).update(about)
    if not _tells():
        with contextlib.suppress(OSError), open(os.environ[RUN], "a", opener=_private, encoding="utf-8") as file:
            file.write(json.dumps({key: _notes[key]}) + "\n")


def _private(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)


def _tells() -> bool:
    return os.environ.get(TELLER) == str(os.getpid())


@functools.cache
def start() -> None:
    """Makes this process the one that tells, unless it was started by such a one."""
    if os.environ.setdefault(TELLER, str(os.getpid())) == str(os.getpid()):
        atexit.register(_tell)


def _tell() -> None:
    if not _tells():  # a fork of the process that does
        return
    notes = dict(_notes)
    with contextlib.suppress(OSError, ValueError):
        with open(os.environ[RUN], encoding="utf-8") as file:
            for line in file:
                notes.update(json.loads(line))
        os.unlink(os.environ[RUN])
    with contextlib.suppress(Exception):
        print(f"tvmq: {told(notes.values())}", file=sys.stderr, flush=True)


def told(notes: Iterable[dict[str, Any]]) -> str:
    """One line on all networks."""
    notes = list(notes)
    taken = [each for each in notes if "nodes" in each]
    parts = [f"{_plural(len(taken), 'network')} with {sum(each['claimed'] for each in taken)} of {sum(each['nodes'] for each in taken)} nodes by the delegate"]
    left = [each["left"] for each in notes if "left" in each]
    if left:
        parts.append(f"{_plural(len(left), 'network')} without it: {', '.join(sorted({*left}))}")
    timed = [each for each in notes if each.get("runs")]
    if timed:
        ours, stock, runs = (sum(each[name] for each in timed) for name in ("ours_ns", "stock_ns", "runs"))
        parts.append(f"{_plural(runs, 'inference')} took {ours / 1e6:.1f} ms instead of {stock / 1e6:.1f} ms ({stock / max(ours, 1):.2f} times as fast)")
    return "; ".join(parts)


def _plural(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
