"""LiteRT's CompiledModel with the delegate: the reference's results, options, threads, resizing, and models that come and go."""

from __future__ import annotations

import ctypes.util
import gc
import importlib.metadata
import os
import pathlib
import subprocess
import threading
from typing import Any

import harness
import numpy as np
import pytest

import tvmq_delegate
from tvmq_delegate import models
from tvmq_delegate.models import zoo


def version() -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in importlib.metadata.version("ai-edge-litert").split(".")[:2])
    except importlib.metadata.PackageNotFoundError:
        return (0,)


pytestmark = [
    pytest.mark.skipif(version() < (2, 2), reason="CompiledModel takes the delegate from LiteRT 2.2 on: pip install 'ai-edge-litert>=2.2'"),
    pytest.mark.skipif(harness.SANITIZED, reason="LiteRT loads its plugins by RTLD_DEEPBIND, at which a sanitizer ends the process"),
]


@pytest.fixture(scope="module")
def litert() -> Any:
    from ai_edge_litert import compiled_model

    return compiled_model


@pytest.fixture(scope="module")
def reference() -> harness.Runtime:
    return next(runtime for runtime in harness.installed() if runtime.name == "ai_edge_litert")


@pytest.fixture(scope="module")
def network() -> bytes:
    """One with inputs of free size, a head, and QUANTIZE at both ends."""
    return zoo.mobilenet_v2(width=0.25, resolution=32, classes=10, io_dtype="uint8")


def compiled(litert: Any, content: bytes, environment: Any, num_threads: int = 1, kernel_mode: Any = None) -> Any:
    cpu = litert.CpuOptions(num_threads=num_threads, kernel_mode=kernel_mode)
    return litert.CompiledModel.from_buffer(content, environment=environment, options=litert.Options(cpu_options=cpu))


def run(model: Any, values: np.ndarray) -> np.ndarray:
    """The one output of the model's one input, as bytes."""
    (signature,) = model.get_signature_list()
    ((_, detail),) = model.get_output_tensor_details(signature).items()
    inputs, outputs = model.create_input_buffers(0), model.create_output_buffers(0)
    inputs[0].write(values)
    model.run_by_index(0, inputs, outputs)
    return outputs[0].read(int(np.prod(detail["shape"])), np.dtype(detail["dtype"]).type).reshape(detail["shape"])


def fed(shape: tuple[int, ...], seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, shape, dtype=np.uint8)


def expected(reference: harness.Runtime, content: bytes, values: np.ndarray) -> np.ndarray:
    interpreter = reference.module.Interpreter(model_content=content, experimental_op_resolver_type=reference.module.OpResolverType.BUILTIN_REF)
    interpreter.resize_tensor_input(0, values.shape)
    interpreter.allocate_tensors()
    return harness.run(interpreter, values)[0]


def test_results_are_the_references(litert, reference, network):
    environment = tvmq_delegate.environment()
    model = compiled(litert, network, environment, num_threads=2)
    values = fed((1, 32, 32, 3))
    np.testing.assert_array_equal(run(model, values), expected(reference, network, values))
    (delegate,) = tvmq_delegate.delegates(environment)
    report = tvmq_delegate.report(delegate)
    assert report.summary.claimed == report.summary.nodes > 20
    assert report.summary.threads == min(2, len(os.sched_getaffinity(0)))


def test_options_times_and_several_environments(litert, network):
    """Each environment has its own options, and answers for its own models."""
    plain = tvmq_delegate.environment()
    profiled = tvmq_delegate.environment(profile=True, isa="c", num_threads=1)
    models_ = [compiled(litert, network, environment, num_threads=2) for environment in (plain, profiled, profiled)]
    outputs = [run(model, fed((1, 32, 32, 3))) for model in models_]
    assert all((output == outputs[0]).all() for output in outputs)
    assert len(tvmq_delegate.delegates(plain)) == 1
    first, second = tvmq_delegate.delegates(profiled)
    assert tvmq_delegate.report(first).summary.isa == "c"
    assert tvmq_delegate.report(first).summary.threads == 1
    assert {each.timing.count for each in tvmq_delegate.profile(second)} == {1}


def test_the_end_of_a_model_is_the_end_of_its_delegate(litert, network):
    environment = tvmq_delegate.environment()
    first, second = (compiled(litert, network, environment) for _ in range(2))
    gone, left = tvmq_delegate.delegates(environment)
    del first
    gc.collect()
    assert [each._get_native_delegate_pointer() for each in tvmq_delegate.delegates(environment)] == [left._get_native_delegate_pointer()]
    with pytest.raises(ValueError, match="the model of this delegate is gone"):
        tvmq_delegate.report(gone)
    run(second, fed((1, 32, 32, 3)))


def test_a_model_outlives_its_environment(litert, reference, network):
    model = compiled(litert, network, tvmq_delegate.environment())
    gc.collect()
    values = fed((1, 32, 32, 3))
    np.testing.assert_array_equal(run(model, values), expected(reference, network, values))


def test_resizing(litert, reference):
    content = models.cut(zoo.mobilenet_v2(width=0.25, resolution=32, classes=10, io_dtype="uint8"), [0, 1, 2])
    environment = tvmq_delegate.environment()
    model = compiled(litert, content, environment)
    for shape in ((1, 32, 32, 3), (2, 48, 40, 3), (1, 16, 16, 3)):
        model.resize_input_tensor(0, shape, strict=False)
        values = fed(shape)
        np.testing.assert_array_equal(run(model, values).view(np.uint8), expected(reference, content, values).view(np.uint8))


def test_models_in_threads(litert, reference, network):
    environment = tvmq_delegate.environment()
    seeds, wrong = range(4), []

    def work(seed: int) -> None:
        values = fed((1, 32, 32, 3), seed)
        want = expected(reference, network, values)
        for _ in range(3):
            if (run(compiled(litert, network, environment, num_threads=2), values) != want).any():
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in seeds]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    gc.collect()
    assert not tvmq_delegate.delegates(environment)


@pytest.mark.parametrize("mode", ["BUILTIN", "REFERENCE"])
def test_other_kernel_modes_have_no_delegate(litert, network, mode):
    environment = tvmq_delegate.environment()
    model = compiled(litert, network, environment, kernel_mode=litert.CpuKernelMode[mode])
    assert run(model, fed((1, 32, 32, 3))).shape == (1, 10)
    assert not tvmq_delegate.delegates(environment)


def test_options_that_are_wrong():
    with pytest.raises(ValueError, match="unknown option"):
        tvmq_delegate.environment(colour="red")
    with pytest.raises(ValueError, match="line break"):
        tvmq_delegate.environment(gpu_accelerator="one\ntwo")
    with pytest.raises(ValueError, match="not made by"):
        tvmq_delegate.delegates(object())


ALONE = """
import sys
from ai_edge_litert.compiled_model import CompiledModel, Environment
model = CompiledModel.from_file(sys.argv[2], environment=Environment.create(runtime_path=sys.argv[1]))
import ctypes
library = ctypes.CDLL(sys.argv[1] + "/libLiteRtGpuAccelerator.so")
library.tvmq_accelerator_delegate.restype = ctypes.c_void_p
print("delegate" if library.tvmq_accelerator_delegate(0) else "none")
"""


@pytest.mark.parametrize(
    "variable, file, outcome",
    [
        ("num_threads=1; log_severity=silent", "", "delegate"),
        ("enabled=false", "", "none"),
        ("enabled=false", "# on again\nenabled=true\n", "delegate"),
        ("no setting", "", "TVMQ_OPTIONS: too many options, or not name=value;name=value"),
        ("", "no setting", "not lines of name=value"),
        ("", None, "Is a directory"),
        ("isa=6502", "", "isa"),
        ("library=/nowhere.so", "", "/nowhere.so"),
        ("gpu_accelerator=/nowhere.so", "", "delegate"),
    ],
)
def test_without_the_package(tmp_path, network, variable, file, outcome):
    """The library by itself, told by its surroundings, as C++ and Android use it."""
    (tmp_path / "libLiteRtGpuAccelerator.so").write_bytes(tvmq_delegate.accelerator_path().read_bytes())
    (tmp_path / "libtvmq_delegate.so").symlink_to(tvmq_delegate.library_path())
    if file is None:
        (tmp_path / "tvmq_delegate.conf").mkdir()
    else:
        (tmp_path / "tvmq_delegate.conf").write_text(file, encoding="utf-8")
    (tmp_path / "model.tflite").write_bytes(network)
    command = [*harness.PYTHON, "-c", ALONE, str(tmp_path), str(tmp_path / "model.tflite")]
    done = subprocess.run(command, env={**os.environ, "TVMQ_OPTIONS": variable}, check=False, capture_output=True, text=True)
    if outcome in ("delegate", "none"):
        assert done.returncode == 0, done.stderr
        assert done.stdout.split()[-1] == outcome
    else:
        assert done.returncode == 1
        assert outcome in next(line for line in done.stderr.splitlines() if "tvmq-delegate: CompiledModel" in line)


def test_tools(one_conv):
    found = tvmq_delegate.diff(one_conv, runtime="compiled_model", contenders=["reference", "tvmq", "stock"], per_op=True)
    assert found.passed or all(each.contender == "stock" for each in found.outputs if each.difference.different)
    assert tvmq_delegate.nodes(one_conv, runtime="compiled_model").summary.claimed == 1
    settings = tvmq_delegate.measure.Settings(num_runs=2, min_secs=0, warmup_runs=1, warmup_min_secs=0)
    timed = tvmq_delegate.bench(one_conv, runtime="compiled_model", against=["stock", "reference"], settings=settings, op_profiling=True)
    assert [each.name for each in timed.results] == ["tvmq", "stock", "reference"]
    assert timed.reconciliation


@pytest.mark.skipif(harness.EMULATED, reason="the compiler is this machine's")
def test_an_accelerator_of_a_gpu_keeps_its_models(litert, network, tmp_path):
    """Ours takes its place, and hands on what asks for a GPU: this one says so and takes no model."""
    header = harness.REPOSITORY / "delegate"
    source = tmp_path / "gpu.c"
    source.write_text(
        '#include "litert/litert_abi.h"\n#include <stdio.h>\n'
        "static LiteRtStatus create(LiteRtRuntimeContext *c, LiteRtEnvironment e, LiteRtAccelerator a, LiteRtOptions o, LiteRtDelegateWrapper *w) {\n"
        "  (void)c; (void)e; (void)a; (void)o; *w = NULL; remove(MARK); return kLiteRtStatusOk; }\n"
        '__attribute__((visibility("default"))) LiteRtAcceleratorDef LiteRtAcceleratorImpl = {\n'
        "  .abi_header = {sizeof(LiteRtAcceleratorDef), 1, 0, 0}, .create_delegate = create};\n",
        encoding="utf-8",
    )
    mark, library = tmp_path / "mark", tmp_path / "gpu.so"
    subprocess.run(["cc", "-shared", "-fPIC", f"-I{header}", f'-DMARK="{mark}"', str(source), "-o", str(library)], check=True)
    environment = tvmq_delegate.environment(gpu_accelerator=library)
    for hardware, handed_on in ((litert.HardwareAccelerator.CPU, False), (litert.HardwareAccelerator.CPU | litert.HardwareAccelerator.GPU, True)):
        mark.touch()
        model = litert.CompiledModel.from_buffer(network, environment=environment, options=litert.Options(hardware_accelerators=hardware))
        assert mark.exists() != handed_on or version() < (2, 3)
        assert len(tvmq_delegate.delegates(environment)) == (0 if handed_on or not mark.exists() else 1)
        del model


ON_A_GPU = """
import pathlib, sys
import numpy as np
from ai_edge_litert import compiled_model as litert
import tvmq_delegate
library = pathlib.Path(litert.__file__).with_name("libLiteRtWebGpuAccelerator.so")
CPU, GPU = litert.HardwareAccelerator.CPU, litert.HardwareAccelerator.CPU | litert.HardwareAccelerator.GPU
for environment, hardware in ((litert.Environment.create(), GPU), (tvmq_delegate.environment(gpu_accelerator=library), GPU),
                              (tvmq_delegate.environment(gpu_accelerator=library), CPU), (litert.Environment.create(), CPU)):
    model = litert.CompiledModel.from_file(sys.argv[1], environment=environment, options=litert.Options(hardware_accelerators=hardware))
    inputs, outputs = model.create_input_buffers(0), model.create_output_buffers(0)
    inputs[0].write(np.random.default_rng(0).integers(0, 256, (1, 32, 32, 3), dtype=np.uint8))
    model.run_by_index(0, inputs, outputs)
    ours = len(tvmq_delegate.delegates(environment)) if environment in tvmq_delegate.binding.accelerator._accelerators else 0
    print("RESULT", ours, model.is_fully_accelerated(), *outputs[0].read(10, np.uint8))
"""
VULKAN = pathlib.Path("/usr/lib/chromium/vk_swiftshader_icd.json")  # a GPU in software, which Chromium brings


@pytest.mark.skipif(not (VULKAN.exists() and ctypes.util.find_library("vulkan")), reason="no Vulkan in software (apt-get install chromium libvulkan1)")
@pytest.mark.skipif(harness.EMULATED, reason="its Vulkan is this machine's")
@pytest.mark.skipif(version() < (2, 3), reason="LiteRT 2.2 does not tell what a model asks for")
def test_litert_s_own_gpu_accelerator_keeps_its_models(network, tmp_path):
    """LiteRT's WebGPU accelerator computes what asks for a GPU, as it does without the delegate; what does not is the delegate's."""
    (tmp_path / "model.tflite").write_bytes(network)
    environment = {**os.environ, "VK_ICD_FILENAMES": str(VULKAN)}
    command = [*harness.PYTHON, "-c", ON_A_GPU, str(tmp_path / "model.tflite")]
    done = subprocess.run(command, env=environment, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    alone, chained, ours, cpu = (line.split()[1:] for line in done.stdout.splitlines() if line.startswith("RESULT"))
    assert alone[:2] == ["0", "True"] and cpu[:2] == ["0", "False"]  # XNNPACK does not count as an accelerator there: the first ran on the GPU
    assert chained == alone
    assert ours[:2] == ["1", "True"]


def test_older_versions_are_told(monkeypatch):
    monkeypatch.setattr(importlib.metadata, "version", lambda name: "2.1.6")
    with pytest.raises(ImportError, match=r"from LiteRT 2.2 on, and 2.1.6 is installed"):
        tvmq_delegate.environment()


def test_the_process_does_not_mind_an_interpreter_beside(litert, reference, network):
    """The same library serves both ways at once."""
    values = fed((1, 32, 32, 3))
    interpreter = reference.interpreter(network, [reference.load()])
    model = compiled(litert, network, tvmq_delegate.environment())
    np.testing.assert_array_equal(run(model, values), harness.run(interpreter, values)[0])
