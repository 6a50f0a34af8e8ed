"""An AAR for Android: the libraries, a prefab module with the headers, and the Java class. An NDK builds it if ANDROID_NDK names one: the supported way.

Elsewhere zig's clang does, with headers of ours (bionic/include) and libraries that hold nothing but the names in bionic/symbols.txt. The result is checked
against that list, and has run on no device.
"""

from __future__ import annotations

import json
import os
import pathlib
import shlex
import shutil
import sys

import deterministic
import elf
import source
import zig

API = 26
ABIS = {"arm64-v8a": "aarch64", "x86_64": "x86_64"}
BIONIC = pathlib.Path(__file__).parent / "bionic"
# Library in the AAR -> as meson or the step below makes it. LiteRT looks for the accelerator under this name.
LIBRARIES = {
    "libLiteRtGpuAccelerator.so": "libtvmq_accelerator.so",
    "libtvmq_delegate.so": "libtvmq_delegate.so",
    "libtvmq_delegate_jni.so": "libtvmq_delegate_jni.so",
}
DELEGATE = "package org.tensorflow.lite;\npublic interface Delegate { long getNativeHandle(); default void close() {} }\n"
KEEP = "-keep class org.tvmq.delegate.TvmqDelegate { *; }\n"

CROSS = """[binaries]
c = '{compiler}'
ar = {ar}

[built-in options]
c_args = ['-ffile-prefix-map={tree}=.']
c_link_args = ['-s']

[host_machine]
system = 'android'
cpu_family = '{architecture}'
cpu = '{architecture}'
endian = 'little'
"""


def symbols() -> dict[str, dict[str, int]]:
    """Library of Android -> name in it -> the API level that brought it."""
    found: dict[str, dict[str, int]] = {}
    for line in (BIONIC / "symbols.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            library, name, level = line.split()
            found.setdefault(library, {})[name] = int(level)
    return found


def write(release: source.Release, out: pathlib.Path) -> pathlib.Path:
    ndk = os.environ.get("ANDROID_NDK")
    built = {abi: _build(release, abi, pathlib.Path(ndk) if ndk else None) for abi in ABIS}
    for abi, folder in built.items():
        for name in LIBRARIES:
            _check(folder / name, ABIS[abi])
    return pack(release, built, classes(release.tree, release.work), out)


def pack(release: source.Release, built: dict[str, pathlib.Path], jar: dict[str, bytes | pathlib.Path], out: pathlib.Path) -> pathlib.Path:
    """Writes the AAR. built: ABI -> the folder that has its libraries. jar: the classes."""
    inner = deterministic.write_zip(out / "classes.jar", jar, release.epoch)
    files: dict[str, bytes | pathlib.Path] = {
        "AndroidManifest.xml": release.tree / "android/AndroidManifest.xml",
        "META-INF/com/android/build/gradle/aar-metadata.properties": b"aarFormatVersion=1.0\naarMetadataVersion=1.0\nminCompileSdk=1\n",
        "R.txt": b"",
        "classes.jar": inner.read_bytes(),
        "proguard.txt": KEEP.encode(),
        "prefab/prefab.json": _json({"schema_version": 2, "name": "tvmq_delegate", "version": release.numbers, "dependencies": []}),
        "prefab/modules/tvmq_delegate/module.json": _json({"export_libraries": [], "library_name": "libtvmq_delegate"}),
    }
    inner.unlink()
    files |= {f"prefab/modules/tvmq_delegate/include/{path.name}": path for path in (release.tree / "delegate").glob("tvmq_*.h*")}
    for abi, folder in built.items():
        files |= {f"jni/{abi}/{name}": folder / name for name in LIBRARIES}
        libraries = f"prefab/modules/tvmq_delegate/libs/android.{abi}"
        files[f"{libraries}/abi.json"] = _json({"abi": abi, "api": API, "ndk": 26, "stl": "none", "static": False})
        files[f"{libraries}/libtvmq_delegate.so"] = folder / "libtvmq_delegate.so"
    return deterministic.write_zip(out / f"tvmq-delegate-{release.version}.aar", files, release.epoch)


def classes(tree: pathlib.Path, work: pathlib.Path) -> dict[str, bytes | pathlib.Path]:
    """The Java class, compiled against a stub of the runtime's interface that does not come along."""
    stub, compiled = work / "stub/org/tensorflow/lite/Delegate.java", work / "classes"
    stub.parent.mkdir(parents=True, exist_ok=True)
    stub.write_text(DELEGATE, encoding="utf-8")
    sources = sorted((tree / "android/java").rglob("*.java"))
    if shutil.which("javac") is None:
        sys.exit("javac is not installed: apt-get install default-jdk-headless")
    source.output("javac", "--release", "8", "-Xlint:-options", "-g:none", "-d", compiled, stub, *sources)
    return {path.relative_to(compiled).as_posix(): path for path in sorted(compiled.rglob("*.class")) if "tensorflow" not in path.parts}


def _build(release: source.Release, abi: str, ndk: pathlib.Path | None) -> pathlib.Path:
    """Builds all libraries of one ABI into a folder, under their names in the AAR."""
    architecture = ABIS[abi]
    build, folder, cross = (release.work / f"{what}-android-{architecture}" for what in ("build", "installed", "cross"))
    compiler, archiver, jni = _ndk(ndk, architecture) if ndk else _own(release.work, architecture)
    cross.write_text(CROSS.format(compiler=compiler, ar=archiver, architecture=architecture, tree=release.tree), encoding="utf-8")
    zig.run(["meson", "setup", "--reconfigure", str(build), str(release.tree), f"--cross-file={cross}", "-Dmeasure=false", *zig.OPTIONS])
    zig.run(["meson", "compile", "-C", str(build)])
    zig.run(["meson", "install", "-C", str(build), "--no-rebuild", f"--destdir={folder}"])
    library = folder / "lib/libtvmq_delegate_jni.so"
    flags = ["-shared", "-fPIC", "-O2", "-s", "-std=gnu11", "-Wall", "-Werror", "-fvisibility=hidden"]
    flags += ["-Wl,-z,max-page-size=16384", f"-Wl,-soname,{library.name}"]
    include = [f"-I{release.tree / 'delegate'}", *(f"-I{path}" for path in jni)]
    zig.run([compiler, *flags, *include, str(release.tree / "android/jni/tvmq_jni.c"), f"-L{folder / 'lib'}", "-ltvmq_delegate", "-o", str(library)])
    for name, made in LIBRARIES.items():
        shutil.copyfile(folder / "lib" / made, folder / name)
    return folder


def _ndk(ndk: pathlib.Path, architecture: str) -> tuple[str, list[str], list[str]]:
    """The NDK's compiler, archiver, and no folder for jni.h, which it finds itself."""
    tools = ndk / "toolchains/llvm/prebuilt/linux-x86_64/bin"
    return str(tools / f"{architecture}-linux-android{API}-clang"), [str(tools / "llvm-ar")], []


def _own(work: pathlib.Path, architecture: str) -> tuple[str, list[str], list[str]]:
    """The same without an NDK: a wrapper of zig's, and jni.h of the JDK, whose interface is the same on Android."""
    sysroot = work / f"sysroot-{architecture}"
    shutil.copytree(BIONIC / "include", sysroot / "include", dirs_exist_ok=True)
    (sysroot / "lib").mkdir(exist_ok=True)
    wrapper = pathlib.Path(__file__).with_name("androidcc.py")
    command = shlex.join([sys.executable, str(wrapper), architecture, str(API), str(sysroot)])
    compiler = zig.write_wrapper(work / f"cc-android-{architecture}", command)
    for library, names in symbols().items():
        text = "".join("void *stderr;\n" if name == "stderr" else f"void {name}(void) {{}}\n" for name, level in names.items() if level <= API)
        code = work / f"{library}.c"
        code.write_text(text, encoding="utf-8")
        compiled = work / f"{library}-{architecture}.o"
        flags = ["-target", f"{architecture}-linux-android.{API}", "-w", "-fno-builtin", "-fPIC"]
        zig.run([str(zig.compiler()), "cc", *flags, "-c", str(code), "-o", str(compiled)])
        zig.run([str(zig.compiler()), "ld.lld", "-shared", "-soname", library, str(compiled), "-o", str(sysroot / "lib" / library)])
    runtime = zig.compiler().parent / "lib/compiler_rt.zig"  # what compilers call without being asked: atomics of processors before Armv8.1
    target = ["-target", f"{architecture}-linux-android.{API}", "-OReleaseSmall", "-fPIC", "-fno-compiler-rt"]
    zig.run([str(zig.compiler()), "build-lib", str(runtime), *target, f"-femit-bin={sysroot / 'lib/libcompiler_rt.a'}"])
    java = pathlib.Path(shutil.which("javac") or sys.exit("javac is not installed: apt-get install default-jdk-headless")).resolve().parents[1]
    return str(compiler), [str(zig.compiler()), "ar"], [str(java / "include"), str(java / "include/linux")]


def _check(library: pathlib.Path, architecture: str) -> None:
    """Exits where a library needs what Android has not at its API level, has pages below 16 KiB, or storage of threads that needs emulation."""
    seen = elf.read(library)
    known = {name: level for names in symbols().values() for name, level in names.items()}
    ours = {name for name in seen.needed_symbols if name.startswith(("tvmq_", "tflite_plugin_"))}
    wrong = [name for name in seen.needed_symbols - ours if known.get(name, API + 1) > API]
    foreign = [name for name in seen.needed if name not in (*symbols(), "libtvmq_delegate.so")]
    if seen.machine != architecture or wrong or foreign or seen.alignment < 16384 or seen.thread_local:
        sys.exit(f"{library}: {seen.machine}; needs {wrong + foreign}; segments aligned to {seen.alignment}; thread-local storage: {seen.thread_local}")


def _json(data: dict[str, object]) -> bytes:
    return (json.dumps(data, indent=2) + "\n").encode()
