"""Results show themselves: what the commands print, as text and in notebooks."""

from __future__ import annotations

import builders
import harness

import tvmq_delegate
from tvmq_delegate import measure, tuning
from tvmq_delegate.models import zoo

NETWORK = "mobilenet_v1_0.25_128"


def test_results_are_tables(runtime: harness.Runtime, benchmark: measure.Benchmark) -> None:
    nodes = tvmq_delegate.nodes(zoo.load(NETWORK), runtime=runtime.name, name="<network>")
    diff = tvmq_delegate.diff(builders.build_conv(), runtime=runtime.name, per_op=True)
    with tvmq_delegate.Interpreter(zoo.load(NETWORK), runtime=runtime.name) as interpreter:
        report = interpreter.report()
    choice = tuning.Choice("a way", "a kernel " * 9, False, 1, 1)
    task = tuning.Tuned("CONV_2D in=s8[1,8,8,3] filter=s8[3,3,3] out=u8[8,8,8]", 1, 1, choice, 1e3, (), 0, choice, 0.5, True)
    tuned = tuning.Tuning("<network>", "grid", 1, "", (task,), 1, 1.0, 1.0, 1.0, 1.0, 1.0, False, False)
    for found, words in [
        (tuned, ["1 task of 1 node", "CONV_2D", "nothing to gain"]),
        (nodes, ["DEPTHWISE_CONV_2D", "kernel, or why not", "<network>"]),
        (diff, ["SAME: against reference", "cosine"]),
        (benchmark, ["median ms", "Run Order", "vs stock"]),
        (report, ["DEPTHWISE_CONV_2D", "kernel, or why not"]),
    ]:
        text, page = str(found), found._repr_html_()
        assert all(word in text for word in words) and "\x1b" not in text and max(map(len, text.splitlines()[2:5])) <= 200
        assert page.startswith("<pre") and page.endswith("</pre>") and "<network>" not in page and ("&lt;network&gt;" in page) == (found is nodes)
        assert "--wide" not in text and ("columns left out: choice" in text) == (found is tuned), text
        assert repr(found).startswith(f"{type(found).__name__}(")  # which tells all there is


def test_comparisons_too(benchmark: measure.Benchmark) -> None:
    change = measure.Change("tvmq", 1.0, 2.0, 2.0, True)
    text = str(measure.Comparison("a.json", "b.json", ("model of another name",), (change,), ()))
    assert "+100.0%" in text and "not measured alike: model of another name" in text
