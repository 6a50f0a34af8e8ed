"""The sources of a release: what is committed, unpacked, and as an sdist."""

from __future__ import annotations

import ast
import importlib.metadata
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
from dataclasses import dataclass

import deterministic

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Release:
    """A commit to release. tree: the unpacked sources. work: where to build. epoch: the time that all files carry. metadata: the text of METADATA."""

    version: str
    commit: str
    epoch: int
    tree: pathlib.Path
    work: pathlib.Path
    metadata: str

    @property
    def name(self) -> str:
        return f"tvmq_delegate-{self.version}"

    @property
    def numbers(self) -> str:
        """The release alone, for formats that take only numbers."""
        return re.split(r"\.dev|\+", self.version)[0]


def missing() -> list[str]:
    """Names in the extra `release` of what is not there, as a package or as a program."""
    (extra,) = re.findall(r"^release = (\[.*\])$", (REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE)
    there = {distribution.metadata["Name"].lower() for distribution in importlib.metadata.distributions()}
    names = [re.split(r"[^\w-]", requirement)[0] for requirement in ast.literal_eval(extra)]
    return [name for name in names if name not in there and shutil.which(name) is None]


def output(*command: str | os.PathLike[str], cwd: pathlib.Path | None = None) -> str:
    """The output of a command that must succeed."""
    done = subprocess.run([*map(str, command)], check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=cwd)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout}")
    return done.stdout


def unpack(work: pathlib.Path) -> Release:
    """The commit's files in `work`, and what is known of it. SOURCE_DATE_EPOCH is its time unless it is set."""
    work.mkdir(parents=True, exist_ok=True)
    commit = output("git", "rev-parse", "HEAD", cwd=REPOSITORY).strip()
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH") or output("git", "log", "-1", "--format=%ct", cwd=REPOSITORY))
    tree, packed = work / "source", work / "source.tar"
    output("git", "archive", "--format=tar", f"--output={packed}", "HEAD", cwd=REPOSITORY)
    known = work / "commit"  # written when the tree is whole
    if tree.exists() and not (known.exists() and known.read_text(encoding="utf-8") == commit):
        shutil.rmtree(tree)
    if not tree.exists():
        known.unlink(missing_ok=True)
        with tarfile.open(packed) as archive:
            archive.extraction_filter = getattr(tarfile, "data_filter", None)  # type: ignore[assignment]
            archive.extractall(tree)
    known.write_text(commit, encoding="utf-8")
    version = output(sys.executable, REPOSITORY / "tools/version.py", "--committed").strip()
    metadata = _metadata(tree, version)
    (tree / "PKG-INFO").write_text(metadata, encoding="utf-8")  # the build takes the version from it
    return Release(version, commit, epoch, tree, work, metadata)


def _metadata(tree: pathlib.Path, version: str) -> str:
    """METADATA, as the build backend makes it of pyproject.toml."""
    script = (
        "import pyproject_metadata, packaging.version as v, sys\n"
        "try:\n  import tomllib\nexcept ImportError:\n  import tomli as tomllib\n"
        "m = pyproject_metadata.StandardMetadata.from_pyproject(tomllib.load(open('pyproject.toml', 'rb')), '.')\n"
        f"m.version = v.Version('{version}')\n"
        "print(bytes(m.as_rfc822()).decode(), end='')\n"
    )
    return output(sys.executable, "-c", script, cwd=tree)


def sdist(release: Release, out: pathlib.Path) -> pathlib.Path:
    """The sources with PKG-INFO, as pip takes them."""
    files = {f"{release.name}/{path.relative_to(release.tree).as_posix()}": path for path in release.tree.rglob("*") if path.is_file()}
    return deterministic.write_tar(out / f"{release.name}.tar.gz", files, release.epoch)
