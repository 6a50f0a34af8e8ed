"""A slow reference task: it says that times are not to be trusted, nothing of exactness, and it leaves the last board at work."""

from __future__ import annotations

from typing import Any

import pytest

fleet = pytest.importorskip("tvmq_delegate.fleet")

import fleet_jobs  # noqa: E402  which needs dask, too


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
