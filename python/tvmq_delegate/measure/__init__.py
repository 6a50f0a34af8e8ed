"""How fast a model runs, and where the time goes: every contender in a process of its own, every node by the delegate's clock and alone."""

from . import machine, statistic
from .benchmark import DEFAULTS, Benchmark, Settings, bench
from .calibration import SECONDS as CALIBRATION_SECONDS
from .calibration import Calibration, Constant, Measured, calibrate
from .causes import LEFT, Cause, by_bound, causes
from .checked import Agreement, agreement
from .counters import Counted, Counters
from .history import History, Series, file_name, history
from .live import live_bytes
from .metrics import BenchmarkResult, judged, percentile
from .occupancy import Occupancy, occupancy
from .op_profile import OpProfileData
from .recorded import Recorded, node_times
from .regressions import Change, Comparison, compare
from .runner import Profiled
from .serving import Serving
from .statistic import LEAST, MEDIAN
from .targets import BOARDS, Target
from .targets import find as target

__all__ = [
    "Agreement", "BOARDS", "Benchmark", "BenchmarkResult", "CALIBRATION_SECONDS", "Calibration", "Cause", "Change", "Comparison", "Constant", "Counted",
    "Counters", "DEFAULTS", "History", "LEAST", "LEFT", "MEDIAN", "Measured", "Occupancy", "OpProfileData", "Profiled", "Recorded", "Series", "Serving",
    "Settings", "Target", "agreement", "bench", "by_bound", "calibrate", "causes", "compare", "file_name", "history", "judged", "live_bytes", "machine",
    "node_times", "occupancy", "percentile", "statistic", "target",
]  # fmt: skip
