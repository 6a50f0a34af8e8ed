"""SOFTMAX of bytes of long rows. A sum of exponentials of 512 or more has no result in the reference: LiteRT's ends the process, tflite-runtime's divides by a
shift beyond its type. There the delegate gives what the optimized kernels give.
"""

from __future__ import annotations

import builders
import harness
import numpy as np
import pytest
from draws import Draw, randomly

MOST = 4095


def rows(draw: Draw, n: int, depth: int) -> np.ndarray:
    """Rows of the whole type, of close neighbours, of one value, and of two that are far apart."""
    generator = np.random.default_rng(draw.generator_seed())
    made = []
    for _ in range(n):
        least = draw.integer(0, 200)
        span = draw.choice([1, 2, 5, 20, 56])
        near = generator.integers(least, least + span, depth)
        made.append(draw.choice([generator.integers(0, 256, depth), near, np.where(np.arange(depth) < draw.integer(500, 530), 255, 0)]))
    return np.array(made)


def sums(value: np.ndarray, scale: float) -> np.ndarray:
    """The sum of the exponentials of each row."""
    return np.exp(scale * (value - value.max(axis=-1, keepdims=True))).sum(axis=-1)


def check(runtime: harness.Runtime, dtype: str, value: np.ndarray, scale: float) -> None:
    """Each row against the kernels that have a result for it: the reference's, or the optimized ones."""
    content = builders.build_softmax(in_shape=value.shape, dtype=dtype, in_scale=scale)
    delegate = runtime.load()
    delegated, expected, optimized = runtime.interpreter(content, [delegate]), runtime.interpreter(content), runtime.interpreter(content, resolver="AUTO")
    harness.assert_claimed(delegate)
    many = sums(value, scale) >= 512
    lone = np.where(np.arange(value.shape[-1]) == 0, 255, 0)
    fed, harmless = ((x - (0 if dtype == "uint8" else 128)).astype(dtype) for x in (value, np.where(many[:, None], lone, value)))
    wanted = np.where(many[:, None], harness.run(optimized, fed)[0], harness.run(expected, harmless)[0])
    harness.assert_equal(harness.run(delegated, fed)[0], wanted, f"sums {sums(value, scale)}")


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
@pytest.mark.parametrize("depth", [500, 511, 512, 513, 600, 1000, 1024, 2048, 2049, 3600, MOST])
def test_equal_elements(runtime: harness.Runtime, dtype: str, depth: int) -> None:
    check(runtime, dtype, np.repeat([[0], [77], [255]], depth, axis=1), 0.05)


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
@randomly
def test_long_rows(runtime: harness.Runtime, dtype: str, draw: Draw) -> None:
    value, scale = rows(draw, draw.integer(1, 5), draw.integer(400, MOST)), float(np.float32(draw.real(0.05, 0.5)))
    near = np.abs(sums(value, scale) - 512) < 0.1  # where float32 and fixed point may decide otherwise
    value[near & (sums(value, scale) != 512)] = 0
    check(runtime, dtype, value, scale)
