"""accuracy/difference.py and accuracy/classes.py: metrics of arrays, without a runtime."""

from __future__ import annotations

import math
import pathlib

import numpy as np
import pytest

from tvmq_delegate.accuracy import classes
from tvmq_delegate.accuracy.classes import Rater, agreement, rater, read_labels
from tvmq_delegate.accuracy.difference import Allowed, Difference, Tally


def difference(*pairs: tuple, dtype: str = "int8", scale: float = 0.0, zero_point: int = 0) -> Difference:
    """The tally of pairs (baseline, contender), each a sample."""
    tally = Tally(scale, zero_point)
    for baseline, got in pairs:
        tally.add(np.array(baseline, dtype), np.array(got, dtype))
    return tally.result()


def test_quantized() -> None:
    found = difference(([1, 2, 3, -128], [1, 4, 2, 127]), ([5, 5, 5, 5], [5, 5, 5, 6]), scale=0.5, zero_point=1)
    assert (found.unit, found.dtype, found.elements, found.different, found.share, found.max_diff) == ("LSB", "int8", 8, 4, 0.5, 255)
    assert found.histogram == ((-1, 1), (0, 4), (1, 1), (2, 1), (255, 1))
    assert found.avg_error == (258 / 4 + 1 / 4) / 2 and found.std_dev == (258 / 4 - 1 / 4) / 2
    a, b = ((np.array(values) - 1) / 2 for values in ([1, 2, 3, -128, 5, 5, 5, 5], [1, 4, 2, 127, 5, 5, 5, 6]))
    assert found.cosine == pytest.approx(a @ b / np.sqrt(a @ a) / np.sqrt(b @ b))
    assert found.snr == pytest.approx(10 * np.log10(a @ a / ((a - b) @ (a - b))))


def test_equal() -> None:
    found = difference(([1, 2], [1, 2]), ([3, 4], [3, 4]), scale=0.1)
    assert (found.different, found.max_diff, found.avg_error, found.cosine, found.snr) == (0, 0, 0, 1, None)
    assert found.histogram == ((0, 4),)
    silent = difference(([0, 0], [0, 0]), scale=0.1)
    assert silent.cosine is None and silent.snr is None


def test_integers_that_are_not_quantized() -> None:
    found = difference(([0, 7], [0, 21]), dtype="int64")
    assert (found.unit, found.max_diff, found.histogram, found.cosine, found.snr) == ("", 14, ((0, 1), (14, 1)), None, None)
    ends = np.iinfo(np.int64)
    assert difference(([ends.min, 0], [ends.max, 0]), dtype="int64").histogram == ((0, 1), (2**64 - 1, 1))
    assert difference(([0, 5], [2**64 - 1, 5]), dtype="uint64").max_diff == 2.0**64
    assert difference(([True, False], [False, False]), dtype="bool").histogram == ((-1, 1), (0, 1))


def test_floats() -> None:
    found = difference(([1.0, 2.0, -1.0], [1.0, 2.5, -1.0]), dtype="float32")
    assert (found.unit, found.different, found.max_diff, found.histogram) == ("", 1, 0.5, ())
    assert found.snr == pytest.approx(10 * math.log10(6 / 0.25))
    nan, inf = math.nan, math.inf
    same = difference(([nan, inf, -0.0], [nan, inf, -0.0]), dtype="float32")
    assert same.different == 0 and same.max_diff == 0
    assert difference(([0.0], [-0.0]), dtype="float32").different == 1 and difference(([0.0], [-0.0]), dtype="float32").max_diff == 0
    for baseline, got in ((nan, 1.0), (1.0, nan), (inf, 1.0), (inf, -inf)):
        broken = difference(([baseline, 3.0], [got, 3.0]), dtype="float32")
        assert (broken.different, broken.max_diff) == (1, inf)
    assert difference(([65504.0], [-65504.0]), dtype="float16").max_diff == 2 * 65504


def test_strings_and_empty_tensors() -> None:
    found = difference(([b"cat", b"dog"], [b"cat", b"dot"]), dtype="object")
    assert (found.dtype, found.different, found.max_diff, found.histogram) == ("string", 1, math.inf, ())
    empty = difference(([[]], [[]]), scale=0.5)
    assert (empty.elements, empty.different, empty.max_diff, empty.avg_error, empty.share) == (0, 0, 0, 0, 0)


def test_another_shape_or_type() -> None:
    with pytest.raises(ValueError, match=r"int8\[3\] beside .* int8\[2\]"):
        difference(([1, 2], [1, 2, 3]))
    with pytest.raises(ValueError, match="uint8"):
        Tally().add(np.zeros(2, np.int8), np.zeros(2, np.uint8))


def test_what_is_allowed() -> None:
    lsb = difference(([1, 2], [1, 4]), scale=0.5)
    values = difference(([1.0], [1.25]), dtype="float32")
    assert Allowed().exceeded(lsb) and Allowed(1.9).exceeded(lsb) and not Allowed(2).exceeded(lsb)
    assert Allowed().exceeded(values) and Allowed(9).exceeded(values) and not Allowed(max_abs=0.25).exceeded(values)
    sign = difference(([0.0], [-0.0]), dtype="float32")  # other bits, equal values
    assert Allowed().exceeded(sign) and not Allowed(max_abs=1e-9).exceeded(sign)
    assert not Allowed().exceeded(difference(([1], [1])))


def test_ratings() -> None:
    scores = np.array([[1, 9, 9, 3, 2, 4], [7, 0, 0, 0, 0, 8]], np.uint8)
    first, second = Rater(6, "abcdef", 3).rate("stock", "x", 0, scores)
    assert first.classes == (1, 2, 5, 3, 4) and first.labels == tuple("bcfde") and first.scores == (9, 9, 4, 3, 2) and first.expected == 3
    assert second.classes == (5, 0, 1, 2, 3) and second.expected == 4
    (single,) = Rater(2).rate("stock", "x", 0, np.array([[0.25, 0.75]]))
    assert single.classes == (1, 0) and single.labels == () and single.expected is None


def test_agreement() -> None:
    def ratings(*rows: list[int]) -> list[classes.Rating]:
        return Rater(6).rate("", "", 0, np.array(rows, np.int8))

    baseline = ratings([9, 0, 0, 0, 0, 0], [0, 9, 0, 0, 0, 0])
    assert agreement(baseline, baseline, 1) == agreement(baseline, baseline, 5) == 1
    other = ratings([8, 9, 0, 0, 0, 0], [9, 0, 9, 9, 9, 9])  # best second, and last
    assert agreement(baseline, other, 1) == 0 and agreement(baseline, other, 5) == 0.5
    assert agreement([], [], 1) is None and agreement(Rater(4).rate("", "", 0, np.eye(4)), Rater(4).rate("", "", 0, np.eye(4)), 5) is None


@pytest.mark.parametrize(("shape", "count"), [((1, 10), 10), ((3, 1, 1, 7), 7), ((1, 5, 5), 0), ((10,), 0), ((), 0), ((1, 1), 0)])
def test_which_outputs_rate_classes(shape: tuple[int, ...], count: int) -> None:
    found = rater(shape)
    assert (found.count if found else 0) == count


def test_labels(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "labels.txt"
    path.write_text("background\ntench, Tinca tinca\n Hotdog \n\n", encoding="utf-8")
    labels = read_labels(path)
    assert labels == ["background", "tench, Tinca tinca", "Hotdog"]
    for wanted, found in (("tench", 1), ("Tinca Tinca", 1), ("tench, tinca tinca", 1), ("hotdog", 2), (2, 2), ("0", 0)):
        assert rater((1, 3), labels, wanted).expected == found


@pytest.mark.parametrize(
    ("shape", "labels", "expected", "told"),
    [
        ((1, 4), ["a", "b"], None, "2 names for the 4 classes"),
        ((1, 5, 5), ["a"], None, "does not rate classes"),
        ((1, 5, 5), [], "3", "does not rate classes"),
        ((1, 2), ["hotdog", "cat"], "hotdgo", "did you mean hotdog"),
        ((1, 2), [], "cat", "need a label file"),
        ((1, 2), [], 2, "'?2'? is not among the 2 classes"),
    ],
)
def test_labels_that_do_not_fit(shape: tuple[int, ...], labels: list[str], expected: str | int | None, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        rater(shape, labels, expected)


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\xff\xfe\x00\x01"])
def test_what_is_no_label_file(tmp_path: pathlib.Path, content: bytes) -> None:
    path = tmp_path / "labels.txt"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="labels.txt"):
        read_labels(path)
