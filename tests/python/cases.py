"""Random one-op models over every parameter that the delegate handles, and the inputs to feed them.

A Draw decides what the code path depends on (shapes, types, quantization parameters, the kind of the values); the values come from a seeded generator.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable

import builders
import numpy as np
from draws import Draw

# Type of the activations -> type of the filter, of the bias, whether filter scales may be per channel, whether zero points are free.
KINDS = {
    "int8": ("int8", "int32", True, True),
    "uint8": ("uint8", "int32", False, True),
    "int16": ("int8", "int64", True, False),
    "int16, int32 bias": ("int8", "int32", True, False),
}
ACTIVATIONS = {"NONE": None, "RELU": None, "RELU6": 6.0, "RELU_N1_TO_1": 1.0}  # upper bound
SPECIAL = ["extremes", "small", "min", "max", "zero point"]

# in_scale * filter_scale / out_scale up to which the runtimes compute with defined behaviour (shifts of 30 and of 14 bits), per-channel factors included.
MAX_RATIO = {"int8": 2.0**28, "uint8": 2.0**28, "int16": 2.0**12}


def values(generator: np.random.Generator, how: str, shape: tuple[int, ...], dtype: str, zero_point: int = 0) -> np.ndarray:
    """An array of `dtype`: anything, one end of its range or both mixed, nothing but the zero point, or close to it."""
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    if how == "random":
        return generator.integers(low, high, shape, dtype, endpoint=True)
    if how == "extremes":
        return generator.choice(np.array([low, high], dtype), shape)
    if how == "small":
        return np.clip(zero_point + generator.integers(-3, 4, shape), low, high).astype(dtype)
    return np.full(shape, {"min": low, "max": high, "zero point": zero_point}[how], dtype)


def expected_sum(x: np.ndarray, w: np.ndarray, terms: int) -> tuple[float, float]:
    """Mean and standard deviation of the sum of `terms` products, at least 1."""
    x, w = x.astype(np.float64), w.astype(np.float64)
    mean = x.mean() * w.mean()
    return terms * mean, max(1.0, math.sqrt(terms * ((x**2).mean() * (w**2).mean() - mean**2 + 1e-9)))


@dataclasses.dataclass(frozen=True)
class Case:
    """A one-op model: a builder of builders/, its parameters, and what to feed one after the other; tuples where the operator has several inputs."""

    builder: Callable[..., bytes]
    parameters: dict
    inputs: list[np.ndarray | tuple[np.ndarray, ...]] = dataclasses.field(repr=False)

    def build(self) -> bytes:
        return self.builder(**self.parameters)


def tensors(source: np.ndarray | tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
    """The arrays to feed for one of a case's inputs."""
    return source if isinstance(source, tuple) else (source,)


def a_size(draw: Draw, small: int, large: int) -> int:
    """Mostly a small number, now and then one past a kernel's tile."""
    return draw.integer(1, draw.choice([small, large]))


def a_zero_point(draw: Draw, dtype: str) -> int:
    if dtype == "int32":
        return draw.integer(-1000, 1000)
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    middle, quarter = (low + high + 1) // 2, (high - low) // 4
    return draw.choice([middle, low, high]) if draw.one_in(4) else draw.integer(middle - quarter, middle + quarter)


def a_scale(draw: Draw) -> float:
    """A scale as converters write them, or a power of two, which leads to ties, or next to one."""
    scale = np.float32(2.0 ** draw.real(-13, 1))
    if draw.boolean():
        scale = np.float32(2.0 ** draw.integer(-12, 1))
        if draw.one_in(4):
            scale = np.nextafter(scale, np.float32(draw.choice([0, 4])))
    return float(scale)


def weighted(
    draw: Draw, kind: str, in_shape: tuple[int, ...], filter_shape: tuple[int, ...], out_c: int, biases: list[str], most_ratio: float | None = None
) -> tuple[dict, list[np.ndarray]]:
    """Filter, bias and quantization of an operator with activations of `kind`, as parameters, and inputs. Biases are ordinary, or one of the kinds given;
    accumulators are scaled by most_ratio at most.
    """
    filter_dtype, bias_dtype, may_be_per_channel, free_zero_points = KINDS[kind]
    dtype = kind.partition(",")[0]
    generator = np.random.default_rng(draw.generator_seed())
    in_zero_point, out_zero_point = (a_zero_point(draw, dtype) if free_zero_points else 0 for _ in range(2))
    filter_zero_point = a_zero_point(draw, "uint8") if filter_dtype == "uint8" else 0
    filter_values = values(generator, draw.choice(["random"] * 10 + SPECIAL), filter_shape, filter_dtype, filter_zero_point)
    if filter_dtype == "int8" and draw.boolean():
        filter_values = np.maximum(filter_values, -127)  # as converters write them
    inputs = [values(generator, how, in_shape, dtype, in_zero_point) for how in ("random", draw.choice(SPECIAL))]

    # A deviation of the accumulator, scaled by `ratio`, fills the output's type, or saturates, or hardly moves it. An ordinary bias balances the mean, as in
    # networks.
    x, w = inputs[0].astype(np.int64) - in_zero_point, filter_values.astype(np.int64) - filter_zero_point
    mean, deviation = expected_sum(x, w, math.prod(filter_shape) // out_c)
    fills = (np.iinfo(dtype).max + 1) / (2 * deviation)
    ratio = fills * 2.0 ** (draw.integer(-20, 15) if draw.one_in(5) else draw.real(-2, 2))
    if draw.boolean():
        ratio = 2.0 ** round(math.log2(ratio))  # with scales that are powers of two: ties
    activation = draw.choice(["NONE", *ACTIVATIONS])
    in_scale, out_scale = a_scale(draw), a_scale(draw)
    if ACTIVATIONS[activation]:  # the bound cuts off something, and not everything
        out_scale = ACTIVATIONS[activation] / draw.real(1, np.iinfo(dtype).max)
    filter_scale = np.float32(min(ratio, most_ratio or MAX_RATIO[dtype]) * out_scale / in_scale)
    per_channel = may_be_per_channel and draw.boolean()
    if per_channel:
        filter_scale = filter_scale * generator.choice(np.array([1, 1, 0.5, 0.37, 1.7, 2**-9], np.float32), out_c)

    bias = draw.choice(["ordinary"] * 6 + biases)
    spread = generator.uniform(-1.5, 1.5, out_c)
    bias_values = {"ordinary": spread * deviation - mean, "extreme": spread * 2**31}.get(bias, spread * 0)
    bias_values = np.clip(bias_values, -(2**31), 2**31 - 1).astype(bias_dtype)
    parameters = dict(
        in_shape=in_shape, dtype=dtype, bias_dtype=bias_dtype, activation=activation, filter=filter_values, bias=False if bias == "none" else bias_values,
        per_channel=per_channel, in_scale=in_scale, in_zero_point=in_zero_point, filter_scale=filter_scale, filter_zero_point=filter_zero_point,
        out_scale=out_scale, out_zero_point=out_zero_point,
    )  # fmt: skip
    return parameters, inputs


def convolutions(draw: Draw, kind: str, depthwise: bool = False, grouped: bool = False) -> Case:
    """CONV_2D or DEPTHWISE_CONV_2D with activations of `kind`."""
    filter_size = (a_size(draw, 3, 7), a_size(draw, 3, 7))
    dilation = (draw.integer(1, 3), draw.integer(1, 3))
    padding = draw.choice(["SAME", "VALID"])
    least = [(f - 1) * d + 1 if padding == "VALID" else 1 for f, d in zip(filter_size, dilation)]
    height, width = (n - 1 + a_size(draw, 9, 21) for n in least)
    groups = draw.integer(2, 5) if grouped else 1
    if depthwise:
        in_c, multiplier = a_size(draw, 20, 70), draw.integer(1, draw.choice([1, 9]))
        out_c = in_c * multiplier
        shape, filter_shape = {"depth_multiplier": multiplier}, (1, *filter_size, out_c)
    else:
        in_c, out_c = a_size(draw, 20, 150), a_size(draw, 10, 70)
        while in_c * out_c * groups * math.prod(filter_size) > 60_000:  # the reference is slow
            in_c, out_c = (in_c + 1) // 2, (out_c + 1) // 2
        in_c, out_c = groups * in_c, groups * out_c
        shape, filter_shape = {"out_c": out_c, "groups": groups}, (out_c, *filter_size, in_c // groups)
    in_shape = (a_size(draw, 1, 3), height, width, in_c)
    parameters, inputs = weighted(draw, kind, in_shape, filter_shape, out_c, ["zero", "extreme"] + ["none"] * depthwise)
    stride = (a_size(draw, 2, 5), a_size(draw, 2, 5))
    version = 7 if kind == "int16, int32 bias" else None  # the first one whose accumulator is not chosen by the runtime
    parameters |= dict(filter_size=filter_size, **shape, padding=padding, dilation=dilation, stride=stride, version=version)
    return Case(builders.build_depthwise if depthwise else builders.build_conv, parameters, inputs)


def transpose_convolutions(draw: Draw, kind: str) -> Case:
    """TRANSPOSE_CONV with activations of `kind`: any output that the input may have come of."""
    padding = draw.choice(["SAME", "VALID"])
    stride = [draw.choice([2, 2, draw.integer(1, 5)]) for _ in range(2)]
    filter_size = [max(a_size(draw, 3, 7), (s + 1) // 2) for s in stride]
    in_c, out_c = a_size(draw, 20, 150), a_size(draw, 10, 70)
    while in_c * out_c * math.prod(filter_size) > 30_000:  # the reference is slow
        in_c, out_c = (in_c + 1) // 2, (out_c + 1) // 2
    in_shape = (a_size(draw, 1, 3), a_size(draw, 5, 12), a_size(draw, 5, 12), in_c)
    least = [(n - 1) * s + (1 if padding == "SAME" else f) for n, s, f in zip(in_shape[1:3], stride, filter_size)]
    size = [n + draw.integer(0, s - 1) for n, s in zip(least, stride)]
    parameters, inputs = weighted(draw, kind, in_shape, (out_c, *filter_size, in_c), out_c, ["zero", "extreme"] + ["none"] * (kind != "int16"))
    if parameters["activation"] != "NONE":  # came with version 4, which tflite-runtime lacks, but is applied in older ones, too
        parameters["version"] = draw.choice([1, 3, 4])
    return Case(builders.build_transpose_conv, parameters | dict(padding=padding, stride=stride, size=size), inputs)


def fully_connecteds(draw: Draw, kind: str) -> Case:
    """FULLY_CONNECTED with activations of `kind`, of a vector or of many, with any number of dimensions."""
    depth, out_c = a_size(draw, 80, 700), a_size(draw, 20, 150)
    keep_num_dims, rows = draw.boolean(), 1 if draw.boolean() else a_size(draw, 9, 70)
    in_shape = (rows, depth) if draw.boolean() else (draw.integer(1, 3), rows, depth)
    if not keep_num_dims and rows % 2 == 0 and draw.boolean():
        in_shape = (2, *in_shape[:-2], rows // 2, depth)
    most_ratio = 2.0**28 / (depth * 255**2)  # products fit int32, and have one meaning in float64
    parameters, inputs = weighted(draw, kind, in_shape, (out_c, depth), out_c, ["zero", "none"], most_ratio)
    return Case(builders.build_fully_connected, parameters | dict(keep_num_dims=keep_num_dims), inputs)


def reductions(draw: Draw, operator: str, dtype: str) -> Case:
    """MEAN, SUM, REDUCE_MAX or REDUCE_MIN over any axes; often height and width."""
    generator = np.random.default_rng(draw.generator_seed())
    if draw.one_in(3):
        in_shape = (a_size(draw, 2, 12), a_size(draw, 9, 35), a_size(draw, 9, 35), a_size(draw, 20, 150))
        axes = draw.choice([(1, 2), (2, 1), (-3, -2), (2, 1, -2), (3,), (1,)])
    else:
        rank = draw.integer(1, 6)
        in_shape = tuple(draw.integer(1, draw.choice([9, {1: 300, 2: 70, 3: 30}.get(rank, 5)])) for _ in range(rank))
        axes = tuple(draw.integer(-rank, rank - 1) for _ in range(draw.integer(1, rank + 1)))
    in_scale = a_scale(draw)
    out_scale = in_scale if draw.boolean() else in_scale * 2.0 ** (draw.integer(-6, 12) if draw.boolean() else draw.real(-2, 1))
    points = [a_zero_point(draw, dtype) if dtype != "int16" else 0 for _ in range(2)]
    if operator in ("REDUCE_MAX", "REDUCE_MIN"):
        out_scale, points = in_scale, [points[0]] * 2
    parameters = dict(
        operator=operator, in_shape=in_shape, axes=axes, keep_dims=draw.boolean(), dtype=dtype, in_scale=in_scale, in_zero_point=points[0],
        out_scale=out_scale, out_zero_point=points[1],
    )  # fmt: skip
    ways = ("random", "small", draw.choice(SPECIAL))
    return Case(builders.build_reduce, parameters, [values(generator, how, in_shape, dtype, points[0]) for how in ways])


FLOATS = ("network", "wide", "any", "special")


def floats(generator: np.random.Generator, how: str, shape: tuple[int, ...]) -> np.ndarray:
    """Elements as networks have them, of a wider range, of any bits, or special ones."""
    special = (0, -0.0, np.nan, np.inf, -np.inf, 1e-45, -1e-45, 1e-38, 88.72283, 88.72284, -87.33655, -103.97, -103.98, -9, -9.000001, 16.619047, 16.619049, 22)
    if how == "any":
        return generator.integers(0, 2**32, shape, dtype=np.uint32).view(np.float32)
    if how == "special":
        return generator.choice(np.array(special, np.float32), shape)
    return generator.normal(0, 3 if how == "network" else 50, shape).astype(np.float32)


SOFTMAX_PAIRS = [("int8", "int8"), ("int8", "int16"), ("uint8", "uint8"), ("uint8", "int16"), ("int16", "int16")]


def softmaxes(draw: Draw, dtype: str, out_dtype: str, most: int) -> Case:
    """SOFTMAX of rows of up to `most` elements."""
    generator = np.random.default_rng(draw.generator_seed())
    rows = tuple(a_size(draw, 3, 40 if i == 0 else 3) for i in range(draw.integer(0, 3)))
    in_shape = (*rows, draw.choice([a_size(draw, 40, 500), 16, draw.integer(1, most)]))
    in_scale, zero_point = a_scale(draw), 0 if dtype == "int16" else a_zero_point(draw, dtype)
    parameters = dict(in_shape=in_shape, dtype=dtype, out_dtype=out_dtype, in_scale=in_scale, in_zero_point=zero_point, beta=draw.choice([1.0, 1.0, 0.3, 2.5]))
    ways = ("random", "small", draw.choice(SPECIAL))
    return Case(builders.build_softmax, parameters, [values(generator, how, in_shape, dtype, zero_point) for how in ways])


def float_softmaxes(draw: Draw) -> Case:
    """SOFTMAX of float32 rows."""
    generator = np.random.default_rng(draw.generator_seed())
    rows = tuple(a_size(draw, 3, 40 if i == 0 else 3) for i in range(draw.integer(0, 3)))
    in_shape = (*rows, draw.choice([a_size(draw, 40, 500), 16, draw.integer(1, 2000)]))
    parameters = dict(in_shape=in_shape, dtype="float32", beta=draw.choice([1.0, 1.0, 0.3, 2.5]))
    return Case(builders.build_softmax, parameters, [floats(generator, how, in_shape) for how in FLOATS])


def arg_maxima(draw: Draw, dtype: str) -> Case:
    """ARG_MAX along any axis, with ties."""
    generator = np.random.default_rng(draw.generator_seed())
    in_shape = tuple(a_size(draw, 6, 70) if i < 3 else draw.integer(1, 4) for i in range(draw.integer(1, 5)))
    axis = draw.integer(-len(in_shape), len(in_shape) - 1)
    parameters = dict(in_shape=in_shape, axis=axis, axis_dtype=draw.choice(["int32", "int64"]), dtype=dtype, out_dtype=draw.choice(["int32", "int64"]))
    return Case(builders.build_arg_max, parameters, [values(generator, how, in_shape, dtype) for how in ("random", "small", "extremes", "min", "max")])


def lookups(draw: Draw, index_dtype: str = "int32", row_scales: bool | None = None) -> Case:
    """EMBEDDING_LOOKUP of a constant table or of one that is an input. row_scales: whether rows have scales of their own; None: perhaps."""
    generator = np.random.default_rng(draw.generator_seed())
    n_rows = 256 if index_dtype == "uint8" else draw.integer(1, 300)
    table_shape = (n_rows, *(a_size(draw, 4, 30) for _ in range(draw.integer(1, 3))))
    dtype = draw.choice(["int8", "uint8", "float32"])
    out_dtype = draw.choice([dtype, "float32"])
    converts = dtype != out_dtype
    several = converts and n_rows > 1 and (draw.boolean() if row_scales is None else row_scales)
    scale = np.float32(generator.uniform(0.001, 0.1, n_rows)) if several else a_scale(draw)
    table = generator.standard_normal(table_shape).astype(np.float32) if dtype == "float32" else values(generator, "random", table_shape, dtype)
    n = a_size(draw, 5, 80)
    zero_point = 0 if converts or dtype == "float32" else a_zero_point(draw, dtype)
    constant = draw.boolean()
    parameters = dict(n=n, table_shape=table_shape, dtype=dtype, out_dtype=out_dtype, scale=None if dtype == "float32" else scale, zero_point=zero_point)
    parameters |= dict(table=table, index_dtype=index_dtype, constant=constant)
    indices = [generator.integers(0, n_rows, n).astype(index_dtype) for _ in range(3)]
    return Case(builders.build_lookup, parameters, [(each,) if constant else (each, table) for each in indices])


def bilinear_resizes(draw: Draw, dtype: str) -> Case:
    """RESIZE_BILINEAR; of uint8 by factors at which its weights are exact in float32."""
    generator = np.random.default_rng(draw.generator_seed())
    in_size = [a_size(draw, 6, 20) for _ in range(2)]
    align_corners, half_pixel_centers = draw.choice([(False, False), (True, False), (False, True)])
    size = [draw.integer(1, 40) for _ in range(2)]
    if dtype == "uint8":
        factors = [2 ** draw.integer(0, 3) for _ in range(2)]
        size = [(n - 1) * f + 1 if align_corners else n * f for n, f in zip(in_size, factors)]
    in_shape = (draw.integer(1, 2), *in_size, a_size(draw, 20, 70))
    parameters = dict(in_shape=in_shape, size=size, align_corners=align_corners, half_pixel_centers=half_pixel_centers, dtype=dtype)
    return Case(builders.build_resize_bilinear, parameters, [values(generator, how, in_shape, dtype) for how in ("random", "extremes")])


def pools(draw: Draw, dtype: str, largest: bool = False) -> Case:
    generator = np.random.default_rng(draw.generator_seed())
    in_shape = (draw.integer(1, 2), a_size(draw, 9, 35), a_size(draw, 9, 35), a_size(draw, 20, 150))
    whole = draw.boolean()  # a global pooling
    padding = draw.choice(["SAME", "VALID"])
    filter_size = tuple(n if whole else a_size(draw, min(n, 3), n if padding == "VALID" else n + 9) for n in in_shape[1:3])
    scale = a_scale(draw)
    activation = draw.choice(["NONE", *ACTIVATIONS])
    if ACTIVATIONS[activation]:  # the bound cuts off something, and not everything
        scale = ACTIVATIONS[activation] / draw.real(1, np.iinfo(dtype).max)
    stride = (a_size(draw, 2, 5), a_size(draw, 2, 5))
    zero_point = a_zero_point(draw, dtype)
    parameters = dict(in_shape=in_shape, filter_size=filter_size, stride=stride, padding=padding, activation=activation, dtype=dtype)
    inputs = [values(generator, how, in_shape, dtype, zero_point) for how in ("random", draw.choice(SPECIAL))]
    inputs.append(values(generator, "small", in_shape, dtype))  # halves of either sign
    return Case(builders.build_max_pool if largest else builders.build_average_pool, parameters | dict(scale=scale, zero_point=zero_point), inputs)


# Pairs of types of QUANTIZE that the reference kernels have, in one runtime or another.
QUANTIZE_PAIRS = [
    ("int8", "int8"), ("int8", "uint8"), ("uint8", "int8"), ("uint8", "uint8"), ("int8", "int16"), ("uint8", "int16"), ("int16", "int8"), ("int16", "int16"),
    ("int16", "int32"), ("int32", "int8"), ("int32", "int16"), ("float32", "int8"), ("float32", "uint8"), ("float32", "int16"),
]  # fmt: skip


def quantizes(draw: Draw, in_dtype: str, out_dtype: str) -> Case:
    generator = np.random.default_rng(draw.generator_seed())
    shape = (1, *(a_size(draw, 5, 20) for _ in range(draw.integer(1, 3))))
    in_scale = a_scale(draw)
    out_scale = in_scale if draw.boolean() else a_scale(draw)
    symmetric = (in_dtype, out_dtype) == ("int16", "int16")  # the one pair for which the runtimes ask it
    in_zero_point, out_zero_point = (0 if symmetric or dtype == "float32" else a_zero_point(draw, dtype) for dtype in (in_dtype, out_dtype))
    if in_dtype == "float32":
        how = draw.choice(["ties", "ordinary", "large"])
        steps = generator.integers(-300, 300, shape) + 0.5 if how == "ties" else generator.normal(0, 100 if how == "ordinary" else 1e30, shape)
        inputs = [(steps * out_scale).astype(np.float32)]
    else:
        inputs = [values(generator, how, shape, in_dtype, in_zero_point) for how in ("random", draw.choice(SPECIAL))]
    quantization = dict(in_scale=in_scale, in_zero_point=in_zero_point, out_scale=out_scale, out_zero_point=out_zero_point)
    parameters = dict(in_dtype=in_dtype, out_dtype=out_dtype, shape=shape, **quantization)
    return Case(builders.build_quantize, parameters, inputs)


def rescales_alike(scale: float, zero_point: int, out_scale: float) -> bool:
    """Whether uint8 of one scale become the same bytes of another with the product and the sum rounded once and twice."""
    factor = np.float32(scale) * (np.float32(1) / np.float32(out_scale))
    bias, bytes_ = np.float32(-zero_point) * factor, np.arange(256)
    twice, once = bytes_.astype(np.float32) * factor + bias, (bytes_ * np.float64(factor) + np.float64(bias)).astype(np.float32)
    rounded = [np.trunc(values.astype(np.float64) + np.copysign(0.5, values)) for values in (twice, once)]
    return bool((rounded[0] == rounded[1]).all())


def concatenations(draw: Draw, dtype: str) -> Case:
    """CONCATENATION along any axis of up to 64 tensors; some are constant, some without elements, some there twice."""
    generator = np.random.default_rng(draw.generator_seed())
    shape = [a_size(draw, 4, 40) for _ in range(draw.integer(1, draw.choice([3, 5])))]
    while math.prod(shape) > 3000:
        shape = [(size + 1) // 2 for size in shape]
    axis = draw.integer(0, len(shape) - 1)
    lengths = [a_size(draw, 9, draw.choice([40, 300])) for _ in range(draw.integer(1, draw.choice([3, 16, 64])))]
    lengths = [0 if length != max(lengths) and draw.one_in(3) else length for length in lengths]
    shapes = [(*shape[:axis], length, *shape[axis + 1 :]) for length in lengths]
    order = [draw.integer(0, i) if draw.one_in(8) and any(lengths[:i]) else i for i in range(len(shapes))]
    zero_point, out_scale = 0 if dtype == "int16" else a_zero_point(draw, dtype), a_scale(draw)
    scales, points = [a_scale(draw) for _ in shapes], [zero_point] * len(shapes)
    if dtype == "uint8":
        points = [a_zero_point(draw, dtype) if draw.boolean() else zero_point for _ in shapes]
        rescaled = [draw.boolean() and rescales_alike(scale, point, out_scale) for scale, point in zip(scales, points)]
        scales, points = ([a if other else same for a, other in zip(which, rescaled)] for which, same in ((scales, out_scale), (points, zero_point)))
    random = [values(generator, "random", of, dtype) for of in shapes]
    constants = {i: random[i] for i in range(1, len(shapes)) if draw.one_in(8) and lengths[i] > 0}
    parameters = dict(
        dtype=dtype, shapes=shapes, axis=draw.choice([axis, axis - len(shape)]), order=order, constants=constants, out_scale=out_scale,
        in_scale=None if dtype == "int8" else scales, in_zero_point=points, out_zero_point=zero_point,
    )  # fmt: skip
    return Case(builders.build_concatenation, parameters, [tuple(x for i, x in enumerate(random) if i not in constants)])


def factorings(draw: Draw, factors: list[int]) -> list[int]:
    """Dimensions whose product is that of the factors."""
    shape = [1]
    for factor in draw.shuffled(factors):
        if draw.boolean():
            shape.append(factor)
        else:
            shape[-1] *= factor
    return shape


def reshapes(draw: Draw, dtype: str) -> Case:
    """RESHAPE to a constant shape, one dimension of which may follow from the others."""
    generator = np.random.default_rng(draw.generator_seed())
    factors = [a_size(draw, 4, 9) for _ in range(draw.integer(1, 5))]
    in_shape, shape = tuple(factorings(draw, factors)), factorings(draw, factors)
    if draw.boolean():
        shape[draw.integer(0, len(shape) - 1)] = -1
    parameters = dict(in_shape=in_shape, shape=tuple(shape), dtype=dtype, tensor=draw.boolean())
    return Case(builders.build_reshape, parameters, [values(generator, "random", in_shape, dtype)])
