"""How fast a model runs, and where the time goes: every contender in a process of its own, every node by the delegate's clock and alone."""

from .benchmark import DEFAULTS, Benchmark, Settings, bench
from .metrics import BenchmarkResult, judged
from .op_profile import OpProfileData
from .recorded import node_times
from .regressions import Change, Comparison, compare

__all__ = ["Benchmark", "BenchmarkResult", "Change", "Comparison", "DEFAULTS", "OpProfileData", "Settings", "bench", "compare", "judged", "node_times"]
