#!/usr/bin/env python3
"""A C compiler for Android where there is no NDK: zig's clang with our headers, and its linker with libraries that hold names alone.

Usage: androidcc.py ARCHITECTURE API SYSROOT [options and files as for clang]
"""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import tempfile

import zig

NO_LINK = ("-c", "-E", "-S", "-fsyntax-only", "--version")
LIBRARIES = ("-lc", "-lm", "-ldl", "-lcompiler_rt", "--exclude-libs=libcompiler_rt.a", "--gc-sections")
KEPT = ("-D", "-I", "-f", "-m", "-O", "-std", "-W", "-U")  # of a command that compiles and links at once


def compiling(architecture: str, level: str, sysroot: str) -> list[str]:
    zig_program = zig.compiler()
    headers = ["-nostdinc", "-isystem", f"{sysroot}/include", "-isystem", str(zig_program.parent / "lib/include")]
    return [str(zig_program), "cc", "-target", f"{architecture}-linux-android.{level}", *headers]


def linking(arguments: list[str], sysroot: str) -> list[str]:
    """The linker's command for a compiler's: options of the compiler alone are left out."""
    command = [str(zig.compiler()), "ld.lld", f"-L{sysroot}/lib", "-z", "now", "-z", "relro", "-z", "noexecstack", "--hash-style=gnu", "--build-id=none"]
    if "-o" not in arguments:
        command += ["-o", os.devnull]  # meson asks for the linker's version in this way
    waiting = iter(arguments)
    for argument in waiting:
        if argument == "-Xclang":
            next(waiting)
        elif argument == "-o":
            command += ["-o", next(waiting)]
        elif argument.startswith("-Wl,"):
            command += argument.split(",")[1:]
        elif argument in ("-shared", "-s") or argument.startswith(("-L", "-l")) or not argument.startswith("-"):
            command.append(argument)
    program = [] if "-shared" in command else ["--entry=main", "--undefined-version"]  # meson links programs to try options out; none is run
    return [*command, *LIBRARIES, *program, "--no-undefined"]


def main() -> None:
    architecture, level, sysroot, *arguments = sys.argv[1:]
    clang = compiling(architecture, level, sysroot)
    if any(argument in NO_LINK for argument in arguments):
        sys.exit(subprocess.run([*clang, *arguments], check=False).returncode)
    kept = [argument for argument in arguments if argument.startswith(KEPT) and not argument.startswith("-Wl,")]
    with tempfile.TemporaryDirectory() as folder:
        parts = []
        for i, argument in enumerate(arguments):
            part = argument
            if argument.endswith(".c"):
                part = str(pathlib.Path(folder) / f"{i}.o")
                done = subprocess.run([*clang, *kept, "-fPIC", "-c", argument, "-o", part], check=False)
                if done.returncode:
                    sys.exit(done.returncode)
            parts.append(part)
        sys.exit(subprocess.run(linking(parts, sysroot), check=False).returncode)


if __name__ == "__main__":
    main()
