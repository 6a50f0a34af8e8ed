"""The tools of LLVM that price and name what was counted. Another version has other models of cores, and gives other figures."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterable

NM = "llvm-nm-19"


def mc(version: str) -> str:
    return f"llvm-mc-{version}"


def mca(version: str) -> str:
    return f"llvm-mca-{version}"


class ToolError(Exception):
    """A tool failed; the text says which, and how."""


def missing(versions: Iterable[str] = ("19",)) -> str | None:
    """Names the tool that is not installed, in a sentence."""
    absent = [tool for tool in (NM, *(tool for version in versions for tool in (mc(version), mca(version)))) if not shutil.which(tool)]
    return f"{absent[0]} is not installed (apt-get install llvm-{absent[0].rpartition('-')[2]})" if absent else None


def require(versions: Iterable[str] = ("19",)) -> None:
    """Exits with the command that helps if a tool is missing."""
    if absent := missing(versions):
        sys.exit(absent)


def run(command: list[str], text: str = "") -> str:
    """Runs a tool on `text` and returns its output."""
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ToolError(f"{command[0]} failed: {(done.stderr.strip() or f'exit code {done.returncode}').splitlines()[0]}")
    return done.stdout
