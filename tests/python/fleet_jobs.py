"""The boards of tests/python/test_fleet.py do this instead of measuring. Boards import it by name."""

from __future__ import annotations

import dataclasses
import datetime
import os
import pathlib
import signal
import time

from tvmq_delegate.fleet import Job, Measured


def measured(job: Job, name: str, *, reference_ns: int = 1000, error: str = "") -> Measured:
    date = datetime.datetime.now(datetime.timezone.utc).isoformat()
    return Measured(job, name, date, {"tvmq": 1.0, "stock": 2.0}, {"stock": 2.0}, 3, 3, 10, 0, (reference_ns, reference_ns), "", "a runtime", error)


def sleeps(job: Job, source: bytes, name: str) -> Measured:
    time.sleep(float(source))
    return measured(job, name)


def meets(job: Job, source: bytes, name: str) -> Measured:
    """Waits until three boards are at work. source: a folder, where each says so."""
    folder = pathlib.Path(os.fsdecode(source))
    (folder / name).touch()
    end = time.monotonic() + 60
    while len(list(folder.iterdir())) < 3 and time.monotonic() < end:
        time.sleep(0.01)
    return measured(job, name, error="" if len(list(folder.iterdir())) == 3 else f"{name} is alone")


def suffers(job: Job, source: bytes, name: str) -> Measured:
    """The source says what befalls the board of which name: "a=SIGKILL"."""
    victim, _, fate = source.decode().partition("=")
    if name == victim and fate in ("SIGKILL", "SIGSTOP"):
        os.kill(os.getpid(), signal.Signals[fate])
    if name == victim and fate == "raises":
        raise OSError("the board's disk is full")
    time.sleep(0.02)
    return measured(job, name, reference_ns=5000 if name == victim and fate == "hot" else 1000, error="lost" if name == victim and fate == "error" else "")


def fails(job: Job, source: bytes, name: str) -> Measured:
    return measured(job, name, error="nothing works here")


def records(job: Job, source: bytes, name: str) -> Measured:
    return dataclasses.replace(measured(job, name), records=("{}\n",))


def cold(name: str) -> tuple[int, int]:
    """Instead of the reference task of a board that may come back."""
    del name
    return 1000, 1000


class Dying:
    """The object of a process that is ended by what it calls."""

    def answer(self, *_: object) -> None:
        os.write(2, b"a warning\nthe last words\n")
        os.abort()
