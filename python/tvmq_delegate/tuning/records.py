"""Records of tuning: one measurement a line of JSON, for whoever tunes again, and for the library's option tuning_records. docs/records.md has the schema."""

from __future__ import annotations

import dataclasses
import json
import math
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..binding import library

VERSION = 1
RUNTIME = "runtime"  # the algorithm of a record that leaves nodes to the runtime; it has no kernel


@dataclass(frozen=True)
class Choice:
    """A choice of how to compute a node, by names. algorithm, kernel, flipped_copy, rows, panels: as in tvmq_delegate.Candidate."""

    algorithm: str
    kernel: str
    flipped_copy: bool
    rows: int
    panels: int

    @property
    def group(self) -> tuple[str, str]:
        """Choices of a group differ in their blocks and flips alone."""
        return self.algorithm, self.kernel

    def __str__(self) -> str:
        blocks = f" {self.rows}x{self.panels}" if self.rows else ""
        if self.algorithm == RUNTIME:
            return "left to the runtime"
        return f"{self.algorithm} {self.kernel.removeprefix('tvmq_')}{blocks}{' flipped' * self.flipped_copy}"


LEFT = Choice(RUNTIME, "", False, 0, 0)


def choice_of(candidate: library.Candidate) -> Choice:
    return Choice(candidate.algorithm, candidate.kernel, candidate.flipped_copy, candidate.rows, candidate.panels)


@dataclass(frozen=True)
class Origin:
    """Where and when records were measured. Strings are "" where the system does not tell.

    library: its version; kernels: the checksum of its kernels. cpu, identity, in_order: as in tvmq_delegate.Cpu, identity "" in records that were made before
    there was one; features: instruction sets that kernels might use.
    """

    library: str
    kernels: str
    cpu: str
    identity: str
    features: str
    in_order: bool
    threads: int
    governor: str
    temperature: str

    def is_of(self, name: str, identity: str, in_order: bool) -> bool:
        """Whether it is that machine, as far as it tells: without an identity by the instruction sets, which the machine's ends with."""
        offered = set(self.features.split("+")) <= set(identity.rpartition(" ")[2].split("+"))
        return (self.cpu, self.in_order) == (name, in_order) and self.identity in ("", identity) and offered


@dataclass(frozen=True)
class Record:
    """A measurement of a choice for a task, and of the default beside it.

    task: a signature. times_ns: a time for each repeat, of one node; default_times_ns: those of the default, measured at about the same time. cycles,
    default_cycles: estimated. macs: of one node. tuner: how the choice was found. proven: both were measured in turn, and the whole network with this choice
    was faster: what the library goes by. estimated: the times are an estimate's. date: ISO 8601.
    """

    origin: Origin
    task: str
    choice: Choice
    times_ns: tuple[float, ...]
    default_times_ns: tuple[float, ...]
    cycles: float
    default_cycles: float
    macs: int
    tuner: str
    proven: bool
    estimated: bool
    date: str

    @property
    def gain(self) -> float:
        """The default's least time over the choice's."""
        return min(self.default_times_ns) / min(self.times_ns)

    def line(self) -> str:
        """The line of the file, with its end."""
        data = {"version": VERSION, **dataclasses.asdict(self.origin)}
        data |= {field.name: getattr(self, field.name) for field in dataclasses.fields(self) if field.name != "origin"}
        return json.dumps(data | {"choice": dataclasses.asdict(self.choice)}, allow_nan=False) + "\n"

    @property
    def order(self) -> tuple[Any, ...]:
        """By which files are sorted: machines, tasks, proven choices first, the fastest first."""
        about = self.origin
        machine = about.cpu, about.identity, about.in_order
        return (*machine, self.task, not self.proven, -self.gain, dataclasses.astuple(self.choice), self.date, about.library, self.line())


@dataclass(frozen=True)
class Skipped:
    """A line of a file that is not a record of this version. why: "no record" or "another version"."""

    path: str
    line: int
    why: str


class RecordError(ValueError):
    """A line is not a record. `why` as in Skipped."""

    def __init__(self, why: str):
        super().__init__(why)
        self.why = why


def parse(line: str) -> Record:
    """A record of a line.

    Raises:
      RecordError: it is none of this version.
    """
    try:
        data = json.loads(line)
        if isinstance(data, dict) and isinstance(data.get("version"), (int, float)) and data["version"] != VERSION:
            raise RecordError("another version")
        origin = Origin(**{field.name: _typed({"identity": "", **data}[field.name], str(field.type)) for field in dataclasses.fields(Origin)})
        choice = Choice(**{field.name: _typed(data["choice"][field.name], str(field.type)) for field in dataclasses.fields(Choice)})
        rest = {field.name: _typed(data[field.name], str(field.type)) for field in dataclasses.fields(Record) if field.name not in ("origin", "choice")}
        if data["version"] != VERSION or not all(min(rest[name], default=0) > 0 for name in ("times_ns", "default_times_ns")):
            raise ValueError
        return Record(origin=origin, choice=choice, **rest)
    except RecordError:
        raise
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        raise RecordError("no record") from None


def _typed(value: Any, kind: str) -> Any:
    """A value of JSON as a field of that type. Raises ValueError for values of other types."""
    if kind == "tuple[float, ...]":
        if not isinstance(value, list):
            raise ValueError
        return tuple(_typed(item, "float") for item in value)
    if kind == "float" and isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value):
        return float(value)
    if {"str": str, "bool": bool, "int": int}.get(kind) is not type(value):
        raise ValueError
    return value


def read_records(paths: Iterable[str | os.PathLike[str]]) -> tuple[list[Record], list[Skipped]]:
    """The records of files in the order of their lines, and the lines that are none.

    Raises:
      OSError: a file cannot be opened.
    """
    found: list[Record] = []
    skipped: list[Skipped] = []
    for path in paths:
        with open(path, encoding="utf-8", errors="replace") as file:
            for number, line in enumerate(file, 1):
                if not line.strip():
                    continue
                try:
                    found.append(parse(line))
                except RecordError as error:
                    skipped.append(Skipped(str(path), number, error.why))
    return found, skipped


def best(records: Iterable[Record]) -> list[Record]:
    """For each machine and task the proven record of the greatest gain, as the library takes it; sorted."""
    kept: dict[tuple[str, str, bool, str], Record] = {}
    for record in records:
        key = record.origin.cpu, record.origin.identity, record.origin.in_order, record.task
        if record.proven and (key not in kept or record.gain > kept[key].gain):
            kept[key] = record
    return sorted(kept.values(), key=lambda record: record.order)


def merged(records: Iterable[Record]) -> list[Record]:
    """All records, each once, in an order that does not depend on that of the files."""
    return sorted(set(records), key=lambda record: record.order)


def usable(found: Sequence[Record]) -> dict[str, int]:
    """How many records there are; how many are for this CPU; of these how many are proven, name kernels that the library lacks, and were made with another
    list of kernels; and how many tasks the proven ones are for."""
    cpu, kernels, checksum = library.cpu(), {kernel.name for kernel in library.kernels()}, library.kernels_checksum()
    here = [record for record in found if record.origin.is_of(cpu.name, cpu.identity, cpu.in_order)]
    known = [record for record in here if record.choice.kernel in kernels or (record.choice.algorithm, record.choice.kernel) == (RUNTIME, "")]
    proven = [record for record in known if record.proven]
    return {
        "records": len(found),
        "for_this_cpu": len(here),
        "proven": len(proven),
        "with_unknown_kernels": len(here) - len(known),
        "with_other_kernels_in_the_library": sum(record.origin.kernels != checksum for record in here),
        "tasks": len({record.task for record in proven}),
    }


def _check(path: Path) -> None:
    """Raises ValueError for a file that begins otherwise than records do, of any version, whole or torn."""
    with open(path, encoding="utf-8", errors="replace") as file:
        line = next(filter(str.strip, file), "")
    try:
        if line and (line.endswith("\n") or not line.startswith("{")):
            parse(line)
    except RecordError as error:
        if error.why == "no record":
            raise ValueError(f"{path} is not a file of tuning records, and stays as it is") from None


class Log:
    """A file that records are appended to, each whole and at once: a process that ends at any time loses nothing that was written before.

    Raises OSError if it cannot be opened, ValueError if it holds something else.
    """

    def __init__(self, path: str | os.PathLike[str]):
        self.path = Path(path)
        if self.path.is_file():
            _check(self.path)
        self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o666)
        size = os.fstat(self._file).st_size
        if size and os.pread(self._file, 1, size - 1) != b"\n":
            os.write(self._file, b"\n")  # whoever wrote before was ended within a line
        self._begun = self.path.with_name(self.path.name + ".begun")
        self.take_up()

    def take_up(self) -> None:
        """Appends what was begun by someone who was ended while measuring."""
        if self._begun.is_file():
            self.append(read_records([self._begun])[0])

    def begin(self, records: Sequence[Record]) -> None:
        """Puts down what has been measured so far of records that will be appended. It lies in a file beside this one, FILE.begun, and is taken up from there
        if this process does not come to append them."""
        draft = self._begun.with_suffix(".draft")
        draft.write_text("".join(record.line() for record in records), encoding="utf-8")
        draft.replace(self._begun)

    def append(self, records: Sequence[Record]) -> None:
        self.append_lines(record.line() for record in records)
        self._begun.unlink(missing_ok=True)

    def append_lines(self, lines: Iterable[str]) -> None:
        """Lines of records, each with its end."""
        for line in lines:
            encoded = line.encode()
            if os.write(self._file, encoded) != len(encoded):
                raise OSError(f"{self.path}: no room for a record")

    def close(self) -> None:
        os.close(self._file)

    def __enter__(self) -> Log:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
