"""tests/kernels/check_spills.py on listings made up: what it finds, and that it finds nothing only where it knows the instruction set."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import pytest

SCRIPT = pathlib.Path(__file__).parents[1] / "kernels/check_spills.py"
LOOP = """
gemm.c.o:     file format elf64-littleaarch64

0000000000000000 <tvmq_gemm_s8_8x8__{isa}>:
       0:\tsub\tsp, sp, #0x20
       4:\t{multiply}
       8:\t{store}
       c:\tb.ne\t4 <tvmq_gemm_s8_8x8__{isa}+0x4>
      10:\t{after}
      14:\tret
"""


@pytest.mark.parametrize(
    "isa, multiply, store, after, complaint",
    [
        ("i8mm", "smmla\tv0.4s, v1.16b, v2.16b", "add\tx0, x0, #0x1", "nop", ""),
        ("i8mm", "smmla\tv0.4s, v1.16b, v2.16b", "str\tq0, [sp, #16]", "ldr\tq1, [sp, #16]", "1 spills in hot loops, 0 vectors stored for nobody"),
        ("i8mm", "smmla\tv0.4s, v1.16b, v2.16b", "add\tx0, x0, #0x1", "str\tq0, [sp, #16]", "0 spills in hot loops, 1 vectors stored for nobody"),
        ("i8mm", "add\tx1, x1, #0x1", "str\tq0, [sp, #16]", "ldr\tq1, [sp, #16]", "0 hot loops found"),
        ("avx512vbmi", "vpmaddwd\t%ymm0, %ymm1, %ymm2", "add\tx0, x0, #0x1", "nop", "1 hot loops found"),
        ("amx", "vpmaddwd\t%ymm0, %ymm1, %ymm2", "add\tx0, x0, #0x1", "nop", ""),
        ("amx", "add\tx0, x0, #0x1", "vmovdqa64\t%zmm1,0x40(%rsp)", "lea\t0x80(%rsp),%rax", "0 spills in hot loops, 1 vectors stored for nobody"),
        ("amx", "add\tx0, x0, #0x1", "vmovdqa64\t%zmm1,0x40(%rsp)", "lea\t0x20(%rsp),%rax", ""),
        ("sve", "smmla\tz0.s, z1.b, z2.b", "str\tz0, [sp, #16]", "nop", "nothing is known of the instruction set sve"),
    ],
)
def test_verdict(tmp_path, isa, multiply, store, after, complaint):
    objdump, listing = tmp_path / "objdump", tmp_path / "listing"
    listing.write_text(LOOP.format(isa=isa, multiply=multiply, store=store, after=after), encoding="utf-8")
    objdump.write_text(f"#!/bin/sh\ncat {listing}\n", encoding="utf-8")
    objdump.chmod(0o755)
    done = subprocess.run([sys.executable, SCRIPT, objdump, f"libtvmq_kernels_{isa}.a"], check=False, capture_output=True, text=True)
    assert (done.returncode != 0) == bool(complaint) and complaint in done.stderr, done.stderr
