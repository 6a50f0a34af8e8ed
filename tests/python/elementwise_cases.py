"""Random one-op models of the operators that compute element by element, as cases.py has them of the others."""

from __future__ import annotations

import math

import builders
import numpy as np
from builders.elementwise_op import BINARY
from cases import ACTIVATIONS, FLOATS, SPECIAL, Case, a_scale, a_size, a_zero_point, floats, values
from draws import Draw


def near_power_of_two(scale: float) -> bool:
    return abs(math.log2(scale) - round(math.log2(scale))) < 0.01


def an_output_scale(draw: Draw, operator: str, in_scale: tuple[float, float]) -> float:
    """The output holds all results, or saturates, or hardly moves; one in four ratios is a power of two: ties."""
    products = operator in ("MUL", "PRELU", "SQUARED_DIFFERENCE")
    largest = max(in_scale) ** 2 if operator == "SQUARED_DIFFERENCE" else in_scale[0] * in_scale[1] if products else max(in_scale)
    ratio = draw.integer(-8, 16 if products else 8) if draw.one_in(4) else draw.real(4, 9) if products else draw.real(-1, 2)
    return float(np.float32(largest * 2.0**ratio))


def gated(draw: Draw) -> list[tuple[int, ...]]:
    """An image and a gate of its channels, of its pixels, of all its elements, or along any of its dimensions: lines of neighbours are short or long."""
    shape = (draw.integer(1, 3), a_size(draw, 5, 20), a_size(draw, 5, 20), a_size(draw, 6, 300))
    kept = draw.choice([(False, False, False, True), (True, True, True, False), (False,) * 4, [draw.boolean() for _ in shape]])
    return [shape, tuple(size if keeps else 1 for keeps, size in zip(kept, shape))]


def binaries(draw: Draw, operator: str, dtype: str, large: bool = False) -> Case:
    """An operator on two tensors, of one shape or broadcast, on one and itself, or on one and a constant. Where some may be `large`, these have every pair of
    bytes, or are an image and a gate.
    """
    generator = np.random.default_rng(draw.generator_seed())
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    all_pairs = large and dtype != "int16" and draw.one_in(4)
    shape = (1, 256, 256) if all_pairs else (1, *(a_size(draw, 5, 20) for _ in range(draw.integer(1, 3))))
    in_scale = (a_scale(draw), a_scale(draw))
    if draw.one_in(4):
        in_scale = (in_scale[0],) * 2
    out_scale = an_output_scale(draw, operator, in_scale)
    activation = draw.choice(["NONE", *ACTIVATIONS]) if "fused_activation_function" in BINARY[operator] else "NONE"
    if activation != "NONE":
        out_scale = max(out_scale, 2.0**-26)  # its bounds fit int32
    points = [0 if dtype == "int16" else a_zero_point(draw, dtype) for _ in range(3)]
    twice, constant = draw.choice([(False, False)] * 4 + [(True, False), (False, True)])
    shapes = [shape, shape]
    if not all_pairs and not twice and draw.boolean():
        repeated = [draw.choice([None, 1] if operator == "PRELU" else [None, 0, 1]) for _ in shape]
        shapes = [tuple(1 if i == which else size for which, size in zip(repeated, shape)) for i in range(2)]
        shapes[1] = shapes[1][draw.integer(0, len(shape) - 1) :]
        if large and draw.boolean():
            shapes = gated(draw)
            if draw.boolean() and operator != "PRELU":
                shapes.reverse()
    ways = ("random", draw.choice(SPECIAL))
    inputs = [tuple(values(generator, how, of, dtype, point) for of, point in zip(shapes, points)) for how in ways]
    if all_pairs:
        every = np.arange(low, high + 1, dtype=dtype)
        inputs[0] = tuple(grid[np.newaxis] for grid in np.meshgrid(every, every))
    other = inputs[0][1] if constant else None
    parameters = dict(
        operator=operator, dtype=dtype, shape=shapes[0], other_shape=shapes[1], other=other, twice=twice, activation=activation, in_scale=in_scale,
        in_zero_point=tuple(points[:2]), out_scale=out_scale, out_zero_point=points[2],
        pot_scale_int16=draw.boolean() and not all(near_power_of_two(scale) for scale in (*in_scale[: 1 if twice else 2], out_scale)),
    )  # fmt: skip
    return Case(builders.build_binary, parameters, [pair[:1] if twice or constant else pair for pair in inputs])


# Functions of an element, with the types that the delegate takes.
UNARY = {
    "ABS": ("int8", "int16"),
    "EXP": ("int8",),
    "GELU": ("int8", "uint8"),
    "HARD_SWISH": ("int8", "uint8"),
    "LEAKY_RELU": ("int8", "uint8", "int16"),
    "LOG": ("int8",),
    "LOGISTIC": ("int8", "uint8", "int16"),
    "RELU": ("int8", "uint8", "int16"),
    "RELU6": ("int8", "uint8", "int16"),
    "RELU_0_TO_1": ("int8", "uint8"),
    "RELU_N1_TO_1": ("int8", "uint8"),
    "RSQRT": ("int8",),
    "TANH": ("int8", "uint8", "int16"),
}
FLOAT = ("EXP", "GELU", "LOG", "LOGISTIC", "TANH")  # computed in float32, with the mathematics library or approximations


LIBRARY = ("EXP", "GELU", "LOG", "LOGISTIC", "TANH")  # float32 of the mathematics library, or approximations of the runtime


def library_functions(draw: Draw, operator: str) -> Case:
    """A function of float32 elements: those of networks, bounds of the function's formula and any others."""
    generator = np.random.default_rng(draw.generator_seed())
    shape = tuple(a_size(draw, 5, 40) for _ in range(draw.integer(1, 4)))
    options = {"approximate": draw.boolean()} if operator == "GELU" else {}
    return Case(builders.build_unary, dict(operator=operator, dtype="float32", shape=shape, **options), [floats(generator, how, shape) for how in FLOATS])


def unaries(draw: Draw, operator: str, dtype: str) -> Case:
    """A function of an element, of every element that an 8-bit tensor may have."""
    generator = np.random.default_rng(draw.generator_seed())
    shape = (256,) if draw.boolean() else tuple(a_size(draw, 5, 40) for _ in range(draw.integer(1, 4)))
    in_scale = a_scale(draw)
    if operator == "EXP":
        in_scale = min(in_scale, 2.0**-6)
    out_scale = float(np.float32(in_scale * 2.0 ** (draw.integer(-3, 3) if draw.one_in(4) else draw.real(-3, 3))))
    if operator in FLOAT and draw.boolean():
        out_scale = a_scale(draw)
    if operator == "LOGISTIC":
        out_scale = 1 / 256
    if operator in ("LOGISTIC", "TANH") and dtype == "int16":
        out_scale = 2.0**-15
        shape = (1 << 16,) if draw.one_in(4) else shape
        while 0.0005 < abs(math.log2(in_scale) - round(math.log2(in_scale))) < 0.0015:  # which the reference takes for one or the other
            in_scale *= 0.99
    in_zero_point, out_zero_point = (0 if dtype == "int16" else a_zero_point(draw, dtype) for _ in range(2))
    if operator == "RSQRT":
        in_zero_point = -128
        out_scale = float(np.float32(in_scale**-0.5 * 2.0 ** -(draw.integer(0, 12) if draw.one_in(4) else draw.real(0, 12))))
    options = {"LEAKY_RELU": {"alpha": draw.choice([0.0, 0.1, 0.25, 1.0, draw.real(0, 3)])}, "GELU": {"approximate": draw.boolean()}}.get(operator, {})
    parameters = dict(
        operator=operator, dtype=dtype, shape=shape, in_scale=in_scale, in_zero_point=in_zero_point, out_scale=out_scale, out_zero_point=out_zero_point,
        **options,
    )  # fmt: skip
    inputs = [values(generator, how, shape, dtype, in_zero_point) for how in ("random", draw.choice(SPECIAL))]
    if shape == (np.iinfo(dtype).max - np.iinfo(dtype).min + 1,):
        inputs[0] = np.arange(shape[0]).astype(dtype)
    return Case(builders.build_unary, parameters, inputs)


def dequantizes(draw: Draw, dtype: str) -> Case:
    generator = np.random.default_rng(draw.generator_seed())
    shape = tuple(a_size(draw, 5, 40) for _ in range(draw.integer(1, 4)))
    zero_point = 0 if dtype == "int16" else a_zero_point(draw, dtype)
    parameters = dict(operator="DEQUANTIZE", dtype=dtype, out_dtype="float32", shape=shape, in_scale=a_scale(draw), in_zero_point=zero_point)
    return Case(builders.build_unary, parameters, [values(generator, how, shape, dtype, zero_point) for how in ("random", draw.choice(SPECIAL))])


def casts(draw: Draw, in_dtype: str) -> Case:
    generator = np.random.default_rng(draw.generator_seed())
    shape = tuple(a_size(draw, 5, 40) for _ in range(draw.integer(1, 4)))
    out_dtype = draw.choice(["int8", "uint8", "int16", "int32", "int64", "float32"])
    parameters = dict(operator="CAST", dtype=in_dtype, out_dtype=out_dtype, shape=shape)
    options = dict(in_data_type=in_dtype.upper(), out_data_type=out_dtype.upper())
    return Case(builders.build_unary, parameters | options, [values(generator, how, shape, in_dtype) for how in ("random", "extremes", "small")])


COMPARISONS = ("EQUAL", "GREATER", "GREATER_EQUAL", "LESS", "LESS_EQUAL", "NOT_EQUAL")
# Operators that make, join or follow conditions, with the types of what they compare, join or select.
CONDITIONS = {
    **{operator: ("int8", "uint8", "int32", "int64", "float32") for operator in COMPARISONS},
    "LOGICAL_AND": ("bool",),
    "LOGICAL_NOT": ("bool",),
    "LOGICAL_OR": ("bool",),
    "SELECT": ("int8", "uint8", "int16", "int32", "int64", "float32", "bool"),
    "SELECT_V2": ("int8", "uint8", "int16", "int32", "int64", "float32", "bool"),
}


def condition_shapes(draw: Draw, operator: str) -> list[tuple[int, ...]]:
    shape = tuple(a_size(draw, 5, 20) for _ in range(draw.integer(1, 4)))
    n = 3 if operator.startswith("SELECT") else 1 if operator == "LOGICAL_NOT" else 2
    if operator == "SELECT":
        return [draw.choice([shape, shape[:1], ()]), shape, shape]
    if draw.boolean():
        return [shape] * n
    some = [tuple(1 if draw.one_in(3) else size for size in shape)[draw.integer(0, len(shape) - 1) :] for _ in range(n)]
    some[draw.integer(0, n - 1)] = shape
    return some


def conditions(draw: Draw, operator: str) -> Case:
    """A comparison, operation on conditions or selection: of tensors of one shape, or broadcast, or with constants; equal elements are as many as others."""
    generator = np.random.default_rng(draw.generator_seed())
    dtype = draw.choice(CONDITIONS[operator])
    shapes = condition_shapes(draw, operator)
    scales = tuple(min(a_scale(draw), 0.999) for _ in range(2))
    if draw.boolean():
        scales = (scales[0],) * 2
    zero_points = tuple(a_zero_point(draw, dtype) if dtype in ("int8", "uint8") else 0 for _ in range(2))
    if draw.boolean():
        zero_points = (zero_points[0],) * 2

    def tensors(most: int) -> list[np.ndarray]:
        types = ["bool", dtype, dtype] if operator.startswith("SELECT") else [dtype, dtype]
        return [(generator.integers(-most, most, shape) + (most if of == "uint8" else 0)).astype(of) for shape, of in zip(shapes, types)]

    inputs = [tensors(most) for most in (3, 100)]
    constants = [inputs[0][i] if len(shapes) > 1 and i < len(shapes) - 1 and draw.one_in(4) else None for i in range(len(shapes))]
    parameters = dict(operator=operator, dtype=dtype, shapes=shapes, scales=scales, zero_points=zero_points, constants=constants)
    return Case(builders.build_condition, parameters, [tuple(tensor for tensor, constant in zip(some, constants) if constant is None) for some in inputs])
