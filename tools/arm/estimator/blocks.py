"""Counts by the emulator's plugin: blocks of instructions, how often one run of a program executes each of them, and in which pieces.

A translation of the emulator ends at a branch, but also at the end of a page and at a number of instructions. `joined` puts such pieces together again.
"""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Iterable, Mapping

Counts = Mapping[tuple[int, str], int]  # (address, code in hexadecimal) -> executions

# Words of arm64 as (mask, value). Branches and calls of the system end a block; waits stand in loops that wait for another thread or for a time.
BRANCHES = (
    (0x7C000000, 0x14000000),  # b, bl
    (0x7C000000, 0x34000000),  # cbz, cbnz, tbz, tbnz
    (0xFE000000, 0x54000000),  # b.cond
    (0xFE000000, 0xD6000000),  # br, blr, ret
    (0xFF000000, 0xD4000000),  # svc, brk
)
WAITS = (
    (0xFFFFF0FF, 0xD50330DF),  # isb
    (0xFFFFFFFF, 0xD503203F),  # yield
    (0xFFFFFFFF, 0xD503205F),  # wfe
    (0xFFFFFFE0, 0xD53BE040),  # mrs of cntvct_el0, the clock
)

LEAST = 0.5  # executions per run; what is executed less often belongs to the start of the program, not to its runs


@dataclasses.dataclass(frozen=True)
class Block:
    """Instruction words that are executed one after the other, and the address of the first."""

    address: int
    words: tuple[int, ...]

    @property
    def end(self) -> int:
        return self.address + 4 * len(self.words)

    @property
    def branches(self) -> bool:
        return matches(self.words[-1], BRANCHES)

    @property
    def waits(self) -> bool:
        return any(matches(word, WAITS) for word in self.words)


def matches(word: int, patterns: Iterable[tuple[int, int]]) -> bool:
    return any(word & mask == value for mask, value in patterns)


def parse(lines: Iterable[str]) -> Counts:
    """Reads the file that blockcount.c has written."""
    counts: collections.Counter[tuple[int, str]] = collections.Counter()
    for line in lines:
        address, count, code = line.split()
        counts[int(address, 16), code] += int(count)
    return counts


def per_run(fewer: Counts, more: Counts, runs: int) -> dict[Block, float]:
    """Executions in one run, from the counts of two processes of which the second does `runs` runs more. Blocks that wait are left out."""
    found: dict[Block, float] = {}
    for (address, code), count in more.items():
        executions = (count - fewer.get((address, code), 0)) / runs
        if executions >= LEAST:
            block = Block(address, tuple(int(code[i : i + 8], 16) for i in range(0, len(code), 8)))
            if not block.waits:
                found[block] = executions
    return found


def joined(executions: Mapping[Block, float]) -> dict[Block, float]:
    """The same with pieces put together: a block that does not end with a branch is always followed by the one that begins where it ends.

    Blocks are gone through by their addresses. Each takes its executions away from those that follow it, so that an entry in the middle stays a block.
    """
    left = dict(executions)
    starts: dict[int, list[Block]] = collections.defaultdict(list)
    for block in executions:
        starts[block.address].append(block)
    whole: dict[Block, float] = {}
    for block in sorted(executions, key=lambda block: (block.address, block.end)):
        count, extended = left[block], block
        if count < LEAST:
            continue
        while not extended.branches:
            follower = max(starts[extended.end], key=left.__getitem__, default=None)
            if follower is None or left[follower] < count:
                break
            left[follower] -= count
            extended = Block(extended.address, extended.words + follower.words)
        whole[extended] = whole.get(extended, 0) + count
    return whole
