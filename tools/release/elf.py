"""The few things about a 64-bit little-endian shared library that a release depends on."""

from __future__ import annotations

import pathlib
import struct
from dataclasses import dataclass

MACHINES = {62: "x86_64", 183: "aarch64"}
LOAD, TLS = 1, 7  # kinds of segments
DYNAMIC, DYNAMIC_SYMBOLS = 6, 11  # kinds of sections
NEEDED = 1  # kind of a dynamic entry


@dataclass(frozen=True)
class Library:
    """needed: libraries; needed_symbols: names that they must have, weak ones left out. alignment: the least of a loaded segment."""

    machine: str
    needed: tuple[str, ...]
    needed_symbols: frozenset[str]
    exported: frozenset[str]
    alignment: int
    thread_local: bool


def read(path: pathlib.Path) -> Library:
    data = path.read_bytes()
    if data[:6] != b"\x7fELF\x02\x01":
        raise ValueError(f"{path} is no 64-bit ELF file")
    machine, programs, sections = struct.unpack_from("<18xH12xQQ", data)
    program_size, n_programs, section_size, n_sections = struct.unpack_from("<HHHH", data, 54)
    segments = [struct.unpack_from("<II40xQ", data, programs + i * program_size) for i in range(n_programs)]
    tables = [struct.unpack_from("<4xI16xQQI12xQ", data, sections + i * section_size) for i in range(n_sections)]
    needed, wanted, exported = [], set(), set()
    for kind, offset, size, link, entry in tables:
        names = tables[link][1] if link < len(tables) else 0
        if kind == DYNAMIC:
            entries = [struct.unpack_from("<QQ", data, offset + i) for i in range(0, size, 16)]
            needed += [_string(data, names + value) for tag, value in entries if tag == NEEDED]
        if kind == DYNAMIC_SYMBOLS:
            for at in range(offset + entry, offset + size, entry):
                name, info, section = struct.unpack_from("<IBxH", data, at)
                (wanted if section == 0 else exported).add(_string(data, names + name)) if section or info >> 4 != 2 else None
    return Library(
        machine=MACHINES.get(machine, str(machine)),
        needed=tuple(needed),
        needed_symbols=frozenset(wanted),
        exported=frozenset(exported),
        alignment=min(align for kind, _, align in segments if kind == LOAD),
        thread_local=any(kind == TLS for kind, _, _ in segments) or "__emutls_get_address" in wanted | exported,
    )


def _string(data: bytes, at: int) -> str:
    return data[at : data.index(b"\0", at)].decode()
