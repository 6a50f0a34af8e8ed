"""How a program is started: its command, and the environment that brings the hook into its Python processes and theirs.

Modules that only few programs need are imported in functions: each program waits for the others.
"""

from __future__ import annotations

import os
import sys

from .flags import plain
from .settings import COMPARE, OPTIONS, REPORT, RUN, parsed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

HOOK = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "hook")


def replace_process(arguments: Sequence[str]) -> None:
    """Starts the program that the arguments of `tvmq run` name. Returns where they are not plain, or something is wrong, which the command itself tells."""
    given = plain(arguments)
    if given is None or "report" in given:  # a page needs packages that may not be there, which the command checks
        return
    try:
        start(**given)  # type: ignore[arg-type]
    except (OSError, ValueError):
        return


def start(
    program: str, arguments: Sequence[str], *, is_module: bool = False, options: str | None = None, compare: bool = False, report: str | None = None
) -> None:
    """Makes this process the program.

    options: as in TVMQ_OPTIONS, and instead of it.

    Raises:
      ValueError: the library does not take the options.
      OSError: there is no such program, or it cannot be executed.
    """
    given = os.environ.get(OPTIONS) if options is None else options
    if given:
        _check(given)
    command = _command(program, arguments, is_module=is_module)
    if command[0] != sys.executable:
        import signal

        for number in (signal.SIGPIPE, signal.SIGXFSZ):  # which every Python ignores, and the program would too
            signal.signal(number, signal.SIG_DFL)
    if sys.stdout is not None:  # it may be closed
        sys.stdout.flush()
    os.execvpe(command[0], command, _environment(given, compare=compare, report=report))


def _command(name: str, arguments: Sequence[str], *, is_module: bool = False) -> list[str]:
    """A Python file or module is for this Python, any other program is found as the shell finds it."""
    if is_module:
        return [sys.executable, "-m", name, *arguments]
    if name.endswith(".py") or (os.sep in name and (os.path.isdir(name) or (os.path.isfile(name) and not os.access(name, os.X_OK)))):
        return [sys.executable, name, *arguments]
    return [name, *arguments]


def _environment(options: str | None, *, compare: bool, report: str | None, base: Mapping[str, str] = os.environ) -> dict[str, str]:
    own = {
        RUN: os.path.join(base.get("TMPDIR") or "/tmp", f"tvmq-run-{os.urandom(8).hex()}"),
        "PYTHONPATH": os.pathsep.join(filter(None, [HOOK, base.get("PYTHONPATH")])),
    }
    preload = _preload()
    if preload:
        own["LD_PRELOAD"] = ":".join(filter(None, [base.get("LD_PRELOAD"), preload]))  # behind a sanitizer's, which insists on being first
    if options is not None:
        own[OPTIONS] = options.replace(",", ";")
    if compare:
        own[COMPARE] = "1"
    if report is not None:
        own[REPORT] = os.path.abspath(report)
    return {**base, **own}


def _preload() -> str:
    """The library that does for TFLite's C library what the hook does for Python's runtimes. Returns "" where it is not installed, or where LD_PRELOAD, which
    knows no escapes, would part its name.
    """
    file = os.path.join(os.path.dirname(HOOK), "libtvmq_preload.so")
    if not os.path.exists(file):  # an editable installation
        from ..binding import packaged_name

        file = packaged_name("libtvmq_preload.so")
    return file if os.path.isfile(file) and not {*file} & {" ", ":"} else ""


def _check(options: str) -> None:
    """Raises ValueError where the library does not take the options, as it says it."""
    import ctypes

    from ..binding import library_name

    given = {name: value for name, value in parsed(options).items() if (name, value) != ("machine", "known") and value != "shipped"}
    library = ctypes.CDLL(library_name())
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
