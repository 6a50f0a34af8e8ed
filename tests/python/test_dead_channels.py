"""Channels that training has left without weights, as converters write them: a scale next to zero, and a bias near 2^30."""

from __future__ import annotations

import harness
import numpy as np
import pytest

from tvmq_delegate import models
from tvmq_delegate.binding import library

ISAS = [isa.name for isa in library.isas() if isa.available]
SIZE, IN_C, OUT_C = 9, 40, 40


def convolution(depthwise: bool, filter_size: int) -> bytes:
    random = np.random.default_rng(filter_size + 10 * depthwise)
    shape = (1, filter_size, filter_size, OUT_C) if depthwise else (OUT_C, filter_size, filter_size, IN_C)
    weights = random.integers(-127, 128, shape, np.int8)
    scales = random.uniform(0.0005, 0.002, OUT_C)
    bias = random.integers(-5000, 5000, OUT_C)
    dead = random.random(OUT_C) < 0.5
    (weights if depthwise else np.moveaxis(weights, 0, -1))[..., dead] = 0
    scales[dead] = 2.0 ** random.uniform(-36, -20, np.count_nonzero(dead))
    bias[dead] = random.choice([-(1 << 30), (1 << 30) + 128, 12345], np.count_nonzero(dead))
    builder = models.ModelBuilder()
    x = builder.add_tensor("x", (1, SIZE, SIZE, IN_C), "int8", scale=0.05, zero_point=-7)
    filters = builder.add_tensor("filter", shape, "int8", scale=scales.tolist(), dimension=3 if depthwise else 0, data=weights)
    biases = builder.add_tensor("bias", (OUT_C,), "int32", scale=(0.05 * scales).tolist(), data=bias.astype(np.int32))
    out = builder.add_tensor("out", (1, SIZE, SIZE, OUT_C), "int8", scale=0.1, zero_point=5)
    options = {"depth_multiplier": 1} if depthwise else {}
    builder.add_op("DEPTHWISE_CONV_2D" if depthwise else "CONV_2D", [x, filters, biases], [out], padding="SAME", stride_h=1, stride_w=1, **options)
    return builder.build([x], [out])


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("winograd", ["off", "on"])
@pytest.mark.parametrize("depthwise, filter_size", [(False, 1), (False, 3), (True, 3), (True, 5)])
def test_dead_channels(runtime, depthwise, filter_size, winograd, isa):
    content = convolution(depthwise, filter_size)
    delegate = runtime.load(isa=isa, winograd=winograd)
    delegated, reference = runtime.interpreter(content, [delegate]), runtime.interpreter(content)
    harness.assert_claimed(delegate)
    image = np.random.default_rng(3).integers(-128, 128, (1, SIZE, SIZE, IN_C), np.int8)
    wanted = harness.run(reference, image)[0]
    assert len(np.unique(wanted)) > 50
    harness.assert_equal(harness.run(delegated, image)[0], wanted)
