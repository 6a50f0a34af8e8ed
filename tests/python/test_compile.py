"""tvmq compile: networks as C libraries of their own, which give the bits of the reference kernels and need nothing."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
from typing import Any

import builders
import harness
import numpy as np
import pytest
from click.testing import CliRunner

import tvmq_delegate
from tvmq_delegate import cli, compiler, sessions
from tvmq_delegate.binding import compiled as binding_compiled
from tvmq_delegate.binding import frozen, library
from tvmq_delegate.compiler import sources, toolchain
from tvmq_delegate.models import zoo

CHAIN = (harness.REPOSITORY / "tests/fuzz/corpus_network/chain.tflite").read_bytes()
TANH = builders.build_unary(operator="TANH", dtype="float32")
LIBC = {"__stack_chk_fail", "abs", "getauxval", "memchr", "memcmp", "memcpy", "memmove", "memset", "syscall"}
MATH = {"ceilf", "expf", "floorf", "fmaf", "lrintf", "lroundf", "nearbyintf", "rintf", "roundf", "sqrtf", "tanhf"}

pytestmark = [
    pytest.mark.skipif(harness.EMULATED, reason="compilers are this machine's"),
    pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler (apt-get install gcc)"),
]


@pytest.fixture(scope="module", autouse=True)
def cached() -> Any:
    """Compiles fast: without optimization, and no file twice where ccache is installed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CFLAGS", "-O0")
        if shutil.which("ccache") and "CC" not in os.environ:
            patch.setenv("CC", "ccache cc")
        yield


def compiled(model: bytes, folder: pathlib.Path, **options: Any) -> compiler.Compiled:
    """Kernels for every processor compile fast."""
    return compiler.compile(model, folder, "net", options={}, **{"isa": "c", **options})


class Library:
    """A compiled network, loaded, with one instance."""

    def __init__(self, made: compiler.Compiled):
        self.lib = ctypes.CDLL(str(made.files[0]))
        self.lib.net_arena_bytes.restype = ctypes.c_size_t
        self.bytes = self.lib.net_arena_bytes()
        assert self.bytes == made.arena_bytes
        memory = np.full(self.bytes + 64, 0xA5, np.uint8)  # whose contents do not matter
        self.arena = memory[-memory.ctypes.data % 64 :]
        assert self.init(0) == 0

    def init(self, offset: int) -> int:
        return int(self.lib.net_init(ctypes.c_void_p(self.arena.ctypes.data + offset)))

    def run(self, inputs: list[np.ndarray], outputs: list[np.ndarray]) -> int:
        pointers = [(ctypes.c_void_p * max(len(arrays), 1))(*(array.ctypes.data for array in arrays)) for arrays in (inputs, outputs)]
        return int(self.lib.net_run(ctypes.c_void_p(self.arena.ctypes.data), *pointers))


def assert_same(made: compiler.Compiled, model: bytes, runtime: harness.Runtime, seeds: int = 3) -> None:
    reference = runtime.interpreter(model)
    instance = Library(made)
    for seed in range(seeds):
        values = harness.random_inputs(reference, seed)
        outputs = [np.full(detail["shape"], 77, detail["dtype"]) for detail in reference.get_output_details()]
        assert instance.run(values, outputs) == 0
        for got, expected in zip(outputs, harness.run(reference, *values), strict=True):
            harness.assert_equal(got, expected)


def litert() -> harness.Runtime:
    """The runtime whose kernels are reproduced by default."""
    found = next((runtime for runtime in harness.installed() if runtime.name == "ai_edge_litert"), None)
    return found if found is not None else pytest.skip("ai-edge-litert is not installed")


MODELS = {
    "chain": CHAIN,
    "depthwise": builders.build_depthwise(),
    "add": builders.build_binary(),
    "reduce": builders.build_reduce(),
    "matmul": builders.build_batch_matmul(),
    "transpose_conv": builders.build_transpose_conv(),
}


@pytest.mark.parametrize("name", MODELS)
def test_results(name: str, tmp_path: pathlib.Path) -> None:
    assert_same(compiled(MODELS[name], tmp_path), MODELS[name], litert())


def holds(arena: np.ndarray, plan: frozen.Frozen) -> bool:
    """Whether an arena has the words of a plan that are no pointers."""
    present = np.unpackbits(np.frombuffer(plan.present, np.uint8), bitorder="little")[: plan.image_bytes // 4] != 0
    image = np.zeros(len(present), np.uint32)
    image[present] = np.frombuffer(plan.words, np.uint32)
    fixed = np.full(len(present), True)
    for at, _ in plan.pointers:
        fixed[at // 4 : at // 4 + 2] = False
    return bool((arena[: plan.image_bytes].view(np.uint32) == image)[fixed].all())


@pytest.mark.parametrize("isa", [isa.name for isa in library.isas() if isa.available and isa.name != "c"])
def test_instruction_sets(isa: str, tmp_path: pathlib.Path) -> None:
    """Kernels that macros name are found. Of several sets, the best is taken."""
    made = compiled(CHAIN, tmp_path, isa=f"c,{isa}")
    assert_same(made, CHAIN, litert())
    arena = Library(made).arena
    found = [holds(arena, frozen.freeze(CHAIN, {"isa": name})) for name in ("c", isa)]
    assert found == [False, True]


@pytest.mark.skipif(not all(map(shutil.which, ("aarch64-linux-gnu-gcc", "qemu-aarch64"))), reason="no compiler or emulator for aarch64")
def test_other_processors(tmp_path: pathlib.Path) -> None:
    """Plans that are made here run on other processors, the second one on those without dot products."""
    model = builders.build_depthwise()  # also of kernels in assembly
    compiled(model, tmp_path, target="aarch64-linux-gnu", isa="neon,dotprod")
    subprocess.run(["aarch64-linux-gnu-gcc", "main.c", "-o", "main", "-L.", "-lnet", "-Wl,-rpath,."], cwd=tmp_path, check=True)
    for cpu in ("cortex-a53", "max"):
        assert_example(model, ["qemu-aarch64", "-cpu", cpu, "-L", "/usr/aarch64-linux-gnu", "./main"], tmp_path)


def assert_example(model: bytes, command: list[str], folder: pathlib.Path) -> None:
    reference = litert().interpreter(model)
    values = harness.random_inputs(reference, 5)
    values[0].tofile(folder / "in")
    subprocess.run([*command, "in", "out"], cwd=folder, check=True)
    (expected,) = harness.run(reference, *values)
    harness.assert_equal(np.fromfile(folder / "out", expected.dtype).reshape(expected.shape), expected)


def test_files(tmp_path: pathlib.Path) -> None:
    """The example compiles without a warning and runs; the library needs the C library alone, and exports its functions alone."""
    model = builders.build_conv()
    made = compiled(model, tmp_path, title='a"b*/c\n.tflite')
    assert {file.name for file in made.files} == {"libnet.so", "net.h", "main.c", "netConfig.cmake", "net.pc"}
    flags = ["-Wall", "-Wextra", "-Werror", "-pedantic", "-L.", "-lnet", "-Wl,-rpath,."]
    subprocess.run(["cc", "-std=c11", "main.c", "-o", "main", *flags], cwd=tmp_path, check=True)
    assert_example(model, ["./main"], tmp_path)
    assert subprocess.run(["./main", "in"], cwd=tmp_path, capture_output=True).returncode == 2
    timed = subprocess.run(["./main", "in", "out", "3"], cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    assert re.fullmatch(r"init [\d.]+ us, run [\d.]+ us\n", timed)
    (tmp_path / "out").unlink()
    assert_example(model, [sys.executable, str(harness.REPOSITORY / "examples/compiled/run.py"), "libnet.so"], tmp_path)
    if shutil.which("nm"):
        listed = subprocess.run(["nm", "--dynamic", "libnet.so"], cwd=tmp_path, check=True, capture_output=True, text=True).stdout
        symbols = [(line.split()[-2], line.split()[-1].partition("@")[0]) for line in listed.splitlines()]
        assert {name for kind, name in symbols if kind == "U"} <= LIBC | MATH
        assert {name for kind, name in symbols if kind.isupper() and kind != "U"} == {"net_arena_bytes", "net_description", "net_init", "net_run"}


@pytest.mark.skipif(not all(map(shutil.which, ("objcopy", "ar"))), reason="no objcopy or ar (apt-get install binutils)")
def test_static(tmp_path: pathlib.Path) -> None:
    """A program can have several static libraries of networks: they have no names besides those of their functions."""
    model, program = builders.build_conv(), "int net_init(void *); int other_init(void *);\nint main(void) { return net_init(0) != 1 || other_init(0) != 1; }\n"
    for name in ("other", "net"):
        made = compiler.compile(model, tmp_path, name, isa="c", static=True, options={})
        assert made.files[0].name == f"lib{name}.a"
    (tmp_path / "both.c").write_text(program, encoding="utf-8")
    for source in ("main", "both"):
        subprocess.run(["cc", f"{source}.c", "-o", source, "-L.", "-lnet", "-lother", "-lm"], cwd=tmp_path, check=True)
    assert_example(model, ["./main"], tmp_path)
    subprocess.run(["./both"], cwd=tmp_path, check=True)


def test_reproducible(tmp_path: pathlib.Path) -> None:
    """Another process, whose addresses differ, makes the same bytes."""
    (tmp_path / "net.tflite").write_bytes(CHAIN)
    made = compiled(CHAIN, tmp_path / "a", title="net.tflite")
    command = [*harness.PYTHON, "-m", "tvmq_delegate", "compile", "net.tflite", "-o", "b", "--isa", "c"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    for file in made.files:
        assert (tmp_path / "b" / file.name).read_bytes() == file.read_bytes(), file.name


def test_instances(tmp_path: pathlib.Path) -> None:
    """Instances in their own arenas do not disturb one another; an arena that is not aligned is refused, as is a processor without the instructions."""
    made = compiled(CHAIN, tmp_path)
    reference = litert().interpreter(CHAIN)
    instances = [Library(made), Library(made)]
    values = [harness.random_inputs(reference, seed) for seed in (1, 2)]
    outputs = [[np.zeros(detail["shape"], detail["dtype"]) for detail in reference.get_output_details()] for _ in values]
    for instance, inputs, got in zip(instances, values, outputs, strict=True):
        assert instance.run(inputs, got) == 0
    for inputs, got in zip(values, outputs, strict=True):
        for array, expected in zip(got, harness.run(reference, *inputs), strict=True):
            harness.assert_equal(array, expected)
    assert instances[0].init(8) == 1
    assert instances[0].lib.net_init(None) == 1


def test_contenders(tmp_path: pathlib.Path) -> None:
    """Tools set a library beside the other ways to run its model. A file that is no such library is refused."""
    made = compiled(CHAIN, tmp_path)
    runtime = litert()
    outputs = []
    for name in ("reference", str(made.files[0])):
        session = sessions.Contender(name).open(CHAIN, runtime.module)
        details = session.interpreter.get_input_details()
        outputs.append([detail["shape"].tolist() for detail in details] + session.run(harness.random_inputs(runtime.interpreter(CHAIN), 3)))
    for got, expected in zip(*outputs, strict=True):
        np.testing.assert_array_equal(got, expected)
    network = binding_compiled.CompiledNetwork(made.files[0])
    with pytest.raises(RuntimeError, match="shapes of a compiled network"):
        network.resize([1, 2, 3])
    with pytest.raises(ValueError, match="one array for each"):
        network.run()
    with pytest.raises(ValueError, match="takes "):
        network.run(np.zeros((1, 2, 3), np.int16))
    made.files[0].rename(tmp_path / "libother.so")
    with pytest.raises(ValueError, match="no network that tvmq compile made"):
        binding_compiled.CompiledNetwork(tmp_path / "libother.so")
    with pytest.raises(ValueError, match="unknown contender 'libother'"):
        sessions.Contender("libother")


@pytest.mark.parametrize("name", ["kws_ref_model", "micro_speech_quantized", "exported/dscnn_w8a16", "exported/tcn_w8a32", "exported/tcn_w8a8"])
def test_whole_networks(name: str, networks: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """Networks as they are trained and exported; tools/compiled does so with all of them."""
    model = (networks / f"{name}.tflite").read_bytes()
    assert_same(compiled(model, tmp_path), model, litert(), seeds=1)


def test_plans() -> None:
    """Networks that can be opened can be frozen, always to the same bytes, also for processors that these kernels do not run on."""
    for options in ({}, {"estimate": "cortex-a53"}, {"estimate": "neoverse-v1"}, {"winograd": "on"}):
        for name in ("mobilenet_v1", "mobilenet_v2", "resnet18", "unet"):
            plans = [frozen.freeze(zoo.load(name), options) for _ in range(2)]
            assert plans[0] == plans[1], (name, options)
            assert plans[0].symbols and plans[0].arena_bytes >= plans[0].image_bytes, (name, options)


def test_estimates_of_library_functions() -> None:
    """A plan for another processor asks no kernel that this one cannot run whether it agrees with the math library."""
    model = TANH
    with tvmq_delegate.Network(model, estimate="cortex-a72") as network:
        assert network.report().summary.claimed == 1


def test_refusals(tmp_path: pathlib.Path) -> None:
    runner = CliRunner()
    (tmp_path / "tanh.tflite").write_bytes(TANH)
    for arguments, reason in (
        (["--target", "riscv64-linux-gnu"], "no kernels for riscv64"),
        (["--isa", "sse"], "option isa cannot have the value 'sse'"),
        ([], "results of the math library are those of the device's"),
    ):
        done = runner.invoke(cli.main, ["compile", str(tmp_path / "tanh.tflite"), "-o", str(tmp_path / "out"), *arguments])
        assert done.exit_code == 2 and reason in done.output, done.output
        assert not (tmp_path / "out").exists()


def test_compilers(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> None:
    """A compiler is taken for what it compiles for; zig, where it is installed, compiles for targets that nothing else does."""
    monkeypatch.setenv("CC", "cc")
    assert toolchain.find("native").command == ("cc",)
    foreign = {"x86_64": "aarch64", "aarch64": "x86_64"}[toolchain.architecture("native")]
    with pytest.raises(FileNotFoundError, match=f"no C compiler for {foreign}-nowhere .tried cc, {foreign}-nowhere-gcc"):
        toolchain.find(f"{foreign}-nowhere")
    if importlib.util.find_spec("ziglang") is None:
        pytest.skip("ziglang is not installed")
    found = toolchain.find(f"{foreign}-linux-musl")
    assert "ziglang" in found.command
    assert found.knows("-mtune=cortex-a53" if foreign == "aarch64" else "-mavx2", tmp_path)


def test_sources() -> None:
    """Every file that is listed is there, and every kernel has a file that defines it."""
    for group in sources.groups().values():
        assert all((sources.root() / path).is_file() for path in group.files)
    assert {isa.name for isa in library.isas()} - {"c"} <= sources.groups().keys()
