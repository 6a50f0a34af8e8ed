"""Random operators that move elements, and what each is in numpy: one table, which the tests of random models, of refusals and of hostile models follow."""

from __future__ import annotations

import dataclasses
import functools
import math
import random
from collections.abc import Callable, Sequence
from typing import Any

import builders
import numpy as np
from cases import a_scale, a_size, a_zero_point
from draws import Draw

Shape = tuple[int, ...]


@dataclasses.dataclass(frozen=True)
class Move:
    """A model of one operator that moves elements.

    `operands` are as `build_move` has them, or a number of the tensors' type; `expected` makes the outputs of the tensors among them; `zero_point` is that of
    all tensors where it matters.
    """

    operator: str
    operands: Sequence[Shape | np.ndarray | int]
    expected: Callable[..., Sequence[np.ndarray]] = dataclasses.field(repr=False)
    options: dict[str, Any] = dataclasses.field(default_factory=dict)
    zero_point: int | None = None

    def tensors(self, generator: np.random.Generator, dtype: str) -> list[np.ndarray]:
        info = np.iinfo(dtype)
        return [generator.integers(info.min, info.max, shape, dtype, endpoint=True) for shape in self.operands if isinstance(shape, tuple)]

    def build(self, dtype: str = "int8", **how: Any) -> bytes:
        outputs = self.expected(*self.tensors(np.random.default_rng(0), dtype))
        how.setdefault("out_shapes", [output.shape for output in outputs])
        if self.zero_point is not None:
            how["quantization"] = (how.get("quantization", (0.5, 0))[0], self.zero_point)
        operands = [np.array(operand, dtype) if isinstance(operand, int) else operand for operand in self.operands]
        return builders.build_move(self.operator, operands=operands, dtype=dtype, **how, **self.options)


def quantization(draw: Draw, dtype: str) -> tuple[float, int]:
    return a_scale(draw), 0 if dtype == "int16" else a_zero_point(draw, dtype)


def a_shape(draw: Draw, least: int, most: int, elements: int = 30_000) -> Shape:
    shape = [a_size(draw, 4, draw.choice([9, 40, 150])) for _ in range(draw.integer(least, most))]
    while math.prod(shape) > elements:
        shape = [(size + 1) // 2 for size in shape]
    return tuple(shape)


def numbers(draw: Draw, *values: int) -> np.ndarray:
    return np.array(values, draw.choice(["int32", "int64"]))


def from_behind(draw: Draw, axis: int, rank: int) -> int:
    return draw.choice([axis, axis - rank])


def splits(draw: Draw) -> Move:
    shape = list(a_shape(draw, 1, 5, 4000))
    axis, n = draw.integer(0, len(shape) - 1), draw.integer(1, draw.choice([3, 16, 64]))
    shape[axis] = n * draw.integer(1, 9)
    which = np.array(from_behind(draw, axis, len(shape)), np.int32)
    return Move("SPLIT", [which, tuple(shape)], lambda x: np.split(x, n, axis), {"num_splits": n})


def splits_v(draw: Draw) -> Move:
    shape = list(a_shape(draw, 1, 5, 4000))
    axis, sizes = draw.integer(0, len(shape) - 1), [draw.integer(draw.choice([0, 1]), 9) for _ in range(draw.integer(1, draw.choice([3, 16, 64])))]
    sizes[-1] += not any(sizes)
    shape[axis] = sum(sizes)
    ends = np.cumsum(sizes)[:-1]
    written = list(sizes)
    if draw.boolean():
        written[draw.integer(0, len(sizes) - 1)] = -1
    which = np.array(from_behind(draw, axis, len(shape)), np.int32)
    return Move("SPLIT_V", [tuple(shape), numbers(draw, *written), which], lambda x: np.split(x, ends, axis), {"num_splits": len(sizes)})


def unpacks(draw: Draw) -> Move:
    shape = list(a_shape(draw, 1, 5, 4000))
    axis = draw.integer(0, len(shape) - 1)
    shape[axis] = draw.integer(1, draw.choice([3, 16, 64]))
    options = {"num": shape[axis], "axis": from_behind(draw, axis, len(shape))}
    return Move("UNPACK", [tuple(shape)], lambda x: [np.take(x, i, axis) for i in range(x.shape[axis])], options)


def packs(draw: Draw) -> Move:
    shape = a_shape(draw, 1, 4, 4000)
    n, axis = draw.integer(1, draw.choice([3, 16, 64])), draw.integer(0, len(shape))
    options = {"values_count": n, "axis": from_behind(draw, axis, len(shape) + 1)}
    return Move("PACK", [shape] * n, lambda *tensors: [np.stack(tensors, axis)], options)


def slices(draw: Draw) -> Move:
    shape = a_shape(draw, 1, 5)
    begin = [draw.integer(0, size - 1) if draw.boolean() else 0 for size in shape]
    size = [draw.integer(1, n - b) if draw.boolean() else n - b for n, b in zip(shape, begin)]
    written = [-1 if n - b == s and draw.boolean() else s for n, b, s in zip(shape, begin, size)]
    dtype = draw.choice(["int32", "int64"])
    where = tuple(slice(b, b + s) for b, s in zip(begin, size))
    return Move("SLICE", [shape, np.array(begin, dtype), np.array(written, dtype)], lambda x: [x[where]])


def strided_slices(draw: Draw) -> Move:
    """Subscripts of all dimensions, or of some: an ellipsis stands for the others, or they follow; and of new ones."""
    shape = a_shape(draw, 1, draw.choice([3, 5]))
    left_out = draw.integer(0, len(shape) - 1) if draw.one_in(3) else 0
    ellipsis = draw.integer(0, len(shape) - left_out) if left_out and draw.boolean() else None
    subscripts: list[tuple[int, int, int]] = []
    where: list[Any] = []
    masks = dict.fromkeys(("begin_mask", "end_mask", "shrink_axis_mask", "ellipsis_mask", "new_axis_mask"), 0)

    def add(index: Any, subscript: tuple[int, int, int], **bits: bool) -> None:
        for mask, bit in bits.items():
            masks[mask] |= bit << len(subscripts)
        where.append(index)
        subscripts.append(subscript)

    axes = list(range(len(shape)))
    if ellipsis is not None:
        axes[ellipsis : ellipsis + left_out] = [-1]
    else:
        axes = axes[: len(shape) - left_out]
    for axis in axes:
        if len(shape) + masks["new_axis_mask"].bit_count() < 5 and draw.one_in(8):
            add(np.newaxis, (0, 0, 1), new_axis_mask=True)
        if axis < 0:
            add(Ellipsis, (0, 0, 1), ellipsis_mask=True)
            continue
        n, stride = shape[axis], draw.choice([1, 1, 1, 2, 3, -1, -2])
        begin, end = (draw.integer(-n - 2, n + 2) for _ in range(2))
        whole = draw.boolean()
        open_begin, open_end = whole or draw.one_in(4), whole or draw.one_in(4)
        if len(range(n)[None if open_begin else begin : None if open_end else end : stride]) == 0:
            open_begin = open_end = True
        if draw.one_in(6):
            index = draw.integer(-n, n - 1)
            add(index, (index, end, 1), end_mask=open_end, shrink_axis_mask=True)
        else:
            where_to = slice(None if open_begin else begin, None if open_end else end, stride)
            add(where_to, (begin, end, stride), begin_mask=open_begin, end_mask=open_end)
    operands = [shape, *(np.array(values, np.int32) for values in zip(*subscripts))]
    return Move("STRIDED_SLICE", operands, lambda x: [np.asarray(x[tuple(where)])], masks)


def squeezes(draw: Draw) -> Move:
    shape = tuple(1 if draw.boolean() else size for size in a_shape(draw, 1, 6))
    ones = [axis for axis, size in enumerate(shape) if size == 1]
    squeezed = [axis for axis in ones if draw.boolean()]
    written = [from_behind(draw, axis, len(shape)) for axis in squeezed]
    return Move("SQUEEZE", [shape], lambda x: [np.squeeze(x, tuple(squeezed or ones))], {"squeeze_dims": tuple(written)})


def expansions(draw: Draw) -> Move:
    shape = a_shape(draw, 1, 5)
    axis = draw.integer(0, len(shape))
    return Move("EXPAND_DIMS", [shape, numbers(draw, from_behind(draw, axis, len(shape) + 1))], lambda x: [np.expand_dims(x, axis)])


def transpositions(draw: Draw) -> Move:
    shape = a_shape(draw, 1, 6)
    order = draw.shuffled(list(range(len(shape))))
    written = np.array([from_behind(draw, axis, len(shape)) for axis in order], np.int32)
    return Move("TRANSPOSE", [shape, written], lambda x: [np.transpose(x, order)])


def reversals(draw: Draw) -> Move:
    shape = a_shape(draw, 1, 6)
    axis = draw.integer(0, len(shape) - 1)
    return Move("REVERSE_V2", [shape, np.array([from_behind(draw, axis, len(shape))], np.int32)], lambda x: [np.flip(x, axis)])


def tiles(draw: Draw) -> Move:
    shape = a_shape(draw, 1, 4, 2000)
    multiples = [draw.integer(1, draw.choice([1, 3, 9])) for _ in shape]
    return Move("TILE", [shape, numbers(draw, *multiples)], lambda x: [np.tile(x, multiples)])


def broadcasts(draw: Draw) -> Move:
    shape = a_shape(draw, 1, 4, 2000)
    shape = tuple(1 if draw.boolean() else size for size in shape)
    wanted = (*(draw.integer(1, 3) for _ in range(draw.integer(0, 2))), *(draw.integer(1, 9) if size == 1 else size for size in shape))
    return Move("BROADCAST_TO", [shape, numbers(draw, *wanted)], lambda x: [np.broadcast_to(x, wanted)])


def depths_to_space(draw: Draw) -> Move:
    block = draw.integer(1, 4)
    n, h, w, c = a_size(draw, 1, 3), *(a_size(draw, 5, 12) for _ in range(2)), a_size(draw, 4, 40)

    def expected(x: np.ndarray) -> list[np.ndarray]:
        return [x.reshape(n, h, w, block, block, c).transpose(0, 1, 3, 2, 4, 5).reshape(n, h * block, w * block, c)]

    return Move("DEPTH_TO_SPACE", [(n, h, w, block * block * c)], expected, {"block_size": block})


def spaces_to_depth(draw: Draw) -> Move:
    block = draw.integer(1, 4)
    n, h, w, c = a_size(draw, 1, 3), *(a_size(draw, 5, 12) for _ in range(2)), a_size(draw, 4, 40)

    def expected(x: np.ndarray) -> list[np.ndarray]:
        return [x.reshape(n, h, block, w, block, c).transpose(0, 1, 3, 2, 4, 5).reshape(n, h, w, block * block * c)]

    return Move("SPACE_TO_DEPTH", [(n, h * block, w * block, c)], expected, {"block_size": block})


def a_block(draw: Draw) -> tuple[list[int], list[tuple[int, int]]]:
    """The shape of a block of one or of two dimensions, and margins of each."""
    block = [draw.integer(1, draw.choice([2, 5])) for _ in range(draw.integer(1, 2))]
    return block, [tuple(draw.integer(0, draw.choice([0, 2, 7])) for _ in range(2)) for _ in block]


def spaces_to_batch(draw: Draw) -> Move:
    block, margins = a_block(draw)
    n, c, zero_point = a_size(draw, 1, 3), a_size(draw, 4, 40), draw.integer(0, draw.choice([0, 127]))
    padded = [-(-(draw.integer(1, 9) + sum(margin)) // size) for size, margin in zip(block, margins)]
    shape = (n, *(size * pixels - sum(margin) for size, pixels, margin in zip(block, padded, margins)), c)
    split = [extent for size, pixels in zip(block, padded) for extent in (pixels, size)]
    order = [*range(2, 2 * len(block) + 1, 2), 0, *range(1, 2 * len(block) + 1, 2), 2 * len(block) + 1]

    def expected(x: np.ndarray) -> list[np.ndarray]:
        whole = np.pad(x, [(0, 0), *margins, (0, 0)], constant_values=0 if x.dtype == "int16" else zero_point)
        return [whole.reshape(n, *split, c).transpose(order).reshape(n * math.prod(block), *padded, c)]

    operands = [shape, np.array(block, np.int32), np.array(margins, np.int32)]
    return Move("SPACE_TO_BATCH_ND", operands, expected, {}, zero_point)


def batches_to_space(draw: Draw) -> Move:
    block, margins = a_block(draw)
    n, c = a_size(draw, 1, 3), a_size(draw, 4, 40)
    pixels = [(sum(margin) + draw.integer(1, 9)) // size + 1 for size, margin in zip(block, margins)]
    order = [len(block), *(axis for i in range(len(block)) for axis in (len(block) + 1 + i, i)), 2 * len(block) + 1]

    def expected(x: np.ndarray) -> list[np.ndarray]:
        whole = x.reshape(*block, n, *pixels, c).transpose(order).reshape(n, *(a * b for a, b in zip(block, pixels)), c)
        return [whole[(slice(None), *(slice(before, size - after) for size, (before, after) in zip(whole.shape[1:], margins)))]]

    operands = [(n * math.prod(block), *pixels, c), np.array(block, np.int32), np.array(margins, np.int32)]
    return Move("BATCH_TO_SPACE_ND", operands, expected)


def gathers(draw: Draw) -> Move:
    shape = a_shape(draw, 1, 4, 4000)
    axis = draw.integer(0, len(shape) - 1)
    of = a_shape(draw, 1, 2, 40)
    indices = np.array([draw.integer(0, shape[axis] - 1) for _ in range(math.prod(of))]).reshape(of)
    if draw.boolean():
        indices = np.sort(indices, axis=None).reshape(of)
    constant = indices.astype(draw.choice(["int32", "int64"]))
    return Move("GATHER", [shape, constant], lambda x: [np.take(x, indices, axis)], {"axis": from_behind(draw, axis, len(shape))})


def gathers_nd(draw: Draw) -> Move:
    shape = a_shape(draw, 1, 5, 4000)
    depth, of = draw.integer(1, len(shape)), a_shape(draw, 0, 2, 40)
    indices = np.array([draw.integer(0, size - 1) for _ in range(math.prod(of)) for size in shape[:depth]], draw.choice(["int16", "int32", "int64"]))
    constant = indices.reshape(*of, depth)
    return Move("GATHER_ND", [shape, constant], lambda x: [x[tuple(np.moveaxis(constant, -1, 0))]])


def nearest(size: int, out: int, align_corners: bool, half_pixel_centers: bool) -> list[int]:
    """The indices of a dimension that the pixels of a resized one read."""
    f32 = np.float32
    scale = f32(size - 1) / f32(out - 1) if align_corners and out > 1 else f32(size) / f32(out)
    places = (np.arange(out, dtype=f32) + f32(0.5 if half_pixel_centers else 0)) * scale
    rounded = np.floor(places + f32(0.5)) if align_corners else np.floor(places)
    return [min(int(index), size - 1) for index in rounded]


def resizes(draw: Draw) -> Move:
    n, c = a_size(draw, 1, 3), a_size(draw, 4, 70)
    (h, w), (out_h, out_w) = ([a_size(draw, 7, 33) for _ in range(2)] for _ in range(2))
    if draw.boolean():
        out_h, out_w = 2 * h, 2 * w
    options = draw.choice([dict(align_corners=a, half_pixel_centers=b) for a, b in ((False, False), (True, False), (False, True))])
    rows, columns = nearest(h, out_h, **options), nearest(w, out_w, **options)
    return Move("RESIZE_NEAREST_NEIGHBOR", [(n, h, w, c), np.array([out_h, out_w], np.int32)], lambda x: [x[:, rows][:, :, columns]], options)


def mirror_pads(draw: Draw) -> Move:
    shape = a_shape(draw, 1, 4, 4000)
    mode = draw.choice(["REFLECT", "SYMMETRIC"])
    margins = [tuple(draw.integer(0, size - (mode == "REFLECT")) if draw.boolean() else 0 for _ in range(2)) for size in shape]
    while math.prod(size + sum(margin) for size, margin in zip(shape, margins)) > 100_000:
        margins = [(before // 2, after // 2) for before, after in margins]
    constant = np.array(margins, draw.choice(["int32", "int64"]))
    return Move("MIRROR_PAD", [shape, constant], lambda x: [np.pad(x, margins, mode.lower())], {"mode": mode})


def pads(draw: Draw, version_2: bool = False) -> Move:
    shape = a_shape(draw, 1, 5, 4000)
    margins = [tuple(draw.integer(0, draw.choice([2, 9])) if draw.boolean() else 0 for _ in range(2)) for _ in shape]
    while math.prod(size + sum(margin) for size, margin in zip(shape, margins)) > 100_000:
        margins = [(before // 2, after // 2) for before, after in margins]
    zero_point, value = draw.integer(0, 127), draw.integer(0, 127)
    operands = [shape, np.array(margins, draw.choice(["int32", "int64"]))]
    if version_2:
        return Move("PADV2", [*operands, value], lambda x: [np.pad(x, margins, constant_values=value)], {}, zero_point)
    return Move("PAD", operands, lambda x: [np.pad(x, margins, constant_values=zero_point)], {}, zero_point)


MOVES: dict[str, Callable[[Draw], Move]] = {
    "BATCH_TO_SPACE_ND": batches_to_space,
    "BROADCAST_TO": broadcasts,
    "DEPTH_TO_SPACE": depths_to_space,
    "EXPAND_DIMS": expansions,
    "GATHER": gathers,
    "GATHER_ND": gathers_nd,
    "MIRROR_PAD": mirror_pads,
    "PACK": packs,
    "PAD": pads,
    "PADV2": functools.partial(pads, version_2=True),
    "RESIZE_NEAREST_NEIGHBOR": resizes,
    "REVERSE_V2": reversals,
    "SLICE": slices,
    "SPACE_TO_BATCH_ND": spaces_to_batch,
    "SPACE_TO_DEPTH": spaces_to_depth,
    "SPLIT": splits,
    "SPLIT_V": splits_v,
    "SQUEEZE": squeezes,
    "STRIDED_SLICE": strided_slices,
    "TILE": tiles,
    "TRANSPOSE": transpositions,
    "UNPACK": unpacks,
}


def example(name: str) -> bytes:
    """A model of the operator, always the same."""
    return MOVES[name](Draw(random.Random(7))).build()
