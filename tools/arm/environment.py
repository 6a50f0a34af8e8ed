"""Common parts of the tools in this directory: where the emulated environment lies, its levels and runtimes, how to run its Python."""

from __future__ import annotations

import os
import pathlib
import shlex
import sys
from collections.abc import Sequence

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
CACHE = pathlib.Path(os.environ.get("TVMQ_ARM_CACHE") or pathlib.Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache", "tvmq-arm").expanduser())
SYSROOT = CACHE / "sysroot"
PLUGIN = CACHE / "plugin/blockcount.so"  # of qemu, built from blockcount.c
PYTHON_VERSION = "3.11"  # the last one that tflite-runtime has wheels for

# Level of instruction sets -> qemu's -cpu. `max` without SME, which would take the place of i8mm in a runtime's choice of kernels.
LEVELS = {"neon": "cortex-a53", "dotprod": "cortex-a76", "i8mm": "max,sme=off"}

# Runtime -> its requirements; each has a folder of its own, since their numpy and protobuf need not agree. LiteRT from 2.2 on crashes under qemu 7.2, not 10.0.
RUNTIMES = {"tflite_runtime": ["tflite-runtime==2.14.0"], "litert": ["ai-edge-litert==2.1.6"]}
REQUIREMENTS = ["numpy==1.26.4", "flatbuffers", "tflite", "cffi", "click", "rich", "pytest", "hypothesis"]


def site(runtime: str) -> pathlib.Path:
    """The folder of Python packages for `runtime`."""
    return CACHE / f"site-{runtime}"


def missing() -> list[pathlib.Path]:
    """Lists what `setup` has yet to make."""
    return [path for path in [SYSROOT, *map(site, RUNTIMES), PLUGIN] if not path.exists()]


def require() -> None:
    """Exits with the command that helps if `setup` has not run."""
    if missing():
        sys.exit(f"the emulated arm64 environment is not complete ({missing()[0]} is missing): run tools/arm/setup first")


def counting(counts: pathlib.Path) -> tuple[list[str], list[str]]:
    """The words before and after `qemu-aarch64` that make it count blocks into a file. Every process has the same addresses, so that counts can be compared."""
    return ["setarch", os.uname().machine, "--addr-no-randomize"], ["-plugin", f"{PLUGIN},out={counts}"]


def emulator(level: str, after: Sequence[str] = (), root: pathlib.Path = SYSROOT) -> list[str]:
    """The command that runs a program of arm64 on a processor of the level. root: where absolute paths are looked up first."""
    return ["qemu-aarch64", *after, "-cpu", LEVELS[level], "-L", str(root)]


def python(level: str, runtime: str, counts: pathlib.Path | None = None, root: pathlib.Path = SYSROOT) -> tuple[list[str], dict[str, str]]:
    """Command and environment that run the emulated Python, counting blocks into `counts`. TVMQ_PYTHON tells the tests how to start another one."""
    before, after = counting(counts) if counts else ([], [])
    command = [*before, *emulator(level, after, root), str(SYSROOT / f"usr/bin/python{PYTHON_VERSION}")]
    path = [os.environ.get("PYTHONPATH"), str(REPOSITORY / "python"), str(site(runtime))]
    extra = {"PYTHONPATH": os.pathsep.join(filter(None, path)), "PYTHONDONTWRITEBYTECODE": "1", "PYTHONNOUSERSITE": "1", "TVMQ_PYTHON": shlex.join(command)}
    return command, {**os.environ, **extra}
