"""Wheels: the Python package with the libraries in it, for every Python 3, written here so that their bytes are the same each time."""

from __future__ import annotations

import base64
import hashlib
import pathlib
import re
import sys

import deterministic
import source
import zig

LIBRARIES = ("libtvmq_accelerator.so", "libtvmq_delegate.so", "libtvmq_preload.so")
PROGRAMS = ("tvmq-measure",)


def write(release: source.Release, architecture: str, installed: pathlib.Path, out: pathlib.Path) -> pathlib.Path:
    """The wheel of one processor."""
    platform = platform_of(architecture)
    alias = {(2, 17): f"manylinux2014_{architecture}"}[zig.GLIBC]  # for installers that know the older name
    package = release.tree / "python"
    sources = (path for path in (package / "tvmq_delegate").rglob("*") if path.is_file())
    files: dict[str, bytes | pathlib.Path] = {path.relative_to(package).as_posix(): path for path in sources}
    files |= {f"tvmq_delegate/{name}": installed / "lib" / name for name in LIBRARIES}
    files |= {f"tvmq_delegate/{name}": installed / "bin" / name for name in PROGRAMS}
    files |= {f"tvmq_delegate/{path.name}": path for path in (installed / "include").iterdir()}
    info = f"{release.name}.dist-info"
    tags = "".join(f"Tag: py3-none-{tag}\n" for tag in (alias, platform))
    files[f"{info}/METADATA"] = release.metadata.encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: tvmq-delegate\nRoot-Is-Purelib: false\n{tags}".encode()
    files[f"{info}/entry_points.txt"] = _entry_points(release)
    files[f"{info}/licenses/LICENSE"] = release.tree / "LICENSE"
    record = f"{info}/RECORD"
    files[record] = _record(files, record)
    return deterministic.write_zip(out / f"{release.name}-py3-none-{alias}.{platform}.whl", files, release.epoch, last=(record,))


def _entry_points(release: source.Release) -> bytes:
    scripts = (release.tree / "pyproject.toml").read_text(encoding="utf-8").partition("[project.scripts]\n")[2].partition("\n\n")[0]
    return "".join(["[console_scripts]\n", *(f"{name} = {target}\n" for name, target in re.findall(r'^([\w-]+) = "(.+)"$', scripts, re.MULTILINE))]).encode()


def _record(files: deterministic.Contents, record: str) -> bytes:
    lines = []
    for name in sorted(files):
        content = files[name]
        data = content if isinstance(content, bytes) else content.read_bytes()
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(data)}\n")
    return "".join([*lines, f"{record},,\n"]).encode()


def platform_of(architecture: str) -> str:
    return f"manylinux_{'_'.join(map(str, zig.GLIBC))}_{architecture}"


def check(wheel: pathlib.Path, architecture: str) -> None:
    """Has auditwheel confirm that the libraries run on the platform that the wheel names; exits if they do not."""
    platform = platform_of(architecture)
    said = " ".join(source.output(sys.executable, "-m", "auditwheel", "show", wheel).split())
    agrees = re.search(r'consistent with the following platform tag: "([^"]+)"', said)
    glibc = re.fullmatch(r"manylinux_(\d+)_(\d+)_(\w+)", agrees[1]) if agrees else None
    if not glibc or glibc[3] != platform.split("_", 3)[3] or (int(glibc[1]), int(glibc[2])) > zig.GLIBC:
        sys.exit(f"{wheel.name} is not for {platform}; auditwheel says: {said}")
