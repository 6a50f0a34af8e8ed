"""RESIZE_BILINEAR of uint8 by large factors: taken as far as float32 is exact, which is less far where outputs lie before the first input."""

from __future__ import annotations

import builders
import harness
import numpy as np
import pytest

import tvmq_delegate


@pytest.mark.parametrize("align_corners", [False, True], ids=["half pixel centers", "align corners"])
@pytest.mark.parametrize("size", [(128, 128), (64, 256), (256, 256)], ids=str)
def test_large_factors(runtime: harness.Runtime, size: tuple[int, int], align_corners: bool) -> None:
    out_size = tuple(n + 1 for n in size) if align_corners else size
    content = builders.build_resize_bilinear(
        dtype="uint8", in_shape=(1, 2, 2, 16), size=out_size, align_corners=align_corners, half_pixel_centers=not align_corners
    )
    delegate = runtime.load()
    interpreter, reference = runtime.interpreter(content, [delegate]), runtime.interpreter(content)
    assert tvmq_delegate.report(delegate).nodes[0].claimed == (align_corners or size != (256, 256))
    generator = np.random.default_rng(0)
    for _ in range(4):
        source = generator.integers(0, 256, (1, 2, 2, 16), np.uint8)
        harness.assert_equal(harness.run(interpreter, source)[0], harness.run(reference, source)[0])
