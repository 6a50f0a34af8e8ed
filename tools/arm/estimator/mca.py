"""Cycles that blocks of instructions take, by llvm-mca's models of cores.

A block is priced as the body of a loop: llvm-mca goes through it ITERATIONS times with all that it reads in the first-level cache.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from . import llvm
from .cores import Core

ITERATIONS = 50
_TARGET = ["--mattr=+all"]  # what a core does not know is skipped, not refused


def cycles(blocks: Sequence[tuple[int, ...]], core: Core) -> list[float]:
    """Cycles of one execution of each block, given by its words, when it repeats.

    Instructions without a timing in the core's model are free. A block of nothing else takes a cycle for each of them.
    """
    names = disassembled({word for words in blocks for word in words}, core.llvm)
    command = [llvm.mca(core.llvm), "--mtriple=aarch64", *_TARGET, f"-mcpu={core.model or core.name}", f"-iterations={ITERATIONS}"]
    command += ["-skip-unsupported-instructions=any", "-resource-pressure=0", "-instruction-info=0"]
    totals = parse_totals(llvm.run(command, regions(blocks, names)))
    return [totals[i] / ITERATIONS if i in totals else float(len(words)) for i, words in enumerate(blocks)]


def disassembled(words: Collection[int], version: str) -> dict[int, str]:
    """Assembly text of the words; those that are no instruction are missing."""
    code = "\n".join(" ".join(f"{byte:#04x}" for byte in word.to_bytes(4, "little")) for word in sorted(words))
    return parse_encodings(llvm.run([llvm.mc(version), "--disassemble", "--show-encoding", "--triple=aarch64", *_TARGET], code))


def parse_encodings(listing: str) -> dict[int, str]:
    """Word -> assembly text, from what llvm-mc prints."""
    lines = re.finditer(r"^\s*(.+?)\s*// encoding: \[(.+)\]", listing, re.MULTILINE)
    return {int.from_bytes((int(byte, 16) for byte in found[2].split(",")), "little"): found[1] for found in lines}


def regions(blocks: Sequence[tuple[int, ...]], names: Mapping[int, str]) -> str:
    """Assembly in which every block is a region called by its index."""
    parts = (["# LLVM-MCA-BEGIN " + str(i), *(names[word] for word in words if word in names), "# LLVM-MCA-END"] for i, words in enumerate(blocks))
    return "".join(line + "\n" for part in parts for line in part)


def parse_totals(report: str) -> dict[int, int]:
    """Region -> cycles of all iterations. Regions in which the core knows no instruction are not reported."""
    found = re.finditer(r"Code Region - (\d+)\n.*?^Total Cycles:\s+(\d+)$", report, re.MULTILINE | re.DOTALL)
    return {int(region[1]): int(region[2]) for region in found}
