"""Loading the delegate into a TFLite runtime."""

from __future__ import annotations

import ctypes
import errno
import functools
import os
import stat
import warnings
import weakref
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import TYPE_CHECKING, TypeVar

from . import machines, reference, runtimes
from .options import LoadOptions, described

if TYPE_CHECKING:
    from pathlib import Path  # which takes longer to import than load() takes

    from typing_extensions import Unpack  # typing's own from Python 3.11 on; needed by type checkers alone, which bring it along


_T = TypeVar("_T")

# Delegates that keep no times, and those with which nothing runs: asking them for times, or for a peak, is a mistake.
unprofiled: weakref.WeakSet[runtimes.Delegate] = weakref.WeakSet()
estimating: weakref.WeakSet[runtimes.Delegate] = weakref.WeakSet()


@functools.cache
def packaged_name(name: str) -> str:
    """The path of a file that is installed in the package's folder; an editable install has it elsewhere."""
    installed = os.path.join(os.path.dirname(os.path.dirname(__file__)), name)
    if os.path.exists(installed):
        return installed
    import importlib.resources  # which takes longer than load()

    return str(importlib.resources.files(__package__.partition(".")[0]).joinpath(name))


def packaged(name: str) -> Path:
    """packaged_name() as a path."""
    from pathlib import Path

    return Path(packaged_name(name))


@functools.cache
def _resolved(path: str, device: int, inode: int) -> str:
    """device, inode: of the file that is there; another one may lie elsewhere."""
    return os.path.realpath(path)


@functools.cache
def _check_linking(library: str) -> None:
    """A library that this process cannot load fails here, with the linker's own words; a runtime's Delegate then fails in its destructor too."""
    ctypes.CDLL(library)


def library_path() -> Path:
    """The shared library, for programs that load delegates by path (benchmark_model --external_delegate_path, nnstreamer, C++).

    The environment variable TVMQ_LIBRARY names another one, for example a build with sanitizers.

    Raises:
      FileNotFoundError: it is not there.
    """
    from pathlib import Path

    return Path(library_name())


def library_name() -> str:
    """library_path() as text."""
    given = os.environ.get("TVMQ_LIBRARY")
    path = given or packaged_name("libtvmq_delegate.so")
    try:
        about = os.stat(path)
    except OSError:
        about = None
    if about is None or not stat.S_ISREG(about.st_mode):
        raise FileNotFoundError(f"the delegate's library {path} does not exist" + (" (environment variable TVMQ_LIBRARY)" if given else ""))
    return _resolved(path, about.st_dev, about.st_ino)


def spelled(options: Mapping[str, object]) -> dict[str, object]:
    """The options that are given, by the library's names. What a C string cannot hold, or what is given twice, is refused here: no runtime would tell."""
    given: dict[str, object] = {}
    for name, value in options.items():
        if value is None:
            continue
        name = name.replace("-", "_")
        if name == "tuning_records":
            value = record_files(value)
        if name in given:
            raise ValueError(f"option {name} is given twice, the second time with value {str(value)!r}")
        if "\0" in name or "\0" in str(value):
            raise ValueError(f"option {name!r} cannot be {str(value)!r}: there is a NUL character in it")
        given[name] = value
    return given


def record_files(value: object) -> str:
    """The option tuning_records as the library takes it: paths with colons between them, or "none".

    value: a path, several with colons, or a sequence of paths; "shipped" among them stands for the files in the package.

    Raises:
      FileNotFoundError: one is not there, which the library would only warn of.
      IsADirectoryError: one is a folder.
    """
    given = [os.fspath(path) for path in value] if isinstance(value, (list, tuple)) else str(value).split(":")
    paths = [path for each in given for path in (map(str, shipped_records()) if each == "shipped" else [each]) if path not in ("", "none")]
    for path in paths:
        if os.path.isdir(path):
            raise IsADirectoryError(errno.EISDIR, "a folder, not a file of tuning records", path)
        if not os.path.isfile(path):
            raise FileNotFoundError(errno.ENOENT, "no such file of tuning records", path)
    return ":".join(paths) or "none"


def shipped_records() -> list[Path]:
    """The files of tuning records in the package."""
    return sorted(packaged("pretuned").glob("*.jsonl"))


# Options by which another machine than this one is asked for, and what they are where it is not.
_CHOOSING = (("machine", "auto"), ("tune", "auto"), ("estimate", "none"))


def _calibrated() -> dict[str, str]:
    """The option that names the machine file of this CPU, if there is one."""
    try:
        file = machines.cache_name(library_name())
        return {"machine": file} if os.path.isfile(file) else {}
    except (OSError, RuntimeError, UnicodeDecodeError):  # no home, or none that may be read
        return {}


def resolved(options: Mapping[str, object], interpreter: ModuleType) -> dict[str, object]:
    """The options by the library's names, with those that describe a runtime's reference kernels. Raises as load() does."""
    given = spelled(options)
    for option in reference.OPTIONS:
        if given.get(option, "auto") == "auto":
            given[option] = reference.found(option, interpreter)
    return given


def with_machine(given: Mapping[str, object]) -> tuple[dict[str, object], dict[str, str]]:
    """The options as the library takes them; and the machine file of this CPU, which it may find unreadable."""
    if given.get("machine") == "known":
        return {**given, "machine": "auto"}, {}
    return {**given}, _calibrated() if all(given.get(name, default) == default for name, default in _CHOOSING) else {}


def completed(options: Mapping[str, object], interpreter: ModuleType) -> tuple[dict[str, object], dict[str, str]]:
    """As with_machine(), for a runtime. Raises as load() does."""
    return with_machine(resolved(options, interpreter))


def made(create: Callable[[dict[str, object]], _T], given: Mapping[str, object], calibrated: Mapping[str, str]) -> _T:
    """Returns what `create` makes of the options; without this CPU's machine file, and with a warning, where the library cannot read that."""
    try:
        return create({**given, **calibrated})
    except ValueError as error:
        if not calibrated or "option machine: " not in str(error):
            raise
        warnings.warn(f"{error}; known constants are used instead", stacklevel=3)
        return create({**given})


def note(delegate: runtimes.Delegate, given: Mapping[str, object]) -> None:
    """Remembers what a delegate with these options cannot be asked."""
    if str(given.get("profile", "false")).lower() in ("false", "0"):
        unprofiled.add(delegate)
    if given.get("estimate", "none") != "none":
        estimating.add(delegate)


def _created(interpreter: ModuleType, path: str, options: Mapping[str, object]) -> runtimes.Delegate:
    try:
        delegate: runtimes.Delegate = interpreter.load_delegate(path, dict(options))
    except ValueError as error:  # the runtime's line with the path, then the delegate's own message
        raise ValueError(str(error).partition("\n")[2]) from None
    return delegate


def load(*, runtime: str | ModuleType | None = None, **options: Unpack[LoadOptions]) -> runtimes.Delegate:
    """Loads the delegate, ready to be handed to the same runtime: Interpreter(..., experimental_delegates=[load()]).

    The interpreter keeps the delegate alive. A delegate serves one interpreter: load another one for the next.

    Args:
      runtime: which TFLite runtime, as in runtimes.find(). None takes the one that is imported, else the one that is installed.
      **options: the delegate's options, by name. Values may be str, int or bool; None leaves the option at its default. `fully_connected`, `fast_math`,
        `hybrid` and `float32` of "auto" are what reference.found() makes of the runtime's kernels. `machine` of "auto" is the file that calibrate() has written
        for this CPU, if there is one that the library can read; "known" leaves it aside. `tuning_records` may be a list of paths; "shipped" stands for those in
        the package.

    Returns:
      The runtime's own Delegate object.

    Raises:
      ValueError: an option is unknown or has a value that it cannot have; the message names what is allowed.
      ImportError: no TFLite runtime is installed.
      FileNotFoundError: there is no such file of tuning_records.
      FileNotFoundError, OSError: the library is missing, or cannot be loaded into this process.
    """
    interpreter = runtimes.find(runtime)
    library = library_name()
    given, calibrated = completed(options, interpreter)
    _check_linking(library)
    delegate = made(functools.partial(_created, interpreter, library), given, calibrated)
    note(delegate, given)
    return delegate


if load.__doc__:  # which python -OO leaves out
    load.__doc__ += f"\n    Options, whose meanings `tvmq info` prints:\n{described()}    "
