"""Times of operators alone, each as a model of its own, under several contenders in turn."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence

from ..sessions import Worker, WorkerDied
from .runner import Job, Limits

SECS, ROUNDS = 0.004, 3  # that an operator runs, in each of so many rounds


def time_ops(jobs: Sequence[Job], ops: Mapping[int, Sequence[int]], progress: Callable[[float], None]) -> dict[str, dict[int, float]]:
    """Contender -> index -> least microseconds of operators of the main subgraph. Those that a contender cannot run alone are missing.

    The least of all runs, since each contender's process may be on a processor of its own, and what disturbs that one lasts longer than a round.

    ops: index -> what to run for it, itself last.
    """
    times: dict[str, dict[int, float]] = {job.name: {} for job in jobs}
    with contextlib.ExitStack() as stack:
        workers = [stack.enter_context(job.worker()) for job in jobs]
        for n, (index, together) in enumerate(ops.items()):
            progress(n / len(ops))
            for job, runs in zip(jobs, time_op(together, workers, lambda i: stack.enter_context(jobs[i].worker()))):
                if runs:
                    times[job.name][index] = min(runs) / 1e3
    return times


def time_op(indices: Sequence[int], workers: list[Worker], restart: Callable[[int], Worker]) -> list[list[int]]:
    """Nanoseconds of operators, run one after the other, under each worker; none where the runtime refuses one, or one ends the process, which is restarted."""
    runs: list[list[int]] = [[] for _ in workers]
    able = list(range(len(workers)))
    for method, arguments in [("open_ops", (indices,)), *[("run", (Limits(3, SECS, 1.0), -1.0, SECS, True))] * ROUNDS]:
        for i in list(able):
            try:
                answer = workers[i].call(method, *arguments)
            except (RuntimeError, ValueError) as error:
                able.remove(i)
                runs[i].clear()
                if isinstance(error, WorkerDied):
                    workers[i] = restart(i)
                continue
            if method == "run":
                runs[i] += answer[0]
    return runs
