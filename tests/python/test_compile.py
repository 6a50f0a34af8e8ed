"""tvmq compile: networks as C libraries of their own, which give the bits of the reference kernels and need nothing."""

from __future__ import annotations

import ctypes
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
from typing import Any

import builders
import harness
import moves
import numpy as np
import pytest
from click.testing import CliRunner

import tvmq_delegate
from tvmq_delegate import cli, compiler, sessions
from tvmq_delegate.binding import compiled as binding_compiled
from tvmq_delegate.binding import frozen, library
from tvmq_delegate.models import ModelBuilder, zoo

CHAIN = (harness.REPOSITORY / "tests/fuzz/corpus_network/chain.tflite").read_bytes()
TANH = builders.build_unary(operator="TANH", dtype="float32")
NOT = builders.build_condition(operator="LOGICAL_NOT", dtype="bool", shapes=((1, 6, 6, 8),))
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
    "bool": NOT,
    "space_to_batch": moves.example("SPACE_TO_BATCH_ND"),
    "batch_to_space": moves.example("BATCH_TO_SPACE_ND"),
    "gather_nd": builders.build_gather(index_dtype="uint8"),
    "lookup": builders.build_lookup(index_dtype="uint8", scale=[0.01 + i / 1000 for i in range(256)]),
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
    assert alignments(tmp_path / "libnet.so") == {65536}
    for cpu in ("cortex-a53", "max"):
        assert_example(model, ["qemu-aarch64", "-cpu", cpu, "-L", "/usr/aarch64-linux-gnu", "./main"], tmp_path)


def alignments(library: pathlib.Path) -> set[int]:
    """The alignments of the segments that are loaded."""
    content = library.read_bytes()
    (offset,), (size, count) = struct.unpack_from("<Q", content, 32), struct.unpack_from("<HH", content, 54)
    headers = [struct.unpack_from("<IIQQQQQQ", content, offset + i * size) for i in range(count)]
    return {header[-1] for header in headers if header[0] == 1}


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
    if shutil.which("nm"):
        listed = subprocess.run(["nm", "--dynamic", "libnet.so"], cwd=tmp_path, check=True, capture_output=True, text=True).stdout
        symbols = [(line.split()[-2], line.split()[-1].partition("@")[0]) for line in listed.splitlines()]
        assert {name for kind, name in symbols if kind == "U"} <= LIBC | MATH
        assert {name for kind, name in symbols if kind.isupper() and kind != "U"} == {"net_arena_bytes", "net_description", "net_init", "net_run"}


def test_python_alone(tmp_path: pathlib.Path) -> None:
    """The example in Python, whose errors are one line."""
    compiled(NOT, tmp_path)
    shutil.copy(tmp_path / "libnet.so", tmp_path / "libother.so")
    command = [sys.executable, str(harness.REPOSITORY / "examples/compiled/run.py")]
    assert_example(NOT, [*command, "libnet.so"], tmp_path)
    for arguments, reason in (
        (["libnet.so", "in"], "libnet.so takes files for 1 inputs and 1 outputs, not 1"),
        (["libnet.so", "missing", "out"], "No such file or directory: 'missing'"),
        (["libmissing.so", "in", "out"], "libmissing.so: cannot open shared object file"),
        (["libother.so", "in", "out"], "libother.so has no functions other_init and other_run"),
        (["libnet.so", "net.h", "out"], "is bool[1, 6, 6, 8], which has 288"),
    ):
        done = subprocess.run([*command, *arguments], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 1 and done.stderr.count("\n") == 1 and reason in done.stderr, done.stderr


@pytest.mark.parametrize("name", ["symbols", "empty", "string"])
def test_names(name: str, tmp_path: pathlib.Path) -> None:
    """No name gets in the way of the files that are compiled. One that would hide a header or a library of the system is another one."""
    called = compiler.identifier(name)
    assert called == {"string": "network_string"}.get(name, name)
    made = compiler.compile(NOT, tmp_path, called, isa="c", options={})
    program = f'#include <string.h>\n#include "{called}.h"\nint main(void) {{ return (int)strlen("") + ({called}_init(0) != {called.upper()}_UNALIGNED); }}\n'
    (tmp_path / "program.c").write_text(program, encoding="utf-8")
    subprocess.run(["cc", "-I.", "program.c", "-o", "program", "-L.", f"-l{called}", "-Wl,-rpath,."], cwd=tmp_path, check=True)
    subprocess.run(["./program"], cwd=tmp_path, check=True)
    for others in ("math", "m", "c", "time"):
        assert compiler.identifier(others) == f"network_{others}"
    assert made.name == called
    with pytest.raises(ValueError, match="cannot be called 'My net'; 'my_net' is possible"):
        compiler.compile(NOT, tmp_path, "My net", options={})


def test_folders(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An example that somebody has edited stays, another one is written anew. A folder that cannot be written to is refused before anything is planned."""
    made = compiled(NOT, tmp_path)
    example = tmp_path / "main.c"
    first = example.read_text(encoding="utf-8")
    assert example in made.files and not made.kept
    again = compiled(builders.build_binary(), tmp_path)
    second = example.read_text(encoding="utf-8")
    assert example in again.files and second != first
    example.write_text(second.replace("return 0", "return 1"), encoding="utf-8")
    (tmp_path / "net.tflite").write_bytes(NOT)
    done = CliRunner().invoke(cli.main, ["compile", str(tmp_path / "net.tflite"), "-o", str(tmp_path), "--isa", "c"])
    assert done.exit_code == 0 and "main.c: edited, and left as it is" in done.output, done.output
    assert example.read_text(encoding="utf-8") == second.replace("return 0", "return 1")
    assert not [*tmp_path.glob(".tvmq*")]
    (tmp_path / "file").touch()
    monkeypatch.setattr(frozen, "freeze", None)
    with pytest.raises(NotADirectoryError, match="file"):
        compiled(NOT, tmp_path / "file/under")


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
    other = made.files[0].rename(tmp_path / "libother.so")
    assert binding_compiled.CompiledNetwork(other).outputs == network.outputs
    with pytest.raises(ValueError, match="no network that tvmq compile made"):
        binding_compiled.CompiledNetwork(tvmq_delegate.library_path())
    with pytest.raises(ValueError, match="unknown contender 'libother'"):
        sessions.Contender("libother")


def test_contenders_of_parts(tmp_path: pathlib.Path) -> None:
    """A library runs its model as a whole: it has no part in what is measured or compared node by node, and none in another model."""
    file = str(compiled(CHAIN, tmp_path).files[0])
    runtime = litert().name
    (tmp_path / "chain.tflite").write_bytes(CHAIN)
    (tmp_path / "not.tflite").write_bytes(NOT)
    settings = tvmq_delegate.Settings(num_runs=1, min_secs=0, warmup_runs=0, warmup_min_secs=0)
    found = tvmq_delegate.bench(CHAIN, runtime=runtime, settings=settings, against=[file], op_profiling=True)
    assert [result.name for result in found.results] == ["tvmq", file] and found.op_profile and found.against == ()
    for arguments, reason in (
        (["diff", "not.tflite", "--contenders", f"reference,{file}"], "its inputs are uint8[1x8x8x3], the model's are bool[1x6x6x8]"),
        (["bench", "not.tflite", "--min-secs", "0", "--against", file], "libnet.so was compiled of another model"),
        (["diff", "chain.tflite", "--per-op", "--contenders", f"reference,{file}"], "libnet.so runs as a whole"),
        (["diff", "chain.tflite", "--bisect", "--contenders", f"reference,{file}"], "libnet.so runs as a whole"),
    ):
        done = CliRunner().invoke(cli.main, [arguments[0], str(tmp_path / arguments[1]), *arguments[2:], "--runtime", runtime])
        assert done.exit_code == 2 and reason in done.output and done.output.count("\n") == 1, done.output


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


@pytest.mark.parametrize(("inputs", "outputs"), [([0], [1, 1]), ([0, 0], [1])])
def test_tensors_that_are_listed_twice(inputs: list[int], outputs: list[int]) -> None:
    """A run takes one address for each tensor."""
    builder = ModelBuilder()
    for name in ("input", "output"):
        builder.add_tensor(name, (1, 8), "int8", scale=0.1, zero_point=0)
    builder.add_op("RELU", [0], [1])
    assert frozen.freeze(builder.build([0], [1]), {}).symbols
    with pytest.raises(RuntimeError, match="a tensor is listed twice"):
        frozen.freeze(builder.build(inputs, outputs), {})


def test_kernels_of_other_processors() -> None:
    """A plan for another processor reproduces a runtime's kernels there: how those of tflite-runtime for Arm compute hybrid nodes is unknown."""
    hybrid = builders.build_fully_connected(dtype="float32", filter_dtype="int8", bias_dtype="float32", per_channel=False)
    arm, x86 = ({"estimate": machine} for machine in ("cortex-a72", "cascade-lake"))
    for options in ({**arm, "runtime": "litert"}, {**x86, "runtime": "litert"}, {**x86, "runtime": "tflite"}):
        assert frozen.freeze(hybrid, options).symbols
    with pytest.raises(RuntimeError, match="the runtime's arithmetic is unknown"):
        frozen.freeze(hybrid, {**arm, "runtime": "tflite"})


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
        (["--tuning-records", "missing.jsonl"], "missing.jsonl: no such file of tuning records"),
        ([], "results of the math library are those of the device's"),
    ):
        done = runner.invoke(cli.main, ["compile", str(tmp_path / "tanh.tflite"), "-o", str(tmp_path / "out"), *arguments])
        assert done.exit_code == 2 and reason in done.output, done.output
        assert not (tmp_path / "out").exists()
    (tmp_path / "cut.tflite").write_bytes(TANH[:100])
    done = runner.invoke(cli.main, ["compile", str(tmp_path / "cut.tflite"), "-o", str(tmp_path / "out")])
    assert done.exit_code == 2 and "cut.tflite: " in done.output, done.output
