"""The delegate's library: loading it into a TFLite runtime, and asking it about itself. `load` needs nothing else; what asks imports cffi when called."""

from . import runtimes
from .loader import library_name, library_path, load, packaged, packaged_name, shipped_records, spelled
from .options import LoadOptions, Threads, ToolOptions, asked_threads, interpreter_threads, option_values, shared_threads
from .runtimes import Delegate
from .shown import Shown, plural

__all__ = [
    "Delegate",
    "LoadOptions",
    "Shown",
    "Threads",
    "ToolOptions",
    "accelerator",
    "asked_threads",
    "compiled",
    "cores",
    "frozen",
    "interpreter_threads",
    "library",
    "library_name",
    "library_path",
    "load",
    "machines",
    "network",
    "option_values",
    "packaged",
    "packaged_name",
    "plural",
    "runtimes",
    "shared_threads",
    "shipped_records",
    "spelled",
]
