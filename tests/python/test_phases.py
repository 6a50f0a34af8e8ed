"""TRANSPOSE_CONVs of any filter and stride along each axis, large enough for their phases to be computed in several classes: bit for bit the reference's."""

from __future__ import annotations

import itertools

import builders
import harness
import numpy as np
import pytest

AXES = [(filter_size, stride) for filter_size in range(1, 6) for stride in range(1, 5)]  # all parts that the phases of an axis come in


def parameters(h: tuple[int, int], w: tuple[int, int], **more: object) -> dict:
    return {"in_shape": (2, 6, 7, 48), "out_c": 32, "filter_size": (h[0], w[0]), "stride": (h[1], w[1]), **more}


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16"])
def test_phases(runtime, dtype, padding):
    random = np.random.default_rng(1)
    for i, (h, w) in enumerate(itertools.product(AXES, AXES)):
        if (i // len(AXES) + i) % 4 != 0:  # each axis with a fourth of the others
            continue
        described = parameters(h, w, dtype=dtype, padding=padding, seed=i)
        if padding == "SAME":  # also sizes that leave pixels of the first group or the last one out
            described["size"] = [(n - 1) * stride + 1 + int(random.integers(stride)) for n, (_, stride) in zip(described["in_shape"][1:3], (h, w))]
        content = builders.build_transpose_conv(**described)
        delegate = runtime.load()
        reference, delegated = runtime.interpreter(content), runtime.interpreter(content, [delegate])
        harness.assert_claimed(delegate)
        info = np.iinfo(dtype)
        x = random.integers(info.min, info.max + 1, described["in_shape"]).astype(dtype)
        harness.assert_equal(harness.run(delegated, x)[0], harness.run(reference, x)[0])
