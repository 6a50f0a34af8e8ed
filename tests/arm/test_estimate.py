"""tools/arm/estimate as a whole: run by tools/arm/test, where the emulator is, on the library that TVMQ_ARM_LIBRARY names or else on the one that it builds."""

from __future__ import annotations

import functools
import json
import os
import pathlib
import re
import subprocess
import sys
from typing import Any

import pytest

import crossbuild
import environment
from estimator import cores, llvm, mca
from estimator.blocks import Block

TOOLS, VARIANTS = environment.REPOSITORY / "tools/arm", environment.REPOSITORY / "delegate/kernels/variants.def"
MODEL = "mobilenet_v1_0.25_32"
CORES = "cortex-a53,cortex-a510"  # the least instruction sets and the most
LIBRARY = ["--library", os.environ["TVMQ_ARM_LIBRARY"]] if "TVMQ_ARM_LIBRARY" in os.environ else []


def run(command: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(TOOLS / command), *arguments], capture_output=True, text=True, check=False)


@functools.cache
def estimates(contender: str, cores: str) -> dict[str, dict[str, Any]]:
    """By core, with functions."""
    done = run("estimate", MODEL, *LIBRARY, "--contenders", contender, "--cores", cores, "--symbols", "--json")
    assert done.returncode == 0, done.stderr
    return {one["core"]: one for one in json.loads(done.stdout)["estimates"]}


def test_delegate_gives_the_reference_results_for_fewer_cycles() -> None:
    own, reference = estimates("tvmq", CORES), estimates("reference", "cortex-a53")["cortex-a53"]
    assert {one["outputs"] for one in own.values()} == {reference["outputs"]}
    assert reference["cycles"] > 5 * own["cortex-a53"]["cycles"] > 5 * own["cortex-a510"]["cycles"] > 0


@pytest.mark.parametrize(("core", "isa"), [("cortex-a53", "neon"), ("cortex-a510", "i8mm")])
def test_kernels_of_the_level_take_most_of_the_cycles(core: str, isa: str) -> None:
    functions, total = estimates("tvmq", CORES)[core]["functions"], estimates("tvmq", CORES)[core]["cycles"]
    own = pathlib.Path(crossbuild.LIBRARY).name
    gemm = [one["function"] for one in functions if one["function"].startswith("tvmq_gemm_s8_")]
    assert functions[0]["file"] == own and functions[0]["function"] == gemm[0]
    assert any(name.endswith(f"__{isa}") for name in gemm)
    assert all(name.endswith("__neon") for name in gemm) == (isa == "neon")
    assert sum(one["cycles"] for one in functions) == pytest.approx(total, rel=1e-3)
    assert sum(one["cycles"] for one in functions if one["file"] == own) > 0.8 * total


@pytest.mark.parametrize("core", cores.CORES.values(), ids=lambda core: core.name)
def test_a_chain_of_additions_takes_a_cycle_each(core: cores.Core) -> None:
    if absent := llvm.missing({core.llvm}):
        pytest.skip(absent)
    add = 0x8B000000  # add x0, x0, x0
    no_instruction = 0xFFFFFFFF
    found = mca.cycles([Block(0, (add,) * 8).words, (add, no_instruction)], core)
    assert found == [pytest.approx(8, rel=0.05), pytest.approx(1, rel=0.1)]


@pytest.mark.parametrize(
    ("kernel", "core", "column"),
    [("tvmq_gemm_s8_4x16r4__neon", "cortex-a72", 0), ("tvmq_gemm_s8_4x16c4__dotprod", "cortex-a55", 1), ("tvmq_gemm_s8_8x8c8z__i8mm", "neoverse-v1", 0)],
)
def test_rates_are_those_of_variants_def(kernel: str, core: str, column: int) -> None:
    """Whose columns are cores that execute out of order, and in order."""
    (row,) = re.findall(rf"TVMQ_GEMM\(\w+, {kernel}, (.+?)\)$", VARIANTS.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    listed = re.findall(r"\{([\d.]+)f?, \d+\}", row)[column]
    done = run("estimate-kernels", kernel, "--cores", core)
    assert done.returncode == 0, done.stderr
    estimated = re.search(r"\{([\d.]+)f, \d+\}$", done.stdout.strip())
    assert estimated and float(estimated[1]) == pytest.approx(float(listed), rel=0.1)


@pytest.mark.parametrize(
    ("contender", "core", "kernel"),
    [
        ("stock", "cortex-a53", r"xnn_qs8_qc8w_gemm_minmax_fp32_ukernel_4x16__asm_aarch64_neon_mlal_lane_cortex_a53"),
        ("stock", "cortex-a55", r"xnn_qs8_qc8w_gemm_minmax_fp32_ukernel_4x16c4__asm_aarch64_neondot_cortex_a55"),
        ("builtin", "cortex-a53", r"ruy::Kernel8bitNeonA55ish"),
        ("builtin", "cortex-a55", r"ruy::Kernel8bitNeonDotprodA55ish"),
    ],
)
def test_runtimes_choose_the_kernels_of_the_core(contender: str, core: str, kernel: str) -> None:
    """Which they know by its name in /proc/cpuinfo: on a core that they do not know they take others."""
    functions = [one["function"] for one in estimates(contender, core)[core]["functions"]]
    assert any(re.match(kernel, name) for name in functions), functions[:8]


def test_failures_in_the_emulated_process_are_told() -> None:
    done = run("estimate", "no_such_network", *LIBRARY, "--contenders", "tvmq", "--cores", "cortex-a53")
    assert done.returncode == 1 and "no network 'no_such_network' in the zoo" in done.stderr.splitlines()[-1]
