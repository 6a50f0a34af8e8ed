"""Runs models that may crash the process, each in a child of its own: python hostile.py RUNTIME with|without MODEL...

Prints one line of JSON for each model: its outcome ("ran", "refused", "died" or "too slow"), a digest of its outputs, the number of claimed nodes, and whether
it came to offer nodes to a delegate.
"""

from __future__ import annotations

import hashlib
import json
import os
import resource
import signal
import sys

import harness

import tvmq_delegate

SECONDS = 60 if harness.EMULATED or harness.sanitized() else 5
MEMORY = 2 << 30  # hostile shapes ask for any amount


class Witness:
    """Stands for a runtime's Delegate and notes that the runtime is about to use it."""

    def __init__(self, delegate, pipe: int):
        self.delegate = delegate
        self.pipe = pipe

    def _get_native_delegate_pointer(self):
        os.write(self.pipe, OFFERED)
        return self.delegate._get_native_delegate_pointer()


OFFERED = b"offered\n"


def attempt(runtime: harness.Runtime, with_delegate: bool, path: str, pipe: int) -> dict:
    try:
        delegates = [runtime.load()] if with_delegate else []
        interpreter = runtime.interpreter(path, [Witness(delegate, pipe) for delegate in delegates])
        outputs = harness.run(interpreter, *harness.random_inputs(interpreter, seed=0))
    except (RuntimeError, ValueError, TypeError, MemoryError) as error:  # what runtimes raise for models that they refuse
        return {"outcome": "refused", "why": str(error)[-200:]}
    claimed = sum(tvmq_delegate.report(delegate).summary.claimed for delegate in delegates)
    return {"outcome": "ran", "digest": hashlib.sha256(b"".join(output.tobytes() for output in outputs)).hexdigest(), "claimed": claimed}


def in_child(runtime: harness.Runtime, with_delegate: bool, path: str) -> dict:
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(SECONDS)
        os.write(write, json.dumps(attempt(runtime, with_delegate, path, write)).encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        told = pipe.read()
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code == 0:
        result = json.loads(told.removeprefix(OFFERED))
    elif code == -signal.SIGALRM:
        result = {"outcome": "too slow"}
    else:
        result = {"outcome": "died", "why": signal.Signals(-code).name if code < 0 else f"exit code {code}"}
    return {**result, "offered": told.startswith(OFFERED)}


def main() -> None:
    name, with_delegate, *paths = sys.argv[1:]
    (runtime,) = (runtime for runtime in harness.installed() if runtime.name == name)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if not (harness.sanitized() or harness.EMULATED):  # which reserve address space by the terabyte
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    tvmq_delegate.report(runtime.load())  # imports what every child would import
    for path in paths:
        print(json.dumps(in_child(runtime, with_delegate == "with", path)), flush=True)


if __name__ == "__main__":
    main()
