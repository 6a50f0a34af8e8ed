"""tools/attack: what it counts, and that it goes on where it was stopped."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import harness
import pytest

sys.path.insert(0, str(harness.REPOSITORY / "tools"))
from attacker import shards, totals


def shard(kind: str, seed: int, output: str, code: int = 0) -> shards.Shard:
    return shards.Shard(kind, "auto", "", seed, 1.5, code, shards.KINDS[kind].counts(output), shards.KINDS[kind].failed(output))


def test_counts() -> None:
    operators = shard("operators", 1, "seed 1\n100 inputs: 60 claimed, 40 refused, 437 outputs compared, 300 of them forced\n")
    hostile = "hostile models: same: 1,200\nhostile models: nodes claimed: 30\nFAILED tests/python/test_hostile.py::test_hostile[x] - no\n"
    mutants = shard("mutants", 1, hostile, 1)
    assert operators.counts == {"operators compared": 60, "operators refused": 40, "outputs of operators": 437} and not operators.failed
    assert mutants.failed == ["tests/python/test_hostile.py::test_hostile[x] - no"] and totals.line(mutants).endswith(f"FAILED {mutants.failed[0]}")
    assert "60 models  ok" in totals.line(operators) and "1,200 models" in totals.line(mutants)
    died = shard("operators", 2, "seed 2\nconv ...\nbyte 1 of 2: got 0x1, want 0x2\nAborted\nrepeat: fuzz --seed 2 --first 7 --runs 1\n", -6)
    assert died.failed == ["fuzz --seed 2 --first 7 --runs 1"] and not died.counts


def test_a_stopped_run_goes_on(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    state = shards.State(tmp_path / "attack")
    assert state.read() == [] and state.next_seed("lives", "auto", "") == 1
    state.add(shard("lives", 1, ""))
    with state.path.open("a") as stream:
        stream.write('{"kind": "lives", "isa"')  # the process was killed within a line
    state.add(shard("lives", 2, ""))
    assert [found.seed for found in state.read()] == [1, 2] and "no shard" in capsys.readouterr().err
    assert state.next_seed("lives", "auto", "") == 3 and state.next_seed("lives", "c", "") == 1
    assert "0.00" in totals.table(state.read())


def test_nobody_reads_the_lines(tmp_path: pathlib.Path) -> None:
    command = [sys.executable, str(harness.REPOSITORY / "tools/attack"), "--totals", "--state", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout and process.stderr
        process.stdout.close()
        assert process.stderr.read() == b"" and process.wait() == 1
