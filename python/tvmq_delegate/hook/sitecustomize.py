"""Runs at the start of each Python process below `tvmq run`: once a TFLite runtime is imported, its interpreters get the delegate.

Imports nothing of the package before that, so that programs without a runtime start as fast as ever. Then runs the sitecustomize of the user, if there is one.
"""

from __future__ import annotations

import importlib
import os
import sys

TYPE_CHECKING = False  # what the hook does not import, no program waits for
if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any

MODULES = ("ai_edge_litert.interpreter", "ai_edge_litert.compiled_model", "tflite_runtime.interpreter", "tensorflow.lite.python.interpreter")


class Loader:
    """Loads a module as its own loader does, and then hands it to attach()."""

    def __init__(self, loader: Any) -> None:
        self._loader = loader

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: ModuleSpec) -> Any:
        return self._loader.create_module(spec)

    def exec_module(self, module: Any) -> None:
        module.__spec__.loader = module.__loader__ = self._loader
        try:
            self._loader.exec_module(module)
        except BaseException as error:  # raised as if the hook were not there: see Unseen in hosts/
            error.__traceback__ = error.__traceback__ and error.__traceback__.tb_next
            raise
        try:
            attach = importlib.import_module("tvmq_delegate.hosts.attach")
        except ImportError:  # another Python, which does not have the package
            return
        try:
            attach.attach(module)
        except Exception as error:  # a runtime that differs from those that are known
            print(f"tvmq: {module.__name__} is left alone: {error!r}", file=sys.stderr)


class Finder:
    """Finds the modules of MODULES where the other finders do."""

    def find_spec(self, name: str, path: Any = None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name not in MODULES:
            return None
        for finder in sys.meta_path:
            find = getattr(finder, "find_spec", None)
            spec: ModuleSpec | None = find(name, path, target) if find and finder is not self else None
            if spec is not None:
                if hasattr(spec.loader, "exec_module"):
                    spec.loader = Loader(spec.loader)  # type: ignore[assignment]
                return spec
        return None


def start_users_own() -> None:
    """Imports the module of this name that would have been imported without this one."""
    own = sys.modules.pop("sitecustomize")
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [path for path in sys.path if os.path.abspath(path) != here]
    sys.path_importer_cache.pop(here, None)
    try:
        importlib.import_module("sitecustomize")
    except ImportError as error:
        if error.name != "sitecustomize":
            raise
    finally:
        sys.modules.setdefault("sitecustomize", own)


if "TVMQ_RUN" in os.environ:
    sys.meta_path.insert(0, Finder())
start_users_own()
