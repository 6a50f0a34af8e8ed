"""A host in C of LiteRT's CompiledModel: tests/support/litert_host.c, built for the library libLiteRt.so of a wheel."""

from __future__ import annotations

import os
import pathlib
import shlex
import subprocess
from dataclasses import dataclass

import tvmq_delegate

ROOT = pathlib.Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Delegation:
    """Answers of the delegate. runtime: the line about the runtime's build. nodes: subgraph, index and why it is left, "" if it is taken."""

    runtime: str
    nodes: list[tuple[int, int, str]]


class Host:
    """compiler: the command of a C compiler. emulator: a command that runs what it builds, none for this machine."""

    def __init__(self, folder: pathlib.Path, litert: pathlib.Path, compiler: str = "cc", emulator: str = "") -> None:
        self._program, self._runtime, self._emulator = folder / "litert_host", folder / "runtime", shlex.split(emulator)
        delegate = tvmq_delegate.library_path()
        self._runtime.mkdir()
        (self._runtime / "libLiteRtGpuAccelerator.so").symlink_to(tvmq_delegate.accelerator_path())
        (self._runtime / "tvmq_delegate.conf").write_text(f"library={delegate}\n", encoding="utf-8")
        sources = [f"-I{ROOT / 'tests'}", f"-I{ROOT / 'delegate'}", str(ROOT / "tests/support/litert_host.c")]
        libraries = [str(litert), str(delegate), "-ldl", f"-Wl,-rpath,{litert.parent}:{delegate.parent}"]
        subprocess.run([*shlex.split(compiler), "-Wall", "-Wextra", "-Werror", *sources, *libraries, "-o", str(self._program)], check=True)

    def _run(self, *arguments: str | os.PathLike[str]) -> str:
        command = [*self._emulator, str(self._program), str(self._runtime), *map(str, arguments)]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout

    def delegate(self, model: str | os.PathLike[str]) -> Delegation:
        """Compiles a model with the delegate and without options.

        Raises:
          subprocess.CalledProcessError: LiteRT refuses the model.
        """
        runtime, *lines = self._run("delegate", model).splitlines()
        nodes = [line.split(" ", 3)[1:] for line in lines]
        return Delegation(runtime, [(int(subgraph), int(node), reason) for subgraph, node, reason in nodes])

    def see(self, model: bytes) -> str:
        """The line about the runtime's build."""
        path = self._program.with_name("question.tflite")
        path.write_bytes(model)
        return self.delegate(path).runtime

    def answer(self, model: bytes, values: bytes) -> bytes:
        """The output of a model that runs in LiteRT's builtin kernels without a delegate."""
        folder = self._program.parent
        (folder / "model.tflite").write_bytes(model)
        (folder / "input").write_bytes(values)
        self._run("builtin", folder / "model.tflite", folder / "input", folder / "output")
        return (folder / "output").read_bytes()
