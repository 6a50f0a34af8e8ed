"""Changes of options that may make a model faster: each is measured in turn with what runs now, and recommended only if it is faster for certain."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from .. import measure
from ..binding import Threads, library, library_path, machines

PAYS = 0.98  # of the time: a change pays if its 95 % interval lies below


@dataclass(frozen=True)
class Advice:
    """A change that was tried on the whole model.

    change: what to type. before_ms, after_ms: an inference without and with it, by the statistic that leads; 0 where nothing was worth comparing.
    low, high: the 95 % interval of after over before, None where it is not known. pays: it is faster for certain, which nothing is on a busy machine.
    """

    change: str
    before_ms: float
    after_ms: float
    low: float | None
    high: float | None
    pays: bool

    @property
    def doubt(self) -> str:
        """Says why a change is not recommended."""
        return "not certain" if self.after_ms < PAYS * self.before_ms else "no gain"


@dataclass(frozen=True)
class _Now:
    """The model as it runs now: what decides which changes are worth a try."""

    found: measure.Benchmark
    threads: Threads
    given: Mapping[str, Any]


def _threads(now: _Now) -> list[str]:
    return [str(count) for count in (1, 2, 4, 8, 16, 32, 64) if count <= library.cpu().count and count != now.threads]


def _winograd(now: _Now) -> list[str]:
    return ["off"] if any(node.algorithm.startswith("winograd") for node in now.found.delegation.nodes) else []


def _records(now: _Now) -> list[str]:
    """Records of another machine or number of threads would change nothing."""
    return ["shipped"] if any(node.macs and node.claimed for node in now.found.delegation.nodes) else []


def _machine(now: _Now) -> list[str]:
    return ["known"] if machines.cache_file(library_path()).is_file() else []


def _one_partition(now: _Now) -> list[str]:
    return ["1"] if now.found.delegation.summary.partitions > 1 else []


def _all_partitions(now: _Now) -> list[str]:
    return ["1"] if any("partition" in node.reason for node in now.found.delegation.nodes) else []


# Option -> the values that are worth a try, if the user has not set it.
_EXPERIMENTS: Mapping[str, Callable[[_Now], Sequence[str]]] = {
    "num_threads": _threads,
    "winograd": _winograd,
    "tuning_records": _records,
    "machine": _machine,
    "max_delegated_partitions": _one_partition,
    "min_nodes_per_partition": _all_partitions,
}


def experiments(
    content: bytes,
    module: ModuleType,
    found: measure.Benchmark,
    threads: Threads,
    given: Mapping[str, Any],
    settings: measure.Settings,
    progress: Callable[[float, str], None],
) -> list[Advice]:
    """Tries every change that is worth it: those that pay come first, the greatest gain before the others."""
    now = _Now(found, threads, given)
    defaults = {option.name: option.default_value for option in library.options()} | {"num_threads": str(threads)}
    advice: list[Advice] = []
    for option, values in _EXPERIMENTS.items():
        if option in given or not (tried := values(now)):
            continue
        about: dict[str, Any] = {"runtime": module, "num_threads": threads, "progress": progress, **given}
        swept = measure.bench(content, settings=settings, sweep=(option, (defaults[option], *tried)), **about)
        advice += [_advice(option, value, swept, place) for place, value in enumerate(tried, 1) if place < len(swept.results)]
    return sorted(advice, key=lambda each: (not each.pays, each.after_ms / (each.before_ms or 1.0)))


def _advice(option: str, value: str, swept: measure.Benchmark, place: int) -> Advice:
    before, after = (swept.results[n].latency_metrics.of(swept.leading) for n in (0, place))
    ratio = swept.results[place].ratio
    low, high = (ratio.low, ratio.high) if ratio else (None, None)
    return Advice(f"--{option.replace('_', '-')} {value}", before, after, low, high, high is not None and high < PAYS and not swept.busy)
