"""The release tools make of built libraries: the same bytes each time, wheels that install, archives that C and C++ programs find."""

from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import runpy
import shutil
import subprocess
import sys
import tarfile

import harness
import pytest

import archives
import deterministic
import sbom
import source
import tvmq_delegate
import wheels


def build_folder() -> pathlib.Path | None:
    """That of the library which is tested; of an installed one, that in which the package or the C tests were built."""
    folders = [tvmq_delegate.library_path().parents[1], harness.REPOSITORY / "build/wheel", harness.REPOSITORY / "build/cc"]
    return next((folder for folder in folders if (folder / "delegate/tvmq_delegateConfig.cmake").exists()), None)


pytestmark = [
    pytest.mark.skipif(harness.EMULATED, reason="nothing is built under emulation"),
    pytest.mark.skipif(not (harness.REPOSITORY / ".git").exists(), reason="a release is made from a git checkout"),
    pytest.mark.skipif(build_folder() is None, reason="the library was built neither by make nor in the folder where it lies"),
]
ARCHITECTURE = os.uname().machine


def test_what_the_tool_needs_is_told_before_anything_is_made(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> None:
    monkeypatch.setattr("importlib.metadata.distributions", lambda: iter(()))
    monkeypatch.setattr("shutil.which", lambda name: "/bin/ninja" if name == "ninja" else None)
    monkeypatch.setattr("sys.argv", ["release", "wheels", "--out", str(tmp_path / "dist")])
    main = runpy.run_path(str(harness.REPOSITORY / "tools/release/__main__.py"))["main"]
    with pytest.raises(SystemExit, match=r"^auditwheel, meson, meson-python, ziglang not installed: pip install '\.\[release\]'$"):
        main()
    assert not list(tmp_path.iterdir())


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> source.Release:
    return source.unpack(tmp_path_factory.mktemp("release"))


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A folder with the library, as meson installs it."""
    folder = tmp_path_factory.mktemp("installed")
    command = [shutil.which("meson") or "meson", "install", "-C", str(build_folder()), "--no-rebuild", f"--destdir={folder}"]
    subprocess.run(command, check=True, capture_output=True)
    (found,) = folder.rglob("include")
    libraries = next(path.parent for path in folder.rglob("libtvmq_delegate.so"))
    for path in (*found.parent.rglob("*"), *libraries.rglob("*")):
        if path.is_file() and not path.is_symlink():
            os.utime(path, (0, 0))
    top = tmp_path_factory.mktemp("top")
    shutil.copytree(found, top / "include")
    shutil.copytree(libraries, top / "lib", symlinks=True)
    shutil.copytree(found.parent / "bin", top / "bin")
    return top


@pytest.mark.parametrize("write", [wheels.write, archives.write], ids=["wheel", "archive"])
def test_the_same_bytes(release, installed, tmp_path, write):
    """Neither the time nor the order of files on the disk shows."""
    first = write(release, ARCHITECTURE, installed, tmp_path).read_bytes()
    for path in sorted(installed.rglob("*.so"), reverse=True):
        path.touch()
    (tmp_path / "again").mkdir()
    assert write(release, ARCHITECTURE, installed, tmp_path / "again").read_bytes() == first
    later = write(dataclasses.replace(release, epoch=release.epoch + 86400), ARCHITECTURE, installed, tmp_path / "again").read_bytes()
    assert later != first


def test_the_wheel_installs(release, installed, tmp_path):
    """By pip, which compares every file with RECORD; the files are those of the build backend's wheel, which test_package.py holds against the sources."""
    wheel = wheels.write(release, ARCHITECTURE, installed, tmp_path)
    target = tmp_path / "site"
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--no-compile", "--target", str(target), str(wheel)]
    subprocess.run(command, check=True, capture_output=True)
    assert (target / "bin/tvmq").exists()
    listed = {path.relative_to(target).as_posix() for path in (target / "tvmq_delegate").rglob("*") if path.is_file()}
    package = harness.REPOSITORY / "python"
    wanted = {path.relative_to(package).as_posix() for path in (package / "tvmq_delegate").rglob("*") if path.is_file() and path.suffix != ".pyc"}
    headers = [path.name for path in (harness.REPOSITORY / "delegate").glob("tvmq_*.h*")]
    assert listed == wanted | {f"tvmq_delegate/{name}" for name in (*wheels.LIBRARIES, *wheels.PROGRAMS, *headers)}
    assert all(os.access(target / "tvmq_delegate" / name, os.X_OK) for name in wheels.PROGRAMS)
    script = "import tvmq_delegate; print(tvmq_delegate.library_path(), tvmq_delegate.__version__)"
    environment = {name: value for name, value in os.environ.items() if name != "TVMQ_LIBRARY"} | {"PYTHONPATH": str(target)}
    said = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True, env=environment, cwd=tmp_path).stdout.split()
    assert said[0] == str(target / "tvmq_delegate/libtvmq_delegate.so")
    assert said[1].startswith(release.numbers)  # the library may have been built before the commit, or with changes
    assert "Description-Content-Type: text/markdown" in release.metadata


def test_the_archive_unpacks(release, installed, tmp_path):
    """test_package.py has programs that are built with such a folder."""
    with tarfile.open(archives.write(release, ARCHITECTURE, installed, tmp_path)) as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)
        archive.extractall(tmp_path)
    (top,) = (path for path in tmp_path.iterdir() if path.is_dir())
    assert (top / "lib/tvmq_delegate/libLiteRtGpuAccelerator.so").resolve() == top / "lib/libtvmq_accelerator.so"
    assert (top / "include/tvmq_delegate.h").exists() and (top / "lib/libtvmq_delegate.so").stat().st_mode & 0o111
    assert os.access(top / "bin/tvmq-measure", os.X_OK)


def test_bill_of_materials_and_checksums(release, tmp_path):
    files = [deterministic.write_tar(tmp_path / f"{name}.tar.gz", {"a": b"1"}, 0) for name in ("one", "two")]
    path = sbom.write(release, files, tmp_path)
    document = json.loads(path.read_text(encoding="utf-8"))
    assert document["spdxVersion"] == "SPDX-2.3"
    assert {package["name"] for package in document["packages"]} == {"tvmq-delegate", "cffi", "click", "flatbuffers", "rich", "tflite"}
    known = {"SPDXRef-DOCUMENT", *(each["SPDXID"] for each in (*document["packages"], *document["files"]))}
    assert {relation[end] for relation in document["relationships"] for end in ("spdxElementId", "relatedSpdxElement")} == known
    deterministic.checksums(tmp_path)
    subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], check=True, cwd=tmp_path)
    assert (tmp_path / "SHA256SUMS").read_text(encoding="utf-8").count("\n") == 3
