"""The TFLite runtimes behind one face: each one's interpreter module, which all three spell alike (Interpreter, load_delegate, OpResolverType)."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from types import ModuleType
from typing import Any, Protocol

# Package -> module with Interpreter, load_delegate and OpResolverType; the order is the order of preference.
_INTERPRETERS = {
    "ai_edge_litert": "ai_edge_litert.interpreter",
    "tflite_runtime": "tflite_runtime.interpreter",
    "tensorflow": "tensorflow.lite.python.interpreter",
    "compiled_model": f"{__package__}.compiled_model",  # LiteRT's other interface, which no search finds: it must be asked for
}
_PACKAGES = {module: package for package, module in _INTERPRETERS.items()}
# The arguments of `pip install`; tflite-runtime is for Python 3.11 or older.
_DISTRIBUTIONS = {"ai_edge_litert": "ai-edge-litert", "tflite_runtime": "tflite-runtime 'numpy<2'", "tensorflow": "tensorflow"}
_ALIASES = {"litert": "ai_edge_litert", "tf": "tensorflow"}


class Delegate(Protocol):
    """A delegate as any of the runtimes holds it: what load() returns, an Interpreter takes, and report() and its like are asked about."""

    def _get_native_delegate_pointer(self) -> Any: ...


def installed() -> dict[str, str]:
    """The runtimes that this Python can import, by package name, with their versions ("unknown" where no distribution tells). Imports none of them."""
    import importlib.metadata  # which takes longer than load()

    distributions = importlib.metadata.packages_distributions()
    return {
        package: importlib.metadata.version(distributions[package][0]) if package in distributions else "unknown"
        for package in _INTERPRETERS
        if importlib.util.find_spec(package)
    }


def find(runtime: str | ModuleType | None = None) -> ModuleType:
    """The interpreter module of a TFLite runtime.

    Args:
      runtime: "ai_edge_litert" (or "litert"), "tflite_runtime", "tensorflow" (or "tf"), or one of these as a module, whole or in part (tensorflow.lite);
        "compiled_model" is LiteRT's CompiledModel.
        None takes the one that is already imported, else the one that is installed; where several are, the first in the order above.

    Raises:
      ValueError: there is no runtime of that name.
      ImportError: the runtime, or any at all, is not installed, or is too old.
    """
    package = _package(runtime) if runtime is not None else _default()
    try:
        return importlib.import_module(_INTERPRETERS[package])
    except ModuleNotFoundError as error:
        if error.name != package:
            raise  # installed, but something that it needs is not
        raise ImportError(f"the TFLite runtime {package} is not installed: pip install {_DISTRIBUTIONS[package]}") from None


def name(module: ModuleType) -> str:
    """Package name of what find() returned."""
    return _PACKAGES.get(module.__name__) or module.__name__.partition(".")[0]


def _package(runtime: str | ModuleType) -> str:
    if not isinstance(runtime, (str, ModuleType)):
        raise TypeError(f"a runtime is given by its name or as a module, not as {type(runtime).__name__}")
    given = runtime.partition(".")[0] if isinstance(runtime, str) else name(runtime)
    package = _ALIASES.get(given, given).replace("-", "_")
    if package not in _INTERPRETERS:
        raise ValueError(f"unknown TFLite runtime {given!r}; there are {', '.join(_INTERPRETERS)}")
    return package


def _default() -> str:
    for imported in (lambda package: _INTERPRETERS[package] in sys.modules, lambda package: package in sys.modules, importlib.util.find_spec):
        for package in _INTERPRETERS:
            if imported(package):
                return package
    raise ImportError(f"no TFLite runtime is installed: pip install {', or '.join(_DISTRIBUTIONS.values())}")
