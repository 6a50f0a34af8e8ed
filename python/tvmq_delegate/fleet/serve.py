"""This machine as a board: a worker of dask with one thread, no nanny, and one of the resource that each measurement takes."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import dask.config
from distributed import Security, Worker, WorkerPlugin

from . import board
from .certificates import checked

PLUGIN = "tvmq-board"


class Describes(WorkerPlugin):  # type: ignore[misc]
    """Keeps the board's description, for whoever asks."""

    name = PLUGIN

    def setup(self, worker: Worker) -> None:
        self.worker = worker

    def describe(self) -> board.Board:
        return board.describe(str(self.worker.name), self.worker.address)


def described(dask_worker: Worker) -> board.Board:
    """Runs on the board's event loop, also while it measures: this must be quick."""
    plugin: Describes = dask_worker.plugins[PLUGIN]
    return plugin.describe()


def default_name() -> str:
    return socket.gethostname()


def worker_arguments(name: str) -> dict[str, Any]:
    """One thread, and one measurement at a time: `board` is a resource, so that whatever else a client sends does not run beside it."""
    return {"nthreads": 1, "resources": {board.Resource: 1}, "name": name, "plugins": [Describes()], "memory_limit": 0}


def serve(scheduler: str, *, name: str | None = None, security: Security | None = None) -> None:
    """Serves until the scheduler says goodbye, or for good if it does not. A scheduler that restarts is waited for, for a minute.

    Raises:
      OSError: the scheduler cannot be reached. ValueError: it is beyond this machine, and there are no certificates.
    """
    security = checked(scheduler, security)

    async def run() -> None:
        async with Worker(scheduler, security=security, dashboard=False, death_timeout=60, **worker_arguments(name or default_name())) as worker:
            await worker.finished()

    with dask.config.set({"distributed.worker.daemon": False}):  # a measurement starts processes
        asyncio.run(run())
