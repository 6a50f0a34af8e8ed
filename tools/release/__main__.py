#!/usr/bin/env python3
"""Builds what is released from the commit that is checked out, and checks it: `python tools/release [WHAT ...] [--out DIR]`.

    sdist     the sources
    wheels    for Linux with glibc 2.17 or newer: x86_64 and aarch64
    archives  the libraries, headers, pkg-config and CMake files for C and C++, for both
    android   an AAR for arm64-v8a and x86_64

Everything goes into DIR, with an SPDX bill of materials and SHA256SUMS. The bytes depend on the commit and the versions of the tools alone. It needs git,
for android a JDK (javac), and meson, ninja, auditwheel and ziglang, whose compiler builds for all of these, from PyPI: pip install '.[release]'.
"""

from __future__ import annotations

import argparse
import pathlib
import shutil
import sys
import tempfile

import android
import archives
import deterministic
import sbom
import source
import wheels
import zig

WHATS = ("sdist", "wheels", "archives", "android")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", help=f"some of {', '.join(WHATS)}; all if none is named", default=[])
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("dist"), metavar="DIR", help="where to (default: dist)")
    parser.add_argument("--arch", action="append", choices=zig.ARCHITECTURES, help="these processors of Linux alone")
    parser.add_argument("--work", type=pathlib.Path, metavar="DIR", help="keep the build folders here, and build only what has changed when run again")
    options = parser.parse_args()
    unknown = [what for what in options.what if what not in WHATS]
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}")
    wanted = options.what or WHATS
    if lacking := source.missing():
        sys.exit(f"{', '.join(lacking)} not installed: pip install '.[release]'")
    options.out.mkdir(parents=True, exist_ok=True)
    work = options.work or pathlib.Path(tempfile.mkdtemp(prefix="tvmq-release-"))
    try:
        release = source.unpack(work.resolve())
        made = build(release, wanted, options.arch or zig.ARCHITECTURES, options.out)
    finally:
        if options.work is None:
            shutil.rmtree(work)
    made.append(sbom.write(release, sorted(options.out.glob(f"tvmq?delegate-{release.version}*[lrz]")), options.out))
    deterministic.checksums(options.out)
    for path in made:
        print(f"{path}: {path.stat().st_size:,} bytes")


def build(release: source.Release, wanted: list[str] | tuple[str, ...], architectures: list[str] | tuple[str, ...], out: pathlib.Path) -> list[pathlib.Path]:
    """The files that were made."""
    made = []
    if "sdist" in wanted:
        made.append(source.sdist(release, out))
    if "wheels" in wanted or "archives" in wanted:
        for architecture in architectures:
            installed = zig.install(release, architecture)
            if "wheels" in wanted:
                made.append(wheels.write(release, architecture, installed, out))
                wheels.check(made[-1], architecture)
            if "archives" in wanted:
                made.append(archives.write(release, architecture, installed, out))
    if "android" in wanted:
        made.append(android.write(release, out))
    return made


if __name__ == "__main__":
    sys.path.insert(0, str(pathlib.Path(__file__).parent))
    main()
