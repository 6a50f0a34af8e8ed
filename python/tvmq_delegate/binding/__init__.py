"""The delegate's library: loading it into a TFLite runtime, and asking it about itself. `load` needs nothing else; what asks imports cffi when called."""

from . import library, runtimes
from .loader import library_path, load
from .options import LoadOptions, ToolOptions
from .runtimes import Delegate
from .shown import Shown

__all__ = ["Delegate", "LoadOptions", "Shown", "ToolOptions", "library", "library_path", "load", "runtimes"]
