"""The parts of tvmq compile: instruction sets of a target, compilers, and the files of the package that define what a plan needs."""

from __future__ import annotations

import importlib.util
import pathlib
import shutil
import types

import harness
import pytest

from tvmq_delegate.binding import library
from tvmq_delegate.compiler import build, sources, targets, toolchain

pytestmark = [
    pytest.mark.skipif(harness.EMULATED, reason="compilers are this machine's"),
    pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler (apt-get install gcc)"),
]


def test_targets(monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernels of another processor are left to the library; the instruction set is one that can be planned for here."""
    for host, target, expected in (
        ("aarch64", "x86_64-linux-gnu", {"estimate": "cascade-lake"}),
        ("aarch64", "native", {"isa": "neon"}),
        ("x86_64", "aarch64-linux-gnu", {"estimate": "cortex-a72"}),
        ("x86_64", "native", {"isa": "avx2"}),
    ):
        monkeypatch.setattr("platform.machine", lambda host=host: host)
        monkeypatch.setattr(library, "isas", lambda: [types.SimpleNamespace(name="neon", available=True)])
        assert targets.options(target, None) == [expected], (host, target)
    with pytest.raises(ValueError, match="plans for aarch64 are made for neon, dotprod, i8mm alone, not for avx2"):
        targets.options("aarch64-linux-gnu", "avx2")


def test_compilers(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> None:
    """A compiler is taken for what it compiles for; zig, where it is installed, compiles for targets that nothing else does."""
    monkeypatch.setenv("CC", "cc")
    assert toolchain.find("native").command == ("cc",)
    foreign = {"x86_64": "aarch64", "aarch64": "x86_64"}[toolchain.architecture("native")]
    with pytest.raises(FileNotFoundError, match=f"no C compiler for {foreign}-nowhere .tried cc, {foreign}-nowhere-gcc"):
        toolchain.find(f"{foreign}-nowhere")
    for variable, value in (("CC", "'cc"), ("CFLAGS", '-O2 "')):
        with monkeypatch.context() as patch, pytest.raises(ValueError, match=f"environment variable {variable} .*: no closing quotation"):
            patch.setenv(variable, value)
            toolchain.find("native")
    for macros, page in (("", 65536), ("#define __ANDROID__ 1", 16384)):
        other = tmp_path / "other"
        other.write_text(f"#!/bin/sh\necho '#define __aarch64__ 1'\necho '{macros}'\n", encoding="utf-8")
        other.chmod(0o755)
        monkeypatch.setenv("CC", str(other))
        assert toolchain.find("aarch64-linux-android24").page == page
    with monkeypatch.context() as patch:
        patch.setenv("CC", " ")
        assert toolchain.find("native").command
        patch.chdir(tmp_path)
        (tmp_path / "compiler").symlink_to(shutil.which("cc") or "")
        patch.setenv("CC", "./compiler")
        (tmp_path / "elsewhere").mkdir()
        assert toolchain.find("native").run("--version", folder=tmp_path / "elsewhere")
    if importlib.util.find_spec("ziglang") is None:
        pytest.skip("ziglang is not installed")
    found = toolchain.find(f"{foreign}-linux-musl")
    assert "ziglang" in found.command
    assert found.knows("-mtune=cortex-a53" if foreign == "aarch64" else "-mavx2", tmp_path)


def test_sources(tmp_path: pathlib.Path) -> None:
    """Every file that is listed is there, and every kernel that can be chosen here has a file that defines it, in the group of its instruction set."""
    for group in sources.groups().values():
        assert all((sources.root() / path).is_file() for path in group.files)
    assert {isa.name for isa in library.isas()} - {"c"} <= sources.groups().keys()
    objects = build.Objects(toolchain.find("native"), tmp_path)
    for kernel in library.kernels():
        isa = kernel.name.rpartition("__")[2]
        assert objects.source_of(kernel.name).group == {"c": sources.PORTABLE}.get(isa, isa)
    with pytest.raises(LookupError, match="no source of the package defines tvmq_none__c"):
        objects.source_of("tvmq_none__c")
