"""The tools of LLVM that price and name what was counted. Another version has other models of cores, and gives other figures."""

from __future__ import annotations

import shutil
import subprocess
import sys

MC, MCA, NM = "llvm-mc-19", "llvm-mca-19", "llvm-nm-19"
PACKAGE = "llvm-19"


class ToolError(Exception):
    """A tool failed; the text says which, and how."""


def missing() -> str | None:
    """Names the tool that is not installed, in a sentence."""
    absent = [tool for tool in (MC, MCA, NM) if not shutil.which(tool)]
    return f"{absent[0]} is not installed (apt-get install {PACKAGE})" if absent else None


def require() -> None:
    """Exits with the command that helps if a tool is missing."""
    if missing():
        sys.exit(missing())


def run(command: list[str], text: str = "") -> str:
    """Runs a tool on `text` and returns its output."""
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ToolError(f"{command[0]} failed: {(done.stderr.strip() or f'exit code {done.returncode}').splitlines()[0]}")
    return done.stdout
