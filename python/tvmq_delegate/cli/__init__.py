"""The console script `tvmq`: each module that COMMANDS names holds a command, which asks a module of the package for data and prints it."""

from . import chatter, streams
from .group import COMMANDS, main

__all__ = ["COMMANDS", "chatter", "main", "streams"]
