"""A fleet of a machine and two emulated boards without Python, of different levels: run by tools/arm/test, where the emulator is."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
from collections.abc import Iterator

import pytest

import crossbuild
import environment

sys.path.append(str(environment.REPOSITORY / "tests/python"))
pytest.importorskip("distributed", reason="dask's distributed is not installed: pip install distributed cryptography")

from test_fleet import connected, scheduler  # noqa: E402

from tvmq_delegate import fleet, tuning  # noqa: E402
from tvmq_delegate.models import zoo  # noqa: E402

PROGRAM = "delegate/measure/tvmq-measure-static"
LEVELS = ("neon", "dotprod")


@pytest.fixture(scope="module")
def boards() -> Iterator[fleet.Boards]:
    program = crossbuild.built("tvmq-measure-static", PROGRAM)
    vias = {level: ["--via", f"qemu-aarch64 -cpu {environment.LEVELS[level]}", "--measure", program] for level in LEVELS}
    settings = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with scheduler() as address:
        command = [sys.executable, "-m", "tvmq_delegate", "board", address, "--name"]
        processes = [subprocess.Popen([*command, name, *arguments], env=settings) for name, arguments in {"host": [], **vias}.items()]
        try:
            with connected(address) as found:
                found.grace_secs = 60.0
                found.spread = 100.0  # whatever else runs here: emulated boards share this machine
                yield found
        finally:
            for process in processes:
                process.kill()
                process.wait()


def test_network_table(boards: fleet.Boards, tmp_path: pathlib.Path) -> None:
    """The same bits on all three."""
    path = tmp_path / "small.tflite"
    path.write_bytes(zoo.load("mobilenet_v1_0.25_32"))
    listed = {item.name: item for item in boards.listed()}
    assert {name: listed[name].isa for name in LEVELS} == {level: level for level in LEVELS} and "A53" in listed["neon"].cpu
    table = fleet.tabulate(boards.run(fleet.jobs([path], [*listed.values()], seconds=120)))
    assert len(table.cells) == 3 and all(cell.exact and not cell.different for cell in table.cells), table
    assert all(cell.ms["tvmq"] > 0 for cell in table.cells), table


def test_two_kinds_tune_at_once(boards: fleet.Boards, tmp_path: pathlib.Path) -> None:
    path, out = tmp_path / "small.tflite", tmp_path / "records.jsonl"
    path.write_bytes(zoo.load("mobilenet_v1_0.25_32"))
    found = fleet.tune(boards, [path], [item for item in boards.listed() if item.name in LEVELS], out=out, trials=2, seconds=200)
    records, skipped = tuning.read_records([out])
    assert [len(each.boards) for each in found] == [1, 1] and not skipped and not any(each.problems for each in found), found
    assert {record.origin.features for record in records} == {"neon", "neon+dotprod"}
    assert all(f"cpu={record.origin.features} " in record.task for record in records)
