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

# Kind -> the test files of a shard.
KINDS = {
    "random": ["test_random_ops.py", "test_moves.py", "test_chains.py", "test_pad.py", "test_rounding.py", "test_winograd.py"],
    "mutants": ["test_hostile.py"],
    "lives": ["test_lifecycle.py", "test_constants.py"],
}
COUNT = re.compile(r"^(\S.*): ([\d,]+)$", re.MULTILINE)
FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+::[^\n]*)", re.MULTILINE)
MODEL = re.compile(r"(/\S+\.tflite)\b")


@dataclasses.dataclass(frozen=True)
class Shard:
    """One finished run. counts: as the tests print them. failed: the tests that did. code: pytest's exit code, negative for a signal."""

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
    """The build and the processor that are attacked."""

    library: pathlib.Path | None
    level: str | None
    runtime: str | None

    def command(self) -> tuple[list[str], dict[str, str]]:
        environment = {**os.environ, **({"TVMQ_LIBRARY": str(self.library.resolve())} if self.library else {})}
        if not self.level:
            return [sys.executable], environment
        import crossbuild
        import environment as arm

        arm.require()
        command, emulated = arm.python(self.level, self.runtime or "litert")
        library = str(self.library.resolve()) if self.library else crossbuild.built("tvmq_delegate", crossbuild.LIBRARY)
        return command, {**emulated, "TVMQ_LIBRARY": library}


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
    python, environment = target.command()
    environment["TVMQ_HOSTILE_SEED"] = str(1_000_000 + seed)  # the tests' own runs use small ones
    environment["TVMQ_OPTIONS"] = f"isa={isa}"
    options = ["-q", "--color=no", "-p", "no:cacheprovider", f"--hypothesis-seed={seed}"]
    start = time.monotonic()
    done = subprocess.run([*python, "-m", "pytest", *options, *(str(TESTS / name) for name in KINDS[kind])], env=environment, cwd=ROOT, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)  # fmt: skip
    counts = {name: int(n.replace(",", "")) for name, n in COUNT.findall(done.stdout)}
    failed = FAILED.findall(done.stdout) or ([f"pytest itself: exit code {done.returncode}"] if done.returncode else [])
    shard = Shard(kind, isa, target.level or "", seed, round(time.monotonic() - start, 1), done.returncode, counts, failed)
    if failed:
        state.keep(shard, done.stdout)
    state.add(shard)
    return shard
