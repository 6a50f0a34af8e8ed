"""The libraries for C and C++ programs, with headers, pkg-config and CMake files, as an archive that works wherever it is unpacked."""

from __future__ import annotations

import pathlib

import deterministic
import source


def write(release: source.Release, architecture: str, installed: pathlib.Path, out: pathlib.Path) -> pathlib.Path:
    name = f"tvmq-delegate-{release.version}-linux-{architecture}"
    files: dict[str, bytes | pathlib.Path] = {f"{name}/LICENSE": release.tree / "LICENSE"}
    files |= {f"{name}/{path.relative_to(installed).as_posix()}": path for path in installed.rglob("*") if path.is_file()}
    return deterministic.write_tar(out / f"{name}.tar.gz", files, release.epoch)
