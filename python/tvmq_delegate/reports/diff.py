"""A Diff as tables and lines for a terminal."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from ..accuracy import LSB, Diff, Difference, OpDifference, OutputDifference, Rating
from ..binding import plural
from .columns import Column, fitted
from .screen import UNLIMITED, clean
from .tables import by_reason, plain_table

BAR_WIDTH = 40


def report(found: Diff, *, ratings: bool = False, max_rows: int = 20, width: int = UNLIMITED, lines: bool = False) -> Iterator[RenderableType]:
    """Everything, part by part. ratings: also what each sample is taken for. max_rows: of the table of nodes. lines: inference_diff's, too."""
    count = len(found.samples)
    inputs = f"{plural(count, 'input')}: {found.samples[0]}{f' ... {found.samples[-1]}' if count > 1 else ''}"
    yield Text(f"{found.model} in {found.runtime}, against {found.baseline}; {inputs}\n")
    yield outputs(found, width)
    yield from histograms(found)
    if ratings and found.ratings:
        yield from classification(found)
    if found.ops or found.uncompared:
        yield from ops(found, max_rows, width)
    if lines:
        yield from inference_diff(found)
    outcome, style = word(found)
    yield Text(f"\n{outcome}: {found.verdict}", style)


def word(found: Diff) -> tuple[str, str]:
    """The outcome, and how it is printed."""
    if not found.passed:
        return "DIFFERENT", "bold red"
    if found.nothing_taken:
        return "NOTHING TAKEN", "bold yellow"
    if found.unsteady:
        return "NOT COMPARABLE", "bold yellow"
    return ("SAME", "bold green") if found.as_expected else ("NOT AS EXPECTED", "bold red")


def outputs(found: Diff, width: int = UNLIMITED) -> Table:
    """One row for each output under each contender."""

    def number(attribute: str, form: str) -> Callable[[OutputDifference], str]:
        return lambda output: _optional(getattr(output.difference, attribute), form)

    def agreement(name: str) -> Callable[[OutputDifference], str]:
        return lambda output: _optional(getattr(output, name), "{:.0%}")

    columns = [
        Column("", lambda output: output.contender, left=True),
        Column("output", lambda output: _short(output.name), left=True, least=12),
        Column("type", lambda output: output.difference.dtype, 1, left=True),
        Column("max", lambda output: _max(found, output.difference)),
        Column("mean", number("avg_error", "{:.3g}"), 4),
        Column("differ", lambda output: _share(output.difference)),
        Column("cosine", number("cosine", "{:.5f}"), 3),
        Column("SNR dB", number("snr", "{:.1f}"), 5),
    ]
    for header, name, rank in (("top-1", "top1", 2), ("top-5", "top5", 6)):
        if any(getattr(output, name) is not None for output in found.outputs):
            columns.append(Column(header, agreement(name), rank))
    return fitted(columns, found.outputs, width)


def histograms(found: Diff) -> Iterator[RenderableType]:
    """Signed differences of each output that differs, with bars for those that are not zero."""
    for output in found.outputs:
        difference = output.difference
        if not difference.different or not difference.histogram:
            continue
        listing = bins(difference)
        longest = max(count for low, _, count in listing if low)
        listed = plain_table("LSB" if difference.unit == LSB else "by", "elements", "share", "", right=("LSB", "by", "elements", "share"))
        for low, high, count in listing:
            label = f"{low:+d}" if low else "0"
            bar = "" if not low else _bar(count / longest)
            listed.add_row(label if low == high else f"{label} to {high:+d}", f"{count:,}", _percent(count / difference.elements, count), Text(bar, "yellow"))
        yield Text(f"\n{output.contender} minus {found.baseline}, output {_short(output.name)}:", "bold")
        yield listed


def classification(found: Diff) -> Iterator[RenderableType]:
    """The class that each sample is given, and how often that is the expected class."""
    names = [found.baseline, *found.contenders]
    rows: dict[tuple[str, int], dict[str, Rating]] = {}
    for rating in found.ratings:
        rows.setdefault((rating.sample, rating.output), {}).setdefault(rating.contender, rating)
    listed = plain_table("sample", *names)
    for (sample, output), row in rows.items():
        expected = row[found.baseline].classes[0]
        cells = (Text(_best(row[name]), "" if row[name].classes[0] == expected else "bold yellow") for name in names)
        listed.add_row(Text(f"{sample}, output {output}" if output else sample), *cells)
    yield Text("\nbest class (score; = where others score the same):", "bold")
    yield listed
    for name in names:
        places = [rating.expected for rating in found.ratings if rating.contender == name and rating.expected is not None]
        if places:
            first, five = sum(place == 0 for place in places), sum(place < 5 for place in places)
            yield Text(f"{name}: the expected class is first in {first} and among the first five in {five} of {len(places)}")


def ops(found: Diff, max_rows: int, width: int) -> Iterator[RenderableType]:
    """The nodes that differ, those that differ most first, and how many do not."""

    def of(name: str, show: Callable[[Difference], str | Text]) -> Callable[[dict[str, OpDifference]], str | Text]:
        return lambda row: show(row[name].difference) if name in row else ""

    rows: dict[tuple[int, int], dict[str, OpDifference]] = {}
    for op in found.ops:
        rows.setdefault((op.index, op.output), {})[op.contender] = op
    differing = [row for row in rows.values() if any(op.difference.different for op in row.values())]
    differing.sort(key=lambda row: max((op.difference.max_diff, op.difference.share) for op in row.values()), reverse=True)
    columns = [
        Column("#", lambda row: str(_any(row).index)),
        Column("op", lambda row: _any(row).op, left=True, least=12),
        Column("output", lambda row: _any(row).tensor, 1, left=True),
    ]
    for name in found.contenders:
        columns.append(Column(name, of(name, functools.partial(_max, found))))
        columns.append(Column("differ", of(name, _share), 2))
    yield Text("\nnodes alone, fed with the reference's activations:", "bold")
    if differing:
        yield fitted(columns, differing[:max_rows], width)
    if len(differing) > max_rows:
        yield Text(f"... and {len(differing) - max_rows} more")
    for contender in found.contenders:
        mine = [op for op in found.ops if op.contender == contender]
        count, different = found.compared(contender), len({op.index for op in mine if op.difference.different})
        first = found.first(contender)
        verb = "differs" if count == 1 else "differ"
        text = f"{contender}: {different} of {plural(count, 'node')} {verb}" + (f", first node {first.index} ({first.op})" if first else "")
        yield Text(f"{text}; {plural(sum(op.difference.elements for op in mine), 'element')} compared")
        yield from (Text(f"  not compared: {line}") for line in by_reason((node.reason, node.op) for node in found.uncompared if node.contender == contender))
    if found.saved:
        yield Text("\n".join(["wrote one-op models and their inputs; each shows its difference again:", *found.replays]))


def inference_diff(found: Diff) -> Iterator[RenderableType]:
    """The lines of TFLite's tool of that name, for programs that read them."""
    latencies = {latency.contender: f"avg={latency.mean_us:g}(us), std_dev={latency.std_us:g}(us)" for latency in found.latencies}
    for contender in found.contenders:
        yield Text(f"\ninference_diff of {contender}:", "bold")
        yield Text(f"Num evaluation runs: {len(found.samples)}")
        yield Text(f"Reference run latency: {latencies[found.baseline]}")
        yield Text(f"Test run latency: {latencies[contender]}")
        for output in found.outputs:
            if output.contender == contender:
                yield Text(f"OutputDiff[{output.output}]: avg_error={output.difference.avg_error:g}, std_dev={output.difference.std_dev:g}")


def _best(rating: Rating) -> str:
    """The first name of the best class, and its score."""
    best = rating.labels[0].partition(",")[0] if rating.labels else str(rating.classes[0])
    return f"{best} ({'=' if rating.scores[0] == rating.scores[1] else ''}{rating.scores[0]:g})"


def _short(name: str) -> str:
    """Fused tensors carry the names of all that went into them."""
    name = clean(name)
    return name if len(name) <= 40 else f"{name[:12]}...{name[-24:]}"


def _max(found: Diff, difference: Difference) -> Text:
    style = "red" if found.allowed.exceeded(difference) else "yellow" if difference.different else "green"
    return Text(f"{difference.max_diff:.6g} {difference.unit}".rstrip() if difference.different else "0", style)


def _share(difference: Difference) -> str:
    return _percent(difference.share, difference.different)


def _percent(share: float, count: int) -> str:
    """Never "0 %" of something."""
    return "" if not count else "<0.01 %" if share < 0.0001 else f"{share:.2%}".replace("%", " %")


def _optional(value: float | None, form: str) -> str:
    return "" if value is None else form.format(value)


def _any(row: dict[str, OpDifference]) -> OpDifference:
    """The difference of any contender, for the facts that all of them have in common."""
    return next(iter(row.values()))


def bins(difference: Difference) -> list[tuple[int, int, int]]:
    """(from, to, elements): every step by itself where there are few, else doubling: 0, 1, 2 to 3, 4 to 7, and so on to both sides."""
    steps = [step for step, _ in difference.histogram]
    doubling = max(map(abs, steps)) > 8

    def place(step: int) -> int:
        size = abs(step).bit_length() if doubling else abs(step)
        return size if step > 0 else -size

    def edges(bin: int) -> tuple[int, int]:
        if not doubling or not bin:
            return bin, bin
        near, far = 2 ** (abs(bin) - 1), 2 ** abs(bin) - 1
        return (near, far) if bin > 0 else (-far, -near)

    counts: dict[int, int] = dict.fromkeys(range(place(min(steps)), place(max(steps)) + 1), 0)
    for step, count in difference.histogram:
        counts[place(step)] += count
    return [(*edges(bin), count) for bin, count in counts.items()]


def _bar(part: float) -> str:
    """Draws a bar of at most BAR_WIDTH characters, to an eighth of one; the shortest is an eighth."""
    eighths = max(1, round(part * BAR_WIDTH * 8)) if part else 0
    return "█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8].strip()
