"""C compilers: the one of this machine, or one for another target."""

from __future__ import annotations

import os
import platform
import re
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

NATIVE = "native"
ARCHITECTURES = ("x86_64", "aarch64")  # processors that there are kernels for, as targets begin


class CompilerError(RuntimeError):
    """A compiler failed; the message has what it printed."""


@dataclass(frozen=True)
class Toolchain:
    """A C compiler for a target. command: with the arguments that it always gets. flags: the user's, after all others."""

    command: tuple[str, ...]
    architecture: str
    flags: tuple[str, ...]

    def run(self, *arguments: str, folder: Path) -> str:
        """Returns what the compiler prints. Raises CompilerError if it fails."""
        done = subprocess.run([*self.command, *arguments], cwd=folder, env={**os.environ, "LC_ALL": "C"}, capture_output=True, text=True, errors="replace")
        if done.returncode != 0:
            raise CompilerError(f"{shlex.join([*self.command, *arguments])} failed: {done.stderr or done.stdout}")
        return done.stdout

    def run_tool(self, tool: str, *arguments: str, folder: Path) -> None:
        """Runs a tool of the compiler's, such as ar. Raises CompilerError if it fails."""
        Toolchain((self.run(f"-print-prog-name={tool}", folder=folder).strip() or tool,), self.architecture, ()).run(*arguments, folder=folder)

    def knows(self, argument: str, folder: Path) -> bool:
        try:
            self.run("-Werror", argument, "-x", "c", "-fsyntax-only", os.devnull, folder=folder)
        except CompilerError:
            return False
        return True

    def links(self, argument: str, folder: Path) -> bool:
        """Whether the linker knows an argument for shared libraries."""
        try:
            self.run("-shared", "-nostdlib", argument, "-x", "c", os.devnull, "-o", "tried.so", folder=folder)
        except CompilerError:
            return False
        return True


def architecture(target: str) -> str:
    """The processor of a target, `native` or a triple. Raises ValueError for one that there are no kernels for."""
    found = platform.machine() if target == NATIVE else target.partition("-")[0]
    if found not in ARCHITECTURES:
        raise ValueError(f"target {target}: there are no kernels for {found or 'it'}, only for {' and '.join(ARCHITECTURES)}")
    return found


def find(target: str) -> Toolchain:
    """The compiler for a target: `native`, or a triple such as aarch64-linux-gnu.

    For `native`, the environment variable CC names the compiler, which is cc by default. For other targets it is TARGET-gcc. CFLAGS has more flags for either.

    Raises: as architecture(); FileNotFoundError: there is no compiler.
    """
    processor, flags = architecture(target), tuple(shlex.split(os.environ.get("CFLAGS", "")))
    commands = [shlex.split(os.environ.get("CC", "")) or ["cc"], ["gcc"], ["clang"]] if target == NATIVE else [[f"{target}-gcc"]]
    for command in commands:
        if shutil.which(command[0]):
            return Toolchain(tuple(command), processor, flags)
    raise FileNotFoundError(f"there is no C compiler for {target}: {' or '.join(command[0] for command in commands)}")


def undefined(message: str) -> set[str]:
    """The symbols that a linker did not find, of the messages of GNU's and LLVM's."""
    return set(re.findall(r"undefined (?:reference to [`']|symbol: )(\w+)", message))
