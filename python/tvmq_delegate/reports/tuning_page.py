"""Tuning as one HTML page with plots, which needs no network. Needs the extra `report`: jinja2 and plotly."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Iterable, Mapping, Sequence

import plotly.graph_objects as plot
import plotly.offline
from markupsafe import Markup

from ..binding import plural
from ..tuning import Tuned, Tuning, read_records
from .axes import logarithmic
from .html import BAD, GOOD, LEGEND, MARK, OTHER, PALETTE, embed
from .pages import environment
from .tuning import rate, shape, source, summary

SOURCES = ("algorithm", "kernel", "blocks", "flip")
Curves = Mapping[str, Mapping[str, Sequence[float]]]  # tuner -> task -> times over the default's, in the order of the trials


def page(found: Tuning) -> str:
    curves = _curves(found)
    return (
        environment()
        .get_template("tuning.html")
        .render(
            title=f"tvmq tune: {os.path.basename(found.model) or 'a model'}",
            found=found,
            summary=summary(found).splitlines(),
            cards=_cards(found),
            tasks=sorted(found.tasks, key=lambda task: -task.default_ns * task.nodes),
            tuners=list(curves),
            shape=shape,
            rate=rate,
            has_predictions=any(not math.isnan(trial.predicted) for task in found.tasks for trial in task.trials),
            plotly_js=Markup(plotly.offline.get_plotlyjs()),
            gain_plot=embed(_gains(found)),
            curves_plot=embed(_search(found, curves)),
            predicted_plot=embed(_predicted(found)),
        )
    )


def _cards(found: Tuning) -> list[tuple[str, str]]:
    before, after = (_sum_ms(found.tasks, best) for best in (False, True))
    cards = [(f"{before / after:.3f}×" if after else "", f"sum of the nodes: {before:.3f} to {after:.3f} ms{'' if found.kept else ', not proven'}")]
    if not math.isnan(found.gain):
        cards.insert(0, (f"{found.gain:.3f}×", f"the whole network: {found.default_ms:.3f} to {found.tuned_ms:.3f} ms{'' if found.kept else ', not kept'}"))
    cards.append((f"{sum(task.kept for task in found.tasks)} of {len(found.tasks)}", "tasks with a choice that is kept"))
    cards.append((f"{sum(len(task.trials) for task in found.tasks):,}", f"trials by {found.tuner}, of {found.choices:,} choices"))
    cards.append((f"{found.seconds:.1f} s", f"of them {found.search_seconds:.1f} s of search, on {plural(found.threads, 'thread')}"))
    return cards


def _sum_ms(tasks: Iterable[Tuned], best: bool) -> float:
    return sum(task.default_ns * task.nodes * (task.best_ratio if best else 1.0) for task in tasks) / 1e6


def _gains(found: Tuning) -> plot.Figure:
    """From the default's sum to the best one, a step for each part of a choice."""
    steps = {name: 0.0 for name in SOURCES}
    for task in found.tasks:
        if task.best != task.default:
            steps[source(task.default, task.best)] += task.default_ns * task.nodes * (1 - task.best_ratio) / 1e6
    figure = plot.Figure()
    figure.add_waterfall(
        orientation="h",
        y=["default", *SOURCES, "best"],
        x=[_sum_ms(found.tasks, False), *(-steps[name] for name in SOURCES), 0.0],
        measure=["absolute", *["relative"] * len(SOURCES), "total"],
        decreasing={"marker": {"color": GOOD}},
        increasing={"marker": {"color": BAD}},
        totals={"marker": {"color": PALETTE[0]}},
        connector={"line": {"color": OTHER, "width": 1}},
        hovertemplate="%{y}: %{delta:.4f} ms<extra></extra>",
    )
    figure.update_layout(height=330, margin={"l": 70, "r": 20, "t": 36, "b": 45}, xaxis={"title": "ms, sum of the nodes"}, yaxis={"autorange": "reversed"})
    return figure


def _curves(found: Tuning) -> dict[str, dict[str, list[float]]]:
    """All trials of these tasks that the file of records has, or else those of this run."""
    tasks = {task.signature for task in found.tasks}
    curves: dict[str, dict[str, list[float]]] = {}
    if found.path:
        for record in read_records([found.path])[0]:
            if record.task in tasks and not record.proven and not record.estimated:
                curves.setdefault(record.tuner, {}).setdefault(record.task, []).append(1 / record.gain)
    else:
        curves[found.tuner] = {task.signature: [trial.ratio for trial in task.trials] for task in found.tasks if task.trials}
    return curves


def _best_so_far(ratios: Iterable[float]) -> list[float]:
    return list(itertools.accumulate(ratios, min, initial=1.0))


def _search(found: Tuning, curves: Curves) -> plot.Figure:
    figure = plot.Figure()
    weights = {task.signature: task.default_ns * task.nodes for task in found.tasks}
    for (tuner, tasks), colour in zip(curves.items(), itertools.cycle(PALETTE)):
        best = {signature: _best_so_far(ratios) for signature, ratios in tasks.items()}
        for signature, curve in best.items():
            figure.add_scatter(
                x=list(range(len(curve))),
                y=curve,
                mode="lines",
                line={"color": colour, "width": 1, "shape": "hv"},
                opacity=0.6,
                showlegend=False,
                hovertemplate=f"{shape(signature)}<br>%{{x}} trials: %{{y:.3f}}<extra>{tuner}</extra>",
            )
        most = max(map(len, best.values()), default=1)
        total = sum(weights.values()) or 1.0
        whole = [sum(weight * _at(best.get(signature, [1.0]), n) for signature, weight in weights.items()) / total for n in range(most)]
        figure.add_scatter(x=list(range(most)), y=whole, mode="lines", line={"color": colour, "width": 4}, name=f"{tuner}, all tasks")
    figure.update_layout(
        height=480,
        margin={"l": 60, "r": 20, "t": 36, "b": 45},
        showlegend=True,
        legend=LEGEND,
        xaxis={"title": "trials of a task"},
        yaxis={"title": "best time so far over the default's"},
    )
    return figure


def _at(curve: Sequence[float], n: int) -> float:
    return curve[min(n, len(curve) - 1)]


def _predicted(found: Tuning) -> plot.Figure:
    figure = plot.Figure()
    groups: dict[str, list[tuple[float, float, str]]] = {}
    for task in found.tasks:
        for trial in task.trials:
            if not math.isnan(trial.predicted):
                groups.setdefault(trial.choice.algorithm, []).append((trial.predicted, trial.ratio, f"{shape(task.signature)}<br>{trial.choice}"))
    ends = [value for points in groups.values() for point in points for value in point[:2]] or [1.0]
    low, high = min(ends) * 0.95, max(ends) * 1.05
    figure.add_scatter(x=[low, high], y=[low, high], mode="lines", line={"color": MARK, "width": 1, "dash": "dash"}, showlegend=False, hoverinfo="skip")
    for (algorithm, points), colour in zip(groups.items(), itertools.cycle(PALETTE)):
        predicted, measured, texts = zip(*points)
        figure.add_scatter(
            x=predicted,
            y=measured,
            mode="markers",
            name=algorithm,
            marker={"color": colour, "size": 7, "opacity": 0.85},
            hovertemplate=[f"{text}<br>%{{x:.3f}} predicted, %{{y:.3f}} measured<extra></extra>" for text in texts],
        )
    figure.update_layout(
        height=480,
        margin={"l": 60, "r": 20, "t": 36, "b": 45},
        legend=LEGEND,
        xaxis=logarithmic(low, high, title="predicted, over the default's time"),
        yaxis=logarithmic(low, high, title="measured"),
    )
    return figure
