"""This machine as a board: a worker of dask with one thread, no nanny, and one of the resource that each measurement takes."""

from __future__ import annotations

import asyncio
import dataclasses
import signal
import socket
from pathlib import Path
from typing import Any

import dask.config
from distributed import Security, Worker, WorkerPlugin, get_worker
from distributed.core import Status

from . import board
from .certificates import checked
from .program import Described, Program, beside_library
from .transports import reach

PLUGIN = "tvmq-board"
REACH_SECS = 20.0
HERE = "127.0.0.1"
RESTART_SECS = 60  # that a board waits for a scheduler which has gone


class Describes(WorkerPlugin):  # type: ignore[misc]
    """Keeps the board's description, for whoever asks.

    program: tvmq-measure on the board, where the worker is a proxy; via: the command that led there; about: what it said of its machine.
    """

    name = PLUGIN

    def __init__(self, program: Program | None = None, via: str = "", about: Described | None = None):
        self.program, self.via, self.about = program, via, about
        self._last = self._temperature = ""
        self._references: tuple[int, ...] = ()

    def setup(self, worker: Worker) -> None:
        self.worker = worker

    def note(self, what: str, reference_ns: tuple[int, int], temperature: str) -> None:
        """A measurement that has been made."""
        self._temperature = temperature
        seen = (*self._references, *reference_ns)
        self._last, self._references = what, (min(seen), max(seen))

    def describe(self) -> board.Board:
        name, address, about = str(self.worker.name), self.worker.address, self.about
        found = board.describe(name, address) if about is None else board.proxied(name, address, self.via, about)
        spread = max(self._references) / max(1, min(self._references)) if self._references else 0.0
        return dataclasses.replace(found, last=self._last, spread=round(spread, 3), temperature=self._temperature if about else found.temperature)


class Unheard(WorkerPlugin):  # type: ignore[misc]
    """Ctrl-C in a terminal reaches all of a cluster's processes: whoever began the cluster hears it, and ends the others."""

    name = "tvmq-unheard"

    def setup(self, worker: Worker) -> None:
        del worker
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def current() -> Describes | None:
    """The board that this thread works for; None: it is no worker's."""
    try:
        return get_worker().plugins.get(PLUGIN)  # type: ignore[no-any-return]
    except ValueError:
        return None


def described(dask_worker: Worker) -> board.Board:
    """Runs on the board's event loop, also while it measures: this must be quick."""
    plugin: Describes = dask_worker.plugins[PLUGIN]
    return plugin.describe()


def default_name() -> str:
    return socket.gethostname()


def worker_arguments(name: str, plugin: Describes) -> dict[str, Any]:
    """One thread, and one measurement at a time: `board` is a resource, so that whatever else a client sends does not run beside it."""
    return {"nthreads": 1, "resources": {board.Resource: 1}, "name": name, "plugins": [plugin], "memory_limit": 0}


def proxy(via: str, program: Path | None = None) -> Describes:
    """A board without Python, which `via` leads to. program: tvmq-measure, built for it; None: that beside the library.

    Raises:
      ProgramError: it cannot be brought there, or does not run. ValueError: `via` is no command, or there is no program.
    """
    found = program or beside_library()
    if found is None:
        raise ValueError("tvmq-measure is not beside the library: name it by --measure")
    there = reach(via, found)
    return Describes(there, via, there.run([], REACH_SECS).board)


class _Worker(Worker):  # type: ignore[misc]
    """A worker that knows why it ends. lost: the scheduler has gone without closing the connection."""

    lost = False

    async def close(self, *arguments: Any, **named: Any) -> Any:
        self.lost = self.lost or named.get("reason") == "worker-handle-scheduler-connection-broken" and self.status == Status.running
        return await super().close(*arguments, **named)


def serve(scheduler: str, *, name: str | None = None, security: Security | None = None, plugin: Describes | None = None) -> None:
    """Serves until the scheduler closes. A scheduler that restarts is waited for, for a minute.

    plugin: as proxy() makes it; None: this machine is the board.

    Raises:
      OSError: the scheduler cannot be reached. ValueError: it is beyond this machine, and there are no certificates.
    """
    security = checked(scheduler, security)
    arguments = worker_arguments(name or default_name(), plugin or Describes())
    if security is None:  # the scheduler is here, and dask's worker would listen to everybody
        arguments["host"] = HERE

    async def run() -> None:
        lost = True
        while lost:  # dask's worker ends with its connection: another one takes its place
            async with _Worker(scheduler, security=security, dashboard_address=f"{HERE}:0", death_timeout=RESTART_SECS, **arguments) as worker:
                await worker.finished()
                lost = worker.lost

    with dask.config.set({"distributed.worker.daemon": False}):  # a measurement starts processes
        asyncio.run(run())
