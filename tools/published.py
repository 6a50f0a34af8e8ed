"""The TFLite runtimes' wheels in the package registry, and a Python that runs each: its own if that is on PATH, or one of Debian's in an emulator."""

from __future__ import annotations

import itertools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Collection, Iterator
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parents[1]
FOLDER = ROOT / "build/runtimes"
PLATFORM = os.uname().machine.replace("_", "-")
TAGS = ["cp39", "cp310", "cp311", "cp312", "cp313", "cp314"]
# Platform -> distribution -> its first version that is asked. The early wheels of tensorflow for aarch64 are empty: tensorflow-cpu-aws holds their library.
PACKAGES = {
    "x86-64": {"ai-edge-litert": "1.0", "tflite-runtime": "2.11", "tensorflow-cpu": "2.12", "tensorflow": "2.12"},
    "aarch64": {"ai-edge-litert": "1.0", "tflite-runtime": "2.11", "tensorflow-cpu-aws": "2.12", "tensorflow": "2.16"},
}
# Packages with a C library of TFLite -> its version.
C_LIBRARIES = {"pymicro-wakeword": "2.17.1", "pyopen-wakeword": "2.17.1"}
REQUIREMENTS = ["numpy<2; python_version < '3.13'", "numpy; python_version >= '3.13'"]
# Tag -> Debian's release and Python. No release has 3.10 or 3.12: their modules run in the next one (python_names.c).
DEBIAN = {"cp39": ("bullseye", "cp39"), "cp310": ("bookworm", "cp311"), "cp311": ("bookworm", "cp311"), "cp312": ("trixie", "cp313"),
          "cp313": ("trixie", "cp313"), "cp314": ("sid", "cp314")}  # fmt: skip
LIBRARIES = ["libc6", "libstdc++6"]
EMULATOR = ("trixie", ["qemu-user"])  # older ones end LiteRT 2.2 and later by a signal
METRICS = "class TFLiteMetrics:\n    def __getattr__(self, name):\n        return lambda *values: None\n"


def version_of(tag: str) -> str:
    return f"{tag[2]}.{tag[3:]}"


def number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version))


@dataclass(frozen=True)
class Wheel:
    distribution: str
    version: str
    tag: str
    platform: str

    @property
    def name(self) -> str:
        return f"{self.distribution} {self.version} {self.tag} {self.platform}"

    @property
    def package(self) -> str:
        """The Python package of its interpreter."""
        return "tflite_runtime" if self.distribution.startswith("tensorflow") else self.distribution.replace("-", "_")

    @property
    def partner(self) -> Wheel | None:
        """The wheel of the interpreter that belongs to its C library, which has none of its own."""
        version = C_LIBRARIES.get(self.distribution)
        return Wheel("tensorflow-cpu" if self.platform == "x86-64" else "tensorflow", version, self.tag, self.platform) if version else None

    @property
    def folder(self) -> pathlib.Path:
        """Where it is unpacked."""
        return FOLDER / self.name.replace(" ", "-")


def parse(path: pathlib.Path) -> Wheel:
    distribution, version, tag, *_ = path.name.split("-")
    return Wheel(distribution.replace("_", "-"), version, tag, "aarch64" if "aarch64" in path.name else "x86-64")


def _pip(command: str, tag: str, platform: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """pip for another Python or processor."""
    machine = platform.replace("-", "_")
    platforms = [f"manylinux_2_{minor}_{machine}" for minor in range(17, 40)] + [f"manylinux2014_{machine}"]
    flags = ["--only-binary=:all:", "--implementation=cp", f"--python-version={version_of(tag)}", *(f"--platform={name}" for name in platforms)]
    return subprocess.run(
        [sys.executable, "-m", "pip", command, "--disable-pip-version-check", *flags, *arguments], capture_output=True, text=True, check=False
    )


def versions(distribution: str, tag: str, platform: str) -> list[str]:
    listed = re.search(r"Available versions: (.*)", _pip("index", tag, platform, "versions", distribution).stdout)
    return listed[1].split(", ") if listed else []


def every(platforms: Collection[str]) -> Iterator[Wheel]:
    """All wheels that the registry has for some platforms."""
    for platform in platforms:
        for distribution, first in PACKAGES[platform].items():
            for tag in TAGS:
                for version in versions(distribution, tag, platform):
                    if number(version) >= number(first):
                        yield Wheel(distribution, version, tag, platform)
    for distribution, platform in itertools.product(C_LIBRARIES, platforms):
        for version in versions(distribution, "cp311", platform):
            yield Wheel(distribution, version, "cp311", platform)


def fetch(wheel: Wheel) -> pathlib.Path | None:
    """Downloads and unpacks a wheel. Returns the folder, or nothing if the registry has none for this Python and processor."""
    if wheel.folder.exists():
        return wheel.folder
    part = wheel.folder.with_suffix(".part")
    shutil.rmtree(part, ignore_errors=True)
    _pip("download", wheel.tag, wheel.platform, "-q", "--no-deps", f"--dest={part}", f"{wheel.distribution}=={wheel.version}")
    files = list(part.glob("*.whl"))
    for file in files:
        unpack(file, wheel.folder)
    shutil.rmtree(part, ignore_errors=True)
    return wheel.folder if files else None


def unpack(file: pathlib.Path, folder: pathlib.Path) -> None:
    """Unpacks a wheel; of TensorFlow only the interpreter, in the form of the package tflite_runtime, since the whole imports gigabytes."""
    with zipfile.ZipFile(file) as archive:
        if not file.name.startswith("tensorflow"):
            archive.extractall(folder)
            return
        package = folder / "tflite_runtime"
        package.mkdir(parents=True)
        names = archive.namelist()
        libraries = {pathlib.PurePath(name).name: name for name in names if re.search(r"/lib[^/]*\.so[.0-9]*$", name)}
        todo = [name for name in names if re.fullmatch(r"tensorflow/lite/python/(interpreter\.py|(interpreter_wrapper/)?[^/]*\.so)", name)]
        for name in todo:  # which grows by the libraries that one needs
            content = archive.read(name)
            (package / pathlib.PurePath(name).name).write_bytes(content)
            todo += [path for library, path in libraries.items() if path not in todo and f"\0{library}\0".encode() in content]
        (package / "__init__.py").touch()
        (package / "metrics_portable.py").write_text(METRICS, encoding="utf-8")


# ---- Pythons


def _once(folder: pathlib.Path, fill) -> pathlib.Path:
    """The folder, which is filled if it is new."""
    if not (folder / "complete").exists():
        shutil.rmtree(folder, ignore_errors=True)
        fill(folder)
        (folder / "complete").touch()
    return folder


def _environment(tag: str) -> pathlib.Path:
    def fill(folder: pathlib.Path) -> None:
        subprocess.run([f"python{version_of(tag)}", "-m", "venv", str(folder)], check=True)
        subprocess.run([folder / "bin/python", "-m", "pip", "install", "-q", "--disable-pip-version-check", *REQUIREMENTS], check=True)

    return _once(FOLDER / tag, fill)


def _debian(name: str, architecture: str, *unpacked: tuple[str, list[str]]) -> pathlib.Path:
    """A folder of packages of Debian's releases, each over those before."""
    sys.path.insert(0, str(ROOT / "tools/arm"))
    import debian

    def fill(folder: pathlib.Path) -> None:
        for release, packages in unpacked:
            debian.unpack(folder, release, packages, architecture)

    return _once(FOLDER / name, fill)


def _numpy(tag: str, platform: str) -> pathlib.Path:
    choice = REQUIREMENTS[number(version_of(tag)) >= (3, 13)].partition(";")[0]
    return _once(FOLDER / f"numpy-{tag}-{platform}", lambda folder: _pip("install", tag, platform, "-q", f"--target={folder}", choice).check_returncode())


def _shim(machine: str) -> pathlib.Path:
    source, made = ROOT / "tools/python_names.c", FOLDER / f"python_names-{machine}.so"
    if not made.exists():
        subprocess.run([f"{machine}-linux-gnu-gcc", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", str(made), str(source)], check=True)
    return made


@dataclass(frozen=True)
class Python:
    """A command, and what its environment adds."""

    command: list[str]
    variables: dict[str, str]


def python_of(wheel: Wheel, variables: dict[str, str]) -> Python:
    """The Python that runs a wheel which is unpacked."""
    variables = {**variables, "LD_LIBRARY_PATH": str(wheel.folder / "tflite_runtime"), "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(wheel.folder)}
    if wheel.platform == PLATFORM and shutil.which(f"python{version_of(wheel.tag)}"):
        return Python([str(_environment(wheel.tag) / "bin/python")], variables)
    machine, architecture = {"aarch64": ("aarch64", "arm64"), "x86-64": ("x86_64", "amd64")}[wheel.platform]
    release, tag = DEBIAN[wheel.tag]
    newer = [("bookworm", LIBRARIES)] if release == "bullseye" else []  # the delegate may be built for a newer C library
    root = _debian(f"{release}-{architecture}", architecture, (release, [f"python{version_of(tag)}", *LIBRARIES]), *newer)
    emulator = [
        str(_debian("emulator", "amd64", EMULATOR) / "usr/bin" / f"qemu-{machine}"),
        "-cpu",
        "max,sme=off" if machine == "aarch64" else "max",
        "-L",
        str(root),
    ]
    variables["PYTHONPATH"] += os.pathsep + str(_numpy(tag, wheel.platform))
    variables |= {"TVMQ_CC": f"{machine}-linux-gnu-gcc", "TVMQ_EMULATOR": " ".join(emulator)}
    if tag != wheel.tag:
        variables["TVMQ_PYTHON_VERSION"] = version_of(wheel.tag)
        emulator += ["-E", f"LD_PRELOAD={_shim(machine)}"]
    return Python([*emulator, str(root / f"usr/bin/python{version_of(tag)}")], variables)
