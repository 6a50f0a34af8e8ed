"""How far two computations of one tensor lie apart, gathered over many samples."""

from __future__ import annotations

import collections
import math
import statistics
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

LSB = "LSB"
STRINGS = "OSU"  # kinds of numpy's types; their lengths are part of the type


@dataclass(frozen=True)
class Difference:
    """How far a tensor lies from the baseline's, over all samples. Metrics have the names that TFLite's inference_diff and accuracy_debugger give them.

    unit: "LSB" (steps of the stored integers) for quantized tensors, "" (the values themselves) for others; of the greatest difference and the errors.
    different: elements whose bits differ; share: the same, from 0 to 1. max_diff: greatest absolute difference; infinite where one value is no number, and
    between strings. avg_error, std_dev: mean and standard deviation over the samples of each one's mean absolute difference. histogram: pairs of a signed
    difference, the baseline subtracted, and its number of elements, in order; of integers only. cosine: between the real values. snr: the baseline's real
    values against the difference, in dB. Both are None where they say nothing: of integers that are not quantized, of strings, without signal, and snr
    without noise.
    """

    dtype: str
    unit: str
    elements: int
    different: int
    share: float
    max_diff: float
    avg_error: float
    std_dev: float
    histogram: tuple[tuple[int, int], ...]
    cosine: float | None
    snr: float | None


@dataclass(frozen=True)
class Allowed:
    """How far results may lie apart: steps of quantized tensors, and values of others. Where nothing is allowed, the bits must be equal."""

    max_lsb: float = 0
    max_abs: float = 0

    def __post_init__(self) -> None:
        if not (self.max_lsb >= 0 and self.max_abs >= 0):  # which no NaN is
            raise ValueError(f"max_lsb and max_abs are 0 or more, not {self.max_lsb} and {self.max_abs}")

    def exceeded(self, difference: Difference) -> bool:
        allowed = self.max_lsb if difference.unit == LSB else self.max_abs
        return difference.max_diff > allowed or (not allowed and difference.different > 0)


@dataclass
class Tally:
    """Gathers a Difference sample by sample. scale, zero_point: of the tensor; scale 0 if it is not quantized."""

    scale: float = 0.0
    zero_point: int = 0
    dtype: str = ""
    different: int = 0
    elements: int = 0
    max_diff: float = 0.0
    errors: list[float] = field(default_factory=list)
    histogram: collections.Counter[int] = field(default_factory=collections.Counter)
    # Sums over the real values: baseline squared, contender squared, their product, the difference squared.
    powers: list[float] = field(default_factory=lambda: [0.0] * 4)

    def add(self, baseline: NDArray[Any], got: NDArray[Any]) -> None:
        """One sample. Raises ValueError if shape or type are not the same."""
        kind = baseline.dtype.kind
        if got.shape != baseline.shape or (got.dtype.kind != kind if kind in STRINGS else got.dtype != baseline.dtype):
            raise ValueError(f"{got.dtype}{list(got.shape)} beside the baseline's {baseline.dtype}{list(baseline.shape)}")
        self.dtype = "string" if kind in STRINGS else str(baseline.dtype)
        apart = unequal(baseline, got)
        self.elements += baseline.size
        self.different += int(apart.sum())
        if kind in "biu":
            histogram = _histogram(baseline, got, apart)
            self.histogram.update(histogram)
            greatest, total = max(map(abs, histogram), default=0), sum(abs(step) * count for step, count in histogram.items())
        else:
            distance = _distance(baseline, got, apart)
            greatest, total = distance.max(initial=0), distance.sum()
        self.max_diff = max(self.max_diff, float(greatest))
        self.errors.append(float(total) / max(1, baseline.size))
        if kind == "f" or self.scale:
            self._add_powers(baseline, got)

    def _add_powers(self, baseline: NDArray[Any], got: NDArray[Any]) -> None:
        import numpy as np

        a, b = ((values.astype(np.float64).ravel() - self.zero_point) * (self.scale or 1.0) for values in (baseline, got))
        finite = np.isfinite(a) & np.isfinite(b)
        a, b = a[finite], b[finite]
        for i, (left, right) in enumerate([(a, a), (b, b), (a, b), (b - a, b - a)]):
            self.powers[i] += float(left @ right)

    def result(self) -> Difference:
        signal, other, product, noise = self.powers
        errors = self.errors or [0.0]
        return Difference(
            dtype=self.dtype,
            unit=LSB if self.scale else "",
            elements=self.elements,
            different=self.different,
            share=self.different / max(1, self.elements),
            max_diff=self.max_diff,
            avg_error=statistics.fmean(errors),
            std_dev=statistics.pstdev(errors) if math.isfinite(max(errors)) else math.inf,
            histogram=tuple(sorted(self.histogram.items())),
            cosine=(product / math.sqrt(signal) / math.sqrt(other) if noise else 1.0) if signal and other else None,
            snr=10 * math.log10(signal / noise) if signal and noise else None,
        )


def unequal(baseline: NDArray[Any], got: NDArray[Any]) -> NDArray[Any]:
    """Where the bits differ."""
    import numpy as np

    if baseline.dtype.kind not in "fc":
        return np.asarray(baseline != got)
    a, b = (np.ascontiguousarray(values).reshape(-1, 1).view(np.uint8) for values in (baseline, got))
    return np.asarray((a != b).any(axis=-1)).reshape(baseline.shape)


def _histogram(baseline: NDArray[Any], got: NDArray[Any], unequal: NDArray[Any]) -> dict[int, int]:
    """Signed difference -> elements, of integers."""
    import numpy as np

    wide = object if baseline.dtype.itemsize == 8 else np.int64  # Python's integers hold every difference
    values, counts = np.unique(got[unequal].astype(wide) - baseline[unequal].astype(wide), return_counts=True)
    equal = baseline.size - int(counts.sum())
    return dict(zip(map(int, values), counts.tolist())) | ({0: equal} if equal else {})


def _distance(baseline: NDArray[Any], got: NDArray[Any], unequal: NDArray[Any]) -> NDArray[Any]:
    """Absolute differences of floats; infinite where one is no number, and where strings are not the same."""
    import numpy as np

    if baseline.dtype.kind not in "fc":
        return np.where(unequal, math.inf, 0.0)
    with np.errstate(invalid="ignore", over="ignore"):
        distance = np.abs(got.astype(np.result_type(got, np.float64)) - baseline)
    return np.where(unequal, np.where(np.isnan(distance), math.inf, distance), 0.0)
