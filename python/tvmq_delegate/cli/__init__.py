"""The console script `tvmq`: each module holds a command, which asks a module of the package for data and prints it."""

from . import demo, diff, info, nodes
from ._command import main

__all__ = ["demo", "diff", "info", "main", "nodes"]
