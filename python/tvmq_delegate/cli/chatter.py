"""Runtimes announce on stderr what they load, which no option of theirs silences. The command keeps that out of its output."""

from __future__ import annotations

import atexit
import os
import signal
import sys
import time

# TFLite's logger and absl's mark information so. The delegate's own lines look alike and are what --log-severity asks for.
CHATTER = (b"INFO: ", b"VERBOSE: ", b"I0000 ")
OURS = b" tvmq-delegate: "
PATIENCE_SECS = 0.5


def silence() -> None:
    """From now on another process passes on what this one and its libraries write to stderr, but for CHATTER. It outlives this one, so that the last words of a
    crash are not lost. Python's own stderr goes on as it was. To be called before any thread is started.
    """
    sys.unraisablehook = _complain
    if sys.stderr is None:  # closed
        return
    read, write = os.pipe()
    stderr = os.dup(2)
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        os.close(write)
        _pass_on(read, stderr)
    os.close(read)
    os.dup2(write, 2)
    os.close(write)
    sys.stderr = os.fdopen(stderr, "w", buffering=1, encoding=sys.stderr.encoding, errors="backslashreplace")
    atexit.register(_restore, child)


def _complain(what: sys.UnraisableHookArgs) -> None:
    """The runtimes' Delegate fails in its destructor where an interrupt has ended its constructor."""
    if getattr(what.object, "__qualname__", "") != "Delegate.__del__":
        sys.__unraisablehook__(what)


def _restore(child: int) -> None:
    """The other process comes to the end of the pipe, and its last lines stand before whatever a shell prints next.

    A process that was started here and lives on, such as multiprocessing's tracker of resources, holds the pipe open: that is not waited for.
    """
    os.dup2(sys.stderr.fileno(), 2)
    end = time.monotonic() + PATIENCE_SECS
    while os.waitpid(child, os.WNOHANG) == (0, 0) and time.monotonic() < end:
        time.sleep(0.002)


def _pass_on(read: int, stderr: int) -> None:
    """Does not return."""
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # which a terminal sends to all, and after which there may be something to say
        os.closerange(0, 3)
        with os.fdopen(read, "rb") as lines:
            for line in lines:
                if not line.startswith(CHATTER) or OURS in line:
                    os.write(stderr, line)
    finally:
        os._exit(0)
