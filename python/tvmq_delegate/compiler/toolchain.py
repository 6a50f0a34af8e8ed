"""C compilers: the one of this machine, one for another target, or that of the package ziglang."""

from __future__ import annotations

import importlib.util
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

NATIVE = "native"
ARCHITECTURES = ("x86_64", "aarch64")  # processors that there are kernels for, as targets begin
_MARCH = "-march=armv8.2-a+"

# Bytes of the greatest pages that a processor's systems have, to which a library's segments are aligned.
_PAGES = {"x86_64": 4096, "aarch64": 65536}
_ANDROID_PAGE = 16384


class CompilerError(RuntimeError):
    """A compiler failed; the message has what it printed."""


@dataclass(frozen=True)
class Toolchain:
    """A C compiler for a target. command: with the arguments that it always gets. page: bytes of the target's greatest pages. flags: the user's, after all
    others."""

    command: tuple[str, ...]
    page: int
    flags: tuple[str, ...]

    def _spelled(self, argument: str) -> list[str]:
        """An argument of gcc's as this compiler takes it: zig spells processors its own way."""
        if "ziglang" in self.command and argument.startswith("-mtune="):
            return ["-Xclang", "-tune-cpu", "-Xclang", argument.removeprefix("-mtune=")]
        if "ziglang" in self.command and argument.startswith(_MARCH):
            return [f"-mcpu=generic+v8_2a+{argument.removeprefix(_MARCH)}"]
        return [argument]

    def run(self, *arguments: str, folder: Path) -> str:
        """Returns what the compiler prints. Raises CompilerError if it fails."""
        arguments = tuple(word for argument in arguments for word in self._spelled(argument))
        done = subprocess.run([*self.command, *arguments], cwd=folder, env={**os.environ, "LC_ALL": "C"}, capture_output=True, text=True, errors="replace")
        if done.returncode != 0:
            raise CompilerError(f"{shlex.join([*self.command, *arguments])} failed: {done.stderr or done.stdout}")
        return done.stdout

    def run_tool(self, tool: str, *arguments: str, folder: Path) -> None:
        """Runs a tool of the compiler's, such as ar. Raises CompilerError if it fails."""
        Toolchain((self.run(f"-print-prog-name={tool}", folder=folder).strip() or tool,), self.page, ()).run(*arguments, folder=folder)

    def knows(self, argument: str, folder: Path) -> bool:
        """Whether the compiler knows an argument."""
        return self._tries("-c", argument, folder=folder)

    def links(self, argument: str, folder: Path) -> bool:
        """Whether the linker knows an argument for shared libraries."""
        return self._tries("-shared", "-nostdlib", argument, folder=folder)

    def _tries(self, *arguments: str, folder: Path) -> bool:
        (folder / "empty.c").touch()  # zig waits for the end of a device
        try:
            self.run("-Werror", *arguments, "empty.c", "-o", "tried", folder=folder)
        except CompilerError:
            return False
        return True


def architecture(target: str) -> str:
    """The processor of a target, `native` or a triple. Raises ValueError for one that there are no kernels for."""
    found = platform.machine() if target == NATIVE else target.partition("-")[0]
    if found not in ARCHITECTURES:
        raise ValueError(f"target {target}: there are no kernels for {found or 'it'}, only for {' and '.join(ARCHITECTURES)}")
    return found


def _macros(command: list[str]) -> str:
    """The macros that a compiler defines, "" if there is no such compiler."""
    if not shutil.which(command[0]):
        return ""
    try:
        return Toolchain(tuple(command), 0, ()).run("-dM", "-E", "-x", "c", os.devnull, folder=Path.cwd())
    except (CompilerError, OSError):
        return ""


def _words(variable: str) -> list[str]:
    """An environment variable, split as shells do. Raises ValueError if it cannot be."""
    text = os.environ.get(variable, "")
    try:
        return shlex.split(text)
    except ValueError as error:
        raise ValueError(f"environment variable {variable} ({text}): {str(error)[:1].lower()}{str(error)[1:]}") from None


def _lasting(command: list[str]) -> list[str]:
    """A command that does the same in another folder."""
    return [os.path.abspath(command[0]), *command[1:]] if os.sep in command[0] else command


def find(target: str) -> Toolchain:
    """The compiler for a target: `native`, or a triple such as aarch64-linux-gnu.

    It is that of the environment variable CC if that compiles for the target's processor. Otherwise it is cc for `native` and TARGET-gcc for other targets; and
    where there is none, zig, of the package ziglang. CFLAGS has more flags for any of them.

    Raises: as architecture(); ValueError: CC or CFLAGS is malformed; FileNotFoundError: there is no compiler.
    """
    processor, flags, own = architecture(target), tuple(_words("CFLAGS")), _words("CC")
    commands = [["cc"], ["gcc"], ["clang"]] if target == NATIVE else [[f"{target}-gcc"], [f"{target}-clang"]]
    if own:
        commands.insert(0, _lasting(own))
    if importlib.util.find_spec("ziglang"):
        commands.append([sys.executable, "-m", "ziglang", "cc", *([] if target == NATIVE else ["-target", target])])
    for command in commands:
        macros = _macros(command)
        if f"#define __{processor}__ " in macros:
            return Toolchain(tuple(command), _ANDROID_PAGE if "#define __ANDROID__ " in macros else _PAGES[processor], flags)
    tried = ", ".join(shlex.join(command) for command in commands)
    raise FileNotFoundError(f"there is no C compiler for {target} (tried {tried}); pip install 'tvmq-delegate[compile]' brings zig")


def undefined(message: str) -> set[str]:
    """The symbols that a linker did not find, of the messages of GNU's and LLVM's."""
    return set(re.findall(r"undefined (?:reference to [`']|symbol: )(\w+)", message))
