"""How busy each thread was while the delegate's nodes ran."""

from __future__ import annotations

import bisect
import collections
import statistics
from dataclasses import dataclass

from .runner import Profiled


@dataclass(frozen=True)
class Occupancy:
    """Shares of time in which threads computed, by thread, 0 being the one that runs the interpreter.

    nodes: node -> share of the node's time for each thread, median of the inferences. whole: share of the inferences for each thread.
    """

    nodes: dict[int, tuple[float, ...]]
    whole: tuple[float, ...]


def occupancy(profiled: Profiled) -> Occupancy:
    """Counts the tasks of a node that threads shared for the thread that did them, and a node that none shared for the thread that ran it."""
    runs, spans = profiled.traced()
    threads = 1 + max((span.thread for span in spans), default=0)
    whole_nodes = sorted((span for span in spans if span.task < 0 and span.subgraph == 0), key=lambda span: span.start_ns)
    starts = [span.start_ns for span in whole_nodes]
    busy = [[0] * threads for _ in whole_nodes]
    for span in spans:
        place = bisect.bisect(starts, span.start_ns) - 1
        if span.task >= 0 and span.subgraph == 0 and place >= 0:
            busy[place][span.thread] += span.end_ns - span.start_ns
    shares_of: dict[int, list[list[float]]] = collections.defaultdict(list)
    total = [0] * threads
    for node, worked in zip(whole_nodes, busy):
        lasted = max(1, node.end_ns - node.start_ns)
        if not any(worked):
            worked[node.thread] = lasted
        shares_of[node.node].append([min(1.0, ns / lasted) for ns in worked])
        total = [before + ns for before, ns in zip(total, worked)]
    inferences = sum(end - start for start, end in runs) or 1
    medians = {node: tuple(map(statistics.median, zip(*listed))) for node, listed in sorted(shares_of.items())}
    return Occupancy(medians, tuple(min(1.0, ns / inferences) for ns in total))
