"""Leaving nodes to the runtime: which tasks the delegate would leave, and whether the network is faster without them, borders of partitions included."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from ..binding import library
from .records import LEFT, Choice, choice_of
from .tasks import NETWORK_GAIN, Network, Task, compare

if TYPE_CHECKING:
    from .search import Search

# A task that can bring the network a smaller share of its time is not looked at: if its nodes took no time at all elsewhere, it would gain no more than theirs.
LEAST_SHARE = 0.01


@contextlib.contextmanager
def network(search: Search, left: Sequence[Task], source: bytes, runtime: ModuleType, threads: int, options: Mapping[str, object]) -> Iterator[Network]:
    """The network, unprofiled, without the tasks that are left."""
    with tempfile.TemporaryDirectory() as folder:
        records = "none"
        if left:
            path = Path(folder, "left.jsonl")
            path.write_text("".join(search.record(task, LEFT, (1.0,), (2.0,), True).line() for task in left), encoding="utf-8")
            records = str(path)
        yield Network(source, runtime, num_threads=threads, options=options, profiled=False, records=records)


def leavable(search: Search, source: bytes, runtime: ModuleType, threads: int, options: Mapping[str, object]) -> list[Task]:
    """The tasks that the delegate leaves to the runtime where records have it so: it is asked, by records that leave all."""
    delegate = search.network.delegate
    known = {task.signature: task for task in search.network.tasks}
    nodes = library.report(delegate).nodes
    alike: dict[str, list[int]] = {}
    for index, node in enumerate(nodes):
        signature = library.signature(delegate, index) if node.claimed else ""
        if signature:
            alike.setdefault(signature, []).append(index)
    every = [_task(search, signature, indices, known.get(signature)) for signature, indices in alike.items()]
    with network(search, every, source, runtime, threads, options) as without:
        stays = [node.claimed for node in library.report(without.delegate).nodes]
    return [task for task in every if not any(stays[index] for index in task.nodes)]


def _task(search: Search, signature: str, indices: Sequence[int], known: Task | None) -> Task:
    if known is not None:
        return Task(signature, known.nodes, known.macs, {**known.choices, LEFT: 0.0}, known.default)
    node = library.report(search.network.delegate).nodes[indices[0]]
    running = [candidate for candidate in library.candidates(search.network.delegate, indices[0]) if candidate.runs]
    default = choice_of(running[0]) if running else Choice("plain", node.kernel, False, 0, 0)
    return Task(signature, tuple(indices), node.macs, {default: node.cycles, LEFT: 0.0}, default)


def worth(
    search: Search, source: bytes, runtime: ModuleType, threads: int, options: Mapping[str, object], interrupted: Callable[[], bool] = lambda: False
) -> dict[Task, tuple[Choice, tuple[float, ...], tuple[float, ...]]]:
    """The tasks without which the network is faster: for each the choice, the time of one node, and that by default. Nobody can time a node that is left: its
    time is what it takes by default less what the network gains. interrupted: asked before each task; what was found until then is returned."""
    found: dict[Task, tuple[Choice, tuple[float, ...], tuple[float, ...]]] = {}
    tasks = leavable(search, source, runtime, threads, options)
    if not tasks:
        return found
    search.network.force({})
    times = {
        task: tuple(max(1.0, ns) for ns in own) for task, own in search.network.times(tasks).items()
    }  # what is done in place takes less than the clock tells
    whole = min(search.network.invoke() for _ in range(3))
    # A task can bring all of its time, or as much as a measurement in the file says.
    brings = {task: min(times[task]) * len(task.nodes) * (1 - search.left.get(task.signature, 0.0)) for task in tasks}
    candidates = [task for task in tasks if brings[task] >= LEAST_SHARE * whole]
    for at, task in enumerate(candidates):
        if interrupted():
            break
        search.tell(at / len(candidates), "leaving to the runtime")
        with network(search, [], source, runtime, threads, options) as default, network(search, [task], source, runtime, threads, options) as without:
            before, after, gain = compare(default, without)
        own = (max(1.0, min(times[task]) - (before - after) * 1e6 / len(task.nodes)),)
        search.leave(task, own, times[task])
        if gain >= NETWORK_GAIN:
            found[task] = LEFT, own, times[task]
    return found
