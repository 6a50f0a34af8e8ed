"""The public C headers, bound by cffi in ABI mode: nothing is compiled, and nothing is imported until something is asked."""

from __future__ import annotations

import functools
import re
import typing
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from .loader import library_path, packaged
from .runtimes import Delegate

_T = typing.TypeVar("_T")
_HEADERS = ("tvmq_delegate.h", "tvmq_network.h")
_ERROR_BYTES = 16384


@functools.cache
def library() -> tuple[Any, Any]:
    """cffi's FFI object and the library.

    Raises:
      ImportError: cffi is not installed. FileNotFoundError, OSError: as library_path() and dlopen.
    """
    try:
        import cffi
    except ModuleNotFoundError:
        raise ImportError("the delegate can be loaded, but asking it needs cffi: pip install cffi") from None
    ffi = cffi.FFI()
    for header in _HEADERS:  # cffi knows no preprocessor, and of its directives the headers have this one alone
        ffi.cdef(_header(header).read_text(encoding="utf-8").replace("#pragma once", ""))
    lib = ffi.dlopen(str(library_path()))
    if not hasattr(lib, "tvmq_version"):
        raise OSError(f"{library_path()} is not the delegate's library")
    return ffi, lib


def structure(kind: type[_T], pointer: Any) -> _T:
    """A C structure as a dataclass whose fields have the names of the structure's: strings, truth values and numbers are converted by the field's type."""
    return _reader(kind)(pointer)


def sequence(kind: type[_T], get: Any, *arguments: Any) -> list[_T]:
    """All of what a C function tells one index at a time, up to its NULL."""
    read = _reader(kind)
    found: list[_T] = []
    while pointer := get(*arguments, len(found)):
        found.append(read(pointer))
    return found


def _reader(kind: type[_T]) -> Callable[[Any], _T]:
    """Returns the function that makes a dataclass of a C structure."""
    types = typing.get_type_hints(kind)
    converters = [(name, string if types[name] is str else types[name]) for name in types]
    return lambda pointer: kind(**{name: convert(getattr(pointer, name)) for name, convert in converters})


def string(value: Any) -> str:
    text: bytes = library()[0].string(value)
    return text.decode(errors="backslashreplace")


def with_options(function: Any, *arguments: Any, options: Mapping[str, object]) -> Any:
    """Calls a function of tvmq_network.h whose last arguments are options, by the library's names, and room for an error. Returns what it returns.

    Raises ValueError if the error is an option's, RuntimeError for any other.
    """
    ffi, _ = library()
    texts = [[ffi.new("char[]", str(text).encode()) for text in column] for column in (options, options.values())]
    error = ffi.new("char[]", _ERROR_BYTES)
    found = function(*arguments, *(ffi.new("const char *[]", column) for column in texts), len(options), error, _ERROR_BYTES)
    if found:
        return found
    text = string(error)
    raise (ValueError if re.match("(unknown )?option ", text) else RuntimeError)(text)


def delegate_pointer(delegate: Delegate) -> Any:
    """The TfLiteDelegate behind a runtime's Delegate object. Raises TypeError for anything else, ValueError for a delegate that is not ours."""
    try:
        address = delegate._get_native_delegate_pointer()  # the only way to it in all runtimes, and the one that their Interpreter takes
    except AttributeError:
        hint = "; its attribute `delegate` is one" * hasattr(delegate, "delegate")
        raise TypeError(f"{type(delegate).__name__} is not a Delegate of a TFLite runtime{hint}") from None
    ffi, lib = library()
    pointer = ffi.cast("void *", address)
    if not lib.tvmq_get_delegate(pointer):
        raise ValueError("this delegate was not loaded from the library of tvmq_delegate")
    return pointer


def _header(name: str) -> Path:
    """In the package where it is installed; among the C sources where Python runs from them, with TVMQ_LIBRARY."""
    installed = packaged(name)
    return installed if installed.exists() else Path(__file__).parents[3] / "delegate" / name
