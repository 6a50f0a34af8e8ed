#!/usr/bin/env python3
"""Runs the tests, in two sets of steps. test: what a change needs before it is sent: the C tests with one compiler, lint, the Python suite in each TFLite
runtime. rest: sanitizers, a second compiler, libFuzzer, emulated arm64. Without arguments, all steps of `test` and then those of `rest`.

Two steps run at a time, each with a log in build/. A line tells when a step begins, with the minutes that it took the last time, and when it ends; logs of
steps that failed are shown, in continuous integration all. A step whose tools are missing is skipped, aloud; the end says which, and what
was skipped inside the steps that ran. Exit code 1 if a step failed. `make test` and `make test-all` call this with the Python of .venv, where the package is
installed.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import dataclasses
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build"
LIBRARY = "delegate/libtvmq_delegate.so"
SECONDS = BUILD / "test-seconds.json"
AT_A_TIME = 2
ASAN = "C tests, address and undefined-behaviour sanitizer"

# The tools of the virtual environment (meson, ninja, clang-format) before those of the machine.
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
# numpy's threads wait for work in a loop, on the processor of another step.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


@dataclasses.dataclass(frozen=True)
class Step:
    """Commands that run one after the other, until one fails. after: an earlier step that makes what they use."""

    name: str
    commands: list[list[str]]
    environment: dict[str, str] = dataclasses.field(default_factory=dict)
    missing: Callable[[], str | None] = lambda: None  # why the step cannot run on this machine
    after: str = ""


@dataclasses.dataclass(frozen=True)
class Outcome:
    """verdict: passed, FAILED or SKIPPED. output: all lines. skips: those that tell of something skipped."""

    verdict: str
    summary: str
    output: str = ""
    skips: tuple[str, ...] = ()
    seconds: float = 0.0


def need(*tools: str) -> Callable[[], str | None]:
    """Missing unless one of the tools is installed."""
    return lambda: None if any(map(shutil.which, tools)) else f"{tools[0]} is not installed"


def runtime_library(name: str) -> str:
    """Where the C compiler keeps a sanitizer's runtime, "" if it has none."""
    path = subprocess.run(["cc", f"-print-file-name={name}"], check=False, stdout=subprocess.PIPE, text=True).stdout.strip()
    return path if os.path.isabs(path) else ""


def need_sanitizer(name: str) -> Callable[[], str | None]:
    return lambda: None if runtime_library(name) else f"the C compiler has no {name}"


def need_fuzzer(clang: str) -> Callable[[], str | None]:
    def missing() -> str | None:
        program = "#include <stddef.h>\nint LLVMFuzzerTestOneInput(const char *data, size_t size) { return data == NULL && size > 0; }"
        command = [clang, "-fsanitize=fuzzer", "-x", "c", "-", "-o", os.devnull]
        found = shutil.which(clang) and subprocess.run(command, input=program, check=False, text=True, stderr=subprocess.DEVNULL).returncode == 0
        return None if found else "clang with libFuzzer is not installed (apt-get install clang-19 libclang-rt-19-dev)"

    return missing


def need_arm() -> str | None:
    sys.path.insert(0, str(ROOT / "tools/arm"))
    import environment

    tools = need("qemu-aarch64")() or need("aarch64-linux-gnu-gcc", "clang-19")()
    return tools or ("tools/arm/setup has not run" if environment.missing() else None)


def c_tests(folder: str, *options: str, suite: str = "") -> list[list[str]]:
    """Configures afresh, so that a folder left by another compiler cannot be taken for this one. Builds and runs all tests, or those of a suite."""
    build = str(BUILD / folder)
    test = ["meson", "test", "-C", build, "--print-errorlogs", "--timeout-multiplier=4"]
    return [
        ["meson", "setup", "--wipe" if (BUILD / folder).exists() else "--reconfigure", build, str(ROOT), "--werror", *options],
        *([[*test, "--suite", suite]] if suite else [["meson", "compile", "-C", build], [*test, "--no-rebuild"]]),
    ]


def fuzzing(seconds: int) -> list[list[str]]:
    """Goes on from the corpus in the tree and from what was found here before; what it finds to fail stays in build/, too."""
    build, found = BUILD / "fuzz", BUILD / "fuzz-corpus"
    setup = c_tests("fuzz", "-Dfuzz=true", "--buildtype=debugoptimized", "-Doptimization=1")[0]
    budget = [f"-max_total_time={seconds}", "-max_len=128", "-print_final_stats=1", "-verbosity=0", f"-artifact_prefix={BUILD}/fuzz-"]
    run = [str(build / "tests/fuzz/libfuzzer"), *budget, str(found), str(ROOT / "tests/fuzz/corpus")]
    readers = {"records": 2048, "weights": 1024, "network": 4096}  # bytes of the longest inputs
    compile = ["meson", "compile", "-C", str(build), "libfuzzer", *(f"libfuzzer_{reader}" for reader in readers)]
    corpora = {reader: [f"{found}-{reader}", str(ROOT / f"tests/fuzz/corpus_{reader}")] for reader in readers}
    # A model may ask for any amount of memory, which takes none as long as nothing uses it.
    short = {reader: ["-max_total_time=5", f"-max_len={longest}", "-malloc_limit_mb=1048576", *budget[2:]] for reader, longest in readers.items()}
    runs = [[str(build / f"tests/fuzz/libfuzzer_{reader}"), *short[reader], *corpora[reader]] for reader in readers]
    return [setup, compile, ["mkdir", "-p", str(found), *(new for new, _ in corpora.values())], run, *runs]


def python_tests(part: str) -> list[list[str]]:
    options = ["-q", "-ra", "--durations=20", "--color=no", "-p", "no:cacheprovider", f"--part={part}"]
    return [[sys.executable, "-m", "pytest", *options, str(ROOT / "tests/python")]]


def isas_here() -> str:
    """The instruction sets of this processor, as meson takes them, and those that tests emulate on it: a sanitizer sees nothing of kernels that cannot run, and
    they take the longest to compile."""
    import tvmq_delegate

    here = {kernel.isa for kernel in tvmq_delegate.kernels() if kernel.available} - {"c"}
    return ",".join(sorted(here | ({"amx", "avxvnni"} if "avx512vbmi" in here else set())))


def one_runtime() -> str:
    """That which verifies its files the least, so that the library sees the most of them."""
    from tvmq_delegate.binding import runtimes

    return next(iter(sorted(runtimes.installed(), key=lambda name: name != "tflite_runtime")), "")


def steps() -> dict[str, list[Step]]:
    """The sets by name. The longest step begins first, so that the two that run at a time end together."""
    clang = next(filter(shutil.which, ("clang-19", "clang")), "clang")
    asan = need_sanitizer("libasan.so")
    # Sanitized kernels that are inlined into one function take gcc three times as long to compile at -O2, and half as long again with debug information
    # beyond lines.
    sanitize = ["--buildtype=debugoptimized", "-Ddebug=false", "-Doptimization=1", "-Db_lundef=false"]
    # UndefinedBehaviorSanitizer leaves conversions from float out unless asked.
    sanitize_addresses = ["-Db_sanitize=address,undefined", "-Dc_args=-g1 -fsanitize=float-cast-overflow", f"-Disas={isas_here()}", *sanitize]
    test = [
        Step("Python suite, library", python_tests("library")),
        # As distributions compile; the library of the Python suite is compiled as users do.
        Step("C tests", c_tests("cc", "-Dc_args=-O2")),
        Step("Python suite, around the library", python_tests("around")),
        Step("lint", [[sys.executable, str(ROOT / "tools/lint.py"), "--library", str(BUILD / "cc" / LIBRARY)]], after="C tests"),
    ]
    rest = [
        Step("emulated arm64", [["make", "-C", str(ROOT), "test-arm"]], missing=need_arm),
        Step(ASAN, c_tests("asan", *sanitize_addresses), missing=asan),
        Step("C tests, clang", c_tests("clang"), {"CC": clang}, need("clang-19", "clang")),
        Step("libFuzzer", fuzzing(seconds=20), {"CC": clang}, need_fuzzer(clang)),
        # Which thread computes what does not depend on the instruction set.
        Step(
            "C tests, thread sanitizer",
            c_tests("tsan", "-Db_sanitize=thread", "-Dc_args=-g1", "-Disas=avx2,neon", *sanitize, suite="threads"),
            missing=need_sanitizer("libtsan.so"),
        ),
        Step(
            "Python suite, address and undefined-behaviour sanitizer",
            python_tests("library"),
            {
                "LD_PRELOAD": f"{runtime_library('libasan.so')} {runtime_library('libubsan.so')}",
                "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=4096",  # Python leaks; files name any size
                "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
                "TVMQ_LIBRARY": str(BUILD / "asan" / LIBRARY),
                "TVMQ_RUNTIME": one_runtime(),
            },
            asan,
            after=ASAN,
        ),
    ]
    return {"test": test, "rest": rest}


def last_time() -> dict[str, float]:
    """Seconds that each step took when it passed here before."""
    try:
        return {str(name): float(seconds) for name, seconds in json.loads(SECONDS.read_text(encoding="utf-8")).items()}
    except (OSError, ValueError, AttributeError):
        return {}


def expected(seconds: float | None) -> str:
    return "not run here before" if seconds is None else f"about {max(1, round(seconds / 60))} min, as the last time"


def run(step: Step, needed: concurrent.futures.Future[Outcome] | None) -> Outcome:
    """Waits for the step that is needed first."""
    missing = step.missing() or (f"{step.after} did not pass" if needed and needed.result().verdict != "passed" else None)
    if missing:
        return Outcome("SKIPPED", f"SKIPPED         {step.name}: {missing}")
    start, verdict, log = time.monotonic(), "passed", BUILD / f"{step.name}.log"
    # One write, since two steps may begin at once.
    print(f"{time.strftime('%H:%M')} begins {step.name} ({expected(last_time().get(step.name))}): {log.relative_to(ROOT)}\n", end="", flush=True)
    with log.open("w", encoding="utf-8") as stream:
        for command in step.commands:
            print("+", *command, file=stream, flush=True)
            code = subprocess.run(command, cwd=ROOT, env={**os.environ, **step.environment}, check=False, stdout=stream, stderr=stream).returncode
            if code:
                print(f"ended by signal {-code}" if code < 0 else f"exit code {code}", file=stream)
                verdict = "FAILED"
                break
    output = log.read_text(encoding="utf-8", errors="replace")
    skips = tuple(f"{step.name}: {line.strip()}" for line in output.splitlines() if re.search(r"\bSKIP(PED)?\b", line))
    return Outcome(verdict, f"{verdict} {time.monotonic() - start:6.0f} s {step.name}", output, skips, time.monotonic() - start)


def main() -> None:
    sets = steps()
    known = {name: [step.name for step in group] for name, group in sets.items()} | {step.name: [step.name] for group in sets.values() for step in group}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("only", nargs="*", metavar="STEP", help=f"run these sets and steps alone: {', '.join(map(repr, known))}")
    asked = parser.parse_args().only or list(sets)
    if set(asked) - known.keys():
        parser.error(f"unknown step {', '.join(sorted(set(asked) - known.keys()))}; there are {', '.join(known)}")
    wanted = {name for each in asked for name in known[each]}
    BUILD.mkdir(exist_ok=True)
    start, seconds = time.monotonic(), last_time()
    print(f"{len(wanted)} steps, {AT_A_TIME} at a time:")
    chosen = [step for step in itertools.chain(*sets.values()) if step.name in wanted]
    print(*(f"  {step.name} ({expected(seconds.get(step.name))})" for step in chosen), sep="\n", flush=True)
    with concurrent.futures.ThreadPoolExecutor(AT_A_TIME) as pool:
        running: dict[str, concurrent.futures.Future[Outcome]] = {}
        for step in chosen:
            running[step.name] = pool.submit(run, step, running.get(step.after))
        for future in concurrent.futures.as_completed(running.values()):
            outcome = future.result()
            if outcome.verdict == "FAILED" or os.environ.get("CI"):
                print("", outcome.output, sep="\n")
            print(f"{time.strftime('%H:%M')} {outcome.summary}", flush=True)
    seconds |= {name: future.result().seconds for name, future in running.items() if future.result().verdict == "passed"}
    SECONDS.write_text(json.dumps(seconds), encoding="utf-8")
    found = [future.result() for future in running.values()]
    print("\n==== summary", *(outcome.summary for outcome in found), sep="\n")
    skips = sorted({skip for outcome in found for skip in outcome.skips})
    if skips:
        print("skipped inside the steps:", *skips, sep="\n  ")
    left = [name for name in known if name not in sets and name not in wanted]
    if left:
        print("not asked for, but run by make test-all:", *left, sep="\n  ")
    count = collections.Counter(outcome.verdict for outcome in found)
    print(f"{count['passed']} steps passed, {count['FAILED']} failed, {count['SKIPPED']} skipped in {time.monotonic() - start:.0f} s")
    sys.exit(count["FAILED"] > 0)


if __name__ == "__main__":
    main()
