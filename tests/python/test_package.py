"""The package as a user gets it: a wheel and an sdist, installed in a fresh environment away from the sources."""

from __future__ import annotations

import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile

import harness
import pytest

import tvmq_delegate

SOURCES = "tvmq_delegate/sources/"  # of compiled networks, in the wheel

pytestmark = [
    pytest.mark.skipif(harness.EMULATED, reason="nothing is built under emulation"),
    pytest.mark.skipif(not all(map(importlib.util.find_spec, ("mesonpy", "wheel"))), reason="building needs meson-python and wheel: pip install '.[test]'"),
]

RUN = """
import sys, numpy as np, tvmq_delegate
from tvmq_delegate import models
from tvmq_delegate.binding import runtimes
assert tvmq_delegate.library_path().parent == __import__("pathlib").Path(tvmq_delegate.__file__).parent
interpreters = runtimes.find({runtime!r})
network = models.cut(models.zoo.load("mobilenet_v1_0.25_128"), 0)
outputs = []
for delegates in ([tvmq_delegate.load(require_full_delegation=True)], None):
    reference = interpreters.OpResolverType.BUILTIN_REF
    interpreter = interpreters.Interpreter(model_content=network, experimental_delegates=delegates, experimental_op_resolver_type=reference)
    interpreter.allocate_tensors()
    detail = interpreter.get_input_details()[0]
    interpreter.set_tensor(detail["index"], np.random.default_rng(0).integers(-128, 128, detail["shape"], dtype=np.int8))
    interpreter.invoke()
    outputs.append(interpreter.get_tensor(interpreter.get_output_details()[0]["index"]))
assert (outputs[0] == outputs[1]).all() and outputs[0].std() > 0
print("exact", tvmq_delegate.__version__)
"""


# The tests ask where things go, so that the quickest build will do: kernels of other instruction sets take minutes to compile.
QUICKEST = ["-Disas=avx2,neon", "-Doptimization=0"]


def run(*command: str | os.PathLike, **options) -> str:
    """Output of a command that must succeed, without what points at the sources, with meson and ninja of this environment first."""
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "TVMQ_LIBRARY")}
    environment["PATH"] = os.pathsep.join([str(pathlib.Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run([*map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, env=environment, **options)
    assert done.returncode == 0, done.stdout
    return done.stdout


def build(kind: str, source: pathlib.Path, target: pathlib.Path) -> pathlib.Path:
    """Calls the build backend as an installer does, in a copy of its own environment. A wheel's objects are left beside it."""
    settings = {"setup-args": QUICKEST, "builddir": str(target / "build")} if kind == "wheel" else None
    script = f"import sys; sys.path.insert(0, 'tools'); import build_backend; print(build_backend.build_{kind}({str(target)!r}, {settings}))"
    return target / run(sys.executable, "-c", script, cwd=source).split()[-1]


@pytest.fixture(scope="session")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """An archive holds what is committed, as `meson dist` makes it."""
    if not (harness.REPOSITORY / ".git").exists():
        pytest.skip("an sdist is made from a git checkout")
    return build("sdist", harness.REPOSITORY, tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="session")
def unpacked(sdist: pathlib.Path, tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    folder = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(sdist) as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)  # which Python 3.11.2 does not have
        archive.extractall(folder)
    (top,) = folder.iterdir()
    return top


@pytest.fixture(scope="session")
def wheel(unpacked: pathlib.Path, tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """Built from the sdist, so that both are known to be complete, with bytecode among the sources, as Python leaves it there."""
    run(sys.executable, "-m", "compileall", "-q", unpacked / "python")
    return build("wheel", unpacked, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="session")
def fresh(wheel: pathlib.Path, tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """Python of a new environment with the wheel in it; the runtimes and what else it needs are this environment's, seen behind its own packages."""
    folder = tmp_path_factory.mktemp("fresh")
    run(sys.executable, "-m", "venv", folder)
    python = folder / "bin/python"
    run(python, "-m", "pip", "install", "--no-deps", "--no-index", "--disable-pip-version-check", wheel)
    ours = next(pathlib.Path(p) for p in sys.path if p.endswith("site-packages"))
    (site,) = (folder / "lib").glob("python*/site-packages")
    (site / "borrowed.pth").write_text(f"{ours}\n", encoding="utf-8")
    return python


def test_the_wheel_is_for_every_python(wheel: pathlib.Path) -> None:
    assert re.fullmatch(r"tvmq_delegate-[\w.+]+-py3-none-(linux|manylinux\w*)_(x86_64|aarch64)\.whl", wheel.name)


def test_the_wheel_holds_the_package_and_nothing_else(wheel: pathlib.Path) -> None:
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    python = harness.REPOSITORY / "python"
    sources = {path.relative_to(python).as_posix() for path in (python / "tvmq_delegate").rglob("*") if path.is_file() and path.suffix != ".pyc"}
    others = ["libtvmq_accelerator.so", "libtvmq_delegate.so", "libtvmq_preload.so", "tvmq-measure"]
    others += ["tvmq_accelerator.h", "tvmq_delegate.h", "tvmq_delegate.hpp", "tvmq_network.h"]
    static = "tvmq_delegate/tvmq-measure-static"  # where there is a libc to link it with
    compiled = {name for name in names if name.startswith(f"{SOURCES}delegate/")}  # of which tvmq compile makes libraries
    assert all((harness.REPOSITORY / name.removeprefix(SOURCES)).is_file() for name in compiled)
    assert names - {static} - compiled == sources | {f"tvmq_delegate/{name}" for name in [*others, "sources/sources.json"]}


def test_the_wheel_holds_the_sources_of_compiled_networks(wheel: pathlib.Path) -> None:
    """All that are listed, and what they include."""
    archive = zipfile.ZipFile(wheel)
    there = {name.removeprefix(SOURCES) for name in archive.namelist() if name.startswith(SOURCES)}
    left = [file for group in json.loads(archive.read(f"{SOURCES}sources.json")).values() for file in group["files"]]
    assert "delegate/compiled/compiled.c" in left and "delegate/kernels/portable/gemm_c.c" in left
    seen: set[str] = set()
    while left:
        file = left.pop()
        assert file in there
        if file not in seen:
            seen.add(file)
            included = re.findall(r'^ *# *include "(.+)"', archive.read(SOURCES + file).decode(), re.MULTILINE)
            left += [f"delegate/{name}" for name in included]


def test_requirements_and_extras(wheel: pathlib.Path) -> None:
    archive = zipfile.ZipFile(wheel)
    metadata = archive.read(next(name for name in archive.namelist() if name.endswith("/METADATA"))).decode()
    assert {"tflite-runtime", "litert", "tensorflow", "test"} <= set(re.findall(r"^Provides-Extra: (.+)$", metadata, re.MULTILINE))
    required = {line for line in re.findall(r"^Requires-Dist: (.+)$", metadata, re.MULTILINE) if "extra ==" not in line}
    assert {re.match(r"[\w-]+", line)[0] for line in required if ";" not in line} == {"click", "flatbuffers", "rich", "tflite"}
    assert re.search(r"^Requires-Python: >=3\.\d+$", metadata, re.MULTILINE)


def test_it_runs_where_it_is_installed(fresh: pathlib.Path, runtime: harness.Runtime, tmp_path: pathlib.Path) -> None:
    printed = run(fresh, "-c", RUN.format(runtime=runtime.name), cwd=tmp_path)
    assert printed.split()[-2:] == ["exact", tvmq_version(fresh, tmp_path)]


def test_the_console_script_is_installed(fresh: pathlib.Path, tmp_path: pathlib.Path) -> None:
    assert "tvmq-delegate" in run(fresh.with_name("tvmq"), "info", cwd=tmp_path)


def test_sdist_wheel_and_library_have_one_version(sdist: pathlib.Path, wheel: pathlib.Path, fresh: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """The commit's, which the sources without git no longer know by themselves."""
    version = tvmq_version(fresh, tmp_path)
    assert sdist.name == f"tvmq_delegate-{version}.tar.gz" and wheel.name.startswith(f"tvmq_delegate-{version}-py3-")
    commit = run("git", "-C", harness.REPOSITORY, "rev-parse", "HEAD")[:7]
    assert re.fullmatch(rf"\d+\.\d+\.\d+(\.dev\d+\+g{commit}(\.dirty)?)?", version)


@pytest.fixture(scope="session")
def prefix(wheel: pathlib.Path, tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """Where `meson install` has put what C and C++ programs use, of the wheel's objects."""
    folder = tmp_path_factory.mktemp("prefix")
    run("meson", "configure", wheel.parent / "build", "-Dpython=false", f"--prefix={folder}", "--libdir=lib")
    run("meson", "install", "-C", wheel.parent / "build")
    return folder


def test_meson_install_brings_nothing_of_python(prefix: pathlib.Path) -> None:
    installed = {str(path.relative_to(prefix)) for path in prefix.rglob("*") if path.is_file()}
    assert {"lib/libtvmq_delegate.so", "lib/pkgconfig/tvmq_delegate.pc", "include/tvmq_delegate.h", "include/tvmq_delegate.hpp"} <= installed
    assert {"lib/libtvmq_accelerator.so", "lib/tvmq_delegate/libLiteRtGpuAccelerator.so", "include/tvmq_accelerator.h"} <= installed
    assert not [name for name in installed if name.endswith(".py")]


@pytest.mark.skipif(shutil.which("pkg-config") is None, reason="pkg-config is not installed (apt-get install pkg-config)")
def test_a_c_program_finds_it_by_pkg_config(prefix: pathlib.Path, tmp_path: pathlib.Path, fresh: pathlib.Path) -> None:
    source = tmp_path / "program.c"
    source.write_text("#include <stdio.h>\n#include <tvmq_delegate.h>\nint main(void) { return puts(tvmq_version()) < 0; }\n", encoding="utf-8")
    flags = run("pkg-config", f"--with-path={prefix}/lib/pkgconfig", "--cflags", "--libs", "tvmq_delegate").split()
    run("cc", source, "-o", tmp_path / "program", *flags, f"-Wl,-rpath,{prefix}/lib")
    assert run(tmp_path / "program").strip() == tvmq_version(fresh, tmp_path)


CMAKE = """cmake_minimum_required(VERSION 3.16)
project(program CXX)
find_package(tvmq_delegate 0.1 REQUIRED)
add_executable(program program.cpp)
target_link_libraries(program tvmq_delegate::tvmq_delegate)
"""


@harness.NEEDS_CMAKE
@harness.NEEDS_CPP
def test_a_cpp_program_finds_it_by_cmake(prefix: pathlib.Path, tmp_path: pathlib.Path, fresh: pathlib.Path) -> None:
    (tmp_path / "program.cpp").write_text(
        "#include <cstdio>\n#include <tvmq_delegate.hpp>\nint main() { return std::puts(tvmq_version()) < 0; }\n", encoding="utf-8"
    )
    (tmp_path / "CMakeLists.txt").write_text(CMAKE, encoding="utf-8")
    run("cmake", "-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", tmp_path / "build")
    assert run(tmp_path / "build/program").strip() == tvmq_version(fresh, tmp_path)


def test_the_documentation_lists_the_options_of_the_library() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (.+?) \| `(.+?)` \|", (harness.REPOSITORY / "docs/options.md").read_text(encoding="utf-8"), re.MULTILINE)
    values = {"bool": "true, false", "int": "{0.min} and up", "name": "{0.names}", "cpus": "any, or such as 4-7, 0+2"}
    options = tvmq_delegate.options()
    told = {name: text for name, text, _ in rows}  # of a path the page says in words what it may be
    words = {o.name: f"{o.names}, or " if o.kind == "int" and o.names else "" for o in options}
    assert rows == [(o.name, (words[o.name] + values.get(o.kind, told.get(o.name, "")).format(o)).replace("|", ", "), o.default_value) for o in options]


def tvmq_version(python: pathlib.Path, folder: pathlib.Path) -> str:
    return run(python.with_name("tvmq"), "--version", cwd=folder).split()[-1]


def test_a_build_for_32_bits_ends_in_one_line(tmp_path: pathlib.Path) -> None:
    """A compiler that makes 32-bit code suffices, without a C library of that kind."""
    if not shutil.which("gcc") or subprocess.run(["gcc", "-m32", "-x", "c", "-c", "-", "-o", os.devnull], input=b"", check=False).returncode:
        pytest.skip("gcc -m32 compiles nothing here")
    cross = tmp_path / "cross.ini"
    machine = "[host_machine]\nsystem = 'linux'\ncpu_family = 'x86'\ncpu = 'i686'\nendian = 'little'\n"
    cross.write_text(f"[binaries]\nc = ['gcc', '-m32']\nar = 'ar'\n[properties]\nskip_sanity_check = true\n{machine}", encoding="utf-8")
    settings = {**os.environ, "PATH": os.pathsep.join([str(pathlib.Path(sys.executable).parent), os.environ["PATH"]])}
    command = ["meson", "setup", str(tmp_path / "build"), str(harness.REPOSITORY), "--cross-file", str(cross)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, env=settings)
    (told,) = (line for line in done.stdout.splitlines() if "ERROR" in line)
    assert done.returncode == 1 and "32-bit processors are not supported (x86)" in told
