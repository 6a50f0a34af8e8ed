#!/usr/bin/env python3
"""Times every candidate of every node in the network, and compares with what the delegate estimates: the measurements behind docs/cost-model.md.

    tools/candidates.py [--isa ISA] [--num-threads N] [--rounds N] [--only WORD] [--csv FILE] MODEL...

Each round gives every node its next candidate, all nodes at a time, warms up and keeps each node's least time of some inferences. Prints the nodes whose
default is not the fastest, what they could gain, and how much of the whole that is. Timings need a quiet machine: take several rounds.
"""

from __future__ import annotations

import argparse
import csv
import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import tvmq_delegate
from tvmq_delegate import Candidate, Node


@dataclass
class Timed:
    """A node of the report, its candidates and the least time of each in nanoseconds."""

    index: int
    node: Node
    candidates: list[Candidate]
    default: int
    least: list[float] = field(default_factory=list)

    @property
    def best(self) -> int:
        return min(range(len(self.least)), key=self.least.__getitem__)

    @property
    def gain(self) -> float:
        return self.least[self.default] - self.least[self.best]


class Session:
    """A model under the delegate, profiled."""

    def __init__(self, model: Path, options: dict[str, Any]) -> None:
        from ai_edge_litert.interpreter import Interpreter

        self.delegate = tvmq_delegate.load(profile=True, **options)
        self.interpreter = Interpreter(str(model), experimental_delegates=[self.delegate])
        self.interpreter.allocate_tensors()
        rng = np.random.default_rng(0)
        for tensor in self.interpreter.get_input_details():
            kind = np.dtype(tensor["dtype"])
            values = rng.random(tensor["shape"]) if kind.kind == "f" else rng.integers(np.iinfo(kind).min, np.iinfo(kind).max, tensor["shape"])
            self.interpreter.set_tensor(tensor["index"], values.astype(kind))

    def times(self, inferences: int) -> dict[tuple[int, int], float]:
        """Each node's least time."""
        self.interpreter.invoke()
        tvmq_delegate.profile(self.delegate, reset=True)
        for _ in range(inferences):
            self.interpreter.invoke()
        return {(p.node.subgraph, p.node.node): p.timing.min_ns for p in tvmq_delegate.profile(self.delegate)}


def nodes_of(session: Session) -> Iterator[Timed]:
    for index, node in enumerate(tvmq_delegate.report(session.delegate).nodes):
        candidates = tvmq_delegate.candidates(session.delegate, index) if node.claimed else []
        running = [i for i, candidate in enumerate(candidates) if candidate.runs]
        if len(candidates) > 1 and running:
            yield Timed(index, node, candidates, running[0], [math.inf] * len(candidates))


def measure(model: Path, options: dict[str, Any], rounds: int, inferences: int) -> list[Timed]:
    session = Session(model, options)
    timed = list(nodes_of(session))
    rng = np.random.default_rng(1)
    most = max((len(t.candidates) for t in timed), default=0)
    for _ in range(rounds):
        orders = [rng.permutation(len(t.candidates)) for t in timed]
        for turn in range(most):
            for t, order in zip(timed, orders, strict=True):
                tvmq_delegate.force(session.delegate, t.index, int(order[turn % len(order)]))
            times = session.times(inferences)
            for t, order in zip(timed, orders, strict=True):
                tried = int(order[turn % len(order)])
                t.least[tried] = min(t.least[tried], times.get((t.node.subgraph, t.node.node), math.inf))
    return [t for t in timed if math.isfinite(t.least[t.default])]


def describe(candidate: Candidate) -> str:
    return f"{candidate.way} {candidate.kernel.removeprefix('tvmq_')} {candidate.rows}x{candidate.panels}{' flipped' * candidate.flipped_copy}"


def show(model: Path, timed: list[Timed]) -> None:
    total = sum(t.least[t.default] for t in timed)
    best = sum(t.least[t.best] for t in timed)
    print(f"{model.name}: {len(timed)} nodes, {sum(len(t.candidates) for t in timed)} candidates, {total / 1e3:.1f} us by default, {best / 1e3:.1f} at best")
    for t in sorted(timed, key=lambda t: -t.gain):
        if t.gain > 0.003 * total:
            print(f"  {t.node.node:3} {t.node.op:18} {t.least[t.default] / 1e3:8.2f} -> {t.least[t.best] / 1e3:8.2f} us (estimated rank {t.best})")
            print(f"      {describe(t.candidates[t.default])}  ->  {describe(t.candidates[t.best])}")


def write(path: Path, measured: list[tuple[Path, list[Timed]]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow(["model", "node", "op", "way", "kernel", "flipped", "rows", "panels", "cycles", "default", "ns"])
        for model, timed in measured:
            for t in timed:
                for i, (c, ns) in enumerate(zip(t.candidates, t.least, strict=True)):
                    row = [model.stem, t.node.node, t.node.op, c.way, c.kernel, int(c.flipped_copy), c.rows, c.panels, c.cycles, int(i == t.default), ns]
                    out.writerow(row)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", type=Path, metavar="MODEL")
    parser.add_argument("--isa", default="auto")
    parser.add_argument("--num-threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--inferences", type=int, default=8)
    parser.add_argument("--csv", type=Path)
    args = parser.parse_args()
    measured = []
    for model in args.models:
        timed = measure(model, {"isa": args.isa, "num_threads": args.num_threads}, args.rounds, args.inferences)
        show(model, timed)
        measured.append((model, timed))
    if args.csv:
        write(args.csv, measured)
    return 0


if __name__ == "__main__":
    sys.exit(main())
