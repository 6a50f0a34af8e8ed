"""Why a model takes its time, node by node, and what would make it faster. Nothing is recommended that was not measured.

    print(tvmq_delegate.explain("model.tflite"))
    print(tvmq_delegate.explain("model.tflite", node=12))
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any

from .. import measure, models
from ..binding import LoadOptions, Shown, asked_threads, library, runtimes
from ..sessions import takes_options
from .experiments import PAYS, Advice, experiments
from .records import Choice
from .search import TRIALS, tune
from .tasks import Network, Task
from .tasks import measure as measure_choices

if TYPE_CHECKING:
    from typing_extensions import Unpack

SECONDS = 1.0  # of each contender, and of the search for choices
CHOICES, TURNS = 8, 3  # candidates of a node that are measured, those that are estimated fastest, and how often
DEFAULT = Choice("plain", "", False, 0, 0)  # of nodes that leave no choice

Progress = Callable[[float, str], None]


@dataclass(frozen=True)
class Candidate:
    """A choice of how to compute the node. cycles: estimated. us: the least that was measured in the network. default: it is what runs."""

    choice: Choice
    cycles: float
    us: float
    default: bool


@dataclass(frozen=True)
class Detail:
    """One node. candidates: the fastest first; empty where there is no choice. threads: number of threads -> microseconds in the network."""

    cause: measure.Cause
    parts: Mapping[str, float]
    candidates: tuple[Candidate, ...]
    threads: Mapping[int, float]


@dataclass(frozen=True)
class Explanation(Shown):
    """The causes of a model's nodes, in order of execution, and the changes that were tried.

    detail: of the node that was asked for, for which nothing is tried.
    """

    benchmark: measure.Benchmark
    causes: tuple[measure.Cause, ...]
    advice: tuple[Advice, ...]
    detail: Detail | None


@takes_options
def explain(
    source: models.ModelSource,
    *,
    node: int | None = None,
    advise: bool = True,
    seconds: float = SECONDS,
    runtime: str | ModuleType | None = None,
    name: str | None = None,
    progress: Progress = lambda fraction, what: None,
    **options: Unpack[LoadOptions],
) -> Explanation:
    """Measures a model and says what takes its time, and which changes make it faster here.

    Args:
      source: the bytes of a .tflite file, or its path.
      node: one node of the main subgraph, of which candidates and numbers of threads are measured instead of changes to the whole.
      advise: whether to measure changes at all.
      seconds: to run each contender, at least.
      runtime, name: as for bench().
      progress: called now and then.
      **options: the delegate's, as for load().

    Raises:
      ValueError: there is no such node, seconds is below 0, or as load(). What bench() raises.
    """
    content, name = models.opened(source, name)
    if not seconds >= 0:  # which no NaN is
        raise ValueError(f"seconds is 0 or more, not {seconds}")
    count = sum(op.subgraph == 0 for op in models.ops(content))
    if node is not None and not 0 <= node < count:
        raise ValueError(f"{name or 'the model'} has no node {node}: its nodes are 0 to {count - 1}")
    module = runtimes.find(runtime)
    threads = asked_threads(options.get("num_threads"))
    given = {option: value for option, value in options.items() if option != "num_threads" and value is not None}
    settings = dataclasses.replace(measure.DEFAULTS, min_secs=seconds, num_runs=10, warmup_min_secs=min(seconds, measure.DEFAULTS.warmup_min_secs))
    about: dict[str, Any] = {"runtime": module, "name": name, "num_threads": threads, "progress": progress, **given}
    found = measure.bench(content, settings=settings, op_profiling=True, **about)
    causes = measure.causes(found)
    if node is not None:
        progress(0.0, f"node {node}")
        parts = next(op.parts for op in found.op_profile if op.run_order == node)
        return Explanation(found, causes, (), _detail(content, module, found.num_threads, given, causes[node], parts))
    advice: list[Advice] = []
    if advise and found.delegation.summary.claimed:
        advice = experiments(content, module, found, threads, given, settings, progress)
        progress(0.0, "searching choices")
        advice.append(_tuned(content, module, found.num_threads, given, seconds, found.busy))
    return Explanation(found, causes, tuple(advice), None)


def _tuned(content: bytes, module: ModuleType, threads: int, given: Mapping[str, Any], seconds: float, busy: str) -> Advice:
    """Searches choices for a short while. The search keeps smaller gains than are worth a recommendation; on a busy machine none of them is certain."""
    found = tune(content, runtime=module, trials=TRIALS, seconds=max(seconds, 1e-3), num_threads=threads, **given)
    before, after = (found.default_ms, found.tuned_ms) if found.kept else (0.0, 0.0)
    return Advice("tvmq tune --out FILE.jsonl", before, after, None, None, after < PAYS * before and not busy)


def _detail(content: bytes, module: ModuleType, threads: int, given: Mapping[str, Any], cause: measure.Cause, parts: Mapping[str, float]) -> Detail:
    if cause.bound in ("", measure.LEFT):
        return Detail(cause, parts, (), {})
    options = {option: value for option, value in given.items() if option not in ("profile", "tuning_records")}
    counts = sorted({1, *(2**n for n in range(1, 8) if 2**n <= library.cpu().count), threads})
    networks = {count: Network(content, module, num_threads=count, options=options) for count in counts}
    index = next(i for i, each in enumerate(library.report(networks[threads].delegate).nodes) if (each.subgraph, each.node) == (0, cause.node))
    alone = Task("", (index,), 0, {}, DEFAULT)
    clocked = {count: min(min(network.times([alone])[alone]) for _ in range(TURNS)) / 1e3 for count, network in networks.items()}
    return Detail(cause, parts, _candidates(networks[threads], index), clocked)


def _candidates(network: Network, index: int) -> tuple[Candidate, ...]:
    """Measures the candidates of a node in turns, nodes like it along with it."""
    task = next((task for task in network.tasks if index in task.nodes), None)
    if task is None:
        return ()
    choices = list(dict.fromkeys([task.default, *sorted(task.choices, key=task.choices.__getitem__)[:CHOICES]]))
    least = dict.fromkeys(choices, float("inf"))
    for turn in range(TURNS):
        for choice in choices if turn % 2 else reversed(choices):
            least[choice] = min(least[choice], *measure_choices(network, {task: choice})[task])
    listed = [Candidate(choice, task.choices[choice], ns / 1e3, choice == task.default) for choice, ns in least.items()]
    return tuple(sorted(listed, key=lambda candidate: candidate.us))
