"""Sums of shards, as text."""

from __future__ import annotations

import collections
from collections.abc import Iterable

from attacker.shards import Shard


def line(shard: Shard) -> str:
    verdict = "; ".join(f"FAILED {test}" for test in shard.failed) or "ok"
    return f"{shard.kind:8} {shard.isa:10} {shard.level:8} seed {shard.seed:<6} {shard.seconds:7.0f} s  {_models(shard.counts):>9,} models  {verdict}"


def table(shards: Iterable[Shard]) -> str:
    """A line for each kind and processor, then every count."""
    groups: dict[tuple[str, str, str], list[Shard]] = {}
    for shard in shards:
        groups.setdefault((shard.kind, shard.isa, shard.level), []).append(shard)
    lines = [f"{'kind':8} {'isa':10} {'level':8} {'shards':>7} {'seeds':>13} {'hours':>7} {'models':>11} {'failed':>7}"]
    counts: collections.Counter[str] = collections.Counter()
    for (kind, isa, level), found in sorted(groups.items()):
        seeds = f"{min(s.seed for s in found)} to {max(s.seed for s in found)}"
        hours, failed = sum(s.seconds for s in found) / 3600, sum(bool(s.failed) for s in found)
        models = sum(_models(s.counts) for s in found)
        lines.append(f"{kind:8} {isa:10} {level:8} {len(found):>7} {seeds:>13} {hours:>7.2f} {models:>11,} {failed:>7}")
        for shard in found:
            counts.update(shard.counts)
    return "\n".join([*lines, "", *(f"{name}: {n:,}" for name, n in sorted(counts.items()))])


def _models(counts: dict[str, int]) -> int:
    """Models that were compared or judged; a count that only splits another does not add to it."""
    return sum(n for name, n in counts.items() if (" compared" in name and name != "elements compared") or is_verdict(name))


def is_verdict(name: str) -> bool:
    return name.startswith("hostile models: ") and not name.endswith("nodes claimed")
