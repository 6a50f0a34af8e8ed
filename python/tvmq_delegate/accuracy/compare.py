"""Whether contenders compute the same: whole models, and node by node. The data behind `tvmq diff` and behind the verdict of `tvmq demo`."""

from __future__ import annotations

import itertools
import os
import shlex
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING

from .. import models
from ..binding import Shown, ToolOptions, library, runtimes
from ..sessions import DELEGATE, Contender, check, inputs, shaped
from .classes import Rating
from .difference import Allowed, Difference
from .ops import OpDifference, Ops, Uncompared
from .outputs import Latency, OutputDifference, Outputs

if TYPE_CHECKING:
    from typing_extensions import Unpack

NUM_RUNS = 10


@dataclass(frozen=True)
class Diff(Shown):
    """Contenders against a baseline, over all samples.

    contenders: without the baseline. taken: of the model's nodes by the delegate, 0 without it. outputs: each output of the whole model under each contender.
    latencies: of baseline and contenders. ratings: of outputs that rate classes. ops: each output of each node under each contender, in order of execution,
    and uncompared: the nodes left out; empty unless asked for. allowed: how far results may lie apart. saved: one-op models written of the nodes that lie
    further apart; the inputs stand beside them as .npz. replays: of each of these, the command that shows the difference again.
    """

    model: str
    runtime: str
    baseline: str
    contenders: tuple[str, ...]
    taken: int
    nodes: int
    samples: tuple[str, ...]
    outputs: tuple[OutputDifference, ...]
    latencies: tuple[Latency, ...]
    ratings: tuple[Rating, ...]
    ops: tuple[OpDifference, ...]
    uncompared: tuple[Uncompared, ...]
    allowed: Allowed
    saved: tuple[str, ...]
    replays: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Whether no difference is greater than allowed."""
        return not any(map(self.allowed.exceeded, [output.difference for output in self.outputs] + [op.difference for op in self.ops]))

    @property
    def nothing_taken(self) -> bool:
        """Whether the delegate is a contender and has left every node to the runtime: that its results are the same says nothing of it."""
        return DELEGATE in (self.baseline, *self.contenders) and not self.taken

    @property
    def as_expected(self) -> bool:
        """Whether the expected class, where one is given, is the best of every sample under every contender."""
        return not any(rating.expected for rating in self.ratings)

    def first(self, contender: str) -> OpDifference | None:
        """The first node in order of execution that differs under a contender, None if none does."""
        return next((op for op in self.ops if op.contender == contender and op.difference.different), None)

    def compared(self, contender: str) -> int:
        """How many nodes have been compared alone under a contender, or folded into one that has been."""
        return len({node for op in self.ops if op.contender == contender for node in op.nodes})

    @property
    def verdict(self) -> str:
        """One sentence."""
        over = f"{len(self.samples)} input{'s' if len(self.samples) > 1 else ''}"
        names = {DELEGATE: f"{DELEGATE} ({self.taken} of {self.nodes} nodes)"}
        return f"against {self.baseline}, over {over}: " + "; ".join(f"{names.get(name, name)} {self._verdict(name)}" for name in self.contenders)

    def _verdict(self, contender: str) -> str:
        if contender == DELEGATE and self.nothing_taken and self.passed:
            return "has left everything to the runtime: nothing of it was compared"
        ends = [output.difference for output in self.outputs if output.contender == contender]
        nodes = [op.difference for op in self.ops if op.contender == contender]
        count = self.compared(contender)
        if not any(difference.different for difference in ends + nodes):
            return "is bit-exact" + (f", end to end and in each of {count} nodes alone" if nodes else "")
        texts = [f"differs by {extent(ends)} end to end"]
        first = self.first(contender)
        if first:
            texts.append(f"by {extent(nodes)} in nodes alone, first in node {first.index} ({first.op})")
        elif nodes:
            texts.append(f"by nothing in each of {count} nodes alone")
        if not any(map(self.allowed.exceeded, ends + nodes)):
            texts.append("which is allowed")
        return ", ".join(texts)


def extent(differences: Iterable[Difference]) -> str:
    """The greatest difference of quantized tensors, and of others if there is any: "up to 2 LSB and up to 0.5", or "nothing"."""
    greatest: dict[str, float] = {}
    for difference in differences:
        if difference.different:
            greatest[difference.unit] = max(greatest.get(difference.unit, 0.0), difference.max_diff)
    return " and ".join(f"up to {value:g} {unit}".rstrip() for unit, value in sorted(greatest.items(), reverse=True)) or "nothing"


def diff(
    source: models.ModelSource,
    *,
    contenders: Sequence[str] = ("reference", DELEGATE),
    rest: str = "reference",
    samples: Sequence[inputs.Sample] | None = None,
    labels: Sequence[str] = (),
    expected: str | int | None = None,
    per_op: bool = False,
    save_failing: str | os.PathLike[str] | None = None,
    max_lsb: float = 0,
    max_abs: float = 0,
    runtime: str | ModuleType | None = None,
    name: str | None = None,
    num_threads: int = 1,
    progress: Callable[[float, str], None] = lambda fraction, what: None,
    **options: Unpack[ToolOptions],
) -> Diff:
    """Runs a model under two contenders or more and measures how far their results lie from the first one's.

    Args:
      source: the bytes of a .tflite file, or its path.
      contenders: names as Contender's. The first is the baseline.
      rest: which kernels run the nodes that the delegate leaves, as Contender's.
      samples: what inputs.random, files or images returned; 10 random ones if None.
      labels: names of the classes that the first output rates.
      expected: the class that all samples show, by number or label.
      per_op: compare each node alone too, fed with the reference's activations; the baseline must be "reference". The delegate is compared in nodes it takes.
      save_failing: folder for op_<index>_<op>.tflite and .npz, one-op model and inputs, of each node that lies further apart than allowed. Implies per_op.
      max_lsb: allowed difference of quantized tensors, in steps.
      max_abs: allowed difference of other tensors, in values.
      runtime: as for load().
      name: what to call the model.
      num_threads: of each interpreter.
      progress: called before each step with the fraction that is done and what comes next.
      **options: the delegate's, as for load().

    Raises:
      ValueError: contenders, samples or labels do not fit.
      ModelError: the file is malformed.
      OSError: a file cannot be opened.
      ImportError, RuntimeError: as load(), or the runtime refuses the model.
    """
    source, name = models.opened(source, name)
    module = runtimes.find(runtime)
    per_op = per_op or save_failing is not None
    fielded = [Contender(contender, rest, options) for contender in contenders]
    if len(set(contenders)) < max(2, len(contenders)):
        raise ValueError(f"it takes two different contenders or more, not {', '.join(contenders) or 'none'}")
    if per_op and contenders[0] != "reference":
        raise ValueError(f"nodes alone are compared with the reference, not with {contenders[0]}: name reference first")
    if samples is None:
        samples = inputs.random(inputs.describe(source, module), NUM_RUNS, distribution="mixed")
    if not samples:
        raise ValueError("there is no input to run")

    contents = [models.expose(source) if per_op else source, *[source] * (len(fielded) - 1)]
    sessions = [contender.open(content, module, num_threads=num_threads) for contender, content in zip(fielded, contents)]
    check(source, sessions)
    outputs = Outputs(sessions, labels, expected)
    allowed = Allowed(max_lsb, max_abs)
    reports = [library.report(session.delegate) for session in sessions if session.delegate]
    ops = Ops(shaped(source, module), module, sessions[1:], num_threads, allowed, save_failing) if per_op else None
    steps, done = len(samples) * (len(sessions) + (len(ops.alone) if ops else 0)), 0
    for sample in samples:
        for what in itertools.chain(outputs.run(sample.name, sample.load()), ops.run(sessions[0]) if ops else ()):
            progress(done / steps, what)
            done += 1
    return Diff(
        model=name,
        runtime=runtimes.name(module),
        baseline=contenders[0],
        contenders=tuple(contenders[1:]),
        taken=sum(report.summary.claimed for report in reports),
        nodes=len(models.ops(source)),
        samples=tuple(sample.name for sample in samples),
        outputs=outputs.differences(),
        latencies=outputs.latencies(),
        ratings=tuple(outputs.ratings),
        ops=ops.differences() if ops else (),
        uncompared=tuple(ops.uncompared) if ops else (),
        allowed=allowed,
        saved=tuple(f"{stem}.tflite" for _, stem in sorted(ops.saved.items())) if ops else (),
        replays=tuple(_replay(stem, fielded, ops.failing[index], runtimes.name(module), num_threads, allowed) for index, stem in sorted(ops.saved.items()))
        if ops
        else (),
    )


def _replay(stem: str, fielded: Sequence[Contender], failing: Sequence[str], runtime: str, num_threads: int, allowed: Allowed) -> str:
    """The command that compares a saved node under the contenders that failed, as they were."""
    rest, options = fielded[0].rest, fielded[0].options
    words = ["tvmq", "diff", f"{stem}.tflite", "--input", f"{stem}.npz", "--contenders", ",".join([fielded[0].name, *failing]), "--runtime", runtime]
    given = {"rest": rest, "num_threads": num_threads, "max_lsb": f"{allowed.max_lsb:g}", "max_abs": f"{allowed.max_abs:g}", **options}
    defaults = {"rest": "reference", "num_threads": 1, "max_lsb": "0", "max_abs": "0"}
    words += [f"--{name.replace('_', '-')}={value}" for name, value in given.items() if value is not None and value != defaults.get(name)]
    return shlex.join(words)
