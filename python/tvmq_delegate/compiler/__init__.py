"""Networks as small C libraries of their own: the plan as data, the code that it needs, and files for the programs that use it."""

from .build import Compiled, compile
from .names import identifier
from .toolchain import NATIVE, CompilerError

__all__ = ["NATIVE", "Compiled", "CompilerError", "compile", "identifier"]
