"""Debian's packages, unpacked into a folder by an apt of their own, so that the host's packages and their lists stay as they are."""

from __future__ import annotations

import pathlib
import shutil
import subprocess
from collections.abc import Sequence

LINE = "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian {} main\n"


def _is_host(release: str) -> bool:
    return f"VERSION_CODENAME={release}" in pathlib.Path("/etc/os-release").read_text(encoding="utf-8").split("\n")


def _run(*command: str) -> None:
    print("+", *command[:2], "...", command[-1], flush=True)
    subprocess.run(command, check=True)


def unpack(target: pathlib.Path, release: str, packages: Sequence[str], architecture: str = "arm64") -> None:
    """Unpacks packages of a release, with what they depend on. Another release than the host's comes from Debian's own mirror."""
    apt = target / "apt"
    for folder in ("state/lists/partial", "cache/archives/partial"):
        (apt / folder).mkdir(parents=True)
    (apt / "status").touch()
    options = [f"APT::Architecture={architecture}", f"APT::Architectures::={architecture}", f"Dir::State={apt}/state", f"Dir::State::status={apt}/status",
               f"Dir::Cache={apt}/cache", "APT::Install-Recommends=false", "APT::Sandbox::User=", "Debug::NoLocking=true"]  # fmt: skip
    if not _is_host(release):
        (apt / "sources.list").write_text(LINE.format(release), encoding="utf-8")
        options += [f"Dir::Etc::SourceList={apt}/sources.list", "Dir::Etc::SourceParts=/dev/null"]
    flags = [word for option in options for word in ("-o", option)]
    _run("apt-get", "-qq", *flags, "update")
    _run("apt-get", "-qq", *flags, "--yes", "--download-only", "install", *packages)
    for deb in sorted((apt / "cache/archives").glob("*.deb")):
        subprocess.run(["dpkg", "--extract", str(deb), str(target)], check=True)
    for name in ("bin", "lib", "lib64", "sbin"):  # links that newer releases make when they are installed
        if (target / "usr" / name).is_dir() and not (target / name).exists():
            (target / name).symlink_to(f"usr/{name}")
    shutil.rmtree(apt)
