"""The parts of the AAR that this machine can run: the Java class with its native methods, and what tools/release makes of built libraries."""

from __future__ import annotations

import json
import pathlib
import re
import shutil
import subprocess
import zipfile

import harness
import pytest

import android
import elf
import source
import tvmq_delegate

pytestmark = pytest.mark.skipif(harness.EMULATED, reason="nothing is built under emulation")

MAIN = """
import org.tvmq.delegate.TvmqDelegate;

public class Main {
  static void check(boolean holds) { if (!holds) throw new AssertionError(); }

  public static void main(String[] arguments) {
    TvmqDelegate delegate = new TvmqDelegate.Builder().set("num_threads", 2).set("profile", true).build();
    check(delegate.getNativeHandle() != 0);
    check(delegate.claimedNodes() == 0);
    delegate.close();
    delegate.close();
    try { delegate.getNativeHandle(); check(false); } catch (IllegalStateException closed) { }
    try (TvmqDelegate plain = new TvmqDelegate()) { check(((org.tensorflow.lite.Delegate) plain).getNativeHandle() != 0); }
    try { new TvmqDelegate.Builder().set("colour", "red").build(); check(false); }
    catch (IllegalArgumentException wrong) { System.out.println(wrong.getMessage()); }
    System.out.println(TvmqDelegate.version());
  }
}
"""


@pytest.fixture(scope="module")
def classes(tmp_path_factory: pytest.TempPathFactory) -> tuple[pathlib.Path, dict[str, bytes | pathlib.Path]]:
    if shutil.which("javac") is None:
        pytest.skip("javac is not installed (apt-get install default-jdk-headless)")
    work = tmp_path_factory.mktemp("java")
    return work, android.classes(harness.REPOSITORY, work)


def test_the_java_class_runs(classes, tmp_path):
    """On this machine's virtual machine, with the interface that runtimes bring."""
    work, compiled = classes
    assert sorted(compiled) == ["org/tvmq/delegate/TvmqDelegate$Builder.class", "org/tvmq/delegate/TvmqDelegate.class"]
    java = pathlib.Path(shutil.which("javac") or "").resolve().parents[1]
    library, path = tvmq_delegate.library_path(), harness.REPOSITORY
    flags = ["-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", f"-I{java}/include", f"-I{java}/include/linux", f"-I{path}/delegate"]
    subprocess.run(["cc", *flags, str(path / "android/jni/tvmq_jni.c"), str(library), "-o", str(tmp_path / "libtvmq_delegate_jni.so")], check=True)
    (tmp_path / "Main.java").write_text(MAIN, encoding="utf-8")
    subprocess.run(["javac", "-cp", str(work / "classes"), "-d", str(tmp_path), str(tmp_path / "Main.java")], check=True)
    command = ["java", "-Xmx64m", f"-Djava.library.path={tmp_path}", "-cp", f"{work / 'classes'}:{tmp_path}", "Main"]
    done = subprocess.run(command, check=False, capture_output=True, text=True, env={"LD_LIBRARY_PATH": str(library.parent), "PATH": "/usr/bin:/bin"})
    assert done.returncode == 0, done.stderr
    assert "unknown option" in done.stdout
    assert done.stdout.split()[-1] == tvmq_delegate.__version__


@pytest.mark.skipif(shutil.which("kotlinc") is None, reason="kotlinc is not installed (apt-get install kotlin)")
def test_the_sample_app_compiles(classes, tmp_path):
    """Against stubs of the classes of Android and TensorFlow Lite that it uses, and the AAR's own."""
    work, _ = classes
    stubs = map(str, sorted((harness.REPOSITORY / "tests/support/android").rglob("*.java")))
    subprocess.run(["javac", "-cp", str(work / "classes"), "-d", str(tmp_path / "stubs"), *stubs], check=True)
    compiler = pathlib.Path(shutil.which("kotlinc") or "").resolve()
    path = f"{tmp_path / 'stubs'}:{work / 'classes'}:{compiler.parents[1] / 'lib/kotlin-stdlib-jdk7.jar'}"
    sources = sorted((harness.REPOSITORY / "examples/android/app/src/main/java").rglob("*.kt"))
    command = [str(compiler), *map(str, sources), "-cp", path, "-jvm-target", "1.8", "-d", str(tmp_path / "app")]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "app/org/tvmq/sample/MainActivity.class").exists()


@pytest.mark.skipif(not (harness.REPOSITORY / ".git").exists(), reason="a release is made from a git checkout")
def test_the_archive(classes, tmp_path):
    """The files that Android's build tools look for are there, and what prefab reads is JSON of its format."""
    release = source.unpack(tmp_path / "work")
    built = {}
    for abi in android.ABIS:
        built[abi] = tmp_path / abi
        built[abi].mkdir()
        for name in android.LIBRARIES:
            (built[abi] / name).write_bytes(b"a library")
    archive = zipfile.ZipFile(android.pack(release, built, classes[1], tmp_path))
    names = set(archive.namelist())
    assert {"AndroidManifest.xml", "classes.jar", "R.txt", "proguard.txt"} <= names
    assert {"jni/arm64-v8a/libtvmq_delegate.so", "jni/x86_64/libLiteRtGpuAccelerator.so"} <= names
    assert f'android:minSdkVersion="{android.API}"' in archive.read("AndroidManifest.xml").decode()
    assert json.loads(archive.read("prefab/prefab.json")) == {"schema_version": 2, "name": "tvmq_delegate", "version": release.numbers, "dependencies": []}
    module = "prefab/modules/tvmq_delegate"
    assert json.loads(archive.read(f"{module}/module.json"))["library_name"] == "libtvmq_delegate"
    for abi in android.ABIS:
        assert json.loads(archive.read(f"{module}/libs/android.{abi}/abi.json"))["abi"] == abi
        assert f"{module}/libs/android.{abi}/libtvmq_delegate.so" in names
    headers = {path.name for path in (harness.REPOSITORY / "delegate").glob("tvmq_*.h*")}
    assert {f"{module}/include/{name}" for name in headers} <= names and {"tvmq_delegate.hpp", "tvmq_network.h"} <= headers


def test_what_a_library_tells_of_itself():
    library = elf.read(tvmq_delegate.library_path())
    assert {"tflite_plugin_create_delegate", "tvmq_version"} <= library.exported
    assert "malloc" in library.needed_symbols or "posix_memalign" in library.needed_symbols
    assert library.alignment >= 16384 and not library.thread_local or harness.SANITIZED


ELSEWHERE = ("kernels", "measure", "preload")  # rooms that need the compiler's own headers of intrinsics, and that are not built for Android


def test_the_headers_without_an_ndk_suffice(tmp_path):
    """All that the C code includes and calls is declared in the headers that stand in for Android's, and the functions are in the list of its names."""
    rooms = [room for room in (harness.REPOSITORY / "delegate").iterdir() if room.name not in ELSEWHERE]
    sources = sorted(path for room in rooms for path in room.rglob("*.c"))
    own = subprocess.run(["cc", "-print-file-name=include"], check=True, capture_output=True, text=True).stdout.strip()
    (tmp_path / "limits.h").touch()  # gcc's own asks for another one
    flags = ["-fsyntax-only", "-ffreestanding", "-std=gnu11", "-Werror", "-nostdinc"]
    flags += [f"-isystem{android.BIONIC / 'include'}", f"-isystem{own}", f"-idirafter{tmp_path}"]
    done = subprocess.run(["cc", *flags, f"-I{harness.REPOSITORY}/delegate", *map(str, sources)], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    declared = " ".join(path.read_text(encoding="utf-8") for path in (android.BIONIC / "include").rglob("*.h"))
    known = {name for names in android.symbols().values() for name in names}
    needed = {re.sub(r"64(_time64)?$", "", name) for name in elf.read(tvmq_delegate.library_path()).needed_symbols}
    assert not {name for name in needed if re.search(rf"\b{name}\(", declared)} - known


def test_names_of_android():
    """The declared level has every name of the list."""
    assert all(21 <= level <= android.API for names in android.symbols().values() for level in names.values())
