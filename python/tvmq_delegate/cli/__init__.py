"""The console script `tvmq`: each module holds a command, which asks a module of the package for data and prints it."""

from . import bench, calibrate, chatter, demo, diff, estimate, fleet, info, nodes, records, streams, tune
from .command import main

__all__ = ["bench", "calibrate", "chatter", "demo", "diff", "estimate", "fleet", "info", "main", "nodes", "records", "streams", "tune"]
