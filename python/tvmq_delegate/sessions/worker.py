"""Processes for what runs in a runtime, so that they share neither memory nor threads, and one that dies takes nobody along.

Worker is the handle; the process runs main(), which makes an object and answers calls of its methods until its pipe is closed.
"""

from __future__ import annotations

import os
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from typing import Any


class WorkerDied(RuntimeError):
    """A process ended without an answer."""


class Worker:
    """A process that makes an object; use it as a context manager. call() raises what the method of the object raised there, or WorkerDied.

    name: what it is called in messages. make: a class or a function of a module, and its arguments, which are pickled. heard: what it writes to stderr is
    written to ours; otherwise nobody sees more of it than the last line, if the process dies. An interrupt of the terminal does not reach it.
    library: of the delegate, "" for ours.
    """

    def __init__(self, name: str, make: Callable[..., object], *arguments: Any, heard: bool = False, library: str = ""):
        self.name = name
        ours, theirs = socket.socketpair()
        self.errors = tempfile.TemporaryFile()
        with theirs:
            command = [*_python(), "-c", f"from {__name__} import main; main({theirs.fileno()})"]
            environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **({"TVMQ_LIBRARY": library} if library else {})}
            output = 2 if heard and sys.stderr else self.errors
            mask = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])  # which the process inherits
            try:
                self.process = subprocess.Popen(command, env=environment, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, stdout=output, stderr=output)
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        self.connection = Connection(ours.detach())
        try:
            self.call("", make, *arguments)
        except BaseException:
            self.__exit__()
            raise

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()
        try:
            self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.errors.close()

    def call(self, method: str, *arguments: Any, seconds: float | None = None) -> Any:
        """Raises TimeoutError if there is no answer within so many seconds; after that nothing may be called."""
        try:
            self.connection.send((method, arguments))
            in_time = seconds is None or self.connection.poll(max(0.0, seconds))
            good, answer = self.connection.recv() if in_time else (False, TimeoutError())
        except (EOFError, OSError):
            raise WorkerDied(self._obituary()) from None
        except BaseException:  # an interrupt: nothing is in step any more
            self.process.kill()
            raise
        if good:
            return answer
        raise answer

    def _obituary(self) -> str:
        code = self.process.wait()
        how = f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
        self.errors.seek(0)
        last = self.errors.read().decode(errors="replace").strip().rpartition("\n")[2]
        return f"the process of {self.name} {how}" + (f": {last}" if last else "")


def main(descriptor: int) -> None:
    """The process: answers calls until the pipe is closed. The first names no method and brings what to make."""
    connection = Connection(descriptor)
    made = None
    while True:
        try:
            method, arguments = connection.recv()
        except EOFError:
            return
        try:
            if made is None:
                make, *rest = arguments
                made = make(*rest)
                connection.send((True, None))
            else:
                connection.send((True, getattr(made, method)(*arguments)))
        except Exception as error:
            connection.send((False, _portable(error)))


def _portable(error: Exception) -> Exception:
    """As a type that any process can unpickle. What the package documents stays what it is; the rest is a defect and brings its traceback."""
    for kind in (ImportError, MemoryError, OSError, ValueError, RuntimeError):
        if isinstance(error, kind):
            about = (error.errno, error.strerror, error.filename) if isinstance(error, OSError) and error.errno else (str(error),)
            return kind(*about)
    import traceback

    return AssertionError("".join(traceback.format_exception(error)))


def _python() -> Sequence[str]:
    """How to start another Python like this one. TVMQ_PYTHON: where it runs under an emulator."""
    return shlex.split(os.environ.get("TVMQ_PYTHON") or shlex.quote(sys.executable))
