#!/usr/bin/env python3
"""Checks the machine code of the kernels: no hot loop may spill, and no vector may be stored to the stack that nobody reads.

    check_spills.py OBJDUMP LIBRARY...

Each library holds the kernels of one instruction set and is named for it, libtvmq_kernels_neon.a. Looks at every function: a kernel may have its loops in a
function of its own. A hot loop is an innermost loop that multiplies vectors; loops are found by their backward branches. A spill is a vector register stored
to the stack in a hot loop: a value that the loop makes has found no register. Loads from the stack alone are operands that do not change, and scalar stores
are addresses and counters beside the vector work; both are counted. A vector is stored for nobody by gcc where an array or a structure still lives when inline
assembly follows, which reads all memory for all that gcc knows.

Prints for each function its code size, its hot loops, the bytes that one pass of the hot loops loads from the stack, their scalar stores, and the bytes that
all its loops store and load there. Exit code 1 if a hot loop spills more than ALLOWED says, if a vector is stored for nobody, if ALLOWED names a function that
there is not, if an instruction set is not among ISAS, or if its library has hot loops where ISAS says that it has none, or the other way round.
"""

from __future__ import annotations

import functools
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

# Instruction sets whose registers and multiplications are known here, and whether their kernels have hot loops; None: that depends on the compiler. The loops
# around AMX's multiplications hold the output stage too, of which clang makes loops that multiply; AMX's tiles are named in the source and cannot be spilled.
ISAS = dict.fromkeys(["neon", "dotprod", "i8mm", "avx2", "avxvnni", "avx512vnni"], True) | {"avx512vbmi": False, "amx": None}
FUNCTION = re.compile(r"^[0-9a-f]+ <(\w[\w.]*)>:$")
INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\s+(?:\{\w+\}\s+)?(\S+)\s*(.*)$")
BRANCH = re.compile(r"^(?:b|b\.\w+|cbn?z|tbn?z|j\w+)$")
TARGET = re.compile(r"(?:0x)?([0-9a-f]+) <")
MULTIPLIES = re.compile(r"^(?:[su]?(?:dot|mmla)|[su]ml[as]l2?|[su]mull2?|mla|mul|v?pdp\w+|vpmadd\w+|vpmull\w+|tdp\w+)$")
FRAME_SET_UP = re.compile(r"^(?:mov|add)\s+x29, sp|^(?:mov\s+%rsp|lea\s+\S*\(%rsp\)),\s*%rbp")
VECTOR = re.compile(r"%[xyzt]mm\d|\b[qv]\d+(?:\b|\.)")
# Where on the stack an operand lies, and whose address is taken: what lies there or farther on may be read by anybody.
PLACE = re.compile(r"\[sp(?:, #(\d+))?\]|(0x[0-9a-f]+)?\(%rsp\)")
TAKEN = re.compile(r"(?:add|mov)\s+x(?!29)\d+, sp(?:, #(\w+))?|lea\s+(0x[0-9a-f]+)?\(%rsp\)|mov\s+%rsp")
WIDEST = 64
WIDTHS = {"q": 16, "d": 8, "s": 4, "x": 8, "w": 4, "xmm": 16, "ymm": 32, "zmm": 64}


@dataclass(frozen=True)
class Allowed:
    """How many vectors a hot loop of a function may spill; with `having`, only a loop with such an instruction."""

    isa: str
    function: str
    vectors: int
    having: re.Pattern[str] = re.compile("")

    def names(self, function: Function) -> bool:
        return function.isa == self.isa and function.name == self.function

    def allows(self, function: Function, loop: tuple[int, int]) -> int:
        return self.vectors if self.names(function) and any(self.having.match(f"{m} {o}") for _, m, o in function.inside([loop])) else 0


# Products of 64 bits: the output stage of single rounding alone has them.
LONG_PRODUCTS = re.compile(r"smull2? v\d+\.2d")
# Gemm: clang alone, by one. Single rows on AVX2: sums of int32, and the stage of four vectors, wait while sums of int16 have the registers. Winograd's outputs
# keep a tile between its two directions in memory, on purpose; a loop over its lines has at most six vectors of a line to store, and half as many that find no
# register among 16. Depthwise and add on Arm, mul on x86 by the way that serves any stage, and square by those that rescale an input: what is rescaled becomes
# products of twice the size. Depthwise columns together: gcc 12 alone, one vector where panels are in float form, and more where constants of fixed point are
# kept in registers. Sums of depthwise: clang alone, two weights that it loads early.
ALLOWED = [
    Allowed("avxvnni", "tvmq_gemm_s8_6x16c4__avxvnni", 1),
    Allowed("avx2", "tvmq_gemm_s8_1x16c4__avx2", 3),
    Allowed("avx2", "tvmq_gemm_s8_1x32c4__avx2", 8),
    Allowed("avx2", "tvmq_winograd_gemm_s16_6x16c2__avx2", 1),
    Allowed("avx2", "tvmq_winograd_output_s8_8c__avx2", 9),
    Allowed("avx2", "mul_products", 4),
    Allowed("avx2", "tvmq_mul_s16__avx2", 2),
    Allowed("avx2", "mul_squares", 7),
    Allowed("avxvnni", "tvmq_depthwise_s8_2x32v4s1__avxvnni_sums", 2),
    Allowed("avx512vnni", "mul_products", 1),
    Allowed("avx512vnni", "tvmq_mul_s16__avx512vnni", 5),
    Allowed("avx512vnni", "tvmq_winograd_output_s8_16c__avx512vnni", 9),
    Allowed("avx512vnni", "tvmq_depthwise_s8_2x64v4s1__avx512vnni_together", 7),
    Allowed("avx512vnni", "tvmq_depthwise_s8_4x32v4s1__avx512vnni_together", 7),
    Allowed("avx512vnni", "tvmq_depthwise_s8_8x16v4s1__avx512vnni_together", 7),
    Allowed("neon", "tvmq_winograd_output_s8_8c__neon", 9),
    Allowed("dotprod", "pairs_of_rows", 4, LONG_PRODUCTS),
    Allowed("neon", "tvmq_add_s16__neon", 1, LONG_PRODUCTS),
    Allowed("neon", "mul_squares", 12, LONG_PRODUCTS),
    Allowed("neon", "as_they_are", 12, LONG_PRODUCTS),
    Allowed("neon", "flipped", 12, LONG_PRODUCTS),
]


@dataclass
class Access:
    """An instruction that touches the stack."""

    text: str
    size: int
    stores: bool


@dataclass
class Function:
    name: str
    isa: str
    code: list[tuple[int, str, str]] = field(default_factory=list)  # address, mnemonic, operands

    def loops(self) -> list[tuple[int, int]]:
        """First and last address of each loop."""
        found = set()
        for address, mnemonic, operands in self.code:
            target = TARGET.search(operands) if BRANCH.match(mnemonic) else None
            if target and self.code[0][0] <= int(target[1], 16) <= address:
                found.add((int(target[1], 16), address))
        return sorted(found)

    def hot_loops(self) -> list[tuple[int, int]]:
        loops = self.loops()
        innermost = [a for a in loops if not any(a != b and a[0] <= b[0] and b[1] <= a[1] for b in loops)]
        return [loop for loop in innermost if any(MULTIPLIES.match(m) and VECTOR.search(o) for _, m, o in self.inside([loop]))]

    def inside(self, loops: list[tuple[int, int]]) -> list[tuple[int, str, str]]:
        return [i for i in self.code if any(first <= i[0] <= last for first, last in loops)]

    @functools.cached_property
    def accesses(self) -> list[tuple[int, Access]]:
        """Address and instruction of all that touches the stack, once the code is complete."""
        framed = any(FRAME_SET_UP.match(f"{mnemonic} {operands}") for _, mnemonic, operands in self.code)
        stack = re.compile(r"\[(sp|x29)\b|\((%rsp|%rbp)\b" if framed else r"\[sp\b|\(%rsp\b")
        return [(a, Access(f"{a:x}: {m} {o}", moved(o), stores(m, o))) for a, m, o in self.code if stack.search(o) and not m.startswith("lea")]

    def stack_traffic(self, loops: list[tuple[int, int]]) -> list[Access]:
        return [access for a, access in self.accesses if any(first <= a <= last for first, last in loops)]

    def stored_for_nobody(self) -> list[str]:
        """Stores of vectors to places on the stack that no instruction loads from and that lie before every place whose address is taken."""
        whole = [(self.code[0][0], self.code[-1][0])] if self.code else []
        taken = [place(found) for _, m, o in self.code if (found := TAKEN.match(f"{m} {o}"))]
        accesses = [(place(found), access) for access in self.stack_traffic(whole) if (found := PLACE.search(access.text))]
        loads = [(at, at + access.size) for at, access in accesses if not access.stores]
        unread = [(at, access) for at, access in accesses if access.stores and VECTOR.search(access.text) and at < min(taken, default=sys.maxsize)]
        return [access.text for at, access in unread if not any(first - WIDEST < at < end for first, end in loads)]


def place(found: re.Match[str]) -> int:
    return int(next(filter(None, found.groups()), "0"), 0)


def stores(mnemonic: str, operands: str) -> bool:
    """On Arm by the mnemonic; on x86 the destination is the last operand, except of what only compares or branches."""
    if "[" in operands:
        return mnemonic.startswith("st")
    return operands.endswith(")") and not mnemonic.startswith(("cmp", "test", "j", "call", "push", "prefetch", "ldtilecfg"))


def moved(operands: str) -> int:
    registers = re.findall(r"\b([qdsxw])\d+\b", operands.partition("[")[0]) or re.findall(r"%([xyz]mm)\d+", operands)[:1]
    return sum(WIDTHS[register] for register in registers) or 8


def functions(objdump: str, library: str, isa: str) -> Iterator[Function]:
    listing = subprocess.run([objdump, "-d", "--no-show-raw-insn", library], check=True, stdout=subprocess.PIPE, text=True).stdout
    function = None
    for line in listing.splitlines():
        if start := FUNCTION.match(line):
            if function:
                yield function
            function = Function(start[1], isa)
        elif function and (instruction := INSTRUCTION.match(line)):
            function.code.append((int(instruction[1], 16), instruction[2], instruction[3]))
    if function:
        yield function


def isa_of(library: str) -> str:
    isa = Path(library).stem.removeprefix("libtvmq_kernels_")
    if isa not in ISAS:
        sys.exit(f"{library}: nothing is known of the instruction set {isa}; ISAS are {', '.join(ISAS)}")
    return isa


def spills_of(function: Function, hot: list[tuple[int, int]]) -> list[Access]:
    """Lists what is stored in hot loops, where a loop stores more than it may."""
    found = []
    for loop in hot:
        spills = [a for a in function.stack_traffic([loop]) if a.stores and VECTOR.search(a.text)]
        if len(spills) > max(a.allows(function, loop) for a in ALLOWED):
            found += spills
    return found


def main() -> None:
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    libraries = {isa_of(library): library for library in sys.argv[2:]}
    n_spills = n_unread = 0
    unused = {a for a in ALLOWED if a.isa in libraries}
    print(f"{'function':44} {'code':>6} {'hot loops':>9} {'they load':>9} {'scalars':>9} {'all loops':>9}")
    for isa, library in libraries.items():
        seen = 0
        for function in functions(sys.argv[1], library, isa):
            hot = function.hot_loops()
            seen += len(hot)
            unused -= {a for a in unused if a.names(function)}
            size = function.code[-1][0] - function.code[0][0]
            in_hot, in_all = function.stack_traffic(hot), function.stack_traffic(function.loops())
            loaded = sum(a.size for a in in_hot if not a.stores)
            scalars = sum(a.stores and not VECTOR.search(a.text) for a in in_hot)
            print(f"{function.name:44} {size:6} {len(hot):9} {loaded:9} {scalars:9} {sum(a.size for a in in_all):9}")
            spills = spills_of(function, hot)
            unread = function.stored_for_nobody()
            n_spills += len(spills)
            n_unread += len(unread)
            print(*(f"  spill at {a.text}\n" for a in spills), *(f"  stored for nobody at {text}\n" for text in unread), sep="", end="")
        if ISAS[isa] is not None and (seen > 0) != ISAS[isa]:
            sys.exit(f"{library}: {seen} hot loops found")
    if unused:
        sys.exit(f"no such function: {', '.join(a.function for a in unused)}")
    if n_spills + n_unread > 0:
        sys.exit(f"{n_spills} spills in hot loops, {n_unread} vectors stored for nobody")


main()
