"""Leaks: each public function is called many times, while mappings, heap, descriptors, threads and files are counted."""

from __future__ import annotations

import ctypes
import gc
import os
import subprocess
import sys
import types
from collections.abc import Callable
from typing import Any

import harness
import numpy as np
import pytest
from test_compiled_model import version

import tvmq_delegate
from tvmq_delegate.models import zoo

WARM_UP, CALLS = 12, 40
MOST_BYTES = 2000  # of the heap for each call; the delegate of a small network has more

pytestmark = pytest.mark.skipif(harness.SANITIZED, reason="a sanitizer has a heap of its own")

# Functions that take seconds and are made of those that are called here; inputs is a module.
ELSEWHERE = {"bench", "calibrate", "diff", "explain", "peak", "tune"}


class Heap(ctypes.Structure):
    """glibc's struct mallinfo2."""

    _fields_ = [(name, ctypes.c_size_t) for name in "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()]


def heap_bytes() -> int:
    """Bytes that are allocated, in blocks and in mappings of their own; 0 where the C library does not tell."""
    tell = getattr(ctypes.CDLL(None), "mallinfo2", None)
    if tell is None:
        return 0
    tell.restype = Heap
    heap = tell()
    return int(heap.uordblks + heap.hblkhd)


def mappings() -> int:
    """Mappings of files: those of allocators and stacks come and go."""
    with open("/proc/self/maps", encoding="utf-8") as lines:
        return sum(line.split()[4] != "0" for line in lines)


def counts(folder: os.PathLike[str]) -> dict[str, int]:
    gc.collect()
    return {
        "mappings": mappings(),
        "descriptors": len(os.listdir("/proc/self/fd")),
        "threads": len(os.listdir("/proc/self/task")),
        "files": len(os.listdir(folder)),
    }


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder of temporary files."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    return tmp_path


@pytest.fixture(scope="module")
def network() -> bytes:
    return zoo.mobilenet_v2(width=0.25, resolution=32, classes=10, io_dtype="uint8")


def prepared(network: bytes, **options: Any) -> tuple[Any, Any]:
    """A delegate, and the interpreter that it serves."""
    runtime = tvmq_delegate.binding.runtimes.find(None)
    delegate = tvmq_delegate.load(runtime=runtime, **options)
    interpreter = runtime.Interpreter(model_content=network, experimental_delegates=[delegate])
    interpreter.allocate_tensors()
    return delegate, interpreter


def compiled(network: bytes) -> None:
    from ai_edge_litert.compiled_model import CompiledModel

    environment = tvmq_delegate.environment(log_severity="silent")
    model = CompiledModel.from_buffer(network, environment=environment)
    tvmq_delegate.report(tvmq_delegate.delegates(environment)[0])
    del model


def interpreted(network: bytes) -> None:
    with tvmq_delegate.Interpreter(network, profile=True, num_threads=2) as interpreter:
        interpreter.run(np.zeros((1, 32, 32, 3), np.uint8))
        interpreter.report(), interpreter.profile(reset=True)


def refused() -> None:
    with pytest.raises(ValueError):
        tvmq_delegate.load(isa="none of all")


def calls(network: bytes) -> dict[str, Callable[[], object]]:
    """The calls, by the name of a public function or by what several of them do together."""
    delegate, interpreter = prepared(network, profile=True)
    harness.run(interpreter, np.zeros((1, 32, 32, 3), np.uint8))
    index = next(n for n, _ in enumerate(tvmq_delegate.report(delegate).nodes) if len(tvmq_delegate.candidates(delegate, n)) > 1)
    functions = ["buffers", "profile", "report", "spans"]
    found: dict[str, Callable[[], object]] = {name: lambda name=name: getattr(tvmq_delegate, name)(delegate) for name in functions}
    found |= {name: getattr(tvmq_delegate, name) for name in ("accelerator_path", "cpu", "kernels", "library_path", "load", "machines", "options")}
    found |= {
        "candidates": lambda: tvmq_delegate.candidates(delegate, index),
        "signature": lambda: tvmq_delegate.signature(delegate, index),
        "force": lambda: (tvmq_delegate.force(delegate, index, 1), tvmq_delegate.force(delegate, index, None)),
        "set_machine": lambda: set_machine(delegate),
        "nodes": lambda: tvmq_delegate.nodes(network),
        "write_trace": lambda: tvmq_delegate.write_trace(delegate, os.devnull),
        "an inference": lambda: harness.run(interpreter, np.zeros((1, 32, 32, 3), np.uint8)),
        "a refusal": refused,
        "an Interpreter": lambda: interpreted(network),
        "a delegate and its interpreter": lambda: prepared(network, num_threads=2),
    }
    if version() >= (2, 2):
        found |= {"environment": lambda: tvmq_delegate.environment(log_severity="silent"), "delegates": lambda: compiled(network)}
    return found


def set_machine(delegate: Any) -> None:
    with pytest.raises(ValueError):
        tvmq_delegate.set_machine(delegate, "no machine file")


def test_each_public_function_is_called(network):
    functions = {name for name in tvmq_delegate.__all__ if isinstance(getattr(tvmq_delegate, name), types.FunctionType)}
    unavailable = set() if version() >= (2, 2) else {"environment", "delegates"}
    assert functions - ELSEWHERE - unavailable <= calls(network).keys() and functions >= ELSEWHERE


def test_what_calls_leave_behind(folder, network):
    wrong = []
    for name, call in calls(network).items():
        for _ in range(WARM_UP):
            call()
        before, heap = counts(folder), heap_bytes()
        for _ in range(CALLS):
            call()
        after, grown = counts(folder), (heap_bytes() - heap) / CALLS
        if after != before or grown > MOST_BYTES:
            wrong.append(f"{name}: {before} -> {after}, {grown:.0f} bytes each")
    assert not wrong, wrong


@pytest.mark.skipif(version() < (2, 2), reason="environments are LiteRT's from 2.2 on")
@pytest.mark.parametrize("end", ["os._exit(0)", "sys.exit()", "os.kill(os.getpid(), signal.SIGKILL)"])
def test_a_process_that_has_environments(folder, end):
    """No file is left, however the process and its fork end; the environments of both are independent."""
    program = f"""
import os, signal, sys, tvmq_delegate
kept, gone = (tvmq_delegate.environment(log_severity="silent") for _ in range(2))
del gone
pid = os.fork()
own = tvmq_delegate.environment(log_severity="silent", isa="c" if pid == 0 else "auto")
if pid == 0:
    {end}
os.waitpid(pid, 0)
again = tvmq_delegate.environment(log_severity="silent")
assert tvmq_delegate.delegates(kept) == tvmq_delegate.delegates(again) == []
print("made", flush=True)
{end}
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, check=False)
    assert done.stdout == b"made\n", done.stderr
    assert os.listdir(folder) == []
