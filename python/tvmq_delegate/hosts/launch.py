"""How a program is started: its command, and the environment that brings the hook into its Python processes and theirs."""

from __future__ import annotations

import ctypes
import os
import secrets
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from ..binding import library_path
from .settings import COMPARE, OPTIONS, RUN, parsed

HOOK = Path(__file__).parents[1] / "hook"


def program(name: str, arguments: Sequence[str], *, is_module: bool = False) -> list[str]:
    """The command: a Python file or module for this Python, or any other program by its name or path.

    Raises:
      FileNotFoundError: there is no such program.
    """
    if is_module:
        return [sys.executable, "-m", name, *arguments]
    if name.endswith(".py") or (os.path.isfile(name) and not os.access(name, os.X_OK)) or os.path.isdir(name):
        return [sys.executable, name, *arguments]
    found = shutil.which(name)
    if found is None:
        raise FileNotFoundError(2, "no such program", name)
    return [found, *arguments]


def environment(options: str | None, *, compare: bool = False, base: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The environment of the program. options: as in TVMQ_OPTIONS, and instead of it."""
    own = {
        RUN: os.path.join(tempfile.gettempdir(), f"tvmq-run-{secrets.token_hex(8)}"),
        "PYTHONPATH": os.pathsep.join(filter(None, [str(HOOK), base.get("PYTHONPATH")])),
    }
    if options is not None:
        own[OPTIONS] = options.replace(",", ";")
    if compare:
        own[COMPARE] = "1"
    return {**base, **own}


def check(options: str) -> None:
    """Raises ValueError where the library does not take the options, as it says it."""
    given = {name: value for name, value in parsed(options).items() if (name, value) != ("machine", "known") and value != "shipped"}
    library = ctypes.CDLL(str(library_path()))
    create, destroy = library.tflite_plugin_create_delegate, library.tflite_plugin_destroy_delegate
    said: list[bytes] = []
    report = ctypes.CFUNCTYPE(None, ctypes.c_char_p)(said.append)
    strings = ctypes.c_char_p * len(given)
    create.restype, destroy.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
    keys, values = strings(*(name.encode() for name in given)), strings(*(value.encode() for value in given.values()))
    delegate = create(keys, values, ctypes.c_size_t(len(given)), report)
    destroy(delegate)
    if not delegate:
        raise ValueError(said[-1].decode(errors="replace") if said else "the delegate cannot be made")
