"""The libraries for Linux, by the compiler in the package ziglang: it brings headers and symbols of every glibc, and so builds for an old one anywhere."""

from __future__ import annotations

import importlib.util
import os
import pathlib
import subprocess
import sys

import source

ARCHITECTURES = ("x86_64", "aarch64")
GLIBC = (2, 17)  # the oldest that manylinux knows for both

# zig spells processors its own way.
WRAPPER = """#!/bin/sh
for argument; do
  shift
  case $argument in
    -march=armv8.2-a+*) set -- "$@" "-mcpu=generic+v8_2a+${argument#-march=armv8.2-a+}" ;;
    -mtune=*) set -- "$@" -Xclang -tune-cpu -Xclang "${argument#-mtune=}" ;;
    *) set -- "$@" "$argument" ;;
  esac
done
exec {command} "$@"
"""

CROSS = """[binaries]
c = '{compiler}'
ar = ['{zig}', 'ar']
ranlib = ['{zig}', 'ranlib']

[built-in options]
c_args = ['-ffile-prefix-map={tree}=.']
c_link_args = ['-s']

[host_machine]
system = 'linux'
cpu_family = '{architecture}'
cpu = '{architecture}'
endian = 'little'
"""

OPTIONS = ("--prefix=/", "--libdir=lib", "-Dtests=false", "-Dbuildtype=release", "-Dpkgconfig.relocatable=true", "-Dwerror=true")


def compiler() -> pathlib.Path:
    """zig's own program."""
    found = importlib.util.find_spec("ziglang")
    if found is None or not found.submodule_search_locations:
        sys.exit("ziglang is not installed: pip install ziglang")
    return pathlib.Path(found.submodule_search_locations[0]) / "zig"


def write_wrapper(path: pathlib.Path, command: str) -> pathlib.Path:
    """Writes a compiler that takes the options of gcc and clang, and hands them to zig's."""
    path.write_text(WRAPPER.replace("{command}", command), encoding="utf-8")
    path.chmod(0o755)
    return path


def run(command: list[str]) -> None:
    """A step that must succeed, with meson and ninja of this environment."""
    environment = {**os.environ, "PATH": os.pathsep.join([str(pathlib.Path(sys.executable).parent), os.environ["PATH"]])}
    done = subprocess.run(command, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout[-8000:]}")


def install(release: source.Release, architecture: str) -> pathlib.Path:
    """Builds and installs into a folder of its own, which has lib/ and include/."""
    build, installed = release.work / f"build-{architecture}", release.work / f"installed-{architecture}"
    cross = release.work / f"{architecture}.ini"
    cc = write_wrapper(release.work / f"cc-{architecture}", f"{compiler()} cc -target {architecture}-linux-gnu.{'.'.join(map(str, GLIBC))}")
    cross.write_text(CROSS.format(compiler=cc, zig=compiler(), architecture=architecture, tree=release.tree), encoding="utf-8")
    run(["meson", "setup", "--reconfigure", str(build), str(release.tree), f"--cross-file={cross}", *OPTIONS])
    run(["meson", "compile", "-C", str(build)])
    run(["meson", "install", "-C", str(build), "--no-rebuild", f"--destdir={installed}"])
    return installed
