"""Fixtures, hypothesis profiles, and what a run says at its end."""

from __future__ import annotations

import math
import os
import pathlib
import signal
from collections.abc import Iterator

import harness
import hypothesis
import pytest

from tvmq_delegate import measure, models
from tvmq_delegate.measure import op_times, statistic
from tvmq_delegate.models import zoo

# `slow` is for runs under qemu and sanitizers, `attack` for shards of small models, `ci` for long ones. Every failure prints the blob that repeats it.
SUPPRESSED = [hypothesis.HealthCheck.too_slow, hypothesis.HealthCheck.function_scoped_fixture]
COMMON = dict(deadline=None, derandomize=False, print_blob=True, suppress_health_check=SUPPRESSED)
hypothesis.settings.register_profile("default", max_examples=60, **COMMON)
hypothesis.settings.register_profile("attack", max_examples=200, **COMMON)
hypothesis.settings.register_profile("ci", max_examples=2000, **COMMON)
hypothesis.settings.register_profile("slow", max_examples=12, **COMMON)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("slow" if harness.SLOW else "default"))

RUNTIMES = harness.installed()

# Tests of the Python around the library: neither a sanitizer in the library nor another processor changes anything in them.
AROUND = (
    "android",
    "arm_estimate",
    "attack",
    "bench",
    "bisect",
    "calibrate",
    "check_spills",
    "cli",
    "comparing_pages",
    "conventions",
    "damaged_models",
    "diff",
    "diff_kept",
    "diff_limits",
    "difference",
    "docs",
    "drawings",
    "examples",
    "exit_codes",
    "flag_table",
    "flags",
    "fleet",
    "fleet_simulated",
    "fleet_sockets",
    "fleet_time",
    "fleet_via",
    "formats",
    "golden",
    "hardening",
    "history",
    "inputs",
    "interrupts",
    "machine",
    "measure",
    "metrics",
    "model",
    "newer",
    "package",
    "pad_tools",
    "pages",
    "pictures",
    "progress",
    "release",
    "run",
    "screen",
    "serving",
    "shown",
    "statistic",
    "trace",
    "tuning",
    "tuning_files",
    "tuning_leaving",
    "version",
    "zoo",
)


def pytest_configure() -> None:
    """Handles signals as a command in a terminal does, whatever the parent has left: a shell lets its jobs in the background ignore SIGINT."""
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGALRM, signal.SIGCHLD, signal.SIGQUIT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--part", choices=("library", "around"), help="run the tests of the library alone, or those of the Python around it")


def pytest_ignore_collect(collection_path: pathlib.Path, config: pytest.Config) -> bool | None:
    part, is_test, is_around = config.getoption("part"), collection_path.name.startswith("test_"), collection_path.stem.removeprefix("test_") in AROUND
    return True if part and is_test and is_around != (part == "around") else None


@pytest.fixture(autouse=True, scope="session")
def no_machine_file(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The tests are not planned for a machine that the user has calibrated."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(autouse=True, scope="session")
def quiet_machine() -> Iterator[None]:
    """The machine is never taken to be busy, so that what commands print does not depend on what else runs. Tests of busy machines set these themselves."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(statistic, "load", lambda: "0")
        patch.setattr(statistic, "NOISY", math.inf)
        yield


@pytest.fixture(params=RUNTIMES or [None], ids=lambda runtime: runtime.name if runtime else "none", scope="session")
def runtime(request: pytest.FixtureRequest) -> harness.Runtime:
    """Each TFLite runtime that is installed."""
    if request.param is None:
        pytest.skip("no TFLite runtime is installed: pip install tflite-runtime or ai-edge-litert")
    return request.param


@pytest.fixture(scope="session")
def networks() -> pathlib.Path:
    """The directory of real networks."""
    if not harness.MODELS.is_dir():
        pytest.skip(f"no directory {harness.MODELS}: set TVMQ_MODELS to one with .tflite files")
    return harness.MODELS


@pytest.fixture(scope="session")
def one_conv(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A file with one convolution."""
    path = tmp_path_factory.mktemp("bench") / "conv.tflite"
    path.write_bytes(models.cut(zoo.load("mobilenet_v1_0.25_128"), 2))
    return path


@pytest.fixture(scope="session")
def benchmark(runtime: harness.Runtime) -> measure.Benchmark:
    """One with all there is, of a small network, in three runs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(op_times, "SECS", 0)
        settings = measure.Settings(num_runs=3, min_secs=0, warmup_runs=2, warmup_min_secs=0)
        source, name = zoo.load("mobilenet_v1_0.25_128"), "mobilenet_v1_0.25_128"
        return measure.bench(source, runtime=runtime.name, name=name, settings=settings, against=["stock"], op_profiling=True, num_threads=2)


def pytest_report_header() -> str:
    return f"TFLite runtimes: {', '.join(r.name for r in RUNTIMES) or 'none'}; hypothesis profile: {hypothesis.settings.get_current_profile_name()}"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if config.getoption("part") == "library":
        terminalreporter.write_line(f"SKIPPED by --part library: {', '.join(f'test_{name}.py' for name in AROUND)}")
    for title, rows in harness.tables.items():
        terminalreporter.section(title)
        for name, value in rows.items():
            terminalreporter.write_line(f"{name:60} {value}")
    for what, n in sorted(harness.counts.items()):
        terminalreporter.write_line(f"{what}: {n:,}")
