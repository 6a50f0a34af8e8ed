"""The library as the dynamic linker and the runtimes that load it see it."""

from __future__ import annotations

import pathlib
import re
import shutil
import subprocess

import builders
import harness
import pytest

import tvmq_delegate


@pytest.fixture(scope="module")
def library() -> pathlib.Path:
    return tvmq_delegate.library_path()


def nm(library: pathlib.Path, *options: str) -> list[str]:
    if shutil.which("nm") is None:
        pytest.skip("nm is not installed")
    return subprocess.run(["nm", "--dynamic", *options, str(library)], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()


def test_exports(library):
    """The two entry points of an external delegate and the public header, nothing else."""
    names = {line.split()[-1].partition("@")[0] for line in nm(library, "--defined-only")}
    assert {"tflite_plugin_create_delegate", "tflite_plugin_destroy_delegate", "tvmq_version"} <= names
    assert not {name for name in names if not name.startswith(("tvmq_", "tflite_plugin_"))}


def test_needs_nothing_of_tflite(library):
    """No runtime exports symbols to link against, so none may be needed."""
    undefined = {line.split()[-1] for line in nm(library, "--undefined-only")}
    assert not {name for name in undefined if "tflite" in name.lower() or "TfLite" in name}


def test_loads_and_computes(runtime):
    """In each runtime: nodes are offered and claimed, and the answer is the reference's. This is what a changed ABI would break first."""
    content = builders.build_conv()
    delegate = runtime.load()
    delegated, reference = runtime.interpreter(content, [delegate]), runtime.interpreter(content)
    harness.assert_claimed(delegate)
    inputs = harness.random_inputs(reference, seed=0)
    harness.assert_equal(harness.run(delegated, *inputs)[0], harness.run(reference, *inputs)[0])


def test_version(runtime):
    assert re.fullmatch(r"\d+\.\d+\.\d+(\.dev\d+\+\w+(\.dirty)?)?", tvmq_delegate.binding.library.version())
