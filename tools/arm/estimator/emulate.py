"""Counting what a piece of work executes: an emulated process does it a few times, another one more often, and the difference is the work."""

from __future__ import annotations

import pathlib
import subprocess
import tempfile
from collections.abc import Callable

from . import blocks

FEW, MANY = 2, 4  # times; what the first two do once, such as packing and taking memory, is in both

# (file to count into, times) -> command and environment of a process that does the work so often
Start = Callable[[pathlib.Path, int], tuple[list[str], dict[str, str]]]


class EmulationError(Exception):
    """An emulated process failed; the text is its last line."""


def difference(what: str, start: Start) -> tuple[dict[blocks.Block, float], str]:
    """Executions of each block when the work is done once more, and the last line that both processes have printed. what: for messages."""
    few, first = _counted(what, start, FEW)
    many, last = _counted(what, start, MANY)
    if first != last:
        raise EmulationError(f"{what}: two processes differ in what they print; their counts cannot be compared")
    return blocks.joined(blocks.per_run(few, many, MANY - FEW)), last


def _counted(what: str, start: Start, times: int) -> tuple[blocks.Counts, str]:
    with tempfile.TemporaryDirectory() as folder:
        counts = pathlib.Path(folder, "counts")
        command, environment = start(counts, times)
        printed = run(what, command, environment)
        if not counts.exists():
            raise EmulationError(f"{what}: nothing was counted")
        with counts.open(encoding="utf-8") as lines:
            return blocks.parse(lines), printed.splitlines()[-1] if printed else ""


def run(what: str, command: list[str], environment: dict[str, str]) -> str:
    """Runs a process and returns its output. Raises EmulationError if it fails."""
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip() or f"exit code {done.returncode}").splitlines()
        raise EmulationError(f"{what}: {said[-1]}")
    return done.stdout
