"""tvmq-measure, the C program that measures on boards without Python: running it, and reading what it writes with suspicion."""

from __future__ import annotations

import json
import math
import os
import subprocess
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import binding

FORMAT = 1
MOST_BYTES = 64 << 20  # of output
SPARE_SECS = 5  # beyond --max-secs, for the way there and back
MOST = 1 << 53  # of a number's magnitude: floats have all whole numbers up to it
LEAST_NS = 0.001
NAMES = ("tvmq-measure-static", "tvmq-measure")


class ProgramError(RuntimeError):
    """The program did not do what it was asked to: one line says what it did instead."""


@dataclass(frozen=True)
class Described:
    """The machine that the program runs on, as it says. Strings are "" where the system does not tell. reference_ns: of its reference task."""

    version: str
    kernels: str
    cpu: str
    identity: str
    isa: str
    features: str
    count: int
    in_order: bool
    governor: str
    temperature: str
    reference_ns: int


@dataclass(frozen=True)
class Answers:
    """The answers to a plan. lines: for each of the plan's lines the object that answers it. after: temperature and reference task when all was done."""

    board: Described
    lines: tuple[dict[str, Any], ...]
    temperature: str
    reference_ns: tuple[int, int]


def step(signature: str, choice: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """A step of a plan."""
    return {"task": signature} | ({"choice": dict(choice)} if choice else {})


@dataclass(frozen=True)
class Program:
    """A command that runs tvmq-measure, here or on a board; arguments may follow."""

    command: tuple[str, ...]

    def run(self, plan: Iterable[Mapping[str, Any]], seconds: float) -> Answers:
        """Has a plan measured.

        Raises:
          ProgramError: it did not end in time, or wrote anything else than it should: half a line counts as nothing.
        """
        lines = [json.dumps(line) for line in plan]
        output, errors, code = self._output("".join(line + "\n" for line in lines), seconds)
        if code != 0:
            raise ProgramError(f"{self.command[0]} ended with exit code {code}{last_line(errors)}")
        return _parsed(output, len(lines))

    def _output(self, plan: str, seconds: float) -> tuple[bytes, bytes, int]:
        """Files, not pipes: no program can fill them so that it waits for us, nor leave us waiting for a grandchild that has them open."""
        with tempfile.TemporaryFile() as stdin, tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
            stdin.write(plan.encode())
            stdin.seek(0)
            command = [*self.command, "--max-secs", str(max(1, math.ceil(seconds)))]
            try:
                process = subprocess.Popen(command, stdin=stdin, stdout=stdout, stderr=stderr)
            except OSError as error:
                raise ProgramError(f"{self.command[0]} cannot be run: {error.strerror}") from None
            try:
                end = time.monotonic() + seconds + SPARE_SECS
                while process.poll() is None:
                    if time.monotonic() > end:
                        raise ProgramError(f"{self.command[0]} did not end within {seconds:g} seconds")
                    if os.fstat(stdout.fileno()).st_size > MOST_BYTES:
                        raise ProgramError(f"{self.command[0]} wrote more than {MOST_BYTES >> 20} MiB")
                    time.sleep(0.005)
            finally:
                process.kill()
                process.wait()
            stdout.seek(0), stderr.seek(0)
            return stdout.read(MOST_BYTES + 1), stderr.read(1 << 16), process.returncode


def _parsed(output: bytes, n: int) -> Answers:
    if not output.endswith(b"\n"):
        raise ProgramError("tvmq-measure's output ends within a line" if output else "tvmq-measure wrote nothing")
    read = [_object(line) for line in output.splitlines()]
    board, after = _described(read[0]), read[-1]
    if len(read) != n + 2 or after.get("end") != n:
        raise ProgramError(f"tvmq-measure answered {len(read) - 2} lines of {n}, or did not come to its end")
    for number, line in enumerate(read[1:-1], 1):
        if line.get("line") != number:
            raise ProgramError(f"tvmq-measure gave no answer to line {number}")
    return Answers(board, tuple(read[1:-1]), _degrees(after), (board.reference_ns, _positive(after, "reference_ns")))


def _object(line: bytes) -> dict[str, Any]:
    """Reads a line within bounds: numbers are finite and at most MOST in magnitude, strings have printable characters only."""
    try:
        found = _bounded(json.loads(line))
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise ProgramError(f"this is not a line of tvmq-measure: {printable(line[:60].decode('utf-8', 'replace'))!r}")
    return found


def _bounded(value: Any) -> Any:
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, (int, float)) and not -MOST <= value <= MOST:  # NaN is neither
        raise ValueError("a number is out of bounds")
    if isinstance(value, dict):
        return {printable(name): _bounded(each) for name, each in value.items()}
    return [*map(_bounded, value)] if isinstance(value, list) else value


def printable(text: str) -> str:
    """Escapes the characters of a board's text that cannot be printed, such as line breaks, terminal escapes and halves of surrogate pairs."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def last_line(output: bytes) -> str:
    """The last line of a failed command's output, to be appended to an error message; "" if there is none."""
    said = output.decode("utf-8", "replace").strip().splitlines()
    return f": {printable(said[-1][:200])}" if said else ""


def _described(line: Mapping[str, Any]) -> Described:
    if line.get("tvmq_measure") != FORMAT:
        raise ProgramError(f"tvmq-measure of another version: its format is {line.get('tvmq_measure')!r}, not {FORMAT}")
    texts = {name: line.get(name) for name in ("version", "kernels", "cpu", "identity", "isa", "features", "governor")}
    if not all(isinstance(text, str) for text in texts.values()) or not isinstance(line.get("in_order"), bool):
        raise ProgramError("tvmq-measure does not describe its machine")
    numbers = {name: _positive(line, name) for name in ("count", "reference_ns")}
    return Described(**texts, **numbers, in_order=line["in_order"], temperature=_degrees(line))  # type: ignore[arg-type]


def _positive(line: Mapping[str, Any], name: str) -> int:
    value = line.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ProgramError(f"tvmq-measure wrote {name} {value!r:.40}")
    return value


def _degrees(line: Mapping[str, Any]) -> str:
    value = line.get("temperature")
    return f"{value:.0f} °C" if _is_number(value) else ""


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def refuse_error(line: Mapping[str, Any]) -> None:
    """Raises ProgramError if the line says that it could not be answered."""
    if "error" in line:
        raise ProgramError(str(line["error"])[:200])


def times_ns(line: Mapping[str, Any]) -> tuple[float, ...]:
    """The times of an answer.

    Raises:
      ProgramError: the line could not be measured, or there are none.
    """
    refuse_error(line)
    times = line.get("times_ns")
    if not isinstance(times, list) or not times or not all(_is_number(ns) and ns >= LEAST_NS for ns in times):
        raise ProgramError(f"tvmq-measure wrote times_ns {times!r:.60}")
    return tuple(map(float, times))


def steps(line: Mapping[str, Any], n: int) -> Sequence[Mapping[str, Any]]:
    """The steps of an answer, each with its signature, choice, checksum and time there.

    Raises:
      ProgramError: they are not.
    """
    found = line.get("steps")
    if not isinstance(found, list) or len(found) != n or not all(isinstance(each, dict) for each in found):
        raise ProgramError(f"tvmq-measure answered with other steps than {n}")
    for each in found:
        if not isinstance(each.get("task"), str) or not isinstance(each.get("checksum"), str) or not isinstance(each.get("choice"), dict):
            raise ProgramError("tvmq-measure wrote a step without its task, choice or checksum")
        _positive(each, "bytes"), _positive(each, "ns")
    return found


def beside_library() -> Path | None:
    """The program that came with the library, for this machine and such as can run its programs; None: there is none."""
    folder = binding.library_path().parent
    for path in [where / name for where in (folder, folder / "measure", folder.parent / "bin") for name in NAMES]:
        if path.is_file() and os.access(path, os.X_OK):
            return path
    return None
