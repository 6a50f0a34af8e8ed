"""Quantized networks layer by layer, with seeded weights and quantization parameters that fit without running anything.

Every activation carries its estimated mean and variance per channel. A layer's filter and bias are scaled so that each output channel gets a chosen mean
and deviation, as a folded batch normalization does it; the output's quantization range follows from those. Channels and positions are taken as
independent, which random weights make true enough.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .builder import INTEGER_RANGE, ModelBuilder, output_size
from .moments import averaged, clipped_moments, filtered_moments, squared_moments

# Upper end of the output range that an activation function implies. RELU has none: with the means and deviations below, 8 is rarely exceeded, and one
# range for all makes branches meet in a CONCATENATION with equal scales.
_UPPER_END = {"RELU": 8.0, "RELU6": 6.0}

# Mean and deviation of a convolution's output channels before the activation function, and how both vary among channels.
_MEAN, _MEAN_SPREAD, _DEVIATION, _DEVIATION_SPREAD = 0.5, 0.5, 2.0, 0.25

# Deviation of the logits: the best of a thousand classes then gets some tens of percent.
_LOGIT_DEVIATION = 3.0

# Ranges reach this many deviations from the mean.
_REACH = 4.0

# Deviation of the quantized weights: the int8 range, cut at 3.5 deviations.
_WEIGHT_DEVIATION = 36.0

# Zero point of uint8 weights, off the middle as asymmetric weights are.
_WEIGHT_ZERO_POINT = 121

# Functions of an element: the operator that computes the last of it, the function, the operator's options.
CURVES: dict[str, tuple[str, Callable[[NDArray[Any]], NDArray[Any]], dict[str, Any]]] = {
    "HARD_SWISH": ("HARD_SWISH", lambda x: x * np.clip(x + 3, 0, 6) / 6, {}),
    "LOGISTIC": ("LOGISTIC", lambda x: 1 / (1 + np.exp(-x)), {}),
    "RSQRT": ("RSQRT", lambda x: 1 / np.sqrt(np.maximum(x, 1 / 64)), {}),
    "SILU": ("MUL", lambda x: x / (1 + np.exp(-x)), {"fused_activation_function": "NONE"}),
}


@dataclass(frozen=True)
class Activation:
    """A tensor of the network under construction, how it is quantized (scale 0: float32), and the estimated mean and variance of each channel's values."""

    tensor: int
    shape: tuple[int, ...]
    scale: float
    zero_point: int
    mean: NDArray[Any]
    variance: NDArray[Any]

    @property
    def channels(self) -> int:
        return self.shape[-1]


class Network:
    """One network: layers return activations, `build` returns the model.

    dtype: "int8" (per-channel filters), "uint8" (per-tensor, asymmetric) or "float32" (hybrid: int8 filters, per channel but in FULLY_CONNECTED). io_dtype: of
    the model's input and output, "int8", "uint8" or "float32"; where it differs from dtype, QUANTIZE or DEQUANTIZE stands at both ends.
    """

    def __init__(self, name: str, *, dtype: str, io_dtype: str, seed: int):
        if not {dtype, io_dtype} <= {"int8", "uint8", "float32"} or (dtype == "float32" and io_dtype != dtype):
            raise ValueError(f"{name}: dtype and io_dtype are int8, uint8 or float32, and both float32 if dtype is, not {dtype!r} and {io_dtype!r}")
        self._dtype = dtype
        self._io_dtype = io_dtype
        self._builder = ModelBuilder(name)
        self._random = np.random.default_rng(seed)
        self._n = 0
        self._inputs: list[int] = []

    def input(self, resolution: int, *, low: float = -1.0) -> Activation:
        """An RGB image, normalized to low...1."""
        shape = (1, resolution, resolution, 3)
        mean, variance = np.full(3, (low + 1) / 2), np.full(3, (1 - low) ** 2 / 12)
        scale, zero_point = _affine(low, 1.0, self._io_dtype)
        self._inputs.append(self._builder.add_tensor("input", shape, self._io_dtype, scale=scale or None, zero_point=zero_point))
        x = Activation(self._inputs[-1], shape, scale, zero_point, mean, variance)
        return x if self._io_dtype == self._dtype else self._op("QUANTIZE", [x], shape, mean, variance, _affine(low, 1.0, self._dtype))

    def conv(
        self,
        x: Activation,
        out_c: int,
        filter_size: int | tuple[int, int] = 1,
        *,
        stride: int = 1,
        padding: str = "SAME",
        activation: str = "RELU",
        like: Activation | None = None,
    ) -> Activation:
        """CONV_2D with a bias. like: whose scale and zero point the output has."""
        size = (filter_size, filter_size) if isinstance(filter_size, int) else filter_size
        return self._convolution("CONV_2D", x, (out_c, *size, x.channels), 0, stride, padding, activation, like=like)

    def depthwise(self, x: Activation, filter_size: int = 3, *, stride: int = 1, activation: str = "RELU6") -> Activation:
        """DEPTHWISE_CONV_2D with a bias, SAME padding and depth multiplier 1."""
        return self._convolution("DEPTHWISE_CONV_2D", x, (1, filter_size, filter_size, x.channels), 3, stride, "SAME", activation, depth_multiplier=1)

    def dense(self, x: Activation, out_c: int) -> Activation:
        """FULLY_CONNECTED of a vector with a bias and RELU."""
        return self._weighted("FULLY_CONNECTED", x, (out_c, x.channels), 0, (x.shape[0], out_c), "RELU", None, None, {})

    def logits(self, x: Activation, classes: int) -> Activation:
        """The classifier: FULLY_CONNECTED for a vector, a 1x1 CONV_2D for an image."""
        # After pooling, what an image changes is small against what differs between channels: both make the logits.
        spread = replace(x, mean=np.full_like(x.mean, x.mean.mean()), variance=x.variance + x.mean.var())
        if len(x.shape) == 4:
            return self._convolution("CONV_2D", spread, (classes, 1, 1, x.channels), 0, 1, "SAME", "NONE", deviation=_LOGIT_DEVIATION)
        out_shape = (x.shape[0], classes)
        return self._weighted("FULLY_CONNECTED", spread, (classes, x.channels), 0, out_shape, "NONE", _LOGIT_DEVIATION, None, {})

    def add(self, a: Activation, b: Activation, activation: str = "NONE", *, like: Activation | None = None) -> Activation:
        """ADD of two activations of one shape, with "NONE" or "RELU" behind it. like: whose scale and zero point the sum has."""
        mean, variance = a.mean + b.mean, a.variance + b.variance
        low, high = _lowest(mean, variance), _highest(mean, variance)
        if activation == "RELU":
            low = 0.0
            mean, variance = clipped_moments(mean, variance, high)
        quantization = _affine(low, high, self._dtype) if like is None else (like.scale, like.zero_point)
        return self._op("ADD", [a, b], a.shape, mean, variance, quantization, fused_activation_function=activation)

    def subtract(self, a: Activation, b: Activation, *, squared: bool = False) -> Activation:
        """SUB of an activation and another one of its shape, or that repeats along its height and width; or SQUARED_DIFFERENCE."""
        mean, variance = a.mean - b.mean, a.variance + b.variance
        if squared:
            mean, variance = squared_moments(mean, variance)
            return self._op("SQUARED_DIFFERENCE", [a, b], a.shape, mean, variance, _affine(0.0, _highest(mean, variance), self._dtype))
        quantization = _affine(_lowest(mean, variance), _highest(mean, variance), self._dtype)
        return self._op("SUB", [a, b], a.shape, mean, variance, quantization, fused_activation_function="NONE")

    def multiply(self, a: Activation, b: Activation) -> Activation:
        """MUL of an activation with another one of its shape, or that repeats along its height and width."""
        mean, variance = a.mean * b.mean, a.variance * b.variance + a.variance * b.mean**2 + b.variance * a.mean**2
        corners = [p * q for p in _ends(a, self._dtype) for q in _ends(b, self._dtype)]
        low, high = max(min(corners), _lowest(mean, variance)), min(max(corners), _highest(mean, variance))
        return self._op("MUL", [a, b], a.shape, mean, variance, _affine(low, high, self._dtype), fused_activation_function="NONE")

    def constant(self, values: NDArray[Any]) -> Activation:
        """A tensor of the model's file, quantized as activations are."""
        self._n += 1
        scale, zero_point = _affine(float(values.min()), float(values.max()), self._dtype)
        data = values.astype(np.float32)
        if self._dtype != "float32":
            data = np.clip(np.rint(values / scale) + zero_point, *INTEGER_RANGE[self._dtype]).astype(self._dtype)
        tensor = self._builder.add_tensor(f"constant_{self._n}", values.shape, self._dtype, scale=scale or None, zero_point=zero_point, data=data)
        rows = values.reshape(-1, values.shape[-1] if values.ndim else 1)
        return Activation(tensor, values.shape, scale, zero_point, rows.mean(axis=0), rows.var(axis=0))

    def scalar(self, value: float) -> Activation:
        """A constant of no dimensions."""
        return self.constant(np.array(value))

    def curve(self, x: Activation, name: str) -> Activation:
        """A function of each element: one of `CURVES`, as SiLU is exported, x * LOGISTIC(x)."""
        operator, function, options = CURVES[name]
        normal = np.linspace(-_REACH, _REACH, 129)
        weights = np.exp(-(normal**2) / 2)
        values = function(x.mean[:, None] + np.sqrt(x.variance)[:, None] * normal)
        mean = values @ weights / weights.sum()
        variance = (values - mean[:, None]) ** 2 @ weights / weights.sum()
        # One range for all, as activation functions have it: branches meet with equal scales.
        quantization = self._share
        if name != "LOGISTIC":
            scale, zero_point = _affine(float(function(np.linspace(-3, 0, 129)).min()), _UPPER_END["RELU"], self._dtype)
            # TFLite refuses a HARD_SWISH whose input is 128 times as coarse as its output, or more.
            quantization = max(scale, x.scale / 64), zero_point
        inputs = [x, self.curve(x, "LOGISTIC")] if name == "SILU" else [x]
        return self._op(operator, inputs, x.shape, mean, variance, quantization, **options)

    def concat(self, *parts: Activation, axis: int = -1) -> Activation:
        """CONCATENATION, by default of the channels, of activations with equal scales."""
        first = parts[0]
        if any((part.scale, part.zero_point) != (first.scale, first.zero_point) for part in parts):
            raise ValueError("concatenated activations differ in scale or zero point")
        axis %= len(first.shape)
        mean, variance = first.mean, first.variance
        if axis == len(first.shape) - 1:
            mean, variance = (np.concatenate([getattr(part, key) for part in parts]) for key in ("mean", "variance"))
        shape = tuple(sum(part.shape[i] for part in parts) if i == axis else n for i, n in enumerate(first.shape))
        return self._op("CONCATENATION", parts, shape, mean, variance, (first.scale, first.zero_point), axis=axis)

    def channels(self, x: Activation, first: int, n: int) -> Activation:
        """STRIDED_SLICE: n channels from the first on."""
        begin, end, strides = (0,) * (len(x.shape) - 1) + (first,), (*x.shape[:-1], first + n), (1,) * len(x.shape)
        bounds = [np.array(values, np.int32) for values in (begin, end, strides)]
        part = slice(first, first + n)
        return self._op("STRIDED_SLICE", [x], (*x.shape[:-1], n), x.mean[part], x.variance[part], (x.scale, x.zero_point), constants=bounds)

    def resize(self, x: Activation, factor: int, operator: str = "RESIZE_BILINEAR") -> Activation:
        """Height and width times the factor, with pixels' centres in place."""
        shape = (x.shape[0], factor * x.shape[1], factor * x.shape[2], x.channels)
        size = np.array(shape[1:3], np.int32)
        centres = operator == "RESIZE_BILINEAR"
        return self._op(operator, [x], shape, x.mean, x.variance, (x.scale, x.zero_point), constants=[size], align_corners=False, half_pixel_centers=centres)

    def reshape(self, x: Activation, shape: tuple[int, ...]) -> Activation:
        """RESHAPE; channels that are taken apart or together are alike from here on."""
        n = shape[-1]
        mean, variance = (values if n == x.channels else np.full(n, values.mean()) for values in (x.mean, x.variance))
        return self._op("RESHAPE", [x], shape, mean, variance, (x.scale, x.zero_point), constants=[np.array(shape, np.int32)], new_shape=shape)

    def transpose(self, x: Activation, order: tuple[int, ...]) -> Activation:
        """TRANSPOSE; channels are alike from here on."""
        shape = tuple(x.shape[i] for i in order)
        mean, variance = (np.full(shape[-1], values.mean()) for values in (x.mean, x.variance))
        return self._op("TRANSPOSE", [x], shape, mean, variance, (x.scale, x.zero_point), constants=[np.array(order, np.int32)])

    def requantize(self, x: Activation, like: Activation) -> Activation:
        """QUANTIZE to another activation's scale and zero point; nothing in a network of float32."""
        return x if self._dtype == "float32" else self._op("QUANTIZE", [x], x.shape, x.mean, x.variance, (like.scale, like.zero_point))

    def pad(self, x: Activation, margin: int) -> Activation:
        """PAD of height and width by `margin` on each side."""
        paddings = np.array([[0, 0], [margin, margin], [margin, margin], [0, 0]], np.int32)
        shape = (x.shape[0], x.shape[1] + 2 * margin, x.shape[2] + 2 * margin, x.channels)
        return self._op("PAD", [x], shape, x.mean, x.variance, (x.scale, x.zero_point), constants=[paddings])

    def max_pool(self, x: Activation, size: int, *, stride: int, padding: str = "VALID") -> Activation:
        """MAX_POOL_2D."""
        # The estimate holds for 3x3 windows of rectified, somewhat correlated values, and roughly for others.
        mean = x.mean + 1.5 * np.sqrt(x.variance)
        return self._pool("MAX_POOL_2D", x, size, stride, padding, mean, x.variance)

    def average_pool(self, x: Activation, size: int, *, stride: int = 1, padding: str = "VALID") -> Activation:
        """AVERAGE_POOL_2D."""
        return self._pool("AVERAGE_POOL_2D", x, size, stride, padding, x.mean, averaged(x.variance, size * size))

    def mean(self, x: Activation, *, keep_dims: bool = False) -> Activation:
        """MEAN over height and width, which vanish or become 1."""
        variance = averaged(x.variance, x.shape[1] * x.shape[2])
        first, last = _ends(x, self._dtype)
        low, high = max(first, _lowest(x.mean, variance)), min(last, _highest(x.mean, variance))
        axes, shape = np.array([1, 2], np.int32), (x.shape[0], 1, 1, x.channels) if keep_dims else (x.shape[0], x.channels)
        return self._op("MEAN", [x], shape, x.mean, variance, _affine(low, high, self._dtype), constants=[axes], keep_dims=keep_dims)

    def flatten(self, x: Activation) -> Activation:
        """RESHAPE to batch and channels."""
        return self.reshape(x, (x.shape[0], x.channels))

    def softmax(self, x: Activation) -> Activation:
        """SOFTMAX over the channels, with the output scale that TFLite prescribes."""
        share = np.full_like(x.mean, 1 / x.channels)
        return self._op("SOFTMAX", [x], x.shape, share, share**2, self._share, beta=1.0)

    @property
    def _share(self) -> tuple[float, int]:
        """Scale and zero point of what lies between 0 and 1, as TFLite prescribes."""
        return (0.0, 0) if self._dtype == "float32" else (1 / 256, INTEGER_RANGE[self._dtype][0])

    def build(self, *outputs: Activation) -> bytes:
        """The model with these outputs. The delegate leaves out layers that no output depends on."""
        return self._builder.build(self._inputs, [self._as_output(output).tensor for output in outputs])

    def _as_output(self, x: Activation) -> Activation:
        """In the model's type. From one 8-bit type to the other the scale is the same, and the zero point is shifted by 128."""
        if self._io_dtype == self._dtype:
            return x
        if self._io_dtype == "float32":
            return self._op("DEQUANTIZE", [x], x.shape, x.mean, x.variance, (0.0, 0), dtype="float32")
        zero_point = x.zero_point + INTEGER_RANGE[self._io_dtype][0] - INTEGER_RANGE[self._dtype][0]
        return self._op("QUANTIZE", [x], x.shape, x.mean, x.variance, (x.scale, zero_point), dtype=self._io_dtype)

    def _pool(self, operator: str, x: Activation, size: int, stride: int, padding: str, mean: NDArray[Any], variance: NDArray[Any]) -> Activation:
        height, width = (output_size(n, size, stride, 1, padding) for n in x.shape[1:3])
        shape = (x.shape[0], height, width, x.channels)
        options: dict[str, Any] = {"filter_height": size, "filter_width": size, "stride_h": stride, "stride_w": stride, "padding": padding}
        return self._op(operator, [x], shape, mean, variance, (x.scale, x.zero_point), **options)

    def _convolution(
        self,
        operator: str,
        x: Activation,
        filter_shape: tuple[int, ...],
        axis: int,
        stride: int,
        padding: str,
        activation: str,
        deviation: float | None = None,
        like: Activation | None = None,
        **options: Any,
    ) -> Activation:
        height, width = (output_size(n, filter_shape[i + 1], stride, 1, padding) for i, n in enumerate(x.shape[1:3]))
        shape = (x.shape[0], height, width, filter_shape[axis])
        options.update(stride_h=stride, stride_w=stride, padding=padding)
        return self._weighted(operator, x, filter_shape, axis, shape, activation, deviation, like, options)

    def _weighted(
        self,
        operator: str,
        x: Activation,
        filter_shape: tuple[int, ...],
        axis: int,
        shape: tuple[int, ...],
        activation: str,
        deviation: float | None,
        like: Activation | None,
        options: dict[str, Any],
    ) -> Activation:
        """An operator with filter and bias. `deviation` given: of all output channels, with mean 0; else seeded per channel."""
        out_c = filter_shape[axis]
        weights = self._random.standard_normal(filter_shape, dtype=np.float32)
        weights *= _WEIGHT_DEVIATION
        np.clip(np.rint(weights, out=weights), -127, 127, out=weights)
        acc_mean, acc_variance = filtered_moments(weights, axis, x.mean, x.variance)

        means: NDArray[Any] = np.zeros(out_c)
        deviations: NDArray[Any] = np.full(out_c, deviation)
        if deviation is None:
            means = self._random.normal(_MEAN if activation in _UPPER_END else 0.0, _MEAN_SPREAD, out_c)
            deviations = _DEVIATION * self._random.uniform(1 - _DEVIATION_SPREAD, 1 + _DEVIATION_SPREAD, out_c)
        # The filter's scales are real units per weight step; one scale for the whole filter leaves the channels' deviations as they fall.
        # A channel whose weights are all rounded to zero has one as well.
        acc_variance = np.where(acc_variance > 0, acc_variance, 1.0)
        scales = deviations / np.sqrt(acc_variance)
        hybrid = self._dtype == "float32"
        if self._dtype == "uint8" or (hybrid and operator == "FULLY_CONNECTED"):
            scales = np.full(1, scales.mean())
            deviations = scales * np.sqrt(acc_variance)
        bias = (means - scales * acc_mean).astype(np.float32)
        if not hybrid:
            bias = np.rint((means - scales * acc_mean) / (x.scale * scales)).astype(np.int32)

        mean, variance = means, deviations**2
        if activation in _UPPER_END:
            low, high = 0.0, _UPPER_END[activation]
            mean, variance = clipped_moments(mean, variance, high)
        else:
            low, high = _lowest(mean, variance), _highest(mean, variance)

        filter_dtype = "uint8" if self._dtype == "uint8" else "int8"
        filter_zero_point = _WEIGHT_ZERO_POINT if filter_dtype == "uint8" else 0
        data = np.clip(weights + filter_zero_point, *INTEGER_RANGE[filter_dtype]).astype(filter_dtype)
        self._n += 1
        filter_tensor = self._builder.add_tensor(
            f"filter_{self._n}", filter_shape, filter_dtype, scale=scales, zero_point=filter_zero_point, dimension=axis, data=data
        )
        bias_scale = None if hybrid else np.float32(x.scale) * scales.astype(np.float32)
        bias_tensor = self._builder.add_tensor(f"bias_{self._n}", (out_c,), str(bias.dtype), scale=bias_scale, data=bias)
        quantization = _affine(low, high, self._dtype) if like is None else (like.scale, like.zero_point)
        options["fused_activation_function"] = activation
        return self._op(operator, [x], shape, mean, variance, quantization, weights=[filter_tensor, bias_tensor], **options)

    def _op(
        self,
        operator: str,
        inputs: Sequence[Activation],
        shape: tuple[int, ...],
        mean: NDArray[Any],
        variance: NDArray[Any],
        quantization: tuple[float, int],
        *,
        dtype: str | None = None,
        weights: Sequence[int] = (),
        constants: Sequence[NDArray[Any]] = (),
        **options: Any,
    ) -> Activation:
        self._n += 1
        scale, zero_point = quantization
        operands = [x.tensor for x in inputs] + list(weights)
        operands += [self._builder.add_tensor(f"constant_{self._n}", data.shape, "int32", data=data) for data in constants]
        tensor = self._builder.add_tensor(f"{operator.lower()}_{self._n}", shape, dtype or self._dtype, scale=scale or None, zero_point=zero_point)
        self._builder.add_op(operator, operands, [tensor], **options)
        # Rounding to the output's steps adds its share, and no variance is ever zero.
        return Activation(tensor, shape, scale, zero_point, mean, variance + scale * scale / 12)


def _lowest(mean: NDArray[Any], variance: NDArray[Any]) -> float:
    return float((mean - _REACH * np.sqrt(variance)).min())


def _highest(mean: NDArray[Any], variance: NDArray[Any]) -> float:
    return float((mean + _REACH * np.sqrt(variance)).max())


def _ends(x: Activation, dtype: str) -> list[float]:
    """The least and the greatest real value that a tensor of the type can hold."""
    return [-math.inf, math.inf] if dtype == "float32" else [x.scale * (end - x.zero_point) for end in INTEGER_RANGE[dtype]]


def _affine(low: float, high: float, dtype: str) -> tuple[float, int]:
    """Scale and zero point that map low...high, widened to hold 0, onto the type; of float32 none."""
    if dtype == "float32":
        return 0.0, 0
    first, last = INTEGER_RANGE[dtype]
    low, high = min(low, 0.0), max(high, 0.0)
    scale = (high - low) / (last - first)
    return scale, int(min(last, max(first, round(first - low / scale))))
