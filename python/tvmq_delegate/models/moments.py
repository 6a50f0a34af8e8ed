"""Means and variances of normal values that are clamped, squared, averaged or filtered."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray


def clipped_moments(mean: NDArray[Any], variance: NDArray[Any], upper: float) -> tuple[NDArray[Any], NDArray[Any]]:
    """Mean and variance of normal values after clamping them to 0...upper."""
    deviation = np.sqrt(variance)
    a, b = -mean / deviation, (upper - mean) / deviation
    cumulative_a, cumulative_b = _normal_cumulative(a), _normal_cumulative(b)
    density_a, density_b = _normal_density(a), _normal_density(b)
    inside, above = cumulative_b - cumulative_a, 1 - cumulative_b
    first = mean * inside + deviation * (density_a - density_b) + upper * above
    second = (mean**2 + variance) * inside + deviation * (mean * density_a - (upper + mean) * density_b) + upper**2 * above
    return first, np.maximum(second - first**2, 0.0)


def squared_moments(mean: NDArray[Any], variance: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Mean and variance of the squares of normal values."""
    return mean**2 + variance, 2 * variance**2 + 4 * mean**2 * variance


def averaged(variance: NDArray[Any], n: int) -> NDArray[Any]:
    """Variance of an average over n neighbours, which are correlated: between all equal (n^0) and independent (n^-1)."""
    return np.asarray(variance * n ** (-1 / 3))


def filtered_moments(weights: NDArray[Any], axis: int, mean: NDArray[Any], variance: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Mean and variance of each output channel of a filter, whose output channels lie along the axis; mean, variance: of each input channel."""
    if axis == 3:  # depthwise: one input channel per output channel
        taps = weights.reshape(-1, weights.shape[3])
        return taps.sum(axis=0) * mean, (taps**2).sum(axis=0) * variance
    rows = weights.reshape(weights.shape[0], -1, weights.shape[-1])
    return rows.sum(axis=1) @ mean, np.einsum("okc,okc->oc", rows, rows) @ variance


def _normal_density(x: NDArray[Any]) -> NDArray[Any]:
    return np.asarray(np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi))


def _normal_cumulative(x: NDArray[Any]) -> NDArray[Any]:
    return np.array([math.erfc(-value / math.sqrt(2)) / 2 for value in x])
