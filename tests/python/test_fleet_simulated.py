"""Boards that answer from recorded times, in this process: whether client and records keep up with many, what n boards gain, and many faults at once.

TVMQ_BOARDS=1000 pytest -s tests/python/test_fleet_simulated.py measures what docs/fleet.md says.
"""

from __future__ import annotations

import collections
import contextlib
import datetime
import json
import logging
import os
import random
import resource
import threading
import time
from collections.abc import Iterator

import pytest
from fleet_jobs import measured

from tvmq_delegate import tuning

pytest.importorskip("distributed", reason="dask's distributed is not installed: pip install distributed cryptography")

import dask.config  # noqa: E402
from distributed import Client, LocalCluster  # noqa: E402

from tvmq_delegate import fleet  # noqa: E402

BOARDS = int(os.environ.get("TVMQ_BOARDS", "12"))
FAULTS = 200 if "TVMQ_BOARDS" in os.environ else 25
# Each of many workers in a process would else keep clocks of 20 ms, and look at the system twice a second.
IDLE = {
    "distributed.admin.tick.interval": "1 hour",
    "distributed.admin.tick.limit": "2 hours",
    "distributed.admin.system-monitor.interval": "1 hour",
    "distributed.admin.system-monitor.disk": False,
    "distributed.worker.profile.enabled": False,
}
SLOWER = 1.0 if "TVMQ_BOARDS" in os.environ else 0.2  # simulated seconds in a second
# Networks that were tuned on an AMD EPYC (Zen 5): seconds of the search with 8 trials a task, and of the proof.
RECORDED = {"v1 0.25": (1.5, 3.4), "v1": (3.2, 1.6), "v2": (2.4, 3.6), "v3": (11.0, 3.8), "efficientnet": (8.1, 4.9)}


@contextlib.contextmanager
def simulated(n: int) -> Iterator[fleet.Boards]:
    """Workers of dask in this process, with boards' names and their one resource."""
    arguments = {"n_workers": n, "processes": False, "threads_per_worker": 1, "memory_limit": 0, "resources": {fleet.Resource: 1}, "needs_workdir": False}
    logging.disable(logging.CRITICAL)  # each worker keeps what all workers log
    try:
        with dask.config.set(IDLE), LocalCluster(dashboard_address=None, **arguments) as cluster:
            with fleet.Boards(Client(cluster, set_as_default=False)) as boards:
                boards.client.wait_for_workers(n, timeout=600)
                yield boards
    finally:
        logging.disable(logging.NOTSET)


def names(boards: fleet.Boards) -> tuple[str, ...]:
    return tuple(str(info["name"]) for info in boards.workers().values())


def job(n: int, on: tuple[str, ...], seconds: float = 60.0) -> fleet.Job:
    return fleet.Job("bench", f"model {n}", f"{0:064}", on, seconds, 1, {"n": n})


def at_once(job: fleet.Job, source: bytes, name: str) -> fleet.Measured:
    del source
    return measured(job, name)


def test_many_boards(tmp_path):
    """Five measurements for every board; the client keeps up, and what it holds does not grow with what has ended."""
    began = time.monotonic()
    with simulated(BOARDS) as boards:
        on = names(boards)
        before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.monotonic()
        seen: collections.Counter[tuple[str, str, str]] = collections.Counter()
        with tuning.Log(tmp_path / "log.jsonl") as log:
            for outcome in boards.run([(job(n, on), b"") for n in range(5 * BOARDS)], at_once):
                assert outcome.measured and not outcome.attempts
                seen[outcome.measured.key] += 1
                log.append_lines([json.dumps(outcome.measured.key) + "\n"])
        took, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert len(seen) == 5 * BOARDS and set(seen.values()) == {1}
    assert len((tmp_path / "log.jsonl").read_text(encoding="utf-8").splitlines()) == 5 * BOARDS
    print(f"\n{BOARDS} boards in {start - began:.1f} s: {5 * BOARDS / took:.0f} tasks a second, {before / 1024:.0f} MiB, {after / 1024:.0f} MiB in the end")


def tunes(job: fleet.Job, source: bytes, name: str) -> fleet.Measured:
    """As long as it once took: a share of the trials, or the proof; one board does both in a row."""
    search, proof = json.loads(source)
    assert job.options == {"isa": "c"}
    shares = job.share[1]
    time.sleep(SLOWER * (search / shares if shares > 1 else proof if job.records else search + proof))
    date = datetime.datetime.now(datetime.timezone.utc).isoformat()
    return fleet.Measured(job, name, date, {}, {}, 0, 1, 0, 0, (1000, 1000), "", "", "", (f"{job.id} {name}\n",))


def seconds_of(boards: fleet.Boards, n: int, folder) -> float:
    networks = [((json.dumps(times) + " " * int(1000 * times[0])).encode(), name) for name, times in RECORDED.items()]  # larger models take longer
    wanted = [fleet.Board(name, "", "A CPU", "c", 1, "", "", "", "", "", {}) for name in names(boards)[:n]]
    out = folder / f"{n}.jsonl"
    start = time.monotonic()
    found = fleet.tune(boards, networks, wanted, out=out, perform=tunes, isa="c", machine=None)
    took = time.monotonic() - start
    assert not any(each.problems for each in found)
    lines = out.read_text(encoding="utf-8").splitlines()
    assert len(lines) == len(set(lines)) == len(RECORDED) * (n + 1 if n > 1 else 1)
    return took


def test_four_boards_share_what_one_does(tmp_path):
    """Prints what they gain, which docs/fleet.md holds against 1.15/n of one board's simulated time."""
    with simulated(4) as boards:
        one, four = seconds_of(boards, 1, tmp_path), seconds_of(boards, 4, tmp_path)
    print(f"\none board {one:.2f} s, four {four:.2f} s: {4 * four / one:.3f} / 4")


LOCK = threading.Lock()
FATES: dict[str, str] = {}  # of jobs, by their ids
HOT: dict[str, int] = {}  # boards that are hot, and for how many measurements more


def suffers(job: fleet.Job, source: bytes, name: str) -> fleet.Measured:
    """Every job has a fate, which befalls whichever board is the first to do it."""
    with LOCK:
        fate = FATES.pop(job.id, "")
    if fate == "raises":
        raise OSError("the board's disk is full")
    if fate == "hangs":
        time.sleep(6.0)
    with LOCK:
        HOT[name] = 2 if fate == "hot" else max(0, HOT.get(name, 0) - 1)
        is_hot = HOT[name] > 0
    return measured(job, name, reference_ns=9000 if is_hot else 1000, error="lost" if fate == "error" else "")


def recovers(name: str) -> tuple[int, int]:
    """A hot board is cold again when it is asked for the second time."""
    with LOCK:
        return (9000, 9000) if HOT.pop(name, 0) else (1000, 1000)


def test_faults(tmp_path):
    """200 faults among 1,000 jobs: each job has one outcome, none is lost or doubled, nothing hangs; boards come back from quarantine and work."""
    with simulated(12) as boards:
        on = names(boards)
        boards.grace_secs, boards.recheck_secs = 3.0, 0.3
        list(boards.run([(job(n, (name,)), b"") for n, name in enumerate(on)], suffers, recovers))  # how fast the boards are
        todo = [job(100 + n, on, 0.5) for n in range(5 * FAULTS)]
        draw = random.Random(3)
        for each in draw.sample(todo, FAULTS):
            FATES[each.id] = draw.choice(["raises", "error", "hot", "hot", "hangs"])
        fates = collections.Counter(FATES.values())
        boards.grace_secs = 2.5
        start, marked = time.monotonic(), 0
        with tuning.Log(tmp_path / "log.jsonl") as log:
            for outcome in boards.run([(each, b"") for each in todo], suffers, recovers):
                assert outcome.measured, outcome
                marked += bool(outcome.suspect)
                log.append_lines([f"{outcome.job.id}\n"])
        took = time.monotonic() - start
        lines = (tmp_path / "log.jsonl").read_text(encoding="utf-8").splitlines()
    assert sorted(lines) == sorted(each.id for each in todo)
    assert not FATES and boards.returned.keys() <= set(on) and boards.returned and marked < FAULTS / 10
    print(f"\n{FAULTS} faults ({dict(fates)}) among {len(todo)} jobs in {took:.1f} s: none lost, none doubled; {len(boards.returned)} boards were taken back")
