"""The tuner: which choice of how to compute each node of a network is the fastest on this machine, and records of it."""

from .experiments import Advice
from .explanation import SECONDS, Candidate, Detail, Explanation, explain
from .records import Choice, Log, Origin, Record, RecordError, Skipped, best, merged, parse, read_records, usable
from .search import DUELS, NODE_GAIN, TRIALS, Progress, Trial, Tuned, Tuning, tune
from .tasks import HOPELESS, NETWORK_GAIN, Network, Task, measure
from .tuners import NAMES, tuner

__all__ = [
    "Advice",
    "Candidate",
    "Choice",
    "DUELS",
    "Detail",
    "Explanation",
    "HOPELESS",
    "Log",
    "NAMES",
    "NETWORK_GAIN",
    "NODE_GAIN",
    "Network",
    "Origin",
    "Progress",
    "Record",
    "RecordError",
    "SECONDS",
    "Skipped",
    "TRIALS",
    "Task",
    "Trial",
    "Tuned",
    "Tuning",
    "best",
    "explain",
    "measure",
    "merged",
    "parse",
    "read_records",
    "tune",
    "tuner",
    "usable",
]
