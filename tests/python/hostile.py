"""Runs models that may crash the process, in children: python hostile.py RUNTIME, and a job in JSON on each line of standard input.

A job has `contender`, one of CONTENDERS; `paths` of models; `together`, whether they share a child; and `fill`, a byte that allocated memory is filled with, or
0 to leave it. For each model a line of JSON is printed: its outcome ("ran", "refused", "died" or "too slow"), a digest of its outputs, the number of claimed
nodes, whether all nodes are, why the others are not, and whether it came to offer nodes to a delegate.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import json
import os
import resource
import signal
import sys
from collections.abc import Iterator
from typing import Any

import harness
import numpy as np

import tvmq_delegate

SECONDS = 60 if harness.SLOW else 5
MEMORY = 1 << 30  # hostile shapes ask for any amount
OFFERED = "offered\n"
M_PERTURB = -6  # of <malloc.h>


class Witness:
    """Stands for a runtime's Delegate and notes that the runtime is about to use it."""

    def __init__(self, delegate, pipe: int):
        self.delegate = delegate
        self.pipe = pipe

    def _get_native_delegate_pointer(self):
        os.write(self.pipe, OFFERED.encode())
        return self.delegate._get_native_delegate_pointer()


def interpreted(delegated: bool, runtime: harness.Runtime, path: str, pipe: int) -> tuple[list[np.ndarray], list[Any]]:
    """The outputs of a model in an interpreter, and the report of its delegate if it has one."""
    delegates = [runtime.load()] if delegated else []
    interpreter = runtime.interpreter(path, [Witness(delegate, pipe) for delegate in delegates])
    outputs = harness.run(interpreter, *harness.random_inputs(interpreter, seed=0))
    return outputs, [tvmq_delegate.report(delegate) for delegate in delegates]


def compiled(delegated: bool, runtime: harness.Runtime, path: str, pipe: int) -> tuple[list[np.ndarray], list[Any]]:
    """As interpreted(), of a CompiledModel with the same inputs. It does not tell when it comes to its delegate."""
    from ai_edge_litert import compiled_model as litert

    os.write(pipe, OFFERED.encode())
    if delegated:
        environment = tvmq_delegate.environment(min_nodes_per_partition=1, **harness.OPTIONS)
    else:
        environment = litert.Environment.create(runtime_path=os.path.dirname(path))  # a folder without accelerators
    options = litert.Options(cpu_options=litert.CpuOptions(num_threads=1))
    model = litert.CompiledModel.from_file(path, environment=environment, options=options)
    signature = next(iter(model.get_signature_list()))
    inputs, outputs = model.create_input_buffers(0), model.create_output_buffers(0)
    generator = np.random.default_rng(0)
    for buffer, detail in zip(inputs, model.get_input_tensor_details(signature).values(), strict=True):
        buffer.write(harness.random_tensor(generator, detail["shape"], np.dtype(detail["dtype"])))
    model.run_by_index(0, inputs, outputs)
    details = model.get_output_tensor_details(signature).values()
    read = [buffer.read(int(np.prod(detail["shape"])), np.dtype(detail["dtype"]).type) for buffer, detail in zip(outputs, details, strict=True)]
    return read, [tvmq_delegate.report(delegate) for delegate in tvmq_delegate.delegates(environment)] if delegated else []


def without_runtime(runtime: harness.Runtime, path: str, pipe: int) -> tuple[list[np.ndarray], list[Any]]:
    """As interpreted(), of a Network with the same inputs, which reproduces the runtime's reference kernels."""
    os.write(pipe, OFFERED.encode())
    with tvmq_delegate.Network(path, runtime=runtime.module, log_severity="silent", **harness.OPTIONS) as network:
        generator = np.random.default_rng(0)
        inputs = [harness.random_tensor(generator, tensor.shape, np.dtype(tensor.dtype)) for tensor in network.inputs]
        return network.run(*inputs), [network.report()]


# No CompiledModel of reference kernels: LiteRT's kernel mode REFERENCE gives other bits than the reference kernels of an interpreter.
CONTENDERS = {
    "reference": functools.partial(interpreted, False),
    "delegated": functools.partial(interpreted, True),
    "compiled": functools.partial(compiled, False),
    "compiled and delegated": functools.partial(compiled, True),
    "network": without_runtime,
}


def attempt(runtime: harness.Runtime, job: dict, path: str, pipe: int) -> dict:
    try:
        outputs, reports = CONTENDERS[job["contender"]](runtime, path, pipe)
    except (RuntimeError, ValueError, TypeError, MemoryError) as error:  # what runtimes raise for models that they refuse
        return {"outcome": "refused", "why": str(error)[-200:]}
    digest = hashlib.sha256()
    for output in outputs:
        digest.update(output)  # without a copy: memory is limited
    nodes = [node for report in reports for node in report.nodes]
    claimed, left = sum(node.claimed for node in nodes), sorted({node.reason for node in nodes if not node.claimed})
    return {"outcome": "ran", "digest": digest.hexdigest(), "claimed": claimed, "whole": claimed > 0 and not left, "left": left}


def in_child(runtime: harness.Runtime, job: dict, paths: list[str]) -> list[dict]:
    """The outcomes of the models that one child comes to, at least one; the last may have ended it."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        if job["fill"]:
            ctypes.CDLL(None).mallopt(M_PERTURB, job["fill"])
        for path in paths:
            signal.alarm(SECONDS)
            os.write(write, (json.dumps(attempt(runtime, job, path, write)) + "\n").encode())
        os._exit(0)
    os.close(write)
    found, offered = [], False
    with os.fdopen(read) as pipe:
        for line in pipe:
            if line != OFFERED:
                found.append({**json.loads(line), "offered": offered})
            offered = line == OFFERED
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code == -signal.SIGALRM:
        found.append({"outcome": "too slow", "offered": offered})
    elif code:
        found.append({"outcome": "died", "why": signal.Signals(-code).name if code < 0 else f"exit code {code}", "offered": offered})
    return found


def outcomes(runtime: harness.Runtime, job: dict) -> Iterator[dict]:
    """In order. One that died in company is run again alone: another may have left the memory as it was."""
    left = job["paths"]
    while left:
        found = in_child(runtime, job, left if job["together"] else left[:1])
        if found[-1]["outcome"] == "died" and len(found) > 1:
            found[-1:] = in_child(runtime, job, left[len(found) - 1 : len(found)])
        yield from found
        left = left[len(found) :]


def main() -> None:
    (runtime,) = (runtime for runtime in harness.installed() if runtime.name == sys.argv[1])
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if not harness.SLOW:  # which reserve address space by the terabyte
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    tvmq_delegate.report(runtime.load())  # imports what every child would import
    for line in sys.stdin:
        for outcome in outcomes(runtime, json.loads(line)):
            print(json.dumps(outcome), flush=True)


if __name__ == "__main__":
    main()
