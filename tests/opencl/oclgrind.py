#!/usr/bin/env python3
"""Computes fuzzed layers under Oclgrind: `oclgrind.py FUZZ_OPENCL OCLGRIND_LIBRARY RUNS`.

Oclgrind reports accesses out of bounds and races, and must report the ones of a program that reads before its tensors.
"""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import tempfile

# Oclgrind lacks a function that optimized kernels call.
SETTINGS = {"OCLGRIND_BUILD_OPTIONS": "-cl-opt-disable", "OCLGRIND_DATA_RACES": "1"}


def reported(program: str, library: str, runs: str, **more: str) -> tuple[int, str]:
    """The exit code, and what Oclgrind reports."""
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder, "log")
        environment = {**os.environ, **SETTINGS, "TVMQ_OPENCL_UNASKED": library, "OCLGRIND_LOG": str(log), **more}
        code = subprocess.run([program, "--seed", "7", "--runs", runs], env=environment, check=False).returncode
        return code, log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""


def main() -> None:
    program, library, runs = sys.argv[1:]
    code, report = reported(program, library, runs)
    print(report[:4000])
    _, faults = reported(program, library, "10", TVMQ_OPENCL_FAULT="1")
    if "Invalid read" not in faults:
        sys.exit("Oclgrind has not found the reads before the tensors")
    sys.exit(code or bool(report))


if __name__ == "__main__":
    main()
