"""Builds for arm64 with the cross files of this directory."""

from __future__ import annotations

import pathlib
import shutil
import subprocess
import sys

import environment as env

# Compiler, and the cross file of that name -> the tool that it needs, Debian's package of it.
COMPILERS = {"gcc": ("aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu"), "clang": ("clang-19", "clang-19")}
LIBRARY, CHECKS = "delegate/libtvmq_delegate.so", "tests/kernels/kernel_checks"


def installed() -> list[str]:
    """The compilers there are; the last one builds the library that is tested and estimated in runtimes."""
    return [name for name, (tool, _) in COMPILERS.items() if shutil.which(tool)]


def folder(compiler: str) -> pathlib.Path:
    return env.REPOSITORY / f"build-arm-{compiler}"


def build(compiler: str, folder: pathlib.Path, *options: str, target: str = "") -> None:
    """Builds one target, or all, in a folder that is configured if it is new."""
    if not (folder / "build.ninja").exists():
        cross = env.REPOSITORY / f"tools/arm/{compiler}.ini"
        command = ["meson", "setup", str(folder), str(env.REPOSITORY), "--cross-file", str(cross), "--werror", *options]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["meson", "compile", "-C", str(folder), *([target] if target else [])], check=True, stdout=subprocess.DEVNULL)


def built(target: str, product: str) -> str:
    """The file that a target makes, built by the last of the installed compilers."""
    if not installed():
        sys.exit("no compiler for arm64 is installed: run tools/arm/setup --install")
    where = folder(installed()[-1])
    build(installed()[-1], where, target=target)
    return str(where / product)
