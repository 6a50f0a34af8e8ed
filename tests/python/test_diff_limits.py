"""`tvmq diff` at its limits: computed shapes, kernels that end the process, a reference that is not steady."""

from __future__ import annotations

import math
import os
import pathlib
import shlex
import signal
from collections.abc import Callable

import harness
import numpy as np
import pytest
from test_cli import refuses, tvmq
from test_values import bilinear, tiled, upsampled

import tvmq_delegate
from tvmq_delegate import measure, models
from tvmq_delegate.accuracy import compare
from tvmq_delegate.models import builder as building
from tvmq_delegate.models import flatbuffer, zoo
from tvmq_delegate.sessions import inputs


@pytest.mark.parametrize("network", [upsampled, tiled, bilinear])
def test_networks_that_compute_a_shape(runtime: harness.Runtime, network: Callable[[], bytes]) -> None:
    """A node of computed sizes is cut out with the nodes that compute these, and every node is compared alone."""
    source = network()
    found = tvmq_delegate.diff(source, runtime=runtime.name, per_op=True, samples=inputs.random(inputs.describe(source, runtime.module), 2))
    count = len(models.ops(source))
    assert found.passed and not found.uncompared and found.taken == found.compared("tvmq") == count == len({op.index for op in found.ops})
    assert max(len(op.nodes) for op in found.ops) >= 3


def test_signatures_are_not_compared(one_conv: pathlib.Path) -> None:
    """Those that newer converters write have fields that the installed schema lacks, and could not be written."""
    file = flatbuffer.read(one_conv.read_bytes())
    file.signature_defs = (flatbuffer.Record(signature_key=b"serve"),)
    assert models.expose(flatbuffer.write(file)) == models.expose(one_conv)


class Dying(compare.Comparing):
    """A comparison in which a kernel of the reference ends the process."""

    def step(self) -> tuple[float, str] | None:
        told = super().step()
        if told and told[1].startswith("tvmq: "):
            os.kill(os.getpid(), signal.SIGABRT)
        return told


def test_a_kernel_that_ends_the_process(runtime: harness.Runtime, one_conv: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It ends that of the comparison; the command says what was running."""
    monkeypatch.setattr(compare, "Comparing", Dying)
    told = refuses("diff", one_conv, "--runtime", runtime.name)
    assert told.rstrip().endswith("reference: uniform, seed 0: the process of the comparison was ended by SIGABRT")


@pytest.mark.parametrize("limits", [{"max_lsb": math.nan}, {"max_abs": math.nan}, {"max_lsb": -1}])
def test_limits_are_numbers(runtime: harness.Runtime, one_conv: pathlib.Path, limits: dict[str, float]) -> None:
    """Nothing is greater than NaN, so that it would allow every difference."""
    with pytest.raises(ValueError, match="max_lsb and max_abs are 0 or more"):
        tvmq_delegate.diff(one_conv, runtime=runtime.name, **limits)
    for name, value in limits.items():
        assert str(value) in refuses("diff", one_conv, "--runtime", runtime.name, f"--{name.replace('_', '-')}={value}")


def test_no_change_is_slower_by_nan(tmp_path: pathlib.Path) -> None:
    with pytest.raises(ValueError, match="0 or more, not nan"):
        measure.Comparison("a", "b", (), (), ()).slower(math.nan)
    assert "nan" in refuses("bench", "--fail-above", "nan", "--compare", tmp_path / "a", tmp_path / "b")


def test_a_replay_runs_the_node_as_it_was_run_alone(runtime: harness.Runtime, one_conv: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """By the delegate wholly, although the options of the whole network would leave it to the runtime."""
    source = zoo.mobilenet_v1(width=0.25, resolution=32)
    samples = inputs.random(inputs.describe(source, runtime.module), 1)
    options = {"rounding": "single", "min_nodes_per_partition": 2}
    found = tvmq_delegate.diff(source, runtime=runtime.name, samples=samples, save_failing=tmp_path, **options)
    result = tvmq(*shlex.split(found.replays[0])[1:])
    assert result.exit_code == 1 and result.output.splitlines()[-1].startswith("DIFFERENT: "), result.output


def unsteady() -> bytes:
    """An output of random numbers, and one that is steady."""
    builder = models.ModelBuilder()
    source, flat = (builder.add_tensor(name, (1, 8), "int8", scale=0.1) for name in ("source", "flat"))
    shape = builder.add_tensor("shape", (1,), "int32", data=np.array([8], np.int32))
    drawn = builder.add_tensor("drawn", (8,), "float32")
    builder.add_op("RELU", [source], [flat])
    builder.add_op("RANDOM_UNIFORM", [shape], [drawn])
    return builder.build([source], [flat, drawn])


def test_a_reference_that_differs_from_itself(runtime: harness.Runtime, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The others are not blamed for it, and what is steady is compared all the same."""
    monkeypatch.setitem(building.OPERATORS, "RANDOM_UNIFORM", ("RandomOptions", {}))
    source = unsteady()
    found = tvmq_delegate.diff(source, runtime=runtime.name, samples=inputs.random(inputs.describe(source, runtime.module), 2))
    assert found.passed and found.inconclusive and found.unsteady == ("drawn",)
    assert "reference differs from itself between two runs on the same input, so that nothing is said of drawn" in found.verdict
    assert found.verdict.endswith("tvmq (1 of 2 nodes) is bit-exact; end to end, its reference kernels ran the 1 node left to the runtime")
    (tmp_path / "net.tflite").write_bytes(source)
    result = tvmq("diff", tmp_path / "net.tflite", "--runtime", runtime.name)
    assert result.exit_code == 3 and result.output.splitlines()[-1].startswith("NOT COMPARABLE: ")


@pytest.mark.parametrize("arguments", [("--std", "0"), ("--std", "nan"), ("--mean", "inf")])
def test_images_take_finite_numbers(runtime: harness.Runtime, tmp_path: pathlib.Path, arguments: tuple[str, str]) -> None:
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    image.fromarray(np.zeros((8, 8, 3), np.uint8)).save(tmp_path / "a.png")
    (tmp_path / "net.tflite").write_bytes(zoo.mobilenet_v1(width=0.25, resolution=32, classes=3))
    told = refuses("diff", tmp_path / "net.tflite", "--runtime", runtime.name, "--images", tmp_path, *arguments)
    assert "mean and std are finite numbers, and std is not 0" in told


@pytest.mark.parametrize("arguments", [("--seed", "1"), ("--num-runs", "2"), ("--distribution", "uniform")])
def test_what_is_for_random_inputs_is_refused_beside_others(one_conv: pathlib.Path, arguments: tuple[str, str]) -> None:
    assert f"{arguments[0]} is for random inputs" in refuses("diff", one_conv, "--input", "absent.npz", *arguments)
