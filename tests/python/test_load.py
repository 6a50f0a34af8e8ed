"""load(): options, runtimes, errors, lifetimes."""

from __future__ import annotations

import functools
import gc
import os
import re
import runpy
import subprocess
import sys
import time
import types
import typing
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import builders
import harness
import pytest

import tvmq_delegate
from tvmq_delegate import models
from tvmq_delegate.binding import ffi, interpreter_threads, reference, runtimes
from tvmq_delegate.models import flatbuffer, zoo


def test_every_option_takes_its_default(runtime: harness.Runtime) -> None:
    options = tvmq_delegate.options()
    assert {"num_threads", "rounding", "isa", "tune", "profile", "require_full_delegation"} <= {option.name for option in options}
    assert runtime.load(**{option.name: option.default_value for option in options})


@pytest.mark.parametrize("value", [True, False, "true", "False", 1, 0, "on", "off"])
def test_truth_values(runtime: harness.Runtime, value: object) -> None:
    assert runtime.load(profile=value)


def test_none_leaves_the_default(runtime: harness.Runtime) -> None:
    delegate = runtime.load(rounding=None, num_threads=None)
    assert tvmq_delegate.report(delegate).summary.rounding == "reference"


def test_hyphens_stand_for_underscores(runtime: harness.Runtime) -> None:
    delegate = runtime.load(**{"num-threads": 1, "rounding": "single"})
    assert tvmq_delegate.report(delegate).summary.rounding == "single"


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"num_thread": 2}, ["num_thread", "'2'", "did you mean num_threads"]),
        ({"rounding": "nearest"}, ["rounding", "'nearest'", "reference, upward, single"]),
        ({"num_threads": "many"}, ["num_threads", "'many'", "whole numbers"]),
        ({"profile": "maybe"}, ["profile", "'maybe'", "true or false"]),
        ({"cpu_affinity": "all"}, ["cpu_affinity", "'all'", "any, or numbers and ranges joined by +"]),
        ({"isa": "mmx"}, ["isa", "'mmx'", "auto", "c"]),
        ({"tune": "fast"}, ["tune", "'fast'", "auto, in_order, out_of_order"]),
    ],
)
def test_a_wrong_option_is_named_with_what_is_allowed(runtime: harness.Runtime, options: dict[str, object], told: list[str]) -> None:
    with pytest.raises(ValueError) as error:
        runtime.load(**options)
    assert all(part in str(error.value) for part in told), error.value
    assert "Failed to load" not in str(error.value)


def test_the_delegate_is_the_runtimes_own(runtime: harness.Runtime) -> None:
    assert type(runtime.load()) is runtime.module.Delegate


def test_runtime_by_name_alias_and_module(runtime: harness.Runtime) -> None:
    alias = {"ai_edge_litert": "litert", "tensorflow": "tf"}.get(runtime.name, runtime.name.replace("_", "-"))
    top = sys.modules[runtime.name]
    assert {runtimes.find(given) for given in (runtime.name, alias, top, runtime.module)} == {runtime.module}


def test_unknown_runtime_is_named() -> None:
    with pytest.raises(ValueError, match="'torch'.*ai_edge_litert, tflite_runtime, tensorflow"):
        tvmq_delegate.load(runtime="torch")


def _output_of(script: str) -> str:
    """The output of a fresh Python."""
    return subprocess.run([*harness.PYTHON, "-c", script], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def test_the_imported_runtime_is_preferred(runtime: harness.Runtime) -> None:
    script = f"import {runtime.module.__name__}; from tvmq_delegate.binding import runtimes; print(runtimes.find().__name__)"
    assert _output_of(script) == runtime.module.__name__


def test_the_installed_runtime_is_found_without_an_import(runtime: harness.Runtime) -> None:
    others = [name for name in runtimes.installed() if name != runtime.name]
    hide = f"import importlib.util as u; real = u.find_spec; u.find_spec = lambda name, *more: None if name in {others} else real(name, *more)"
    assert _output_of(hide + "; from tvmq_delegate.binding import runtimes; print(runtimes.find().__name__)") == runtime.module.__name__


def test_no_runtime_names_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runtimes, "sys", types.SimpleNamespace(modules={}))
    monkeypatch.setattr(runtimes.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ImportError) as error:
        tvmq_delegate.load()
    assert "pip install ai-edge-litert, or tflite-runtime 'numpy<2', or tensorflow" in str(error.value)


@pytest.mark.parametrize("option", reference.OPTIONS)
def test_what_is_known_of_kernels(runtime: harness.Runtime, option: str) -> None:
    """The table says what kernels say themselves."""
    _, ask = reference.OPTIONS[option]
    assert reference.found(option, runtime.module) == ask(runtime.module)


def test_questions_are_what_their_tool_writes() -> None:
    """As records: schemas of later versions may lay out more fields."""
    written = runpy.run_path(str(harness.REPOSITORY / "tools/questions"))["ALL"]
    assert {path.stem for path in Path(reference.QUESTIONS).iterdir()} == {question.__name__ for question in written}
    for question in written:
        assert flatbuffer.read(Path(reference.QUESTIONS, f"{question.__name__}.tflite").read_bytes()) == flatbuffer.read(question()), "run tools/questions"


@pytest.mark.parametrize("options", [{}, {"fully_connected": None}, {"fully_connected": "auto"}, {"fully-connected": "auto"}])
def test_load_finds_the_scaling_of_fully_connected(runtime: harness.Runtime, options: dict[str, str | None]) -> None:
    delegate = runtime.load(**options)
    runtime.interpreter(builders.build_fully_connected(), [delegate])
    harness.assert_claimed(delegate)


def test_one_warning_says_that_there_are_fewer_processors(runtime: harness.Runtime, tmp_path: Path) -> None:
    (tmp_path / "model.tflite").write_bytes(builders.build_conv())
    script = f"""
import tvmq_delegate
from {runtime.module.__name__} import Interpreter
for threads in ("auto", 1, 9999, 9998):
    delegate = tvmq_delegate.load(num_threads=threads)
    Interpreter({str(tmp_path / "model.tflite")!r}, experimental_delegates=[delegate])
"""
    done = subprocess.run([*harness.PYTHON, "-c", script], check=True, stderr=subprocess.PIPE, text=True)
    (line,) = [line for line in done.stderr.splitlines() if "the process may not use more processors" in line]
    assert "instead of 9999" in line and line.startswith("WARNING: tvmq-delegate: using ")


def test_automatic_threads(runtime: harness.Runtime) -> None:
    """As many as the library counts, whatever the interpreter has, and no more than the processors that the process may use."""
    delegate = runtime.load(num_threads="auto")
    interpreter = runtime.interpreter(builders.build_conv(), [delegate], num_threads=1)
    processors = os.sched_getaffinity(0)
    assert tvmq_delegate.report(delegate).summary.threads == interpreter_threads("auto") <= len(processors)
    os.sched_setaffinity(0, {min(processors)})
    try:
        assert interpreter_threads("auto") == 1
    finally:
        os.sched_setaffinity(0, processors)
    del interpreter


def test_loading_needs_no_cffi(runtime: harness.Runtime) -> None:
    absent = ["cffi", "click", "rich", "tflite", *(["flatbuffers"] if runtime.name != "tensorflow" else [])]  # TensorFlow itself needs those
    script = f"""
import sys
sys.modules.update(dict.fromkeys({absent!r}))
import tvmq_delegate
assert tvmq_delegate.load(runtime={runtime.name!r}), "loads"
assert not {{"tvmq_delegate.models", "tvmq_delegate.binding.library"}} & sys.modules.keys(), "imports no more than it needs"
try:
    tvmq_delegate.cpu()
except ImportError as error:
    print(error)
"""
    assert "pip install cffi" in _output_of(script)


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch, runtime: harness.Runtime, tmp_path) -> None:
    monkeypatch.setenv("TVMQ_LIBRARY", str(tmp_path / "nothing.so"))
    with pytest.raises(FileNotFoundError, match="nothing.so.*TVMQ_LIBRARY"):
        runtime.load()


def test_a_broken_library_is_named(monkeypatch: pytest.MonkeyPatch, runtime: harness.Runtime, tmp_path, recwarn: pytest.WarningsRecorder) -> None:
    broken = tmp_path / "broken.so"
    broken.write_bytes(b"\x7fELF, and no more")
    monkeypatch.setenv("TVMQ_LIBRARY", str(broken))
    with pytest.raises(OSError, match="broken.so"):
        runtime.load()
    gc.collect()
    assert not recwarn.list  # no half-made Delegate that fails in its destructor


def test_a_library_that_changes_is_noticed(monkeypatch: pytest.MonkeyPatch, runtime: harness.Runtime, tmp_path) -> None:
    """load() keeps what it knows of a library: not beyond the file that it knew."""
    link, library = tmp_path / "link.so", tvmq_delegate.library_path()
    monkeypatch.setenv("TVMQ_LIBRARY", str(link))
    link.symlink_to(library)
    assert runtime.load() is not None and tvmq_delegate.library_path() == library
    link.unlink()
    with pytest.raises(FileNotFoundError, match="link.so"):
        runtime.load()
    broken = tmp_path / "broken.so"
    broken.write_bytes(b"\x7fELF, and no more")
    link.symlink_to(broken)
    with pytest.raises(OSError, match="broken.so"):
        runtime.load()
    assert tvmq_delegate.library_path() == broken


def test_another_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    other = pytest.importorskip("_cffi_backend").__file__
    monkeypatch.setenv("TVMQ_LIBRARY", other)
    with pytest.raises(OSError, match="is not the delegate's library"):
        tvmq_delegate.binding.ffi.library.__wrapped__()


def test_foreign_objects_are_refused(runtime: harness.Runtime) -> None:
    with pytest.raises(TypeError, match="not a Delegate"):
        tvmq_delegate.report(object())
    foreign = types.SimpleNamespace(_get_native_delegate_pointer=lambda: 0)
    with pytest.raises(ValueError, match="not loaded from the library"):
        tvmq_delegate.report(foreign)


@functools.cache
def _small_model() -> bytes:
    """One convolution."""
    return models.cut(zoo.load("mobilenet_v1_0.25_128"), 0)


def test_the_interpreter_keeps_the_delegate_alive(runtime: harness.Runtime) -> None:
    interpreter = runtime.interpreter(_small_model(), [runtime.load()])
    gc.collect()
    inputs = harness.random_inputs(interpreter, 1)
    delegated = harness.run(interpreter, *inputs)
    harness.assert_equal(delegated[0], harness.run(runtime.interpreter(_small_model()), *inputs)[0])


@pytest.mark.parametrize("order", [("delegate", "interpreter"), ("interpreter", "delegate")])
def test_destruction_in_either_order(runtime: harness.Runtime, order: tuple[str, str]) -> None:
    alive = {"delegate": runtime.load()}
    alive["interpreter"] = runtime.interpreter(_small_model(), [alive["delegate"]])
    alive["interpreter"].allocate_tensors()
    for name in order:
        del alive[name]
        gc.collect()


def test_report_and_profile_follow_the_interpreter(runtime: harness.Runtime) -> None:
    delegate = runtime.load(profile=True)
    assert tvmq_delegate.report(delegate).nodes == () and tvmq_delegate.profile(delegate) == []
    interpreter = runtime.interpreter(_small_model(), [delegate])
    inputs = harness.random_inputs(interpreter, 1)
    for _ in range(3):
        harness.run(interpreter, *inputs)

    report = tvmq_delegate.report(delegate)
    (node,) = report.nodes
    assert (node.op, node.claimed, node.reason, node.macs) == ("CONV_2D", True, "", models.ops(_small_model())[0].macs)
    assert node.kernel in {kernel.name for kernel in tvmq_delegate.kernels() if kernel.available}
    assert report.summary.claimed == report.summary.nodes == report.summary.partitions == 1
    assert report.summary.packed_bytes == node.packed_bytes > 0

    (profiled,) = tvmq_delegate.profile(delegate, reset=True)
    assert profiled.node == node and profiled.timing.count == 3
    assert 0 < profiled.timing.min_ns <= profiled.timing.mean_ns <= profiled.timing.max_ns <= profiled.timing.total_ns
    assert tvmq_delegate.profile(delegate) == []


def test_option_types_are_the_librarys() -> None:
    """LoadOptions has every option of the library, with the type and the names that it takes."""
    kinds = {"bool": bool, "int": int, "cpus": str, "path": str}
    hints = typing.get_type_hints(tvmq_delegate.LoadOptions)
    wanted = {option.name: Literal[tuple(option.names.split("|"))] if option.kind == "name" else kinds[option.kind] for option in tvmq_delegate.options()}
    wanted["num_threads"] = int | Literal["auto"]
    wanted["tuning_records"] = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
    assert hints == {name: kind | None for name, kind in wanted.items()}
    assert typing.get_type_hints(tvmq_delegate.ToolOptions).keys() == hints.keys() - {"num_threads"}


def test_tuning_records_must_be_there(runtime: harness.Runtime) -> None:
    with pytest.raises(FileNotFoundError, match="nowhere.jsonl"):
        tvmq_delegate.load(runtime=runtime.module, tuning_records=[__file__, "nowhere.jsonl"])
    with pytest.raises(IsADirectoryError, match="a folder, not a file of tuning records"):
        tvmq_delegate.load(runtime=runtime.module, tuning_records=str(Path(__file__).parent))


def test_weight_cache(runtime: harness.Runtime, tmp_path: Path) -> None:
    """Results are the same as the file is made, used, and damaged."""
    cache = tmp_path / "weights"
    outputs = []
    for start in range(4):
        delegate = runtime.load(weight_cache=str(cache), log_severity="silent")
        interpreter = runtime.interpreter(zoo.load("mobilenet_v1_0.25_128"), [delegate])
        outputs.append(harness.run(interpreter, *harness.random_inputs(interpreter, 1)))
        harness.assert_claimed(delegate)
        if start == 1:
            content = bytearray(cache.read_bytes())
            content[len(content) // 2] ^= 1
            cache.write_bytes(content)
    for later in outputs[1:]:
        harness.assert_equal(later[0], outputs[0][0])


def test_what_is_loaded_late_is_listed() -> None:
    assert {*tvmq_delegate.__all__, "__version__"} <= {*dir(tvmq_delegate)}
    assert all(getattr(tvmq_delegate, name) is not None for name in tvmq_delegate.__all__)


@pytest.mark.parametrize(
    ("tool", "given", "told"),
    [
        ("bench", {"agains": ["stock"]}, r"bench\(\) has no 'agains'; did you mean against\?"),
        ("bench", {"min_secs": 0.2}, r"did you mean settings.min_secs"),
        ("diff", {"per_ops": True}, r"did you mean per_op\?"),
        ("tune", {"num_thread": 2}, r"did you mean num_threads\?"),
        ("nodes", {"frobnicate": 1}, r"unknown option frobnicate with value '1'; options are num_threads, "),
    ],
)
def test_a_name_that_a_tool_does_not_know(runtime: harness.Runtime, tool: str, given: dict[str, object], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        getattr(tvmq_delegate, tool)(builders.build_conv(), runtime=runtime.name, **given)


def test_version_is_the_librarys(runtime: harness.Runtime) -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+(\.dev\d+\+[\w.]+)?", tvmq_delegate.__version__)
    with pytest.raises(AttributeError):
        getattr(tvmq_delegate, "no_such_name")  # noqa: B009


def test_spans_are_the_profiled_times(runtime: harness.Runtime) -> None:
    delegate = runtime.load(profile=True, num_threads=2)
    interpreter = runtime.interpreter(zoo.load("mobilenet_v1_0.25_128"), [delegate])
    before = time.monotonic_ns()
    for _ in range(3):
        interpreter.invoke()
    after = time.monotonic_ns()
    spans = tvmq_delegate.spans(delegate)
    assert tvmq_delegate.peak(delegate).threads >= 1 and tvmq_delegate.spans(delegate) == spans  # what is measured is no node
    for profiled in tvmq_delegate.profile(delegate, reset=True):
        whole = [span for span in spans if span.node == profiled.node.node and span.task < 0]
        assert len(whole) == 3 and sum(span.end_ns - span.start_ns for span in whole) == profiled.timing.total_ns
        tasks = [span for span in spans if span.node == profiled.node.node and span.task >= 0]
        assert all(any(span.start_ns <= task.start_ns and task.end_ns <= span.end_ns for span in whole) for task in tasks)
    assert all(before <= span.start_ns <= span.end_ns <= after for span in spans)
    assert not tvmq_delegate.spans(delegate)


def test_peak_is_of_the_delegates_kernels(runtime: harness.Runtime) -> None:
    delegate = runtime.load(isa="c")
    runtime.interpreter(zoo.load("mobilenet_v1_0.25_128"), [delegate])
    peak = tvmq_delegate.peak(delegate)
    assert peak.kernel in {kernel.name for kernel in tvmq_delegate.kernels() if kernel.isa == "c" and kernel.family == "gemm_s8"}
    assert peak.threads == 1 and min(peak.macs_per_second, peak.cache_bytes_per_second, peak.memory_bytes_per_second) > 0
    with pytest.raises(ValueError, match="option estimate, with which nothing runs"):
        tvmq_delegate.peak(runtime.load(estimate="zen5"))


def test_what_cannot_be_forced(runtime: harness.Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    delegate = runtime.load()
    interpreter = runtime.interpreter(zoo.load("mobilenet_v1_0.25_128"), [delegate])
    n = len(tvmq_delegate.candidates(delegate, 0))
    for index, candidate, told in ((0, n, f"node 0 has no candidate {n}"), (999, None, "node 999 is not one that can be forced")):
        with pytest.raises(ValueError, match=told):
            tvmq_delegate.force(delegate, index, candidate)
    interpreter.invoke()
    cffi, library = ffi.library()
    known = types.SimpleNamespace(tvmq_get_delegate=library.tvmq_get_delegate, tvmq_force=lambda *_: -2)
    monkeypatch.setattr(ffi, "library", lambda: (cffi, known))
    with pytest.raises(MemoryError, match="inferences fail until tensors are allocated again"):
        tvmq_delegate.force(delegate, 0, 0)
