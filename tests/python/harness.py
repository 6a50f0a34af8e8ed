"""Interpreters with and without the delegate, in every TFLite runtime that is installed; what all the tests share."""

from __future__ import annotations

import collections
import dataclasses
import functools
import os
import pathlib
import shlex
import shutil
import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import tvmq_delegate
from tvmq_delegate.binding import reference

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
MODELS = pathlib.Path(os.environ.get("TVMQ_MODELS") or REPOSITORY.parent / "shared/models")
PYTHON = shlex.split(os.environ.get("TVMQ_PYTHON") or shlex.quote(sys.executable))  # to start another one, emulated or not
OPTIONS = dict(item.split("=", 1) for item in os.environ.get("TVMQ_OPTIONS", "").split(",") if item)  # of every delegate that does not set them
EMULATED = "TVMQ_PYTHON" in os.environ
# A sanitizer's allocator keeps freed memory, and its clock is slow.
SANITIZED = any(name in pathlib.Path("/proc/self/maps").read_text(encoding="utf-8") for name in ("libasan", "libtsan", "libclang_rt"))
SLOW = EMULATED or SANITIZED

NEEDS_CPP = pytest.mark.skipif(EMULATED or shutil.which("c++") is None, reason="there is no C++ compiler (apt-get install g++), or it is this machine's")
NEEDS_CMAKE = pytest.mark.skipif(shutil.which("cmake") is None, reason="cmake is not installed (pip install cmake)")

# Shown at the end of a run.
counts: collections.Counter[str] = collections.Counter()
tables: collections.defaultdict[str, dict[str, str]] = collections.defaultdict(dict)


@dataclasses.dataclass(frozen=True)
class Runtime:
    """One TFLite runtime of this process."""

    name: str
    module: ModuleType

    def interpreter(
        self, model: bytes | str, delegates: list[Any] | None = None, resolver: str = "BUILTIN_REF", num_threads: int | None = 1, **options: Any
    ) -> Any:
        """An interpreter of a model, or of the file of that name, with its tensors allocated."""
        source = {"model_path": model} if isinstance(model, str) else {"model_content": bytes(model)}
        interpreter = self.module.Interpreter(
            **source, experimental_delegates=delegates, num_threads=num_threads, experimental_op_resolver_type=self.module.OpResolverType[resolver], **options
        )
        interpreter.allocate_tensors()
        return interpreter

    def load(self, **options: Any) -> Any:
        """A delegate that takes what it can, whether that pays or not."""
        return tvmq_delegate.load(runtime=self.name, **{"min_nodes_per_partition": 1, **OPTIONS, **options})


@functools.cache
def installed() -> list[Runtime]:
    """Every runtime that this Python has, all of them in one process; if TVMQ_RUNTIME names one, that one alone."""
    wanted = os.environ.get("TVMQ_RUNTIME")
    names = [name for name in tvmq_delegate.binding.runtimes.installed() if wanted in (None, "", name)]
    return [Runtime(name, tvmq_delegate.binding.runtimes.find(name)) for name in names]


def run(interpreter: Any, *inputs: np.ndarray) -> list[np.ndarray]:
    """Feeds and invokes an interpreter whose tensors are allocated; the outputs, copied."""
    for detail, value in zip(interpreter.get_input_details(), inputs, strict=True):
        interpreter.set_tensor(detail["index"], value)
    interpreter.invoke()
    return [interpreter.get_tensor(detail["index"]) for detail in interpreter.get_output_details()]


def assert_claimed(delegate: Any) -> None:
    """Every node of the model was taken."""
    nodes = tvmq_delegate.report(delegate).nodes
    refused = [f"{node.op} {node.node}: {node.reason}" for node in nodes if not node.claimed]
    assert nodes and not refused, "; ".join(refused) or "no node was offered"


def need_hybrid(runtime: Runtime) -> None:
    """Skips the test where the delegate leaves hybrid layers to the runtime."""
    if reference.found("hybrid", runtime.module) == "auto":
        pytest.skip("the runtime's kernels of hybrid layers are none of those that are known")


def depends_on_build(delegate: Any) -> bool:
    """Whether a node was left to the runtime because its results depend on how the runtime was compiled, as some do with scales drawn at random; counted."""
    found = any("on how the runtime was compiled" in node.reason for node in tvmq_delegate.report(delegate).nodes)
    counts["random models that depend on how the runtime was compiled"] += found
    return found


def assert_refused(runtime: Runtime, model: bytes, reason: str) -> None:
    """The model's one node was left to the runtime, for a reason that says so."""
    delegate = runtime.load()
    runtime.interpreter(model, [delegate])
    (node,) = tvmq_delegate.report(delegate).nodes
    assert not node.claimed and reason in node.reason, node.reason


def random_tensor(generator: np.random.Generator, shape: Any, dtype: Any) -> np.ndarray:
    """Every value of an integer type, or floats around zero."""
    if np.issubdtype(dtype, np.integer):
        info = np.iinfo(dtype)
        return generator.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)
    return generator.standard_normal(shape).astype(dtype)


def random_inputs(interpreter: Any, seed: int) -> list[np.ndarray]:
    generator = np.random.default_rng(seed)
    return [random_tensor(generator, detail["shape"], detail["dtype"]) for detail in interpreter.get_input_details()]


def assert_equal(got: np.ndarray, expected: np.ndarray, what: str = "") -> None:
    """Bit for bit, except where `expected` is masked; a difference is told by its size and first place."""
    got = np.where(np.ma.getmaskarray(expected), np.ma.getdata(expected), got)
    expected = np.ma.getdata(expected)
    assert got.dtype == expected.dtype and got.shape == expected.shape, f"{what}: {got.dtype}{got.shape} instead of {expected.dtype}{expected.shape}"
    counts["elements compared"] += expected.size
    if got.tobytes() == expected.tobytes():
        return
    where = np.argwhere(got != expected)
    difference = np.abs(got.astype(np.float64) - expected.astype(np.float64))
    first = tuple(int(i) for i in where[0])
    extent = f"{len(where)} of {expected.size} elements differ by up to {difference.max():g}"
    raise AssertionError(f"{what}: {extent}, first at {first}: {got[first]} instead of {expected[first]}")
