"""Hypothesis strategies for one-op models over every parameter that the delegate handles, and the inputs to feed them.

Hypothesis draws what decides the code path (shapes, types, quantization parameters, the kind of the values); the values come from a seeded generator.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable

import numpy as np
from hypothesis import strategies as st

from tvmq_delegate import model

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
    """A one-op model: a builder of model.py, its parameters, and what to feed one after the other; tuples where the operator has several inputs."""

    builder: Callable[..., bytes]
    parameters: dict
    inputs: list[np.ndarray | tuple[np.ndarray, ...]] = dataclasses.field(repr=False)

    def build(self) -> bytes:
        return self.builder(**self.parameters)


def tensors(source: np.ndarray | tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
    """What to feed of one of a case's inputs."""
    return source if isinstance(source, tuple) else (source,)


def sizes(small: int, large: int) -> st.SearchStrategy[int]:
    """Mostly small numbers, now and then one past a kernel's tile."""
    return st.one_of(st.integers(1, small), st.integers(1, large))


def zero_points(dtype: str) -> st.SearchStrategy[int]:
    if dtype == "int32":
        return st.integers(-1000, 1000)
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    middle, quarter = (low + high + 1) // 2, (high - low) // 4
    return st.one_of(*[st.integers(middle - quarter, middle + quarter)] * 3, st.sampled_from([low, high, middle]))


def scales() -> st.SearchStrategy[float]:
    """A scale as converters write them, or a power of two, which leads to ties."""
    return st.one_of(st.floats(2.0**-13, 2.0, width=32), st.integers(-12, 1).map(lambda e: 2.0**e))


@st.composite
def weighted(
    draw, kind: str, in_shape: tuple[int, ...], filter_shape: tuple[int, ...], out_c: int, biases: list[str], most_ratio: float | None = None
) -> tuple[dict, list[np.ndarray]]:
    """Filter, bias and quantization of an operator with activations of `kind`, as parameters, and inputs. Biases are ordinary, or one of the kinds given;
    accumulators are scaled by most_ratio at most.
    """
    filter_dtype, bias_dtype, may_be_per_channel, free_zero_points = KINDS[kind]
    dtype = kind.partition(",")[0]
    generator = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    in_zero_point, out_zero_point = (draw(zero_points(dtype)) if free_zero_points else 0 for _ in range(2))
    filter_zero_point = draw(zero_points("uint8")) if filter_dtype == "uint8" else 0
    filter_values = values(generator, draw(st.sampled_from(["random"] * 10 + SPECIAL)), filter_shape, filter_dtype, filter_zero_point)
    if filter_dtype == "int8" and draw(st.booleans()):
        filter_values = np.maximum(filter_values, -127)  # as converters write them
    inputs = [values(generator, how, in_shape, dtype, in_zero_point) for how in ("random", draw(st.sampled_from(SPECIAL)))]

    # A deviation of the accumulator, scaled by `ratio`, fills the output's type, or saturates, or hardly moves it. An ordinary bias balances the mean, as in
    # networks.
    x, w = inputs[0].astype(np.int64) - in_zero_point, filter_values.astype(np.int64) - filter_zero_point
    mean, deviation = expected_sum(x, w, math.prod(filter_shape) // out_c)
    fills = (np.iinfo(dtype).max + 1) / (2 * deviation)
    # (tflite-runtime switches subnormal numbers off on Arm, and hypothesis must not want any then.)
    ratio = fills * 2.0 ** draw(st.one_of(*[st.floats(-2, 2, allow_subnormal=False)] * 4, st.integers(-20, 15)))
    if draw(st.booleans()):
        ratio = 2.0 ** round(math.log2(ratio))  # with scales that are powers of two: ties
    activation = draw(st.sampled_from(["NONE", *ACTIVATIONS]))
    in_scale, out_scale = draw(scales()), draw(scales())
    if ACTIVATIONS[activation]:  # the bound cuts off something, and not everything
        out_scale = ACTIVATIONS[activation] / draw(st.floats(1, np.iinfo(dtype).max))
    filter_scale = np.float32(min(ratio, most_ratio or MAX_RATIO[dtype]) * out_scale / in_scale)
    per_channel = may_be_per_channel and draw(st.booleans())
    if per_channel:
        filter_scale = filter_scale * generator.choice(np.array([1, 1, 0.5, 0.37, 1.7, 2**-9], np.float32), out_c)

    bias = draw(st.sampled_from(["ordinary"] * 6 + biases))
    spread = generator.uniform(-1.5, 1.5, out_c)
    bias_values = {"ordinary": spread * deviation - mean, "extreme": spread * 2**31}.get(bias, spread * 0)
    bias_values = np.clip(bias_values, -(2**31), 2**31 - 1).astype(bias_dtype)
    parameters = dict(
        in_shape=in_shape, dtype=dtype, bias_dtype=bias_dtype, activation=activation, filter=filter_values, bias=False if bias == "none" else bias_values,
        per_channel=per_channel, in_scale=in_scale, in_zero_point=in_zero_point, filter_scale=filter_scale, filter_zero_point=filter_zero_point,
        out_scale=out_scale, out_zero_point=out_zero_point,
    )  # fmt: skip
    return parameters, inputs


@st.composite
def convolutions(draw, kind: str, depthwise: bool = False, grouped: bool = False) -> Case:
    """CONV_2D or DEPTHWISE_CONV_2D with activations of `kind`."""
    filter_size = (draw(sizes(3, 7)), draw(sizes(3, 7)))
    dilation = (draw(st.integers(1, 3)), draw(st.integers(1, 3)))
    padding = draw(st.sampled_from(["SAME", "VALID"]))
    least = [(f - 1) * d + 1 if padding == "VALID" else 1 for f, d in zip(filter_size, dilation)]
    height, width = (n - 1 + draw(sizes(9, 21)) for n in least)
    groups = draw(st.integers(2, 5)) if grouped else 1
    if depthwise:
        in_c, multiplier = draw(sizes(20, 70)), draw(st.one_of(st.just(1), st.integers(1, 9)))
        out_c = in_c * multiplier
        shape, filter_shape = {"depth_multiplier": multiplier}, (1, *filter_size, out_c)
    else:
        in_c, out_c = draw(sizes(20, 150)), draw(sizes(10, 70))
        while in_c * out_c * groups * math.prod(filter_size) > 60_000:  # the reference is slow
            in_c, out_c = (in_c + 1) // 2, (out_c + 1) // 2
        in_c, out_c = groups * in_c, groups * out_c
        shape, filter_shape = {"out_c": out_c, "groups": groups}, (out_c, *filter_size, in_c // groups)
    in_shape = (draw(sizes(1, 3)), height, width, in_c)
    parameters, inputs = draw(weighted(kind, in_shape, filter_shape, out_c, ["zero", "extreme"] + ["none"] * depthwise))
    stride = (draw(sizes(2, 5)), draw(sizes(2, 5)))
    version = 7 if kind == "int16, int32 bias" else None  # the first one whose accumulator is not chosen by the runtime
    parameters |= dict(filter_size=filter_size, **shape, padding=padding, dilation=dilation, stride=stride, version=version)
    return Case(model.build_depthwise if depthwise else model.build_conv, parameters, inputs)


@st.composite
def fully_connecteds(draw, kind: str) -> Case:
    """FULLY_CONNECTED with activations of `kind`, of a vector or of many, with any number of dimensions."""
    depth, out_c = draw(sizes(80, 700)), draw(sizes(20, 150))
    keep_num_dims, rows = draw(st.booleans()), draw(st.one_of(st.just(1), sizes(9, 70)))
    in_shape = (rows, depth) if draw(st.booleans()) else (draw(st.integers(1, 3)), rows, depth)
    if not keep_num_dims and rows % 2 == 0 and draw(st.booleans()):
        in_shape = (2, *in_shape[:-2], rows // 2, depth)
    most_ratio = 2.0**28 / (depth * 255**2)  # products fit int32, and have one meaning in float64
    parameters, inputs = draw(weighted(kind, in_shape, (out_c, depth), out_c, ["zero", "none"], most_ratio))
    return Case(model.build_fully_connected, parameters | dict(keep_num_dims=keep_num_dims), inputs)


@st.composite
def means(draw, dtype: str) -> Case:
    """MEAN over height and width."""
    generator = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    in_shape = (draw(sizes(2, 12)), draw(sizes(9, 35)), draw(sizes(9, 35)), draw(sizes(20, 150)))
    in_scale = draw(scales())
    out_scale = in_scale if draw(st.booleans()) else in_scale * 2.0 ** draw(st.one_of(st.integers(-6, 12), st.floats(-2, 1, allow_subnormal=False)))
    points = [draw(zero_points(dtype)) for _ in range(2)]
    parameters = dict(
        in_shape=in_shape, axes=draw(st.sampled_from([(1, 2), (2, 1), (-3, -2), (2, 1, -2)])), keep_dims=draw(st.booleans()), dtype=dtype, in_scale=in_scale,
        in_zero_point=points[0], out_scale=out_scale, out_zero_point=points[1],
    )  # fmt: skip
    ways = ("random", "small", draw(st.sampled_from(SPECIAL)))
    return Case(model.build_mean, parameters, [values(generator, how, in_shape, dtype, points[0]) for how in ways])


@st.composite
def pools(draw, dtype: str, largest: bool = False) -> Case:
    generator = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    in_shape = (draw(st.integers(1, 2)), draw(sizes(9, 35)), draw(sizes(9, 35)), draw(sizes(20, 150)))
    whole = draw(st.booleans())  # a global pooling
    padding = draw(st.sampled_from(["SAME", "VALID"]))
    filter_size = tuple(n if whole else draw(sizes(min(n, 3), n if padding == "VALID" else n + 9)) for n in in_shape[1:3])
    scale = draw(scales())
    activation = draw(st.sampled_from(["NONE", *ACTIVATIONS]))
    if ACTIVATIONS[activation]:  # the bound cuts off something, and not everything
        scale = ACTIVATIONS[activation] / draw(st.floats(1, np.iinfo(dtype).max))
    stride = (draw(sizes(2, 5)), draw(sizes(2, 5)))
    zero_point = draw(zero_points(dtype))
    parameters = dict(in_shape=in_shape, filter_size=filter_size, stride=stride, padding=padding, activation=activation, dtype=dtype)
    inputs = [values(generator, how, in_shape, dtype, zero_point) for how in ("random", draw(st.sampled_from(SPECIAL)))]
    inputs.append(values(generator, "small", in_shape, dtype))  # halves of either sign
    return Case(model.build_max_pool if largest else model.build_average_pool, parameters | dict(scale=scale, zero_point=zero_point), inputs)


# Pairs of types of QUANTIZE that the reference kernels have, in one runtime or another.
QUANTIZE_PAIRS = [
    ("int8", "int8"), ("int8", "uint8"), ("uint8", "int8"), ("uint8", "uint8"), ("int8", "int16"), ("uint8", "int16"), ("int16", "int8"), ("int16", "int16"),
    ("int16", "int32"), ("int32", "int8"), ("int32", "int16"), ("float32", "int8"), ("float32", "uint8"), ("float32", "int16"),
]  # fmt: skip


@st.composite
def quantizes(draw, in_dtype: str, out_dtype: str) -> Case:
    generator = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shape = (1, *draw(st.lists(sizes(5, 20), min_size=1, max_size=3)))
    in_scale = draw(scales())
    out_scale = in_scale if draw(st.booleans()) else draw(scales())
    symmetric = (in_dtype, out_dtype) == ("int16", "int16")  # the one pair for which the runtimes ask it
    in_zero_point, out_zero_point = (0 if symmetric or dtype == "float32" else draw(zero_points(dtype)) for dtype in (in_dtype, out_dtype))
    if in_dtype == "float32":
        how = draw(st.sampled_from(["ties", "ordinary", "large"]))
        steps = generator.integers(-300, 300, shape) + 0.5 if how == "ties" else generator.normal(0, 100 if how == "ordinary" else 1e30, shape)
        inputs = [(steps * out_scale).astype(np.float32)]
    else:
        inputs = [values(generator, how, shape, in_dtype, in_zero_point) for how in ("random", draw(st.sampled_from(SPECIAL)))]
    quantization = dict(in_scale=in_scale, in_zero_point=in_zero_point, out_scale=out_scale, out_zero_point=out_zero_point)
    parameters = dict(in_dtype=in_dtype, out_dtype=out_dtype, shape=shape, **quantization)
    return Case(model.build_quantize, parameters, inputs)


def near_power_of_two(scale: float) -> bool:
    return abs(math.log2(scale) - round(math.log2(scale))) < 0.01


@st.composite
def adds(draw, dtype: str, large: bool = False) -> Case:
    """ADD of two tensors, of one shape or broadcast, of one and itself, or of one and a constant. Where some may be `large`, these sum every pair of bytes."""
    generator = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    all_pairs = large and dtype != "int16" and draw(st.booleans())
    shape = (1, 256, 256) if all_pairs else (1, *draw(st.lists(sizes(5, 20), min_size=1, max_size=3)))
    in_scale = (draw(scales()), draw(scales()))
    if draw(st.integers(0, 3)) == 0:
        in_scale = (in_scale[0],) * 2
    # The output holds all sums, or saturates, or hardly moves; one in four ratios is a power of two: ties.
    out_scale = float(np.float32(max(in_scale) * 2.0 ** draw(st.one_of(*[st.floats(-1, 2, allow_subnormal=False)] * 3, st.integers(-8, 8)))))
    activation = draw(st.sampled_from(["NONE", *ACTIVATIONS]))
    points = [0 if dtype == "int16" else draw(zero_points(dtype)) for _ in range(3)]
    twice, constant = draw(st.sampled_from([(False, False)] * 4 + [(True, False), (False, True)]))
    shapes = [shape, shape]
    if not all_pairs and not twice and draw(st.booleans()):
        repeated = [draw(st.sampled_from([None, 0, 1])) for _ in shape]
        shapes = [tuple(1 if i == which else size for which, size in zip(repeated, shape)) for i in range(2)]
        shapes[1] = shapes[1][draw(st.integers(0, len(shape) - 1)) :]
    ways = ("random", draw(st.sampled_from(SPECIAL)))
    inputs = [tuple(values(generator, how, of, dtype, point) for of, point in zip(shapes, points)) for how in ways]
    if all_pairs:
        every = np.arange(low, high + 1, dtype=dtype)
        inputs[0] = tuple(grid[np.newaxis] for grid in np.meshgrid(every, every))
    other = inputs[0][1] if constant else None
    parameters = dict(
        dtype=dtype, shape=shapes[0], other_shape=shapes[1], other=other, twice=twice, activation=activation, in_scale=in_scale,
        in_zero_point=tuple(points[:2]), out_scale=out_scale, out_zero_point=points[2],
        pot_scale_int16=draw(st.booleans()) and not all(near_power_of_two(scale) for scale in (*in_scale, out_scale)),
    )  # fmt: skip
    return Case(model.build_add, parameters, [pair[:1] if twice or constant else pair for pair in inputs])


@st.composite
def concatenations(draw, dtype: str) -> Case:
    """CONCATENATION along any axis of up to 16 tensors; some are constant, some without elements, some there twice."""
    generator = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shape = draw(st.lists(sizes(4, 40), min_size=1, max_size=5 if draw(st.booleans()) else 3))
    axis = draw(st.integers(0, len(shape) - 1))
    lengths = draw(st.lists(st.one_of(sizes(9, 300), sizes(9, 40), st.just(0)), min_size=1, max_size=draw(st.sampled_from([3, 16]))).filter(any))
    shapes = [(*shape[:axis], length, *shape[axis + 1 :]) for length in lengths]
    order = [draw(st.integers(0, i)) if draw(st.integers(0, 7)) == 0 and any(lengths[:i]) else i for i in range(len(shapes))]
    zero_point = 0 if dtype == "int16" else draw(zero_points(dtype))
    random = [values(generator, "random", of, dtype) for of in shapes]
    constants = {i: random[i] for i in range(1, len(shapes)) if draw(st.integers(0, 7)) == 0 and lengths[i] > 0}
    parameters = dict(
        dtype=dtype, shapes=shapes, axis=draw(st.sampled_from([axis, axis - len(shape)])), order=order, constants=constants, out_scale=draw(scales()),
        in_scale=[draw(scales()) for _ in shapes] if dtype == "int16" else None, out_zero_point=zero_point,
    )  # fmt: skip
    return Case(model.build_concatenation, parameters, [tuple(x for i, x in enumerate(random) if i not in constants)])


@st.composite
def factorings(draw, factors: list[int]) -> list[int]:
    """Dimensions whose product is that of the factors."""
    shape = [1]
    for factor in draw(st.permutations(factors)):
        if draw(st.booleans()):
            shape.append(factor)
        else:
            shape[-1] *= factor
    return shape


@st.composite
def reshapes(draw, dtype: str) -> Case:
    """RESHAPE to a constant shape, one dimension of which may follow from the others."""
    generator = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    factors = draw(st.lists(sizes(4, 9), min_size=1, max_size=5))
    in_shape, shape = tuple(draw(factorings(factors))), draw(factorings(factors))
    if draw(st.booleans()):
        shape[draw(st.integers(0, len(shape) - 1))] = -1
    return Case(model.build_reshape, dict(in_shape=in_shape, shape=tuple(shape), dtype=dtype), [values(generator, "random", in_shape, dtype)])
