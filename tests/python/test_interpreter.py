"""tvmq_delegate.Interpreter: one line from a model to an interpreter with the delegate in it."""

from __future__ import annotations

import pathlib

import builders
import harness
import pytest

import tvmq_delegate
from tvmq_delegate import models


def test_it_runs_and_reports(runtime: harness.Runtime, tmp_path: pathlib.Path) -> None:
    content = builders.build_conv()
    (tmp_path / "conv.tflite").write_bytes(content)
    with tvmq_delegate.Interpreter(tmp_path / "conv.tflite", runtime=runtime.name, num_threads=2, profile=True) as interpreter:
        values = harness.random_inputs(interpreter, 1)  # the runtime's own methods
        harness.assert_equal(interpreter.run(*values)[0], harness.run(runtime.interpreter(content), *values)[0])
        (node,) = interpreter.report().nodes
        assert node.claimed and [profiled.timing.count for profiled in interpreter.profile(reset=True)] == [1] and interpreter.profile() == []
        for arrays in ([], [*values, *values]):
            with pytest.raises(ValueError, match=rf"the model takes 1 input \('input'\), not {len(arrays)}"):
                interpreter.run(*arrays)
        with pytest.raises(AttributeError, match="no_such"):
            interpreter.no_such()
    with pytest.raises(AttributeError, match="closed"):
        interpreter.invoke()


def test_the_model_has_the_names_that_the_runtimes_give_it(runtime: harness.Runtime, tmp_path: pathlib.Path) -> None:
    content = builders.build_conv()
    (tmp_path / "conv.tflite").write_bytes(content)
    for named in ({"model_path": tmp_path / "conv.tflite"}, {"model_content": content}):
        assert tvmq_delegate.Interpreter(**named, runtime=runtime.name).report().summary.claimed == 1
    for named in ({}, {"model_path": tmp_path / "conv.tflite", "model_content": content}):
        with pytest.raises(ValueError, match="one of model_path and model_content"):
            tvmq_delegate.Interpreter(**named, runtime=runtime.name)


def test_what_it_refuses(runtime: harness.Runtime, tmp_path: pathlib.Path) -> None:
    with pytest.raises(FileNotFoundError):
        tvmq_delegate.Interpreter(tmp_path / "none.tflite", runtime=runtime.name)
    with pytest.raises(models.ModelError):
        tvmq_delegate.Interpreter(builders.build_conv()[:100], runtime=runtime.name)
    with pytest.raises(TypeError, match="a runtime is given by its name or as a module, not as int"):
        tvmq_delegate.load(runtime=3)
    with pytest.raises(ValueError, match="isa"):
        tvmq_delegate.Interpreter(builders.build_conv(), runtime=runtime.name, isa="absent")


@pytest.mark.parametrize("options", [{}, {"profile": False}, {"profile": "false"}])
def test_times_that_nobody_keeps_are_not_asked_for(runtime: harness.Runtime, options: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="profile=True"):
        tvmq_delegate.profile(runtime.load(**options))
