"""Whether contenders compute the same: whole models, and node by node."""

from .classes import Rating, read_labels
from .compare import NUM_RUNS, Diff, diff
from .difference import LSB, Difference
from .ops import OpDifference
from .outputs import OutputDifference

__all__ = ["Diff", "Difference", "LSB", "NUM_RUNS", "OpDifference", "OutputDifference", "Rating", "diff", "read_labels"]
