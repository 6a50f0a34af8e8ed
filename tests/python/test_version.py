"""tools/version.py: a checkout, an archive and an sdist tell their commit; what they tell is a version by PEP 440."""

from __future__ import annotations

import pathlib
import re
import shutil
import subprocess
import sys
import tarfile

import harness
import pytest

pytestmark = [
    pytest.mark.skipif(harness.EMULATED, reason="nothing is built under emulation"),
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed (apt-get install git)"),
]
PROGRAM = "tools/version.py"
FORM = r"0\.1\.0(\.dev\d+\+[a-z0-9]+(\.[a-z0-9]+)?)?"


def git(folder: pathlib.Path, *command: str) -> str:
    identity = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"]
    return subprocess.run(["git", "-C", str(folder), *identity, *command], check=True, capture_output=True, text=True).stdout.strip()


def version(folder: pathlib.Path, *flags: str) -> str:
    told = subprocess.run([sys.executable, str(folder / PROGRAM), *flags], check=True, capture_output=True, text=True).stdout.strip()
    assert re.fullmatch(FORM, told)
    return told


def copy(folder: pathlib.Path) -> pathlib.Path:
    """The files that make the version, as git has them in a fresh clone."""
    (folder / "tools").mkdir(parents=True)
    shutil.copy(harness.REPOSITORY / PROGRAM, folder / PROGRAM)
    shutil.copy(harness.REPOSITORY / ".gitattributes", folder)
    return folder


@pytest.fixture
def checkout(tmp_path: pathlib.Path) -> pathlib.Path:
    """Two commits."""
    if not (harness.REPOSITORY / ".git").exists():
        pytest.skip("the files of an archive differ from those in a checkout")
    folder = copy(tmp_path / "checkout")
    git(folder, "init")
    git(folder, "add", ".")
    git(folder, "commit", "-m", "one")
    git(folder, "commit", "--allow-empty", "-m", "two")
    return folder


def commit_of(folder: pathlib.Path) -> str:
    return git(folder, "rev-parse", "HEAD")[:7]


def test_commits_are_told_apart(checkout: pathlib.Path) -> None:
    first = version(checkout)
    assert first == f"0.1.0.dev2+g{commit_of(checkout)}"
    git(checkout, "commit", "--allow-empty", "-m", "three")
    assert version(checkout) == f"0.1.0.dev3+g{commit_of(checkout)}" != first


def test_uncommitted_changes_are_told(checkout: pathlib.Path) -> None:
    clean = version(checkout)
    (checkout / "new").touch()
    assert version(checkout) == clean
    git(checkout, "add", "new")
    assert version(checkout) == f"{clean}.dirty"
    assert version(checkout, "--committed") == clean


def test_a_tag_makes_a_release(checkout: pathlib.Path) -> None:
    git(checkout, "tag", "v0.0.9")
    assert ".dev2+g" in version(checkout)
    git(checkout, "tag", "v0.1.0")
    assert version(checkout) == "0.1.0"
    (checkout / ".gitattributes").write_text("", encoding="utf-8")
    assert version(checkout).endswith(".dirty")
    git(checkout, "commit", "--all", "-m", "three")
    assert ".dev3+g" in version(checkout)


def test_a_shallow_clone_counts_no_commits(checkout: pathlib.Path, tmp_path: pathlib.Path) -> None:
    git(tmp_path, "clone", "--depth=1", checkout.as_uri(), "clone")
    assert version(tmp_path / "clone") == f"0.1.0.dev0+g{commit_of(checkout)}"


def test_an_archive_knows_its_commit(checkout: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """Also where it lies in a checkout of another project."""
    git(checkout, "archive", "--prefix=archive/", f"--output={tmp_path / 'archive.tar'}", "HEAD")
    with tarfile.open(tmp_path / "archive.tar") as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)  # which Python 3.11.2 does not have
        archive.extractall(tmp_path)
    git(tmp_path, "init")
    git(tmp_path, "commit", "--allow-empty", "-m", "of another project")
    assert version(tmp_path / "archive") == f"0.1.0.dev0+g{commit_of(checkout)}"


def test_an_sdist_states_its_version(checkout: pathlib.Path) -> None:
    (checkout / "PKG-INFO").write_text("Metadata-Version: 2.1\nVersion: 0.1.0.dev7+g1234567\n", encoding="utf-8")
    assert version(checkout) == "0.1.0.dev7+g1234567"


def test_a_copy_without_git_is_of_unknown_origin(checkout: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert version(checkout) == "0.1.0.dev0+unknown"
    monkeypatch.undo()
    shutil.rmtree(checkout / ".git")
    assert version(checkout) == "0.1.0.dev0+unknown"
