"""The arithmetic of quantized convolutions by the shortest formulas: a model to hold the delegate against where no runtime has one.

Written from the definitions (rational numbers, rounded once or twice), not from the fixed-point code of any kernel. Integers are int64, which holds any product
of an accumulator of 32 bits, or of 48 where the multiplier has 15, and half a divisor more.
"""

from __future__ import annotations

import math

import builders
import cases
import numpy as np


def wrap(x: np.ndarray, bits: int = 32) -> np.ndarray:
    """Arithmetic modulo 2^bits, as a two's complement integer."""
    half = 1 << (bits - 1)
    return (x + half) % (2 * half) - half


def accumulators(case: cases.Case, source: np.ndarray) -> np.ndarray:
    """The exact sums: batch, height, width, output channels."""
    p = case.parameters
    x = source.astype(np.int64) - p["in_zero_point"]
    w = p["filter"].astype(np.int64) - p["filter_zero_point"]
    batch, *size, in_c = x.shape
    out_size, before = [], []
    for n, f, s, d in zip(size, p["filter_size"], p["stride"], p["dilation"]):
        out_size.append((n - 1) // s + 1 if p["padding"] == "SAME" else (n - (f - 1) * d - 1) // s + 1)
        before.append(max(0, (out_size[-1] - 1) * s + (f - 1) * d + 1 - n) // 2 if p["padding"] == "SAME" else 0)
    after = [(o - 1) * s + (f - 1) * d + 1 - n - b for o, s, f, d, n, b in zip(out_size, p["stride"], p["filter_size"], p["dilation"], size, before)]
    x = np.pad(x, [(0, 0), *((b, max(0, a)) for b, a in zip(before, after)), (0, 0)])
    depthwise = case.builder is builders.build_depthwise
    out_c = w.shape[3] if depthwise else w.shape[0]
    total = np.zeros((batch, *out_size, out_c), np.int64)
    for ky in range(w.shape[1]):
        for kx in range(w.shape[2]):
            tap = x[:, ky * p["dilation"][0] :: p["stride"][0], kx * p["dilation"][1] :: p["stride"][1]][:, : out_size[0], : out_size[1]]
            if depthwise:
                total += np.repeat(tap, out_c // in_c, axis=3) * w[0, ky, kx]
            else:
                per_group = np.split(w[:, ky, kx], p["groups"])
                total += np.concatenate([t @ g.T for t, g in zip(np.split(tap, p["groups"], axis=3), per_group)], axis=3)
    return total + (0 if p["bias"] is False else p["bias"].astype(np.int64))


def transposed_accumulators(case: cases.Case, source: np.ndarray) -> np.ndarray:
    """The exact sums of a TRANSPOSE_CONV: each input times the filter, added to the output around its place; what lies outside of it is left out."""
    p = case.parameters
    x = source.astype(np.int64) - p["in_zero_point"]
    w = p["filter"].astype(np.int64) - p["filter_zero_point"]
    sides = [(n - 1) * s + f for n, s, f in zip(x.shape[1:3], p["stride"], w.shape[1:3])]  # of all that inputs reach
    before = [max(0, side - n) // 2 if p["padding"] == "SAME" else 0 for side, n in zip(sides, p["size"])]
    total = np.zeros((x.shape[0], *(max(side, b + n) for side, b, n in zip(sides, before, p["size"])), w.shape[0]), np.int64)
    for y in range(x.shape[1]):
        for column in range(x.shape[2]):
            top, left = y * p["stride"][0], column * p["stride"][1]
            total[:, top : top + w.shape[1], left : left + w.shape[2]] += np.einsum("bi,ohwi->bhwo", x[:, y, column], w)
    total = total[:, before[0] : before[0] + p["size"][0], before[1] : before[1] + p["size"][1]]
    return total + (0 if p["bias"] is False else p["bias"].astype(np.int64))


def fixed_point(real: float) -> tuple[int, int]:
    """Q31 mantissa and exponent."""
    mantissa, exponent = math.frexp(real)
    q = math.floor(mantissa * (1 << 31) + 0.5)
    if q == 1 << 31:
        q, exponent = q // 2, exponent + 1
    return (0, 0) if exponent < -31 else (q, exponent)


def divide(numerator: np.ndarray, denominator: int, ties: str) -> np.ndarray:
    """Rounded to the nearest integer; ties "up" or "away" from zero. The denominator is 1 or even."""
    half = denominator // 2
    if ties == "up":
        return (numerator + half) // denominator
    return np.sign(numerator) * ((np.abs(numerator) + half) // denominator)


def rescale(rounding: str, x: np.ndarray, multiplier: int, exponent: int) -> np.ndarray:
    """x * multiplier * 2^(exponent - 31) for int32 accumulators."""
    if rounding == "single":
        return wrap(divide(x * multiplier, 1 << (31 - exponent), "up"))
    high = divide(wrap(x << max(exponent, 0)) * multiplier, 1 << 31, "up")
    return divide(high, 1 << max(-exponent, 0), "away" if rounding == "reference" else "up")


def rescale_wide(x: np.ndarray, multiplier: int, exponent: int) -> np.ndarray:
    """The same for int64 accumulators: a multiplier of 15 bits, one rounding in every mode."""
    reduced = min((multiplier + (1 << 15)) >> 16, 0x7FFF)
    return wrap(divide(x * reduced, 1 << (15 - exponent), "up"))


def output(case: cases.Case, source: np.ndarray | tuple[np.ndarray, ...], rounding: str = "reference") -> np.ndarray:
    """The operator's output for the input `source`, a pair where the operator has two."""
    return OPERATORS[case.builder](case, source, rounding)


def convolution(case: cases.Case, source: np.ndarray, rounding: str) -> np.ndarray:
    p = case.parameters
    acc = transposed_accumulators(case, source) if case.builder is builders.build_transpose_conv else accumulators(case, source)
    wide = p["dtype"] == "int16" and (p["bias"] is False or p["bias_dtype"] == "int64")
    in_scale, out_scale = np.float32(p["in_scale"]), np.float64(np.float32(p["out_scale"]))
    filter_scales = np.broadcast_to(np.float32(p["filter_scale"]), acc.shape[-1:])
    out = np.empty_like(acc)
    for channel, scale in enumerate(filter_scales):
        product = np.float64(in_scale * scale) if p["dtype"] == "uint8" else np.float64(in_scale) * np.float64(scale)
        parameters = fixed_point(float(product / out_scale))
        out[..., channel] = rescale_wide(acc[..., channel], *parameters) if wide else rescale(rounding, wrap(acc[..., channel]), *parameters)
    return finish(out, p["out_zero_point"], *activation_range(p), p["dtype"])


def requantize(case: cases.Case, source: np.ndarray, rounding: str) -> np.ndarray:
    p = case.parameters
    info = np.iinfo(p["out_dtype"])
    if p["in_dtype"] == "float32":  # affine quantization: float32 division, ties away from zero
        scaled = (source / np.float32(p["out_scale"])).astype(np.float64)
        whole = np.copysign(np.floor(np.abs(scaled) + 0.5), scaled)
        return finish(whole, p["out_zero_point"], info.min, info.max, p["out_dtype"])
    ratio = np.float64(np.float32(p["in_scale"])) / np.float64(np.float32(p["out_scale"]))
    out = rescale(rounding, wrap(source.astype(np.int64) - p["in_zero_point"]), *fixed_point(float(ratio)))
    return finish(out, p["out_zero_point"], info.min, info.max, p["out_dtype"])


def binary(case: cases.Case, source: tuple[np.ndarray, ...], rounding: str) -> np.ndarray:
    p = case.parameters
    pair = source if len(source) == 2 else (source[0], source[0] if p["twice"] else p["other"])
    which = [0, 0] if p["twice"] else [0, 1]
    in_scale, zero_points = np.float32(p["in_scale"])[which], np.array(p["in_zero_point"])[which]
    if p["operator"] in ("MAXIMUM", "MINIMUM"):
        return {"MAXIMUM": np.maximum, "MINIMUM": np.minimum}[p["operator"]](*pair)
    values = [x.astype(np.int64) - zero_point for x, zero_point in zip(pair, zero_points)]
    if p["operator"] in ("ADD", "SUB"):
        out = total(p, {"ADD": np.add, "SUB": np.subtract}[p["operator"]], values, in_scale, rounding)
    elif p["operator"] == "SQUARED_DIFFERENCE":
        out = squared_difference(p, values, in_scale, rounding)
    else:
        ratios = in_scale[0] / np.float32(p["out_scale"]), in_scale[0] * in_scale[1] / np.float32(p["out_scale"])
        out = rescale(rounding, values[0] * values[1], *fixed_point(float(ratios[1])))
        if p["operator"] == "PRELU":
            out = np.where(values[0] >= 0, rescale(rounding, values[0], *fixed_point(float(ratios[0]))), out)
    return finish(out, p["out_zero_point"], *activation_range(p), p["dtype"])


def total(p: dict, operation: np.ufunc, values: list[np.ndarray], in_scale: np.ndarray, rounding: str) -> np.ndarray:
    """Both inputs at a common scale, twice the larger one, with 20 bits more (int16: 15); then at the output's."""
    unit = 1 << (15 if p["dtype"] == "int16" else 20)
    common = float(2 * in_scale.max())
    both = operation(*(rescale(rounding, x * unit, *fixed_point(float(scale) / common)) for x, scale in zip(values, in_scale)))
    return rescale(rounding, both, *fixed_point(common / float(unit * np.float32(p["out_scale"]))))


def squared_difference(p: dict, values: list[np.ndarray], in_scale: np.ndarray, rounding: str) -> np.ndarray:
    """The inputs as of a total, with seven bits more; the output's scale divides the square of the common one."""
    unit, common = 1 << 7, float(2 * in_scale.max())
    difference = np.subtract(*(rescale(rounding, x * unit, *fixed_point(float(scale) / common)) for x, scale in zip(values, in_scale)))
    return rescale(rounding, difference**2, *fixed_point(common**2 / float(unit**2 * np.float32(p["out_scale"]))))


def finish(out: np.ndarray, zero_point: int, low: int, high: int, dtype: str) -> np.ndarray:
    """Adds the zero point and clamps. A sum that leaves int32 has no defined value in the reference kernels either: those elements are masked."""
    return np.ma.masked_array(np.clip(out + zero_point, int(low), int(high)).astype(dtype), mask=abs(out) >= (1 << 31) - (1 << 16))


def activation_range(p: dict) -> tuple[int, int]:
    """The part of the output type's range that the fused activation leaves."""
    low, high = int(np.iinfo(p["dtype"]).min), int(np.iinfo(p["dtype"]).max)

    def quantized(real: float) -> int:
        scaled = np.float32(real) / np.float32(p["out_scale"])  # rounded half away from zero
        return p["out_zero_point"] + int(math.copysign(math.floor(abs(float(scaled)) + 0.5), scaled))

    below, above = {"NONE": (None, None), "RELU": (0, None), "RELU6": (0, 6), "RELU_N1_TO_1": (-1, 1)}[p["activation"]]
    return max(low, low if below is None else quantized(below)), min(high, high if above is None else quantized(above))


OPERATORS = {
    builders.build_conv: convolution, builders.build_depthwise: convolution, builders.build_transpose_conv: convolution, builders.build_quantize: requantize,
    builders.build_binary: binary,
}  # fmt: skip
