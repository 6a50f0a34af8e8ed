"""The client's side: boards of a scheduler, and jobs that run on them, with the faults of both."""

from __future__ import annotations

import asyncio
import collections
import contextlib
import socket
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

import dask.config
from distributed import Client, LocalCluster, Security

from . import board, serve, work
from .certificates import checked
from .run import Outcome, Run, Then, nothing

GRACE_SECS = 15.0
RECHECK_SECS = 10.0
LIST_SECS = 10.0
FIRST_SECS = 10.0  # that the first board may come later than the client
SPREAD = 1.3  # a reference task that takes so much longer than the board's fastest: it is hot, throttled, or busy
STRIKES = 2  # suspicious measurements in a row, after which a board gets no more
Perform = Callable[[work.Job, bytes, str], work.Measured]
Probe = Callable[[str], tuple[int, int]]


class Boards:
    """The boards of a scheduler. Use it as a context manager.

    grace_secs: beyond a job's own limit, after which its board is taken to hang; and how long a job waits for a board that is not there. recheck_secs: how
    often a board in quarantine is asked whether it is itself again.
    """

    def __init__(self, client: Client, grace_secs: float = GRACE_SECS, recheck_secs: float = RECHECK_SECS):
        self.client = client
        self.grace_secs, self.recheck_secs = grace_secs, recheck_secs
        self.spread = SPREAD
        self._fastest: dict[str, int] = {}
        self._strikes: collections.Counter[str] = collections.Counter()
        self.quarantined: dict[str, str] = {}  # name -> why
        self.returned: dict[str, str] = {}  # name -> why it was there, of those that have come back

    def __enter__(self) -> Boards:
        return self

    def __exit__(self, *_: object) -> None:
        self.client.close()

    def listed(self) -> list[board.Board]:
        """All boards that answer, by name. Other workers of the scheduler are none."""
        found = self.client.sync(_described, self.client)
        return sorted((item for item in found if isinstance(item, board.Board)), key=lambda item: item.name)

    def workers(self) -> dict[str, dict[str, Any]]:
        """The scheduler's workers, by their addresses. It is asked itself: what Client.scheduler_info() returns, dask's own clock may have emptied by then."""
        return dict(self.client.sync(self.client.scheduler.identity, n_workers=-1)["workers"])

    def silent(self, listed: Iterable[board.Board]) -> list[str]:
        """Names of boards that the scheduler knows, but that are not among those that answer."""
        there = {item.address for item in listed}
        return sorted(str(info["name"]) for address, info in self.workers().items() if board.Resource in info["resources"] and address not in there)

    def select(self, wanted: str = "") -> list[board.Board]:
        """Boards that `wanted` describes (see matching()), and that are not in quarantine. Where there is none yet, the first is waited for.

        Raises:
          ValueError: there is none, and which there are.
        """
        with contextlib.suppress(asyncio.TimeoutError, TimeoutError):
            self.client.wait_for_workers(1, timeout=FIRST_SECS)
        there = self.listed()
        found = [item for item in board.matching(there, wanted) if item.name not in self.quarantined]
        if not found:
            names = ", ".join(f"{item.name} ({item.cpu})" for item in there) or "none at all"
            raise ValueError(f"no board matches {wanted!r}; there are: {names}" if wanted else "no board is connected")
        return found

    def wait(self) -> None:
        """Until the scheduler goes away, or Ctrl-C."""
        while self.client.status == "running":
            time.sleep(0.5)

    def queue(self) -> dict[str, int]:
        """Tasks that each worker's address has before it."""
        return {address: len(keys) for address, keys in self.client.processing().items()}

    def run(
        self, todo: Iterable[tuple[work.Job, bytes]], perform: Perform = work.perform, probe: Probe = work.probe, then: Then = nothing
    ) -> Iterator[Outcome]:
        """Runs jobs, and gives each one's outcome as it ends: exactly one for each job, in no order. `then` says which jobs an outcome has as its consequence.

        At most one job is under way for each board that may do it, so that whichever board is free takes the next. A job whose board dies, hangs or is not to
        be trusted goes to another of its boards.
        """
        run = Run(self, perform, probe, then, todo)
        try:
            yield from run.outcomes()
        finally:
            run.cancel()

    def quarantine(self, name: str, why: str) -> None:
        self.quarantined[name] = why

    def readmit(self, name: str, reference_ns: tuple[int, int]) -> None:
        """Takes a board back if its reference task is as fast as ever."""
        fastest = self._fastest[name] = min(self._fastest.get(name, reference_ns[0]), *reference_ns)
        if max(reference_ns) <= self.spread * fastest:
            self.returned[name] = self.quarantined.pop(name)
            self._strikes[name] = 0

    def suspicion(self, measured: work.Measured, there: Collection[str]) -> str:
        """Why a measurement is not to be trusted, ""; what is learnt of the board is kept. Time has no say in whether results are exact.

        there: names of the boards that are connected. The last of them that is not in quarantine stays out of it.
        """
        name, least, most = measured.board, min(measured.reference_ns), max(measured.reference_ns)
        fastest = self._fastest[name] = min(self._fastest.get(name, least), least)
        if measured.job.kind == "diff":
            return ""
        if most <= self.spread * fastest:
            self._strikes[name] = 0
            return ""
        self._strikes[name] += 1
        why = f"the reference task took {most / fastest:.2f}x its fastest time on {name}" + (f", at {measured.temperature}" if measured.temperature else "")
        why += ", which is hot or busy" * (not measured.busy)
        if self._strikes[name] >= STRIKES and any(other not in self.quarantined for other in there if other != name):
            self.quarantine(name, why)
        return why


async def _described(client: Client) -> list[board.Board]:
    """All boards, or those that answer."""
    try:
        return [*(await asyncio.wait_for(client.run(serve.described, on_error="ignore"), LIST_SECS)).values()]
    except (asyncio.TimeoutError, TimeoutError):
        pass

    async def one(address: str) -> list[board.Board]:
        with contextlib.suppress(asyncio.TimeoutError, TimeoutError, OSError):
            return [*(await asyncio.wait_for(client.run(serve.described, workers=[address], on_error="ignore"), LIST_SECS)).values()]
        return []

    workers = (await client.scheduler.identity(n_workers=-1))["workers"]
    return [item for found in await asyncio.gather(*map(one, workers)) for item in found]


def connect(address: str, *, security: Security | None = None, timeout: float = 10.0) -> Boards:
    """The boards of a scheduler that runs already.

    Raises:
      OSError: it cannot be reached. ValueError: it is beyond this machine, and there are no certificates.
    """
    return Boards(Client(address, security=checked(address, security), timeout=timeout, set_as_default=False))


@contextlib.contextmanager
def local(n: int = 1, port: int = 0) -> Iterator[Boards]:
    """A scheduler and boards on this machine alone, as processes, for trying things: they measure in each other's way if there is more than one.

    port: of the scheduler; 0: any.

    Raises:
      OSError: the port is taken.
    """
    settings = {"distributed.worker.daemon": False, "distributed.scheduler.worker-ttl": "30s"}
    arguments: dict[str, Any] = {"n_workers": n, "processes": True, "threads_per_worker": 1, "memory_limit": 0, "resources": {board.Resource: 1}}
    if port:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError as error:
                raise OSError(error.errno, error.strerror, f"port {port}") from None
    with dask.config.set(settings), LocalCluster(host="127.0.0.1", scheduler_port=port, dashboard_address="127.0.0.1:0", **arguments) as cluster:
        with Boards(Client(cluster, set_as_default=False)) as boards:
            boards.client.register_plugin(serve.Unheard())
            boards.client.register_plugin(serve.Describes())
            boards.client.wait_for_workers(n, timeout=60)
            yield boards
