"""The delegate's library: loading it into a TFLite runtime, and asking it about itself. `load` needs nothing else; what asks imports cffi when called."""

from . import library, runtimes
from .loader import library_path, load

__all__ = ["library", "library_path", "load", "runtimes"]
