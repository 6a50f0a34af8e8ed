"""Hardening of the built library: seen in the file itself."""

from __future__ import annotations

import platform
import re
import shutil
import subprocess

import pytest

import tvmq_delegate

LANDING_PADS = {"x86_64": "endbr64", "aarch64": "bti|paciasp"}


def tool(name: str, *arguments: str) -> str:
    if not shutil.which(name):
        pytest.skip(f"{name} is not installed (apt-get install binutils)")
    return subprocess.run([name, *arguments, str(tvmq_delegate.library_path())], check=True, stdout=subprocess.PIPE, text=True).stdout


def test_tables_of_addresses_are_read_only():
    headers = tool("readelf", "--wide", "--segments", "--dynamic")
    assert "GNU_RELRO" in headers and "BIND_NOW" in headers, headers
    assert re.search(r"GNU_STACK .* RW +0x", headers), "the stack is executable"


def test_stacks_and_copies_are_checked():
    symbols = tool("readelf", "--wide", "--dyn-syms")
    for name in ("__stack_chk_fail", "__memcpy_chk", "__snprintf_chk"):
        assert name in symbols, f"{name} is not called"


@pytest.mark.skipif(platform.machine() not in LANDING_PADS, reason="other processors have no such instructions")
def test_branches_land_where_they_may():
    """Every function that others call begins with a landing pad; on x86 the shadow stack is announced."""
    first = dict(re.findall(r"<((?:tvmq|tflite_plugin)_\w+)>:\n +\w+:\s+(\w+)", tool("objdump", "-d", "--no-show-raw-insn")))
    exported = set(re.findall(r"GLOBAL DEFAULT +\d+ ((?:tvmq|tflite_plugin)_\w+)", tool("readelf", "--wide", "--dyn-syms")))
    kernels = {name for name in first if re.search("__[a-z0-9]+$", name)}  # none where the library is stripped; their own parts are called by name
    assert exported and exported <= first.keys()
    bare = [name for name in exported | kernels if not re.fullmatch(LANDING_PADS[platform.machine()], first[name])]
    assert not bare, bare
    if platform.machine() == "x86_64":
        assert "SHSTK" in tool("readelf", "--notes")
