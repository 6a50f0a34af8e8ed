"""The delegate in LiteRT's CompiledModel, from LiteRT 2.2 on: environments that have it, and the delegates of their models."""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import importlib.metadata
import os
import tempfile
import threading
import warnings
import weakref
from collections.abc import Iterator, Mapping
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
    """A copy of the accelerator's library, with options of its own. It serves one environment after another, because it can never be unloaded.

    Its file has a name only while it is loaded, so that no file is left behind, however the process ends.
    """

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(prefix="tvmq-")
        self._file.write(accelerator_path().read_bytes())
        self._file.flush()
        self._about = os.fstat(self._file.fileno())
        with self.folder() as folder:
            library = ctypes.CDLL(os.path.join(folder, NAME))
        self._configure, self._delegate = library.tvmq_accelerator_configure, library.tvmq_accelerator_delegate
        self._configure.argtypes = [ctypes.c_char_p]
        self._delegate.argtypes, self._delegate.restype = [ctypes.c_int], ctypes.c_void_p

    @contextlib.contextmanager
    def folder(self) -> Iterator[str]:
        """A folder with the library alone, under the name that LiteRT looks for."""
        with tempfile.TemporaryDirectory(prefix="tvmq-") as folder:
            os.symlink(f"/proc/self/fd/{self._file.fileno()}", os.path.join(folder, NAME))
            yield folder

    def configure(self, options: Mapping[str, object]) -> None:
        lines = [f"{name}={str(value).lower() if isinstance(value, bool) else value}\n" for name, value in options.items()]
        if self._configure("".join(lines).encode()) != 0:
            raise ValueError("the options are too many, or too long")

    def addresses(self) -> list[int]:
        """The delegates that are alive, the oldest first."""
        found: list[int] = []
        while address := self._delegate(len(found)):
            found.append(address)
        return found

    def is_free(self) -> bool:
        """Whether no model of its last environment is left, and its file is still open: programs that become daemons close all files."""
        try:
            return not self.addresses() and os.path.samestat(os.fstat(self._file.fileno()), self._about)
        except OSError:
            return False


_accelerators: weakref.WeakKeyDictionary[Any, _Accelerator] = weakref.WeakKeyDictionary()
_idle: dict[str | None, list[_Accelerator]] = {}  # by the GPU accelerator that they have loaded
_idle_lock = threading.Lock()


def _acquire(gpu: str | None) -> _Accelerator:
    """An accelerator that no environment uses; a new one if there is none."""
    with _idle_lock:
        idle = _idle.setdefault(gpu, [])
        for n, accelerator in enumerate(idle):
            if accelerator.is_free():
                return idle.pop(n)
    return _Accelerator()


def _release(gpu: str | None, accelerator: _Accelerator) -> None:
    _idle[gpu].append(accelerator)  # without the lock: the garbage collector may run in the thread that holds it


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
    gpu = None if gpu_accelerator is None else os.fspath(gpu_accelerator)
    accelerator = _acquire(gpu)
    try:
        accelerator.configure({**given, "library": library_path(), **({} if gpu is None else {"gpu_accelerator": gpu})})
        with accelerator.folder() as folder:
            created = module.Environment.create(runtime_path=folder)
    except BaseException:
        _release(gpu, accelerator)
        raise
    _accelerators[created] = accelerator
    weakref.finalize(created, _release, gpu, accelerator).atexit = False
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
