"""Ways to a board that has no Python: how tvmq-measure gets there, and the command that runs it. No shell here ever sees a name: commands are lists."""

from __future__ import annotations

import hashlib
import shlex
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from .program import Program, ProgramError, last_line

PUSH_SECS = 120


def _run(command: Sequence[str], stdin: Path | None = None) -> None:
    try:
        with open(stdin or "/dev/null", "rb") as stream:
            done = subprocess.run(command, stdin=stream, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=PUSH_SECS, check=False)
    except OSError as error:
        raise ProgramError(f"{command[0]} cannot be run: {error.strerror}") from None
    except subprocess.TimeoutExpired:
        raise ProgramError(f"{command[0]} did not end within {PUSH_SECS} seconds") from None
    if done.returncode != 0:
        raise ProgramError(f"{shlex.join(command)} failed{last_line(done.stdout)}")


def _adb(via: Sequence[str], program: Path, name: str) -> list[str]:
    """adb has a push of its own; /data/local/tmp is where programs may be run."""
    if via[-1] != "shell":
        raise ProgramError("adb needs its command shell in the end: --via 'adb -s SERIAL shell'")
    there = f"/data/local/tmp/{name}"
    _run([*via[:-1], "push", str(program), there])
    _run([*via, "chmod", "755", there])
    return [*via, there]


def _ssh(via: Sequence[str], program: Path, name: str) -> list[str]:
    """Through ssh itself, which takes the same options: small systems often have no server for scp. `name` is made of letters, digits and hyphens."""
    there = f"./.{name}"
    _run([*via, f"cat > {there}.new && chmod 755 {there}.new && mv {there}.new {there}"], program)
    return [*via, there]


def _here(via: Sequence[str], program: Path, name: str) -> list[str]:
    """An emulator, or anything else that takes a program of this machine's files."""
    del name
    return [*via, str(program)]


TRANSPORTS: dict[str, Callable[[Sequence[str], Path, str], list[str]]] = {"adb": _adb, "ssh": _ssh}


def reach(via: str, program: Path) -> Program:
    """The program on the board that `via` leads to: it is there now.

    Args:
      via: a command, as a shell would take it apart; nothing else of a shell has a meaning. program: tvmq-measure, built for the board.

    Raises:
      ProgramError: it cannot be brought there. ValueError: `via` has no end of a quotation, or is empty. OSError: there is no such program.
    """
    words = shlex.split(via)
    if not words:
        raise ValueError("no command")
    name = f"tvmq-measure-{hashlib.sha256(program.read_bytes()).hexdigest()[:12]}"
    return Program(tuple(TRANSPORTS.get(Path(words[0]).name, _here)(words, program, name)))
