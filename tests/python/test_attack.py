"""tools/attack: what it counts, and that it goes on where it was stopped."""

from __future__ import annotations

import dataclasses
import pathlib
import random
import subprocess
import sys

import harness
import pytest

from tvmq_delegate.models import surgery

sys.path.insert(0, str(harness.REPOSITORY / "tools"))
from attacker import layers, shards, totals


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


def test_every_kind_has_tests() -> None:
    """Each kind of pytest names tests that there are, and hands on the folder of networks that it is given."""
    target = shards.Target(None, None, None, pathlib.Path("networks"))
    kinds = {kind: run for kind, run in shards.KINDS.items() if isinstance(run, shards.Tests)}
    assert {run.command(target, "auto", 7)[1]["TVMQ_MODELS"] for run in kinds.values()} == {str(pathlib.Path("networks").resolve())}
    wanted = {name for run in kinds.values() for name in run.tests}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--collect-only", *(str(shards.TESTS / name) for name in sorted(wanted))]
    done = subprocess.run(command, cwd=harness.REPOSITORY, check=False, capture_output=True, text=True)
    found = {line.partition("[")[0].removeprefix("tests/python/") for line in done.stdout.splitlines() if "::" in line}
    missing = {name for name in wanted if not found & {name} and not any(test.startswith(f"{name}::") for test in found)}
    assert done.returncode == 0 and not missing, f"{missing}: {done.stdout[-1000:]}{done.stderr[-1000:]}"


def test_a_shard_of_damaged_models(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, one_conv: pathlib.Path) -> None:
    """The kinds that damage networks, with few models of a folder that is given: all are judged, and nothing is left of those that pass."""
    if not harness.installed():
        pytest.skip("no TFLite runtime is installed")
    monkeypatch.setenv("TVMQ_RUNTIME", harness.installed()[0].name)
    target = shards.Target(None, None, None, one_conv.parent)
    monkeypatch.setitem(shards.KINDS, "networks", dataclasses.replace(shards.KINDS["networks"], damaged=2))
    shard = shards.run(shards.State(tmp_path), target, "networks", "auto")
    judged = sum(n for name, n in shard.counts.items() if totals.is_verdict(name))
    assert not shard.failed and judged == 2 * 2, shard


def test_layers_are_read_as_they_were_built() -> None:
    """A layer of each kind that was counted becomes a model of one node, which is that layer."""
    counted = {layer.build: layer for _, _, layer in layers.read()}
    assert counted.keys() == layers.BUILDERS.keys()
    for layer in counted.values():
        (op,) = surgery.ops(layer.model())
        again = layers.of(op)
        assert again is not None and again.model() == layer.model(), (layer, again)


def test_layers_vary() -> None:
    """Half of the drawn layers were counted, the others vary them; a simpler layer has less of something."""
    speed = pytest.importorskip("attacker.speed", reason="LiteRT, the peer of the attack on speed, is not installed")
    draw = random.Random(5)
    drawn = [speed.drawn(draw, layers.read()) for _ in range(100)]
    counted = {str(layer) for _, _, layer in layers.read()}
    assert 20 < sum(str(layer) in counted for layer in drawn) < 80
    for layer in drawn:
        assert all(str(simpler) != str(layer) for simpler in speed.simpler(layer))
    pair = layers.Layer("binary", {"shape": [1, 8, 8, 16], "other_shape": [8, 1, 16], "dtype": "int8", "constant": False})
    assert speed.changed(pair, "shape", 3, 5).parameters["other_shape"] == [8, 1, 5]
    assert speed.changed(pair, "shape", 2, 5).parameters["other_shape"] == [8, 1, 16]


def test_speed_counts(tmp_path: pathlib.Path) -> None:
    """A shard of the attack on speed runs and counts; figures are no verdict."""
    pytest.importorskip("ai_edge_litert", reason="LiteRT, the peer of the attack on speed, is not installed")
    run = shards.KINDS["speed"]
    command, environment = dataclasses.replace(run, layers=4).command(shards.Target(None, None, None, None, tmp_path), "auto", 3)
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    counts = run.counts(done.stdout)
    assert counts["layers compared in speed"] + sum(n for name, n in counts.items() if "not timed" in name) == 4 and not run.failed(done.stdout)
