"""A slow reference task: it says that times are not to be trusted, nothing of exactness, and it leaves the last board at work."""

from __future__ import annotations

import dataclasses
import hashlib
import importlib
from typing import Any

import pytest

fleet = pytest.importorskip("tvmq_delegate.fleet")

import fleet_jobs  # noqa: E402  which needs dask, too
from test_cli import tvmq  # noqa: E402

from tvmq_delegate.fleet import work  # noqa: E402
from tvmq_delegate.reports import fleet as report  # noqa: E402


def job(kind: str, board: str = "a") -> Any:
    return fleet.Job(kind, "m", "0" * 64, (board,), 10.0, 1, {})


def suspicions(boards: Any, kind: str, there: tuple[str, ...]) -> list[str]:
    """Lists the words on a board that is as fast as ever and then three times slow."""
    return [boards.suspicion(fleet_jobs.measured(job(kind), "a", reference_ns=ns), there) for ns in (1000, 5000, 5000, 5000)]


def test_time_has_no_say_in_exactness() -> None:
    boards = fleet.Boards(None)
    assert suspicions(boards, "diff", ("a", "b")) == [""] * 4 and not boards.quarantined
    measured = fleet_jobs.measured(job("diff"), "a", reference_ns=5000)
    table = fleet.tabulate([fleet.Outcome(measured.job, measured, boards.suspicion(measured, ("a", "b")), ())])
    assert table.passed and table.cells[0].exact


@pytest.mark.parametrize(("busy", "problems"), [("load 9 on 2 processors", ()), ("", ("the reference task took 2.00x its fastest time on a",))])
def test_what_is_slower_on_a_busy_board_proves_nothing(busy: str, problems: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told, and ends with 3 instead of 4 where load is all that is known."""
    command = importlib.import_module("tvmq_delegate.cli.fleet")
    monkeypatch.setattr("tvmq_delegate.measure.statistic.load", lambda: "9.00" if busy else "")
    monkeypatch.setattr("tvmq_delegate.fleet.work._in_time", lambda *_: ({"ms": {"tvmq": 2.0}, "taken": 1, "nodes": 1}, ""))
    measured = work.perform(dataclasses.replace(job("bench"), sha256=hashlib.sha256(b"").hexdigest()), b"", "a")
    assert bool(measured.busy) == bool(busy) and measured.busy.startswith("load 9 on ") == bool(busy)
    (cell,) = fleet.tabulate([fleet.Outcome(measured.job, measured, "".join(problems), ())]).cells
    for doubted in (cell, dataclasses.replace(cell, busy="", problems=())):
        (regression,) = fleet.regressions({(cell.sha256, "a", 1): 1.0}, fleet.Table((doubted,)), 10)
        assert report.slower([regression]).startswith("SLOWER") == (not doubted.doubts)
        found = fleet.Table((doubted,))
        monkeypatch.setattr(command, "_table", lambda *_, table=found, **__: table)
        monkeypatch.setattr(fleet, "earlier", lambda _: {(cell.sha256, "a", 1): 1.0})
        code = tvmq("fleet", "bench", "local", "m", "--compare", __file__).exit_code
        assert code == (1 if doubted.problems else 3 if doubted.busy else 4)


@pytest.mark.parametrize("kind", ["bench", "tune"])
def test_the_last_board_is_warned_about_and_kept(kind: str) -> None:
    boards = fleet.Boards(None)
    said = suspicions(boards, kind, ("a",))
    assert said[0] == "" and all("5.00x its fastest time on a" in text for text in said[1:]) and not boards.quarantined
    boards.quarantine("b", "hot")
    suspicions(boards, kind, ("a", "b"))
    assert "a" not in boards.quarantined  # the other one is there, but does no work
    suspicions(boards, kind, ("a", "b", "c"))
    assert "a" in boards.quarantined
