"""Processes for contenders, so that they share neither memory nor threads, and one that dies takes nobody along.

Worker is the handle; the process runs main(), which answers calls of Runner's methods until its pipe is closed.
"""

from __future__ import annotations

import os
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from multiprocessing.connection import Connection
from typing import Any

from .runner import Job, Runner


class WorkerDied(RuntimeError):
    """The process of a contender ended without an answer."""


class Worker:
    """The process of a contender; use it as a context manager. call() raises what the method raised there, or WorkerDied."""

    def __init__(self, job: Job):
        self.job = job
        ours, theirs = socket.socketpair()
        self.errors = tempfile.TemporaryFile()
        with theirs:
            command = [*_python(), "-c", f"from {__name__} import main; main({theirs.fileno()})"]
            environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
            self.process = subprocess.Popen(
                command, env=environment, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, stdout=self.errors, stderr=self.errors
            )
        self.connection = Connection(ours.detach())
        try:
            self.call("", job)
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

    def call(self, method: str, *arguments: Any) -> Any:
        try:
            self.connection.send((method, arguments))
            good, answer = self.connection.recv()
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
        return f"the process of contender {self.job.name!r} {how}" + (f": {last}" if last else "")


def main(descriptor: int) -> None:
    """The process of a contender: answers calls until the pipe is closed. The first names no method and brings the job."""
    connection = Connection(descriptor)
    runner = None
    while True:
        try:
            method, arguments = connection.recv()
        except EOFError:
            return
        try:
            if runner is None:
                runner = Runner(*arguments)
                connection.send((True, None))
            else:
                connection.send((True, getattr(runner, method)(*arguments)))
        except Exception as error:
            connection.send((False, _portable(error)))


def _portable(error: Exception) -> Exception:
    """As a type that any process can unpickle. What the package documents stays what it is; the rest is a defect and brings its traceback."""
    for kind in (ImportError, MemoryError, OSError, ValueError, RuntimeError):
        if isinstance(error, kind):
            return kind(*error.args) if kind is OSError else kind(str(error))
    import traceback

    return AssertionError("".join(traceback.format_exception(error)))


def _python() -> Sequence[str]:
    """How to start another Python like this one. TVMQ_PYTHON: where it runs under an emulator."""
    return shlex.split(os.environ.get("TVMQ_PYTHON") or shlex.quote(sys.executable))
