"""Progress: the time that remains is that of the phase that goes on, and fractions never fall within one."""

from __future__ import annotations

import importlib
import pathlib
import re
import sys
import time
import types
from typing import Any

import harness
import pytest
import rich.progress

from tvmq_delegate.cli import command
from tvmq_delegate.reports import screen
from tvmq_delegate.tuning import search


def test_the_time_that_remains_goes_down(monkeypatch: pytest.MonkeyPatch) -> None:
    """A short phase, and then one of a minute."""
    now, bars = [0.0], []

    class Bar(rich.progress.Progress):
        def __init__(self, *columns: Any, **given: Any):
            super().__init__(*columns, **{**given, "get_time": lambda: now[0], "auto_refresh": False})
            bars.append(self)

    monkeypatch.setattr(rich.progress, "Progress", Bar)
    monkeypatch.setattr(screen, "is_terminal", lambda stream: True)
    left = []
    with command.progress() as tell:
        for n in range(6):
            now[0] = 0.1 * n
            tell(n / 5, "warming up")
        for n in range(61):
            now[0] = 1.0 + n
            tell(n / 60, "running")
            left.append(bars[0].tasks[0].time_remaining)
    known = [seconds for seconds in left if seconds is not None]
    assert len(known) > 50 and known == sorted(known, reverse=True) and 50 <= known[0] <= 60 and known[-1] <= 1


def test_fractions_of_tune_never_fall() -> None:
    told = []
    found = search.Search.__new__(search.Search)
    found.network, found.trials, found.default_ns = types.SimpleNamespace(tasks=[]), {}, {}
    found.follow, found.phase, found.told = told.append, "", 0.0
    for what, fractions in (("searching", (0.12, 0.06, 0.03, 0.5)), ("proving", (0.0, 0.4))):
        for fraction in fractions:
            found.tell(fraction, what)
    assert [now.fraction for now in told] == [0.12, 0.12, 0.12, 0.5, 0.0, 0.4]


def test_a_build_counts_its_files(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As ninja notes them; only on a terminal, and nothing stays of it there."""
    monkeypatch.syspath_prepend(harness.REPOSITORY / "tools")
    monkeypatch.setitem(sys.modules, "mesonpy", types.ModuleType("mesonpy"))
    monkeypatch.delitem(sys.modules, "build_backend", raising=False)
    backend = importlib.import_module("build_backend")
    monkeypatch.setattr(backend, "SECONDS", 0.01)
    folder, terminal = tmp_path / "build", tmp_path / "tty"
    folder.mkdir()
    with backend.counted(str(folder), str(terminal)):
        (folder / "build.ninja").write_text("".join(f"build a/{n}.c.o: c ../{n}.c\n" for n in range(7)) + "build lib.so: link a/0.c.o\n")
        for n in range(3):
            with open(folder / ".ninja_log", "a") as log:
                log.write(("# ninja log v7\n" if n == 0 else "") + f"1\t2\t3\ta/{n}.c.o\tf\n" + "1\t2\t3\tlib.so\tf\n" * (n == 2))
            deadline = time.monotonic() + 60
            while f"{n + 1} of 7 files" not in terminal.read_text() and time.monotonic() < deadline:
                time.sleep(0.01)
    counts = [int(count) for count in re.findall(r"(\d+) of 7 files", terminal.read_text())]
    assert counts == sorted(counts) and {1, 2, 3} <= {*counts} and terminal.read_text().endswith("\x1b7\x1b[K\x1b8")
    with backend.counted(str(folder), str(tmp_path / "none/tty")), backend.counted(None, str(tmp_path / "unused")):
        pass
    assert not (tmp_path / "unused").exists()
    monkeypatch.delitem(sys.modules, "build_backend")
