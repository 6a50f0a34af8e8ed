"""The delegate's library: loading it into a TFLite runtime, and asking it about itself. `load` needs nothing else; what asks imports cffi when called."""

from . import library, machines, runtimes
from .accelerator import CompiledDelegate, accelerator_path, delegates, environment
from .loader import library_path, load, packaged, shipped_records
from .options import LoadOptions, ToolOptions, interpreter_threads
from .runtimes import Delegate
from .shown import Shown

__all__ = [
    "CompiledDelegate",
    "Delegate",
    "LoadOptions",
    "Shown",
    "ToolOptions",
    "accelerator_path",
    "delegates",
    "environment",
    "interpreter_threads",
    "library",
    "library_path",
    "load",
    "machines",
    "packaged",
    "runtimes",
    "shipped_records",
]
