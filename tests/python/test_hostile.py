"""Malformed and hostile models: the delegate crashes on none that the runtime survives alone, and what runs gives the reference's answer."""

from __future__ import annotations

import collections
import functools
import json
import os
import pathlib
import random
import subprocess
from collections.abc import Callable, Iterator, Sequence

import damage
import harness
import hostile_models
import pytest
import test_compiled_model
import tflite
from hostile_models import MODELS

from tvmq_delegate import models

PER_MODEL = int(os.environ.get("TVMQ_HOSTILE_COUNT") or (6 if harness.SLOW else 12))
AT_A_TIME = 25
NOT_REPEATED = "keep_num_dims with per-channel scales"  # of FULLY_CONNECTED, for which runtimes read past the scales: the heap decides
SEED = int(os.environ.get("TVMQ_HOSTILE_SEED", "1"))


@pytest.fixture(scope="session")
def outcomes(runtime: harness.Runtime) -> Iterator[Callable[..., list[dict]]]:
    """Outcomes of models in one contender, from hostile.py: a process that forks for them with the runtime imported."""
    environment = {**os.environ, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":allocator_may_return_null=1"}
    command = [*harness.PYTHON, str(pathlib.Path(__file__).with_name("hostile.py")), runtime.name]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment) as process:

        def ask(contender: str, paths: list[pathlib.Path], *, together: bool = False, fill: int = 0) -> list[dict]:
            job = {"contender": contender, "paths": [*map(str, paths)], "together": together, "fill": fill}
            print(json.dumps(job), file=process.stdin, flush=True)
            lines = [process.stdout.readline() for _ in paths]
            assert all(lines), "hostile.py itself has died"
            return [*map(json.loads, lines)]

        yield ask
        process.stdin.close()


def alike(a: dict, b: dict) -> bool:
    return a["outcome"] == b["outcome"] and a.get("digest") == b.get("digest")


def points_behind_its_end(path: pathlib.Path) -> bool:
    try:
        models.ops(path.read_bytes())
    except models.ModelError as error:
        return "lie outside the file" in str(error)
    return False


def depends_on_memory(outcomes: Callable[..., list[dict]], path: pathlib.Path, contender: str, alone: dict) -> bool:
    """Whether what the runtime alone gives depends on what its memory is filled with before: it gave `alone` with memory as it was, zeros in most places."""
    filled = (outcomes(contender, [path], fill=fill) for fill in (1, 60, 128, 254))  # far apart: functions of a byte saturate
    return not all(alike(alone, outcome) for (outcome,) in filled)


def verdict(outcomes: Callable[..., list[dict]], path: pathlib.Path, alone: dict, delegated: dict, contender: str = "reference") -> str | None:
    """How the outcome with the delegate is judged against that of a contender without; None: it has done harm."""
    if alike(alone, delegated):
        return delegated["outcome"]
    if alone["outcome"] == "died":
        return "died without the delegate only"
    if alone["outcome"] != "ran" and delegated["outcome"] != "died":
        return "refused or too slow, ran with the delegate"
    # A runtime that does not verify its files reads past their end, and what it finds there differs from run to run.
    if delegated["outcome"] in ("died", "refused") and not delegated["offered"]:
        return f"{delegated['outcome']} before the runtime came to the delegate"
    runtimes_own = delegated["outcome"] in ("ran", "refused") and not delegated.get("claimed") and "tvmq-delegate" not in delegated.get("why", "")
    if runtimes_own and points_behind_its_end(path):
        return "nothing claimed, and decided by what lies behind the file"
    if delegated["outcome"] == "ran" and any(reason.startswith(NOT_REPEATED) for reason in delegated["left"]):
        return "decided by what lies behind a tensor's scales, which the runtime reads"
    if delegated["outcome"] in ("ran", "refused") and depends_on_memory(outcomes, path, contender, alone):
        return "depending, without the delegate, on what memory held before"
    repeated = outcomes(contender, [path] * 30)
    if any(alike(again, delegated) for again in repeated) or not all(alike(again, alone) for again in repeated):
        return "changing from run to run without the delegate"
    # Shapes that lie come to light when the runtime computes them, which is after nodes are claimed: an error that says so.
    if delegated["outcome"] == "refused" and "tvmq-delegate: node" in delegated["why"]:
        return "refused by a claimed node whose shape in the file was a lie"
    return None


def returns_an_input(path: pathlib.Path) -> bool:
    """Whether an output of the main graph is also an input. CompiledModel gives such a tensor the output's buffer, so that its input is never read."""
    graph = tflite.Model.GetRootAs(path.read_bytes(), 0).Subgraphs(0)
    return bool({*graph.InputsAsNumpy()} & {*graph.OutputsAsNumpy()})


def compiled_verdict(outcomes: Callable[..., list[dict]], path: pathlib.Path, alone: dict, delegated: dict) -> str | None:
    """As verdict(), of a CompiledModel, which refuses and survives other models than an interpreter, and rounds otherwise what the delegate leaves."""
    both_ran = alone["outcome"] == delegated["outcome"] == "ran"
    if both_ran and not delegated["whole"]:
        return "ran, computed in part by kernels that round otherwise"
    if both_ran and not alike(alone, delegated) and returns_an_input(path):
        return "ran, without an input that is also an output"
    found = verdict(outcomes, path, alone, delegated)
    if found or both_ran:
        return found
    (stock,) = outcomes("compiled", [path])
    return verdict(outcomes, path, stock, delegated, "compiled")


def network_verdict(outcomes: Callable[..., list[dict]], path: pathlib.Path, alone: dict, network: dict) -> str | None:
    """As verdict(), of a Network, which may refuse what a runtime takes. That the runtime dies does not excuse it."""
    if network["outcome"] == "refused" and network["why"]:
        return "refused without a runtime"
    return verdict(outcomes, path, alone, network) if network["outcome"] != "died" else None


def attack(outcomes: Callable[..., list[dict]], paths: list[pathlib.Path], judge: Callable[..., str | None] = verdict, ours: str = "delegated") -> None:
    """Runs models with the delegate and without, and counts the verdicts. The files that pass are removed."""
    seen = collections.Counter()
    for path, alone, delegated in zip(paths, outcomes("reference", paths, together=True), outcomes(ours, paths, together=True), strict=True):
        if not alike(alone, delegated):  # because of one before it, maybe
            (alone,), (delegated,) = (outcomes(contender, [path]) for contender in ("reference", ours))
        judged = judge(outcomes, path, alone, delegated)
        assert judged, f"{path} (TVMQ_HOSTILE_SEED={SEED}): {alone} without the delegate, {delegated} with it"
        path.unlink()
        seen[judged] += 1
        seen["ran, nodes claimed"] += delegated.get("claimed", 0)
    for outcome, n in seen.items():
        harness.counts[f"hostile models: {outcome}"] += n


@pytest.mark.parametrize("harm", damage.DAMAGES, ids=lambda harm: harm.__name__)
@pytest.mark.parametrize("name", MODELS)
def test_hostile(outcomes, name, harm, tmp_path):
    rng = random.Random(f"{SEED} {name} {harm.__name__}")
    content = MODELS[name]()
    paths = [tmp_path / f"{i}.tflite" for i in range(PER_MODEL)]
    for path in paths:
        path.write_bytes(harm(content, rng))
    attack(outcomes, paths)


Source = Callable[[random.Random], bytes]  # of models to damage


def damaged(rng: random.Random, sources: Sequence[Source], harm: Callable[[bytes, random.Random], bytes], folder: pathlib.Path) -> Iterator[list[pathlib.Path]]:
    """Files of PER_MODEL damaged models, each of a source that is drawn, a few at a time: those of networks are large."""
    for first in range(0, PER_MODEL, AT_A_TIME):
        paths = [folder / f"{i}.tflite" for i in range(first, min(first + AT_A_TIME, PER_MODEL))]
        for path in paths:
            path.write_bytes(harm(rng.choice(sources)(rng), rng))
        yield paths


def networks_in(folder: pathlib.Path) -> list[Source]:
    return [functools.partial(hostile_models.piece, path) for path in hostile_models.networks(folder)]


@pytest.mark.parametrize("harm", [damage.rewritten, damage.restructured], ids=lambda harm: harm.__name__)  # most bytes are weights, which may be any
def test_networks(outcomes, networks, harm, tmp_path):
    for paths in damaged(random.Random(f"{SEED} networks {harm.__name__}"), networks_in(networks), harm, tmp_path):
        attack(outcomes, paths)


@pytest.mark.parametrize("harm", [pytest.param(harm, marks=test_compiled_model.pytestmark, id=harm.__name__) for harm in damage.DAMAGES])
def test_compiled_models(runtime, outcomes, harm, tmp_path):
    """In LiteRT's CompiledModel: real networks, if there are any, and the small models."""
    if runtime.name != "ai_edge_litert":
        pytest.skip("CompiledModel is LiteRT's")
    small = [lambda rng, build=build: build() for build in MODELS.values()]
    large = networks_in(harness.MODELS) if harm in (damage.rewritten, damage.restructured) else []
    for paths in damaged(random.Random(f"{SEED} compiled {harm.__name__}"), small + large, harm, tmp_path):
        attack(outcomes, paths, compiled_verdict, "compiled and delegated")


@pytest.mark.parametrize("harm", damage.DAMAGES, ids=lambda harm: harm.__name__)
def test_networks_without_a_runtime(outcomes, harm, tmp_path):
    """Small models, which are damaged where it matters, and real networks, if there are any."""
    small = [lambda rng, build=build: build() for build in MODELS.values()]
    large = networks_in(harness.MODELS) if harm in (damage.rewritten, damage.restructured) else []
    for paths in damaged(random.Random(f"{SEED} without a runtime {harm.__name__}"), small + large, harm, tmp_path):
        attack(outcomes, paths, network_verdict, "network")
