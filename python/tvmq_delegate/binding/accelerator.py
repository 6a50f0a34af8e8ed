"""The delegate in LiteRT's CompiledModel, from LiteRT 2.2 on: environments that have it, and the delegates of their models."""

from __future__ import annotations

import ctypes
import importlib
import importlib.metadata
import os
import shutil
import tempfile
import warnings
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import runtimes
from .loader import completed, library_path, load, packaged
from .options import LoadOptions

if TYPE_CHECKING:
    from typing_extensions import Unpack

OLDEST = (2, 2)
NAME = "libLiteRtGpuAccelerator.so"  # which LiteRT looks for in an environment's runtime path


class CompiledDelegate:
    """The delegate of one model of an environment, for report() and its like. It ends with the model; asking it then raises ValueError."""

    def __init__(self, accelerator: _Accelerator, address: int):
        self._accelerator, self._address = accelerator, address

    def _get_native_delegate_pointer(self) -> int:
        if self._address not in self._accelerator.addresses():
            raise ValueError("the model of this delegate is gone")
        return self._address


class _Accelerator:
    """An environment's own copy of the accelerator's library, in a folder with its options; removed with the environment, while the process keeps the code."""

    def __init__(self, options: Mapping[str, object]):
        self.folder = Path(tempfile.mkdtemp(prefix="tvmq-"))
        weakref.finalize(self, shutil.rmtree, self.folder, True)
        self.path = self.folder / NAME
        shutil.copyfile(accelerator_path(), self.path)
        lines = [f"library={library_path()}", *(f"{name}={str(value).lower() if isinstance(value, bool) else value}" for name, value in options.items())]
        (self.folder / "tvmq_delegate.conf").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        self._delegate = ctypes.CDLL(str(self.path)).tvmq_accelerator_delegate
        self._delegate.argtypes, self._delegate.restype = [ctypes.c_int], ctypes.c_void_p

    def addresses(self) -> list[int]:
        """The delegates that are alive, the oldest first."""
        found: list[int] = []
        while address := self._delegate(len(found)):
            found.append(address)
        return found


_accelerators: weakref.WeakKeyDictionary[Any, _Accelerator] = weakref.WeakKeyDictionary()


def accelerator_path() -> Path:
    """The library that LiteRT's CompiledModel loads; beside the delegate's, or below it in a build folder.

    Raises:
      FileNotFoundError: it is not there.
    """
    beside = library_path().with_name("libtvmq_accelerator.so")
    for path in (beside, beside.parent / "litert" / beside.name, packaged(beside.name)):
        if path.is_file():
            return path
    raise FileNotFoundError(f"the accelerator's library {beside} does not exist")


def environment(*, gpu_accelerator: str | os.PathLike[str] | None = None, **options: Unpack[LoadOptions]) -> Any:
    """An environment of LiteRT whose models run with the delegate: CompiledModel.from_file(model, environment=environment()).

    Args:
      gpu_accelerator: the library of the GPU accelerator whose place the delegate takes; models that ask for a GPU are handed to it. None: there is no GPU.
      **options: the delegate's, as for load(). num_threads is the models' own (CpuOptions) unless it is given here.

    Returns:
      LiteRT's Environment.

    Raises:
      ValueError: an option is unknown or has a value that it cannot have.
      ImportError: LiteRT is not installed, or is older than 2.2.
      FileNotFoundError, OSError: the library is missing, or cannot be loaded into this process.
    """
    module = litert("environment")
    with warnings.catch_warnings(record=True) as caught:
        load(runtime="ai_edge_litert", **options)  # which refuses what is wrong with options and library, and warns of a machine file that is of no use
    given, calibrated = completed(options, runtimes.find("ai_edge_litert"))
    given |= {} if caught else calibrated
    for name, value in {**given, "library": library_path(), "gpu_accelerator": gpu_accelerator}.items():
        if "\n" in str(value) or "\r" in str(value):
            raise ValueError(f"{name} cannot be {str(value)!r}: there is a line break in it")
    accelerator = _Accelerator({**given, **({} if gpu_accelerator is None else {"gpu_accelerator": os.fspath(gpu_accelerator)})})
    created = module.Environment.create(runtime_path=str(accelerator.folder))
    _accelerators[created] = accelerator
    return created


def delegates(environment: Any) -> list[CompiledDelegate]:
    """The delegates of an environment's models that are alive, in the order in which these were made.

    Raises:
      ValueError: the environment was not made by environment().
    """
    accelerator = next((each for key, each in _accelerators.items() if key is environment), None)
    if accelerator is None:
        raise ValueError("this environment was not made by tvmq_delegate.environment()")
    return [CompiledDelegate(accelerator, address) for address in accelerator.addresses()]


def litert(module: str) -> Any:
    """A module of LiteRT, which is new enough for CompiledModel to take the delegate.

    Raises:
      ImportError: LiteRT is not installed, or is older than 2.2.
    """
    try:
        version = importlib.metadata.version("ai-edge-litert")
    except importlib.metadata.PackageNotFoundError:
        raise ImportError("CompiledModel is LiteRT's: pip install 'ai-edge-litert>=2.2'") from None
    if tuple(int(part) for part in version.split(".")[:2]) < OLDEST:
        raise ImportError(f"CompiledModel takes the delegate from LiteRT 2.2 on, and {version} is installed: pip install 'ai-edge-litert>=2.2'")
    return importlib.import_module(f"ai_edge_litert.{module}")
