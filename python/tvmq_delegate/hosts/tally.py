"""Notes of the processes of a program on their networks, which the first of them sums up at its end: in one line, and on a page if it is asked for.

Imports only what every program needs; it waits for this module.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
import sys
from collections.abc import Collection
from typing import Any

from .settings import REPORT, RUN, TELLER

WRITER = f"{__package__.partition('.')[0]}.cli.run_report"  # the module that writes the page, as a program
_notes: dict[str, dict[str, Any]] = {}  # of this process, by network
_run = os.environ.get(RUN, "")  # the folder of the notes, named before the program can change its environment; "": none
_teller = ""  # the process that tells


def note(network: str, **about: Any) -> None:
    """Notes something of a network: replaces what has been noted of the same names.

    nodes, claimed: how many there are, and how many the delegate has taken. left: why it has none. runs, ours_ns, stock_ns: of inferences that were compared.
    runtime, source, name: the runtime's package, the model's file, and what to call it, for a page.
    """
    _notes.setdefault(key := f"{os.getpid()}.{network}", {}).update(about)
    if not _tells():
        _write({key: _notes[key]})


def source(network: str, runtime: str, path: Any, content: Any) -> None:
    """Notes where a page finds a model. content: the model itself, if it has no file."""
    if REPORT not in os.environ:
        return
    with contextlib.suppress(OSError, TypeError, ValueError):  # the runtime is to say what is wrong with them
        file = os.path.abspath(os.fsdecode(path)) if path is not None else _kept(bytes(content))
        note(network, runtime=runtime, source=file, name="a model in memory" if path is None else file)


def _kept(model: bytes) -> str:
    import hashlib

    file = os.path.join(_folder(), f"{hashlib.sha256(model).hexdigest()}.tflite")
    with contextlib.suppress(FileExistsError), open(file, "xb", opener=_private) as to:
        to.write(model)
    return file


def notes(folder: str) -> dict[str, dict[str, Any]]:
    """The notes in a folder, by process and network. Lines that are none are left out: a process may have ended within one."""
    import json

    found: dict[str, dict[str, Any]] = {}
    with contextlib.suppress(OSError), open(os.path.join(folder, "notes"), encoding="utf-8", errors="replace") as lines:
        for line in lines:
            with contextlib.suppress(ValueError):
                found.update(json.loads(line))
    return found


def _write(some: dict[str, dict[str, Any]]) -> None:
    import json

    if not _run:
        return
    with contextlib.suppress(OSError), open(os.path.join(_folder(), "notes"), "a", opener=_private, encoding="utf-8") as file:
        file.write(json.dumps(some) + "\n")


def _folder() -> str:
    """The folder of the notes, this user's alone."""
    with contextlib.suppress(FileExistsError):
        os.mkdir(_run, 0o700)
    return _run


def _private(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)


def _tells() -> bool:
    return _teller == str(os.getpid())


@functools.cache
def start() -> None:
    """Makes this process the one that tells, unless it was started by such a one."""
    global _teller
    _teller = os.environ.setdefault(TELLER, str(os.getpid()))
    if _tells():
        atexit.register(_tell)


def _tell() -> None:
    if not _tells():  # a fork of the process that does
        return
    with contextlib.suppress(Exception):
        others = notes(_run) if os.path.isdir(_run) else {}
        if sys.stderr is not None:  # it may be closed
            print(f"tvmq: {told({**_notes, **others}.values())}", file=sys.stderr, flush=True)
        if REPORT in os.environ:
            _write(_notes)
            _write_page(_run, os.environ[REPORT])
        if os.path.isdir(_run):
            import shutil

            shutil.rmtree(_run)


def _write_page(folder: str, file: str) -> None:
    """By a process of its own: a page needs packages that the program may not have imported, and the runtime, which may have ended already."""
    import subprocess

    environment = {name: value for name, value in os.environ.items() if name != RUN}  # without which the hook does nothing
    subprocess.run([sys.executable, "-m", WRITER, folder, file], check=False, stdin=subprocess.DEVNULL, env=environment)


def told(notes: Collection[dict[str, Any]]) -> str:
    """One line on all networks."""
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
