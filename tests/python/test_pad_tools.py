"""The tools on a PAD that is folded into convolutions: nothing of it runs, so it is compared, timed and cut out with them."""

from __future__ import annotations

import harness
import numpy as np
import pytest
from padded import padded
from test_pad import CONV, EVEN, forked

import tvmq_delegate
from tvmq_delegate import accuracy, measure, models
from tvmq_delegate.reports import diff as report
from tvmq_delegate.reports import graph, tables
from tvmq_delegate.sessions import delegation, inputs

FORKED = forked("DEPTHWISE_CONV_2D")
QUICK = measure.Settings(num_runs=3, min_secs=0, warmup_runs=1, warmup_min_secs=0)


def test_cut_of_several(runtime):
    """Inputs are what none of the operators computes, outputs the last one's."""
    ops = models.ops(FORKED)
    part = models.cut(FORKED, [0, 2])
    assert [op.name for op in models.ops(part)] == ["PAD", "DEPTHWISE_CONV_2D"] and models.fed([ops[0], ops[2]]) == ops[0].fed
    whole, alone = runtime.interpreter(FORKED), runtime.interpreter(part)
    values = harness.random_inputs(whole, seed=4)
    harness.assert_equal(harness.run(alone, *values)[0], harness.run(whole, *values)[1])
    with pytest.raises(models.ModelError, match="operator 3 does not exist"):
        models.cut(FORKED, [0, 3])


def test_nodes(runtime):
    found = tvmq_delegate.nodes(FORKED, runtime=runtime.name)
    assert [node.folded_into for node in found.nodes] == [1, -1, -1] and found.summary.claimed == 3
    ops = models.ops(FORKED)
    assert delegation.run_alone(ops, found.nodes) == {1: (0, 1), 2: (0, 2)}
    assert delegation.run_alone(ops, ()) == {0: (0,), 1: (1,), 2: (2,)}
    assert "folded into node 1, 2" in tables.delegation(found, 1000).columns[5]._cells[0].plain and "folded into node 1, 2" in graph.dot(found, ops)


def test_diff(runtime, tmp_path):
    """Every node is accounted for: the delegate's PAD with each of its readers, the stock runtime's by itself."""
    samples = inputs.random(inputs.describe(FORKED, runtime.module), 2)
    found = tvmq_delegate.diff(FORKED, contenders=("reference", "stock", "tvmq"), per_op=True, runtime=runtime.name, samples=samples)
    assert [(op.contender, op.nodes) for op in found.ops] == [("stock", (0,)), ("stock", (1,)), ("tvmq", (0, 1)), ("stock", (2,)), ("tvmq", (0, 2))]
    assert not found.uncompared and [found.compared(name) for name in found.contenders] == [3, 3]
    assert "tvmq (3 of 3 nodes) is bit-exact, end to end and in each of 3 nodes alone" in found.verdict
    assert any("tvmq: 0 of 3 nodes differ" in str(part) for part in report.report(found))


def test_a_pad_that_does_not_fold_is_found(runtime, monkeypatch, tmp_path):
    """The pair is run by the delegate wholly, or is not compared; and a wrong result of it is told and saved, the PAD included."""
    weights = np.zeros((8, 3, 3, 8), np.int8)
    weights[range(8), 1, 1, range(8)] = 1
    content = padded(CONV(filter=weights, in_scale=1.0, filter_scale=0.3, out_scale=1.0), EVEN)  # where one rounding and two differ often
    samples = inputs.random(inputs.describe(content, runtime.module), 1)
    found = tvmq_delegate.diff(content, rounding="single", per_op=True, save_failing=tmp_path, runtime=runtime.name, samples=samples)
    (op,) = found.ops
    assert not found.passed and op.nodes == (0, 1) and found.saved == (str(tmp_path / "op_1_CONV_2D.tflite"),)
    assert [saved.name for saved in models.ops(found.saved[0])] == ["PAD", "CONV_2D"]
    values = np.load(tmp_path / "op_1_CONV_2D.npz")["arr_0"]
    assert values.shape == (1, 8, 8, 8)
    left = padded(CONV(), None, in_shape=(1, 8, 8, 8))
    sample = inputs.Sample("with paddings", lambda: [values, np.array(EVEN, np.int32)])
    monkeypatch.setattr(accuracy.ops, "run_alone", lambda ops, nodes: {1: (0, 1)})
    found = tvmq_delegate.diff(left, per_op=True, runtime=runtime.name, samples=[sample])
    assert not found.ops and "does not run alone" in found.uncompared[-1].reason


def test_bench(runtime):
    """The convolution's time alone is that of both, under every contender; the PAD has none."""
    found = measure.bench(padded(CONV(), EVEN), runtime=runtime.name, settings=QUICK, against=["stock"], op_profiling=True)
    pad, conv = found.op_profile
    assert (pad.claimed, pad.how, pad.median_us, pad.inference_microseconds, dict(pad.alone_us)) == (True, "folded into node 1", 0, None, {})
    assert conv.median_us > 0 and set(conv.alone_us) == {"tvmq", "stock"} and conv.speedup("stock")
    assert found.reconciliation.left_us == 0 and found.reconciliation.claimed_us >= conv.least_us
