"""Whether contenders compute the same: whole models, and node by node. The data behind `tvmq diff` and behind the verdict of `tvmq demo`."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import itertools
import os
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any

from .. import models
from ..binding import Shown, Threads, ToolOptions, library, plural, runtimes, shared_threads
from ..sessions import DELEGATE, Contender, Worker, WorkerDied, check, inputs, lacking, shaped, takes_options
from . import origin
from .bisect import Bisection
from .classes import Rating
from .difference import Allowed, Difference
from .node_by_node import opened
from .ops import OpDifference, Ops, Uncompared, writable
from .origin import Origin
from .outputs import Latency, OutputDifference, Outputs
from .saved import Saved

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Unpack

NUM_RUNS = 10


@dataclass(frozen=True)
class Diff(Shown):
    """Contenders against a baseline, over all samples.

    contenders: without the baseline. taken: of the model's nodes by the delegate, 0 without it. outputs: each output of the whole model under each contender.
    unsteady: names of outputs in which the baseline differs from itself between two runs on the same input: what others differ there says nothing of them.
    latencies: of baseline and contenders. ratings: of outputs that rate classes. ops: each output of each node under each contender, in order of execution,
    and uncompared: the nodes left out; empty unless asked for. allowed: how far results may lie apart. saved: one-op models written of the nodes that lie
    further apart; the inputs stand beside them as .npz. replays: of each of these, the command that shows the difference again.
    rest: which kernels have run the nodes that the delegate left to the runtime. lacking: operators of the model without reference kernels, where these were
    asked for: such nodes have run on builtin ones. origins: of the delegate's differences end to end, and of all others if they were asked for.
    """

    model: str
    runtime: str
    baseline: str
    contenders: tuple[str, ...]
    taken: int
    nodes: int
    samples: tuple[str, ...]
    outputs: tuple[OutputDifference, ...]
    unsteady: tuple[str, ...]
    latencies: tuple[Latency, ...]
    ratings: tuple[Rating, ...]
    ops: tuple[OpDifference, ...]
    uncompared: tuple[Uncompared, ...]
    allowed: Allowed
    saved: tuple[str, ...]
    replays: tuple[str, ...]
    rest: str
    lacking: tuple[str, ...]
    origins: tuple[Origin, ...]

    @property
    def passed(self) -> bool:
        """Whether no difference is greater than allowed, where the baseline does not differ from itself."""
        steady = [output.difference for output in self.outputs if output.name not in self.unsteady]
        return not any(map(self.allowed.exceeded, steady + [op.difference for op in self.ops]))

    @property
    def nothing_taken(self) -> bool:
        """Whether the delegate is a contender and has left every node to the runtime: that its results are the same says nothing of it."""
        return DELEGATE in (self.baseline, *self.contenders) and not self.taken

    @property
    def inconclusive(self) -> bool:
        """Whether there was nothing to compare: of the delegate, or with a baseline that does not differ from itself."""
        return self.nothing_taken or bool(self.unsteady)

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
        names = {DELEGATE: f"{DELEGATE} ({self.taken} of {plural(self.nodes, 'node')})"}
        texts = [f"{names.get(name, name)} {self._verdict(name)}" for name in self.contenders]
        if self.unsteady:
            texts.insert(0, f"{self.baseline} differs from itself between two runs on the same input, so that nothing is said of {', '.join(self.unsteady)}")
        return "; ".join([f"against {self.baseline}, over {plural(len(self.samples), 'input')}: {'; '.join(texts)}", *self.remarks])

    @property
    def remarks(self) -> list[str]:
        """Sentences: kernels that had a part in the results of the whole model, and where differences begin."""
        texts = []
        if self.lacking:
            texts.append(f"{self.runtime} has no reference kernels for {', '.join(self.lacking)}: such nodes were compared with its builtin ones")
        left = self.nodes - self.taken
        if DELEGATE in (self.baseline, *self.contenders) and self.taken and left:
            texts.append(f"end to end, its {self.rest} kernels ran the {plural(left, 'node')} left to the runtime")
        return [*texts, *(origin.sentence for origin in self.origins)]

    def _verdict(self, contender: str) -> str:
        if contender == DELEGATE and self.nothing_taken and self.passed:
            return "has left everything to the runtime: nothing of it was compared"
        ends = [output.difference for output in self.outputs if output.contender == contender and output.name not in self.unsteady]
        nodes = [op.difference for op in self.ops if op.contender == contender]
        count = self.compared(contender)
        alone = f"in {'each of ' * (count > 1)}{plural(count, 'node')} alone"
        if not ends and not nodes:
            return "was not compared"
        if not any(difference.different for difference in ends + nodes):
            return "is bit-exact" + (f"{', end to end and' * bool(ends)} {alone}" if nodes else "")
        texts = [f"differs by {extent(ends)} end to end"]
        first = self.first(contender)
        if first:
            texts.append(f"by {extent(nodes)} in nodes alone, first in node {first.index} ({first.op})")
        elif nodes:
            texts.append(f"by nothing {alone}")
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


@takes_options
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
    save_outputs: str | os.PathLike[str] | None = None,
    bisect: bool = False,
    max_lsb: float = 0,
    max_abs: float = 0,
    runtime: str | ModuleType | None = None,
    name: str | None = None,
    num_threads: Threads = 1,
    progress: Callable[[float, str], None] = lambda fraction, what: None,
    apart: bool = False,
    **options: Unpack[ToolOptions],
) -> Diff:
    """Runs a model under at least two contenders and measures how far their results lie from the first one's.

    Args:
      source: the bytes of a .tflite file, or its path.
      contenders: names as Contender's. The first is the baseline.
      rest: which kernels run the nodes that the delegate leaves to the runtime, as Contender's.
      samples: what inputs.random, files or images returned; 10 random ones if None.
      labels: names of the classes that the first output rates.
      expected: the class that all samples show, by number or label.
      per_op: compare each node alone too, fed with the reference's activations; the baseline must be "reference". The delegate is compared in nodes it takes.
      save_failing: folder for op_<index>_<op>.tflite and .npz, one-op model and inputs, of each node that lies further apart than allowed. Implies per_op.
      save_outputs: folder for inputs/<sample>.npz and <contender>/<sample>.npz of each sample.
      bisect: find the node in which the difference of each contender begins, by running beginnings of the model.
      max_lsb: allowed difference of quantized tensors, in steps.
      max_abs: allowed difference of other tensors, in values.
      runtime: as for load().
      name: what to call the model.
      num_threads: of each interpreter, which the delegate goes by. "auto": the delegate's option, and for others the most threads that it uses.
      progress: called before each step with the fraction that is done and what comes next.
      apart: run all in a process of its own, to which samples are pickled: if a kernel of the runtime ends it, WorkerDied says what was running.
      **options: the delegate's, as for load().

    Raises:
      ValueError: contenders, samples or labels do not fit.
      ModelError: the file is malformed.
      OSError: a file cannot be opened, or save_failing or save_outputs is no folder that can be made and written to.
      ImportError, RuntimeError: as load(), or the runtime refuses the model; WorkerDied, which is a RuntimeError, as said above.
    """
    if isinstance(contenders, str):
        raise ValueError(f"contenders is a sequence of names, not {contenders!r}")
    source, name = models.opened(source, name)
    module = runtimes.find(runtime)
    per_op = per_op or save_failing is not None
    threads, own = shared_threads(num_threads)
    fielded = [Contender(contender, rest, {**options, **own}) for contender in contenders]
    if len(set(contenders)) < max(2, len(contenders)):
        raise ValueError(f"it takes at least two different contenders; given: {', '.join(contenders) or 'none'}")
    if per_op and contenders[0] != "reference":
        raise ValueError(f"nodes alone are compared with the reference, not with {contenders[0]}: name reference first")
    whole = next((contender.name for contender in fielded if contender.compiled), None)
    if whole and (per_op or bisect):
        raise ValueError(f"{whole} runs as a whole: none of its nodes can be compared alone, and no beginning of it")
    if samples is None:
        samples = inputs.random(inputs.describe(source, module), NUM_RUNS, distribution="mixed")
    if not samples:
        raise ValueError("there is no input to run")
    for folder in (save_failing, save_outputs):
        if folder is not None:
            writable(folder)

    about = (source, name, runtimes.name(module), fielded, samples, labels, expected, per_op, save_failing, save_outputs, bisect)
    order = Order(*about, threads, Allowed(max_lsb, max_abs))
    doing = "opening the model"
    with contextlib.ExitStack() as stack:
        try:
            there = stack.enter_context(Worker("the comparison", Comparing, order, heard=True)) if apart else None
            call: Callable[[str], Any] = there.call if there else functools.partial(_call, Comparing(order))
            while (step := call("step")) is not None:
                progress(*step)
                doing = step[1]
            found: Diff = call("result")
            return found
        except WorkerDied as error:
            raise WorkerDied(f"{doing}: {error}") from None


def _call(comparing: Comparing, method: str) -> Any:
    return getattr(comparing, method)()


@dataclass(frozen=True)
class Order:
    """The order for one comparison: arguments of diff(), checked. fielded: the contenders, the baseline first."""

    source: bytes
    name: str
    runtime: str
    fielded: Sequence[Contender]
    samples: Sequence[inputs.Sample]
    labels: Sequence[str]
    expected: str | int | None
    per_op: bool
    save_failing: str | os.PathLike[str] | None
    save_outputs: str | os.PathLike[str] | None
    bisect: bool
    num_threads: int
    allowed: Allowed


class Comparing:
    """A comparison under way."""

    def __init__(self, order: Order):
        self.order = order
        source, module, per_op = order.source, runtimes.find(order.runtime), order.per_op
        self.missing = lacking(source, module, "reference") if any(contender.kernels == "reference" for contender in order.fielded) else ()
        self.rest = order.fielded[0].rest
        if order.runtime == "compiled_model":
            self.rest = "stock"  # whatever it is asked for
        elif self.missing and self.rest == "reference":
            self.rest = "builtin"
        fielded = [dataclasses.replace(contender, rest=self.rest) for contender in order.fielded]
        contents = [models.expose(source) if per_op and not self.missing else source, *[source] * (len(fielded) - 1)]
        self.sessions = [opened(contender, content, module, order.num_threads, self.missing) for contender, content in zip(fielded, contents)]
        check(source, self.sessions)
        saved = Saved(order.save_outputs) if order.save_outputs is not None else None
        self.outputs = Outputs(self.sessions, order.labels, order.expected, saved)
        self.ops = Ops(shaped(source, module), module, self.sessions[1:], order.num_threads, order.allowed, order.save_failing) if per_op else None
        self.origins: dict[str, Origin | None] = {}
        self.steps = self._run()

    def step(self) -> tuple[float, str] | None:
        """Does what it said that it would, and says what comes next: the fraction that is done, and in words; None at the end."""
        return next(self.steps, None)

    def _run(self) -> Iterator[tuple[float, str]]:
        steps, done = len(self.order.samples) * (len(self.sessions) + (len(self.ops.alone) if self.ops else 0)), 0
        for sample in self.order.samples:
            arrays = sample.load()
            for what in itertools.chain(self.outputs.run(sample.name, arrays), self.ops.run(self.sessions[0]) if self.ops else ()):
                yield done / steps, what
                done += 1
            for what in self._trace(arrays):
                yield min(1.0, done / steps), what

    def _trace(self, arrays: Sequence[NDArray[Any]]) -> Iterator[str]:
        """Finds where the first difference of the delegate begins, and of others if they are asked for, on the sample that shows it."""
        module, threads = runtimes.find(self.order.runtime), self.order.num_threads
        for session in self.sessions[1:]:
            name = session.contender.name
            if name in self.origins or not self.outputs.different(name) or self.order.runtime == "compiled_model":
                continue
            if self.order.bisect:
                search = Bisection(self.order.source, module, self.sessions[0].contender, session.contender, threads, self.missing)
                yield from search.run(arrays)
                op = models.ops(self.order.source)[search.node] if search.node is not None else None
                self.origins[name] = Origin(name, op.index, op.name, origin.kept(session, op.index), search.runs) if op else None
                continue
            if session.delegate is None:
                continue
            baseline = self.sessions[0]
            if not (self.ops or self.missing):
                baseline = baseline.contender.open(models.expose(self.order.source), module, num_threads=threads)
            self.origins[name] = origin.find(self.order.source, module, baseline, session, arrays, threads)

    def result(self) -> Diff:
        """The findings of all steps."""
        ops = self.ops
        reports = [library.report(session.delegate) for session in self.sessions if session.delegate and session.contender.name == DELEGATE]
        return Diff(
            model=self.order.name,
            runtime=self.order.runtime,
            baseline=self.order.fielded[0].name,
            contenders=tuple(contender.name for contender in self.order.fielded[1:]),
            taken=sum(report.summary.claimed for report in reports),
            nodes=len(models.ops(self.order.source)),
            samples=tuple(sample.name for sample in self.order.samples),
            outputs=self.outputs.differences(),
            unsteady=self.outputs.unsteady(),
            latencies=self.outputs.latencies(),
            ratings=tuple(self.outputs.ratings),
            ops=ops.differences() if ops else (),
            uncompared=tuple(ops.uncompared) if ops else (),
            allowed=self.order.allowed,
            saved=tuple(f"{stem}.tflite" for _, stem in sorted(ops.saved.items())) if ops else (),
            replays=tuple(self._replay(stem, ops.failing[index]) for index, stem in sorted(ops.saved.items())) if ops else (),
            rest=self.rest,
            lacking=self.missing,
            origins=tuple(filter(None, self.origins.values())),
        )

    def _replay(self, stem: str, failing: Sequence[Contender]) -> str:
        """The command that compares a saved node under the contenders that failed, as they were."""
        names = [contender.name for contender in (self.order.fielded[0], *failing)]
        words = ["tvmq", "diff", f"{stem}.tflite", "--input", f"{stem}.npz", "--contenders", ",".join(names), "--runtime", self.order.runtime]
        given = {"rest": self.order.fielded[0].rest, "num_threads": self.order.num_threads}
        given |= {name: f"{value:g}" for name, value in vars(self.order.allowed).items()}
        given |= {name: value for contender in failing if contender.delegated for name, value in contender.options.items()}
        defaults = {"rest": "reference", "num_threads": 1, "max_lsb": "0", "max_abs": "0"}
        words += [f"--{name.replace('_', '-')}={value}" for name, value in given.items() if value is not None and value != defaults.get(name)]
        return shlex.join(words)
