"""Shards: what each kind runs, how one is run, and the file that remembers them."""

from __future__ import annotations

import dataclasses
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence

ROOT = pathlib.Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests/python"
OPERATORS = "tests/fuzz/fuzz"  # in a build folder

MODEL = re.compile(r"(/\S+\.tflite)\b")


@dataclasses.dataclass(frozen=True)
class Shard:
    """One finished run. counts: as it printed them. failed: the tests that did, or the commands that repeat what did. code: the exit code, negative for a
    signal."""

    kind: str
    isa: str
    level: str  # of the emulated processor, "" for this machine's own
    seed: int
    seconds: float
    code: int
    counts: dict[str, int]
    failed: list[str]


@dataclasses.dataclass(frozen=True)
class Target:
    """The build and the processor that are attacked. models: a folder of real networks, None for that of the tests. state: where kinds that list
    what they find keep their lists."""

    library: pathlib.Path | None
    level: str | None
    runtime: str | None
    models: pathlib.Path | None
    state: pathlib.Path = pathlib.Path("build/attack")

    def program(self) -> list[str]:
        """The C program of random operators, built first if need be."""
        if self.level:
            import crossbuild
            import environment as arm

            return [*arm.emulator(self.level), crossbuild.built("fuzz", OPERATORS)]
        folder = ROOT / "build/operators"
        if not (folder / "build.ninja").exists():
            subprocess.run(["meson", "setup", str(folder), str(ROOT)], check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["meson", "compile", "-C", str(folder), "fuzz"], check=True, stdout=subprocess.DEVNULL)
        return [str(folder / OPERATORS)]

    def python(self) -> tuple[list[str], dict[str, str]]:
        paths = {"TVMQ_LIBRARY": self.library, "TVMQ_MODELS": self.models}
        given = {name: str(path.resolve()) for name, path in paths.items() if path}
        if not self.level:
            return [sys.executable], {**os.environ, **given}
        import crossbuild
        import environment as arm

        arm.require()
        command, emulated = arm.python(self.level, self.runtime or "litert")
        library = {} if self.library else {"TVMQ_LIBRARY": crossbuild.built("tvmq_delegate", crossbuild.LIBRARY)}
        return command, {**emulated, **library, **given}


@dataclasses.dataclass(frozen=True)
class Tests:
    """A shard that is a run of pytest.

    tests: files of tests/python, or tests in them. damaged: how many damaged models each of the hostile tests makes. profile: hypothesis's, for random tests.
    """

    tests: tuple[str, ...]
    damaged: int = 0
    profile: str = "default"

    def command(self, target: Target, isa: str, seed: int) -> tuple[list[str], dict[str, str]]:
        python, environment = target.python()
        # The tests' own runs use small seeds, and damage models fewer times.
        given = {"TVMQ_HOSTILE_SEED": str(1_000_000 + seed), "TVMQ_HOSTILE_COUNT": str(self.damaged), "TVMQ_OPTIONS": f"isa={isa}"}
        given["HYPOTHESIS_PROFILE"] = self.profile
        options = ["-q", "--color=no", "-p", "no:cacheprovider", f"--hypothesis-seed={seed}"]
        return [*python, "-m", "pytest", *options, *(str(TESTS / name) for name in self.tests)], {**environment, **given}

    def counts(self, output: str) -> dict[str, int]:
        return printed_counts(output)

    def failed(self, output: str) -> list[str]:
        return re.findall(r"^(?:FAILED|ERROR) (\S+::[^\n]*)", output, re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class Operators:
    """A shard that is a run of the C program of random operators, which compares with an oracle of its own and needs no runtime."""

    inputs: int

    def command(self, target: Target, isa: str, seed: int) -> tuple[list[str], dict[str, str]]:
        return [*target.program(), "--seed", str(seed), "--runs", str(self.inputs)], {**os.environ, **({"TVMQ_FUZZ_ISA": isa} if isa != "auto" else {})}

    def counts(self, output: str) -> dict[str, int]:
        found = re.search(r"(\d+) claimed, (\d+) refused, (\d+) outputs compared", output)
        return dict(zip(("operators compared", "operators refused", "outputs of operators"), map(int, found.groups()))) if found else {}

    def failed(self, output: str) -> list[str]:
        return re.findall(r"^repeat: (.*)", output, re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class Speed:
    """A shard that times layers in stock LiteRT and with the delegate (speed.py). Figures never fail; slow-THREADS.jsonl in the state lists what is slower."""

    threads: int
    layers: int = 300

    def command(self, target: Target, isa: str, seed: int) -> tuple[list[str], dict[str, str]]:
        if target.level:
            sys.exit("an emulated processor says nothing of speed: leave the kinds of speed out of --kinds")
        python, environment = target.python()
        found = target.state / f"slow-{self.threads}.jsonl"
        found.parent.mkdir(parents=True, exist_ok=True)
        given = ["--seed", str(seed), "--shapes", str(self.layers), "--isa", isa, "--threads", str(self.threads), "--found", str(found)]
        return [*python, "-m", "attacker.speed", *given], {**environment, "PYTHONPATH": str(ROOT / "tools")}

    def counts(self, output: str) -> dict[str, int]:
        return printed_counts(output)

    def failed(self, output: str) -> list[str]:
        return []


def printed_counts(output: str) -> dict[str, int]:
    """Lines `what is counted: 1,234`."""
    return {name: int(n.replace(",", "")) for name, n in re.findall(r"^(\S.*): ([\d,]+)$", output, re.MULTILINE)}


KINDS: dict[str, Tests | Operators | Speed] = {
    "operators": Operators(100_000),
    "random": Tests(("test_random_ops.py", "test_moves.py", "test_chains.py", "test_pad.py", "test_rounding.py", "test_winograd.py", "test_turned.py")),
    "hybrid": Tests(("test_hybrid.py", "test_hybrid_networks.py"), profile="attack"),
    "mutants": Tests(("test_hostile.py::test_hostile",), damaged=30),
    "networks": Tests(("test_hostile.py::test_networks",), damaged=150),
    "compiled": Tests(("test_hostile.py::test_compiled_models",), damaged=150),
    "speed": Speed(threads=1),
    "speed-2": Speed(threads=2),
    "lives": Tests(("test_lifecycle.py", "test_constants.py", "test_loops.py", "test_reshaped.py")),
}


class State:
    """The shards that have ended, a line of JSON each, and a folder of findings."""

    def __init__(self, folder: pathlib.Path):
        self.folder = folder
        self.path = folder / "shards.jsonl"

    def read(self) -> list[Shard]:
        """All shards; a last line that was cut short is no shard."""
        if not self.path.exists():
            return []
        found = []
        for line in self.path.read_text(encoding="utf-8").splitlines():
            try:
                found.append(Shard(**json.loads(line)))
            except (ValueError, TypeError):
                print(f"{self.path}: skipped a line that is no shard", file=sys.stderr)
        return found

    def add(self, shard: Shard) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        whole = not self.path.exists() or self.path.read_bytes()[-1:] in (b"", b"\n")  # else whoever wrote before was ended within a line
        with self.path.open("a", encoding="utf-8") as stream:
            stream.write("" if whole else "\n")
            stream.write(json.dumps(dataclasses.asdict(shard)) + "\n")

    def next_seed(self, kind: str, isa: str, level: str) -> int:
        return 1 + max((shard.seed for shard in self.read() if (shard.kind, shard.isa, shard.level) == (kind, isa, level)), default=0)

    def keep(self, shard: Shard, log: str) -> None:
        """The log of a shard that failed, and the models that it names."""
        folder = self.folder / "findings" / "-".join(filter(None, [shard.kind, shard.isa, shard.level, str(shard.seed)]))
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "log.txt").write_text(log, encoding="utf-8")
        for name in sorted(set(MODEL.findall(log))):
            model = pathlib.Path(name)
            if model.is_file():
                (folder / f"{model.parent.name}-{model.name}").write_bytes(model.read_bytes())


def rotation(kinds: Sequence[str], isas: Sequence[str]) -> Iterator[tuple[str, str]]:
    return itertools.cycle(itertools.product(kinds, isas))


def run(state: State, target: Target, kind: str, isa: str) -> Shard:
    """Runs the next shard of a kind, and adds it to the state."""
    seed = state.next_seed(kind, isa, target.level or "")
    command, environment = KINDS[kind].command(target, isa, seed)
    start = time.monotonic()
    done = subprocess.run(command, env=environment, cwd=ROOT, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    failed = KINDS[kind].failed(done.stdout) or ([f"exit code {done.returncode}"] if done.returncode else [])
    shard = Shard(kind, isa, target.level or "", seed, round(time.monotonic() - start, 1), done.returncode, KINDS[kind].counts(done.stdout), failed)
    if failed:
        state.keep(shard, done.stdout)
    state.add(shard)
    return shard
