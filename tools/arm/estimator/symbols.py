"""The function that an address lies in, by the symbol tables of the files in memory."""

from __future__ import annotations

import bisect
import dataclasses
import functools
import pathlib
from collections.abc import Iterable, Sequence

from . import llvm
from .networks import Part

FIXED_POSITION = 2  # e_type of an ELF file whose symbols are addresses


@dataclasses.dataclass(frozen=True, order=True)
class Place:
    """A function, "?" where the file names none, and the name of its file, "" for memory that belongs to none."""

    file: str
    function: str


@dataclasses.dataclass(frozen=True, order=True)
class Symbol:
    """A function in a file. size: in bytes, 0 if unknown."""

    address: int
    size: int
    name: str


class Places:
    """Looks addresses up."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self._parts = parts

    def find(self, address: int) -> Place:
        part = next((part for part in self._parts if part.first <= address < part.end), None)
        if part is None:
            return Place("", "?")
        offset = address if _is_fixed(part.file) else address - part.base
        return Place(pathlib.PurePath(part.file).name, covering(_symbols(part.file), offset))


def covering(symbols: Sequence[Symbol], address: int) -> str:
    """The symbol that the address lies in, "?" if there is none. A symbol of no size reaches up to the next one."""
    i = bisect.bisect_right(symbols, address, key=lambda symbol: symbol.address) - 1
    return symbols[i].name if i >= 0 and (symbols[i].size == 0 or address < symbols[i].address + symbols[i].size) else "?"


def parse(listing: Iterable[str]) -> list[Symbol]:
    """Functions by address, from nm's lines in POSIX format: name, type, value, size. A name may have spaces."""
    found = []
    for line in listing:
        fields = line.rsplit(maxsplit=3)
        if len(fields) == 4 and fields[1] in "TtWwi":
            found.append(Symbol(int(fields[2], 16), int(fields[3], 16), fields[0]))
    return sorted(found)


@functools.cache
def _symbols(file: str) -> list[Symbol]:
    """Reads the symbol table, or the dynamic one where a file has been stripped."""
    return _listed(file) or _listed(file, "--dynamic")


def _listed(file: str, *options: str) -> list[Symbol]:
    return parse(llvm.run([llvm.NM, "--defined-only", "--demangle", "--format=posix", *options, file]).splitlines())


@functools.cache
def _is_fixed(file: str) -> bool:
    with open(file, "rb") as stream:
        return int.from_bytes(stream.read(18)[16:], "little") == FIXED_POSITION
