"""The parts of tools/arm/estimate that need no emulator: blocks, prices, symbols and tables. tests/arm runs the whole of it."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys

import harness
import hypothesis
import hypothesis.strategies as st
import pytest

from estimator import blocks, boards, cores, cost, emulate, kernels, llvm, mca, networks, processors, report, symbols
from estimator.blocks import Block

A53, V1 = cores.CORES["cortex-a53"], cores.named("neoverse-v1@22")
ADD, B_NE, RET = 0x8B000000, 0x54FFFFC1, 0xD65F03C0


@pytest.mark.parametrize("word", [0x14000001, 0x97FFFFFF, 0xB4000040, 0x35FFFFE0, 0x36080040, 0xB7FFFFE1, B_NE, 0xD61F0200, 0xD63F0100, RET, 0xD4000001])
def test_branches_end_a_block(word: int) -> None:
    assert Block(0, (ADD, word)).branches and not Block(0, (word, ADD)).branches


@pytest.mark.parametrize("word", [ADD, 0xD503201F, 0xF9400000, 0x4E80E000, 0x10000000, 0x3CC10400, 0xD53B4400])  # add, nop, ldr, sdot, adr, ldr q, mrs fpcr
def test_other_instructions_neither_end_a_block_nor_wait(word: int) -> None:
    assert not Block(0, (word,)).branches and not Block(0, (word,)).waits


def test_repeated_translations_are_one_block() -> None:
    assert blocks.parse(["1000 3 8b000000d65f03c0\n", "2000 1 d65f03c0\n", "1000 4 8b000000d65f03c0\n"]) == {
        (0x1000, "8b000000d65f03c0"): 7,
        (0x2000, "d65f03c0"): 1,
    }


def test_per_run_is_the_difference() -> None:
    fewer = {(0, "d65f03c0"): 10, (8, "d65f03c0"): 100}
    more = {(0, "d65f03c0"): 30, (8, "d65f03c0"): 100, (16, "8b000000d65f03c0"): 6}
    assert blocks.per_run(fewer, more, 2) == {Block(0, (RET,)): 10, Block(16, (ADD, RET)): 3}


def test_what_is_not_executed_in_every_run_is_left_out() -> None:
    assert blocks.per_run({}, {(0, "d65f03c0"): 1, (8, "d65f03c0"): 2}, 4) == {Block(8, (RET,)): 0.5}


@pytest.mark.parametrize("wait", ["d5033fdf", "d503203f", "d503205f", "d53be049"])
def test_blocks_that_wait_are_left_out(wait: str) -> None:
    assert blocks.per_run({}, {(0, f"8b000000{wait}54ffffc1"): 1000}, 1) == {}


def test_a_loop_over_two_pages_is_one_block() -> None:
    entry, head, tail = Block(0xFF0, (ADD,) * 4), Block(0xFF8, (ADD, ADD)), Block(0x1000, (ADD, B_NE))
    assert blocks.joined({entry: 1, head: 9, tail: 10}) == {Block(0xFF0, (ADD,) * 5 + (B_NE,)): 1, Block(0xFF8, (ADD, ADD, ADD, B_NE)): 9}


def test_jumps_into_the_second_piece_stay() -> None:
    first, second = Block(0, (ADD,)), Block(4, (ADD, RET))
    assert blocks.joined({first: 2, second: 5}) == {Block(0, (ADD, ADD, RET)): 2, second: 3}


def test_a_branch_joins_nothing() -> None:
    executions = {Block(0, (ADD, B_NE)): 3.0, Block(8, (ADD, RET)): 3.0}
    assert blocks.joined(executions) == executions


def test_pieces_that_are_executed_less_often_are_not_joined() -> None:
    executions = {Block(0, (ADD,)): 4.0, Block(4, (ADD, RET)): 3.0}
    assert blocks.joined(executions) == executions


@hypothesis.given(st.lists(st.tuples(st.integers(1, 5), st.booleans(), st.integers(1, 50)), min_size=1, max_size=12))
def test_joining_keeps_the_number_of_instructions(pieces: list[tuple[int, bool, int]]) -> None:
    executions, address = {}, 0
    for length, branches, count in pieces:
        block = Block(address, (ADD,) * (length - 1) + (RET if branches else ADD,))
        executions[block] = float(count)
        address = block.end

    def instructions(counted: dict[Block, float]) -> float:
        return sum(len(block.words) * count for block, count in counted.items())

    assert instructions(blocks.joined(executions)) == instructions(executions)


def test_regions_leave_out_what_is_no_instruction() -> None:
    assert mca.regions([(ADD, 0, RET), (RET,)], {ADD: "add x0, x0, x0", RET: "ret"}) == (
        "# LLVM-MCA-BEGIN 0\nadd x0, x0, x0\nret\n# LLVM-MCA-END\n# LLVM-MCA-BEGIN 1\nret\n# LLVM-MCA-END\n"
    )


ENCODINGS = """\t.text
\tadd\tx0, x0, x0                      // encoding: [0x00,0x00,0x00,0x8b]
\tret                                     // encoding: [0xc0,0x03,0x5f,0xd6]
"""
TOTALS = """
[0] Code Region - 0

Iterations:        50
Total Cycles:      302
Total uOps:        150

[1] Code Region - 2

Iterations:        50
Total Cycles:      75
"""


def test_llvm_is_read() -> None:
    assert mca.parse_encodings(ENCODINGS) == {ADD: "add\tx0, x0, x0", RET: "ret"}
    assert mca.parse_totals(TOTALS) == {0: 302, 2: 75}


def test_a_block_that_the_core_does_not_know_takes_a_cycle_for_each_instruction(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llvm, "run", lambda command, text: TOTALS if command[0] == "llvm-mca-19" else ENCODINGS)
    assert mca.cycles([(ADD, RET), (ADD, ADD, RET), (RET,)], cores.CORES["cortex-a53"]) == [302 / 50, 3, 75 / 50]


def test_symbols_are_found_by_address() -> None:
    found = symbols.parse(["kernel t 100 40\n", "data d 120 8\n", "ns::f(int, char) T 200 10\n", "label t 300 0\n", "not a line\n"])
    assert found == [symbols.Symbol(0x100, 0x40, "kernel"), symbols.Symbol(0x200, 0x10, "ns::f(int, char)"), symbols.Symbol(0x300, 0, "label")]
    names = [symbols.covering(found, address) for address in (0xFF, 0x100, 0x13F, 0x140, 0x20F, 0x210, 0x400)]
    assert names == ["?", "kernel", "kernel", "?", "ns::f(int, char)", "?", "label"]
    assert symbols.covering([], 0) == "?"


@pytest.mark.parametrize(("is_fixed", "address"), [(False, 0x10100), (True, 0x100)])
def test_places_go_by_where_a_file_begins(monkeypatch: pytest.MonkeyPatch, is_fixed: bool, address: int) -> None:
    parts = networks.parts([("/lib/a.so", 0x10100, 0x10200), ("/lib/a.so", 0x10000, 0x10100), ("/lib/b.so", 0x100, 0x200)])
    assert {part.base for part in parts if part.file == "/lib/a.so"} == {0x10000}
    monkeypatch.setattr(symbols, "_is_fixed", lambda file: is_fixed)
    monkeypatch.setattr(symbols, "_symbols", lambda file: [symbols.Symbol(0x100, 0x40, "kernel")])
    places = symbols.Places(parts)
    assert places.find(address) == symbols.Place("b.so" if is_fixed else "a.so", "kernel")
    assert places.find(0x90000) == symbols.Place("", "?")


def test_prices_are_summed_by_function_without_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    executions = {Block(0, (ADD, RET)): 10.0, Block(8, (ADD,) * 3 + (RET,)): 2.0, Block(64, (RET,)): 5.0, Block(128, (RET,)): 1e6, Block(132, (RET,)): 1e6}
    files = {0: "a.so", 8: "a.so", 64: "b.so", 128: "python3.11", 132: "_random.cpython-311-aarch64-linux-gnu.so"}
    monkeypatch.setattr(mca, "cycles", lambda words, core: [1.5 * len(each) for each in words])
    found = cost.priced("tvmq", A53, networks.Profile(executions, (), "digest"), lambda address: symbols.Place(files[address], "f"))
    a, b = symbols.Place("a.so", "f"), symbols.Place("b.so", "f")
    assert list(found.places) == [a, b]
    assert found.places == {a: cost.Price(42, 28), b: cost.Price(7.5, 5)}
    assert found.total == cost.Price(49.5, 33)


def test_uneven_counts_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mca, "cycles", lambda words, core: [1.0] * len(words))
    steady, uneven, caller = Block(0, (ADD,) * 99 + (RET,)), Block(1000, (ADD, RET)), Block(2000, (ADD,) * 50 + (RET,))

    def price(count: float) -> cost.Estimate:
        profile = networks.Profile({steady: 2.0, uneven: count, caller: 7.5}, (), "digest")
        return cost.priced("tvmq", A53, profile, lambda address: symbols.Place("python3.11" if address == 2000 else "a.so", "f"))

    assert price(2.0).total.instructions == 204 and price(0.5).total.instructions == 201
    with pytest.raises(emulate.EmulationError, match="2.4%"):
        price(2.5)


def estimates() -> list[cost.Estimate]:
    gemm, rest = symbols.Place("lib.so", "gemm"), symbols.Place("lib.so", "n" * 100)
    return [
        cost.Estimate("tvmq", A53, "0a", {gemm: cost.Price(1.5e6, 1e6), rest: cost.Price(0.5e6, 1e6)}),
        cost.Estimate("tvmq", V1, "0a", {gemm: cost.Price(1e5, 1e6)}),
        cost.Estimate("stock", A53, "0b", {rest: cost.Price(5e6, 1e6)}),
        cost.Estimate("stock", V1, "0b", {rest: cost.Price(1e5, 1e6)}),
    ]


def test_summary() -> None:
    assert report.summary(estimates()).splitlines() == [
        "core         instruction sets  llvm-mca      tvmq     stock  / tvmq",
        "cortex-a53   neon              19        2,000.0k  5,000.0k   2.50x",
        "neoverse-v1  i8mm              22          100.0k    100.0k   1.00x",
    ]


def test_functions() -> None:
    first, *rest = report.functions(estimates()[:2], 2).splitlines()
    assert first.split() == ["function", "file", "cortex-a53", "neoverse-v1@22"]
    assert [line.split() for line in rest] == [["gemm", "lib.so", "1,500.0k", "75%", "100.0k", "100%"], ["n" * 61 + "...", "lib.so", "500.0k", "25%"]]
    assert len(report.functions(estimates()[:2], 1).splitlines()) == 2


@pytest.mark.parametrize("functions", [False, True])
def test_json(functions: bool) -> None:
    data = json.loads(report.as_json("m.tflite", "litert", {"isa": "neon"}, estimates(), functions=functions))
    assert (data["model"], data["runtime"], data["options"]) == ("m.tflite", "litert", {"isa": "neon"})
    one = data["estimates"][0]
    assert (one["contender"], one["core"], one["level"], one["cycles"], one["instructions"], one["outputs"]) == ("tvmq", "cortex-a53", "neon", 2e6, 2e6, "0a")
    assert [function["cycles"] for function in one.get("functions", [])] == ([1.5e6, 0.5e6] if functions else [])


def gemm_cycles(kernel: str, tile: int, rate: float, tile_cycles: float) -> dict[kernels.Bench, float]:
    """The counts of a kernel of tile x tile outputs, which divide 48 and 64, with exactly this speed."""
    shapes = {kernels.SHORT: 64, kernels.LONG: 576}
    found = {kernels.Bench(kernel, shape, 48.0 * 64 * depth): 48 * 64 * (depth / rate + tile_cycles / tile**2) for shape, depth in shapes.items()}
    return {kernels.Bench(kernel, "m 1 n 96 k 1 x 576", 96.0 * 576): 1e6, **found}


def test_speed_is_solved_from_two_depths() -> None:
    speed = kernels.solved(gemm_cycles("tvmq_gemm_s8_8x8r4__neon", 8, 7.25, 90))
    assert speed and [speed.rate, speed.tile_cycles] == pytest.approx([7.25, 90])


def test_no_speed_without_both_depths_or_a_tile() -> None:
    full = gemm_cycles("tvmq_gemm_s8_8x8r4__neon", 8, 7.25, 90)
    assert kernels.solved({}) is None
    assert kernels.solved({bench: cycles for bench, cycles in full.items() if bench.shape != kernels.LONG}) is None
    assert kernels.solved(gemm_cycles("tvmq_add_s8__neon", 8, 7.25, 90)) is None


def test_rates_and_speeds_of_kernels() -> None:
    a53, n1 = gemm_cycles("tvmq_gemm_s8_4x4__neon", 4, 3.5, 150), gemm_cycles("tvmq_gemm_s8_4x4__neon", 4, 8, 60)
    spent = {bench: {"cortex-a53": a53[bench], "neoverse-n1": n1[bench]} for bench in a53}
    spent[kernels.Bench("tvmq_add_s8__dotprod", "n 4096", 4096)] = {"neoverse-n1": 1024.0}
    rows = [line.split() for line in report.rates(spent, ["cortex-a53", "neoverse-n1"]).splitlines()]
    assert rows[0] == ["kernel", "shape", "cortex-a53", "neoverse-n1"]
    assert rows[-1] == ["tvmq_add_s8__dotprod", "n", "4096", "4.00"]
    assert report.speeds(spent, ["cortex-a53", "neoverse-n1"]).splitlines() == [
        "kernel                   cortex-a53  neoverse-n1",
        "tvmq_gemm_s8_4x4__neon  {3.5f, 150}   {8.0f, 60}",
    ]
    assert report.speeds(dict([*spent.items()][-1:]), ["neoverse-n1"]) == ""


def test_cores_have_levels_of_the_environment() -> None:
    import environment

    assert {core.level for core in cores.CORES.values()} == set(environment.LEVELS) == set(processors.FEATURES)
    assert set(cores.DEFAULT) <= set(cores.CORES)


def test_cores_are_those_that_the_delegate_knows() -> None:
    """Each row of the list is read, and each core that is estimated has one with a machine."""
    assert len(cores.ROW.findall(cores.KNOWN.read_text(encoding="utf-8"))) == cores.KNOWN.read_text(encoding="utf-8").count("\nTVMQ_ARM_CORE(")
    assert all(core.known.machine for core in cores.CORES.values())
    a55 = cores.CORES["cortex-a55"].known
    assert (a55.implementer, a55.part, a55.in_order, a55.name, a55.machine) == (0x41, 0xD05, True, "Cortex-A55", "cortex-a55")


def test_an_emulated_process_sees_processors_of_its_core() -> None:
    files = processors.files(cores.CORES["cortex-a55"])
    first = files["/proc/cpuinfo"].split("\n\n")[0].splitlines()
    assert first[0] == "processor\t: 0" and "asimddp" in first[2] and first[3] == "CPU implementer\t: 0x41" and first[6] == "CPU part\t: 0xd05"
    assert files["/proc/cpuinfo"].count("processor\t") == processors.COUNT >= 4
    assert files["/sys/devices/system/cpu/cpu3/regs/identification/midr_el1"] == "0x00000000411fd050\n"
    assert files["/sys/devices/system/cpu/possible"] == f"0-{processors.COUNT - 1}\n"


def test_another_version_of_llvm_prices_a_core() -> None:
    n1 = cores.named("neoverse-n1@22")
    assert (n1.name, n1.llvm, n1.label, cores.named("neoverse-n1").label) == ("neoverse-n1", "22", "neoverse-n1@22", "neoverse-n1")
    with pytest.raises(argparse.ArgumentTypeError, match="no version '18' of LLVM"):
        cores.named("neoverse-n1@18")


def test_the_error_of_estimates_of_boards() -> None:
    double, half = (boards.Row("m", "b", "cortex-a53", 2.0, 1.0, "r", "s", mcycles) for mcycles in (4.0, 1.0))
    assert (double.mcycles, double.ratio, half.ratio) == (2.0, 2.0, 0.5)
    assert boards.error([double, half]) == pytest.approx((1.0, 2.0)) and boards.error([double]) == pytest.approx((2.0, 1.0))


def test_the_page_has_the_boards() -> None:
    """The script prints the same table."""
    rows = boards.read()
    assert boards.table(rows) in (harness.REPOSITORY / "docs/arm-estimates.md").read_text(encoding="utf-8")
    assert all(row.core in cores.CORES and row.source in json.loads(boards.FILE.read_text(encoding="utf-8"))["sources"] for row in rows)


WRONG = [("--cores", "cortex-z", "neoverse-v1"), ("--library", "/no.so", "/no.so"), ("--option", "isa", "NAME=VALUE")]


@pytest.mark.parametrize(("flag", "value", "message"), WRONG)
def test_command_names_what_is_wrong(flag: str, value: str, message: str) -> None:
    command = [sys.executable, str(harness.REPOSITORY / "tools/arm/estimate"), "mobilenet_v2", flag, value]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and message in done.stderr.splitlines()[-1]
