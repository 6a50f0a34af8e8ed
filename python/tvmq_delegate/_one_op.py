"""One-op models for any parameters of ADD, CONCATENATION, CONV_2D, DEPTHWISE_CONV_2D, FULLY_CONNECTED, the poolings and QUANTIZE, those to be refused too."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

from ._builder import INTEGER_RANGE, ModelBuilder, output_size

if TYPE_CHECKING:
    import numpy as np

# Zero points of input and output where the caller names none: not the middle of the range, so that they count.
_ZERO_POINTS = {"int8": (3, -4), "uint8": (125, 131), "int16": (0, 0)}

# Standard deviation of the real output values that default scales lead to: then RELU6 and RELU_N1_TO_1 clamp some values and leave others.
_OUTPUT_DEVIATION = 3.0


def build_conv(
    *,
    in_shape: Sequence[int] = (1, 8, 8, 16),
    out_c: int = 16,
    filter_size: tuple[int, int] = (3, 3),
    groups: int = 1,
    **parameters: Any,
) -> bytes:
    """One CONV_2D as a model.

    in_shape: batch, height, width, channels of the input.
    out_c, filter_size, groups: output channels, filter height and width, groups; the filter is [out_c, height, width, channels / groups].
    The other parameters are those of `build_depthwise`, without depth_multiplier.
    """
    return _build_conv("CONV_2D", in_shape, (out_c, *filter_size, in_shape[3] // groups), **parameters)


def build_depthwise(
    *,
    in_shape: Sequence[int] = (1, 8, 8, 16),
    depth_multiplier: int = 1,
    filter_size: tuple[int, int] = (3, 3),
    **parameters: Any,
) -> bytes:
    """One DEPTHWISE_CONV_2D as a model; the filter is [1, height, width, channels * depth_multiplier].

    stride, dilation: (height, width), default (1, 1).
    padding: "SAME" or "VALID". activation: "NONE", "RELU", "RELU6", "RELU_N1_TO_1", or any other name of the schema.
    dtype: of input and output: "int8", "uint8", "int16" or "float32"; out_dtype: of the output where it differs.
    filter_dtype: default int8 (int8, int16), uint8 (uint8), float32 (float32); "int4" is packed. bias_dtype: default int32, int64 for int16, float32.
    filter, bias: values as arrays, or bytes that are taken as they are. Seeded random values where None. bias=False leaves the bias out.
    An array for `filter` sets its shape, and with it the output channels.
    per_channel: one filter scale per output channel (int8 filters) or one for all.
    in_scale, in_zero_point, filter_scale (number or sequence), filter_zero_point (number or sequence), out_scale, out_zero_point: where None, values that
    make the outputs of inputs spread evenly over their type use most of the output's range.
    constant_filter, constant_bias: False makes the tensor an input of the model.
    out_shape: of the output tensor, where it shall not be the right one. version: of the operator. seed: for the random values.
    quantized_bias_type: CONV_2D's option of that name for int16 activations, default bias_dtype; "FLOAT32" is the schema's way to leave it unset.
    """
    return _build_conv("DEPTHWISE_CONV_2D", in_shape, (1, *filter_size, in_shape[3] * depth_multiplier), depth_multiplier=depth_multiplier, **parameters)


def build_fully_connected(
    *, in_shape: Sequence[int] = (1, 64), out_c: int = 16, keep_num_dims: bool = False, activation: str = "NONE", weights_format: int = 0, **parameters: Any
) -> bytes:
    """One FULLY_CONNECTED as a model.

    in_shape: of the input. out_c: outputs of each row; the filter is [out_c, the last of in_shape], or an array whose depth divides the input's elements.
    keep_num_dims: the output has the input's dimensions but the last one, else it is a matrix. weights_format: of the schema; 1 is shuffled.
    The other parameters are those of `build_depthwise`, without what concerns height and width.
    """

    def shape(filter_shape: tuple[int, ...]) -> tuple[int, ...]:
        return (*(in_shape[:-1] if keep_num_dims else [math.prod(in_shape) // filter_shape[1]]), filter_shape[0])

    options = dict(fused_activation_function=activation, keep_num_dims=keep_num_dims, weights_format=weights_format)
    return _build_weighted("FULLY_CONNECTED", in_shape, (out_c, in_shape[-1]), 0, shape, options, **parameters)


def _build_conv(
    operator: str,
    in_shape: Sequence[int],
    filter_shape: tuple[int, ...],
    *,
    depth_multiplier: int | None = None,
    stride: tuple[int, int] = (1, 1),
    dilation: tuple[int, int] = (1, 1),
    padding: str = "SAME",
    activation: str = "NONE",
    out_shape: Sequence[int] | None = None,
    quantized_bias_type: str | None = None,
    **parameters: Any,
) -> bytes:
    channel_axis = 3 if operator == "DEPTHWISE_CONV_2D" else 0

    def shape(filter_shape: tuple[int, ...]) -> Sequence[int]:
        sizes = (output_size(in_shape[1 + i], filter_shape[1 + i], stride[i], dilation[i], padding) for i in (0, 1))
        return (in_shape[0], *sizes, filter_shape[channel_axis]) if out_shape is None else out_shape

    options = dict(
        padding=padding,
        stride_h=stride[0],
        stride_w=stride[1],
        dilation_h_factor=dilation[0],
        dilation_w_factor=dilation[1],
        fused_activation_function=activation,
    )
    if depth_multiplier is not None:
        options["depth_multiplier"] = depth_multiplier
    elif parameters.get("dtype") == "int16" and parameters.get("bias") is not False:
        # Runtimes that know this option take a 16x8 bias for int64, whatever its tensor says, where the option is not set.
        options["quantized_bias_type"] = quantized_bias_type or (parameters.get("bias_dtype") or "int64").upper()
    return _build_weighted(operator, in_shape, filter_shape, channel_axis, shape, options, **parameters)


def _build_weighted(
    operator: str,
    in_shape: Sequence[int],
    filter_shape: tuple[int, ...],
    channel_axis: int,
    out_shape: Callable[[tuple[int, ...]], Sequence[int]],
    options: dict[str, Any],
    *,
    dtype: str = "int8",
    out_dtype: str | None = None,
    filter_dtype: str | None = None,
    bias_dtype: str | None = None,
    filter: np.ndarray | bytes | None = None,
    bias: np.ndarray | bytes | Literal[False] | None = None,
    per_channel: bool | None = None,
    in_scale: float | None = None,
    in_zero_point: int | None = None,
    filter_scale: float | Sequence[float] | np.ndarray | None = None,
    filter_zero_point: int | Sequence[int] | None = None,
    out_scale: float | None = None,
    out_zero_point: int | None = None,
    constant_filter: bool = True,
    constant_bias: bool = True,
    version: int | None = None,
    seed: int = 0,
) -> bytes:
    """One operator with a filter, of `filter_shape` unless it is given as an array, and a bias. `out_shape` makes the output's shape of the filter's."""
    import numpy as np

    random = np.random.default_rng(seed)
    filter_dtype = filter_dtype or {"uint8": "uint8", "float32": "float32"}.get(dtype, "int8")
    bias_dtype = bias_dtype or {"int16": "int64", "float32": "float32"}.get(dtype, "int32")
    out_dtype = out_dtype or dtype
    if filter is None and constant_filter:
        filter = _random_filter(random, filter_shape, filter_dtype)
    if filter is not None and not isinstance(filter, bytes):
        filter_shape = np.asarray(filter).shape
    out_c = filter_shape[channel_axis]

    if filter_zero_point is None:
        filter_zero_point = 119 if filter_dtype == "uint8" else 0
    per_channel = filter_dtype in ("int8", "int4") if per_channel is None else per_channel
    in_deviation = _uniform_deviation(dtype)
    acc_deviation = in_deviation * _filter_norm(filter, filter_shape, filter_dtype, filter_zero_point, channel_axis)
    in_scale = 4 / in_deviation if in_scale is None else in_scale
    if filter_scale is None:
        usable = in_scale if 0 < in_scale < math.inf else 1.0
        filter_scale = _OUTPUT_DEVIATION / (usable * acc_deviation) * (random.uniform(0.7, 1.3, out_c) if per_channel else 1.0)
    filter_scales = np.atleast_1d(np.asarray(filter_scale, np.float64))
    if out_scale is None:
        out_scale = float(in_scale * filter_scales.mean() * acc_deviation) / (_uniform_deviation(out_dtype) * 0.6)
    in_zero_point = _ZERO_POINTS.get(dtype, (0, 0))[0] if in_zero_point is None else in_zero_point
    out_zero_point = _ZERO_POINTS.get(out_dtype, (0, 0))[1] if out_zero_point is None else out_zero_point
    if bias is None and constant_bias:
        bias = random.normal(0, acc_deviation / 2, out_c)
        bias = bias.astype(np.float32) if bias_dtype == "float32" else np.clip(np.rint(bias), -(2**31), 2**31 - 1).astype(bias_dtype)

    builder = ModelBuilder()
    inputs = [builder.add_tensor("input", in_shape, dtype, **_quantized(dtype, in_scale, in_zero_point))]
    quantization = _quantized(filter_dtype, filter_scales, filter_zero_point)
    data = filter if constant_filter else None
    inputs.append(builder.add_tensor("filter", filter_shape, filter_dtype, data=data, dimension=channel_axis, **quantization))
    if bias is not False:
        quantization = _quantized(bias_dtype, np.float32(in_scale) * filter_scales.astype(np.float32), 0)
        inputs.append(builder.add_tensor("bias", (out_c,), bias_dtype, data=bias if constant_bias else None, **quantization))
    output = builder.add_tensor("output", out_shape(filter_shape), out_dtype, **_quantized(out_dtype, out_scale, out_zero_point))
    builder.add_op(operator, inputs, [output], version=version, **options)
    variable = [inputs[0]] + [inputs[1]] * (not constant_filter) + inputs[2:] * (not constant_bias)
    return builder.build(variable, [output])


def _quantized(dtype: str, scale: Any, zero_point: Any) -> dict[str, Any]:
    """The keywords of add_tensor that quantize an integer tensor; floats have none."""
    return {"scale": scale, "zero_point": zero_point} if dtype in INTEGER_RANGE else {}


def _random_filter(random: np.random.Generator, shape: tuple[int, ...], dtype: str) -> np.ndarray:
    if dtype not in INTEGER_RANGE:
        return random.normal(0, 1, shape).astype(dtype)
    low, high = INTEGER_RANGE[dtype]
    return random.integers(low + (low < 0), high + 1, shape)  # the quantization spec leaves out the lowest value of a symmetric type


def _uniform_deviation(dtype: str) -> float:
    """Standard deviation of values spread evenly over an integer type; 1 for floats."""
    low, high = INTEGER_RANGE.get(dtype, (0, 0))
    return math.sqrt(((high - low + 1) ** 2 - 1) / 12) or 1.0


def _filter_norm(data: Any, shape: tuple[int, ...], dtype: str, zero_point: int | Sequence[int], channel_axis: int) -> float:
    """The root of the sum of squared weights, averaged over the output channels; that of evenly spread weights where the data is not at hand."""
    import numpy as np

    if data is None or isinstance(data, bytes) or 0 in shape:
        return _uniform_deviation(dtype) * math.sqrt(max(1, math.prod(shape) // max(1, shape[channel_axis])))
    weights = np.moveaxis(np.asarray(data, dtype=np.float64), channel_axis, -1) - np.asarray(zero_point)
    return max(1.0, float(np.sqrt((weights**2).reshape(-1, weights.shape[-1]).sum(axis=0)).mean()))


def build_average_pool(**parameters: Any) -> bytes:
    """One AVERAGE_POOL_2D as a model; the parameters are those of `build_max_pool`."""
    return _build_pool("AVERAGE_POOL_2D", **parameters)


def build_max_pool(**parameters: Any) -> bytes:
    """One MAX_POOL_2D as a model.

    in_shape: batch, height, width, channels. filter_size, stride: (height, width). padding, activation, out_shape, version: as for `build_depthwise`.
    dtype: of input and output: "int8", "uint8", "int16" or "float32"; scale, zero_point: of both, chosen where None; out_dtype, out_scale, out_zero_point: of
    the output where they differ, which no runtime rescales.
    """
    return _build_pool("MAX_POOL_2D", **parameters)


def _build_pool(
    operator: str,
    *,
    in_shape: Sequence[int] = (1, 8, 8, 16),
    filter_size: tuple[int, int] = (3, 3),
    stride: tuple[int, int] = (1, 1),
    padding: str = "SAME",
    activation: str = "NONE",
    dtype: str = "int8",
    out_dtype: str | None = None,
    scale: float | None = None,
    zero_point: int | None = None,
    out_scale: float | None = None,
    out_zero_point: int | None = None,
    out_shape: Sequence[int] | None = None,
    version: int | None = None,
) -> bytes:
    out_dtype = out_dtype or dtype
    scale = 4 / _uniform_deviation(dtype) if scale is None else scale
    zero_point = _ZERO_POINTS.get(dtype, (0, 0))[0] if zero_point is None else zero_point
    if out_shape is None:
        out_shape = (in_shape[0], *(output_size(in_shape[1 + i], filter_size[i], stride[i], 1, padding) for i in (0, 1)), in_shape[3])
    builder = ModelBuilder()
    source = builder.add_tensor("input", in_shape, dtype, **_quantized(dtype, scale, zero_point))
    quantization = _quantized(out_dtype, scale if out_scale is None else out_scale, zero_point if out_zero_point is None else out_zero_point)
    output = builder.add_tensor("output", out_shape, out_dtype, **quantization)
    builder.add_op(
        operator,
        [source],
        [output],
        version=version,
        padding=padding,
        stride_h=stride[0],
        stride_w=stride[1],
        filter_height=filter_size[0],
        filter_width=filter_size[1],
        fused_activation_function=activation,
    )
    return builder.build([source], [output])


def build_quantize(
    *,
    in_dtype: str = "int8",
    out_dtype: str = "int8",
    shape: Sequence[int] = (1, 8, 8, 16),
    in_scale: float | None = None,
    in_zero_point: int | None = None,
    out_scale: float | None = None,
    out_zero_point: int | None = None,
    version: int | None = None,
) -> bytes:
    """One QUANTIZE as a model: requantization between integer types, or quantization of float32 (`in_scale`, `in_zero_point` then mean nothing).

    Scales and zero points that are None are chosen as `build_depthwise` chooses them.
    """
    in_deviation = _uniform_deviation(in_dtype)
    in_scale = 4 / in_deviation if in_scale is None else in_scale
    if out_scale is None:
        out_scale = (in_scale if in_dtype in INTEGER_RANGE else 1.0) * in_deviation / (_uniform_deviation(out_dtype) * 0.6)
    in_zero_point = _ZERO_POINTS.get(in_dtype, (0, 0))[0] if in_zero_point is None else in_zero_point
    out_zero_point = _ZERO_POINTS.get(out_dtype, (0, 0))[1] if out_zero_point is None else out_zero_point
    builder = ModelBuilder()
    source = builder.add_tensor("input", shape, in_dtype, **_quantized(in_dtype, in_scale, in_zero_point))
    output = builder.add_tensor("output", shape, out_dtype, **_quantized(out_dtype, out_scale, out_zero_point))
    builder.add_op("QUANTIZE", [source], [output], version=version)
    return builder.build([source], [output])


def build_add(
    *,
    dtype: str = "int8",
    other_dtype: str | None = None,
    out_dtype: str | None = None,
    shape: Sequence[int] = (1, 8, 8, 16),
    other_shape: Sequence[int] | None = None,
    other: np.ndarray | None = None,
    twice: bool = False,
    activation: str = "NONE",
    in_scale: tuple[float, float] | None = None,
    in_zero_point: tuple[int, int] | None = None,
    out_scale: float | None = None,
    out_zero_point: int | None = None,
    pot_scale_int16: bool = False,
    version: int | None = None,
) -> bytes:
    """One ADD as a model.

    dtype, shape: of both inputs and the output. other_dtype, other_shape: of the second input, out_dtype: of the output, where they differ.
    other: values of the second input, which is then a constant. twice: the first input is the second one too.
    in_scale, in_zero_point: of both inputs. What is None is chosen as `build_depthwise` chooses it. activation: as there.
    pot_scale_int16: the option of that name: int16 scales that are powers of two are treated as such.
    """
    other_dtype, out_dtype = other_dtype or dtype, out_dtype or dtype
    other_shape = shape if other_shape is None else other_shape
    if in_scale is None:
        in_scale = (4 / _uniform_deviation(dtype), 3 / _uniform_deviation(other_dtype))
    if in_zero_point is None:
        in_zero_point = _ZERO_POINTS.get(dtype, (0, 0))
    if out_scale is None:
        out_scale = math.hypot(in_scale[0] * _uniform_deviation(dtype), in_scale[1] * _uniform_deviation(other_dtype)) / (_uniform_deviation(out_dtype) * 0.6)
    out_zero_point = _ZERO_POINTS.get(out_dtype, (0, 0))[1] if out_zero_point is None else out_zero_point
    builder = ModelBuilder()
    inputs = [builder.add_tensor("input", shape, dtype, **_quantized(dtype, in_scale[0], in_zero_point[0]))]
    if twice:
        inputs *= 2
    else:
        inputs.append(builder.add_tensor("other", other_shape, other_dtype, data=other, **_quantized(other_dtype, in_scale[1], in_zero_point[1])))
    output = builder.add_tensor("output", shape, out_dtype, **_quantized(out_dtype, out_scale, out_zero_point))
    builder.add_op("ADD", inputs, [output], version=version, fused_activation_function=activation, pot_scale_int16=pot_scale_int16)
    return builder.build(inputs[: 1 if twice or other is not None else 2], [output])


def build_concatenation(
    *,
    dtype: str = "int8",
    shapes: Sequence[Sequence[int]] = ((1, 8, 8, 16), (1, 8, 8, 8)),
    axis: int = 3,
    order: Sequence[int] | None = None,
    constants: dict[int, np.ndarray] | None = None,
    activation: str = "NONE",
    in_scale: Sequence[float] | None = None,
    in_zero_point: Sequence[int] | None = None,
    out_scale: float | None = None,
    out_zero_point: int | None = None,
    out_shape: Sequence[int] | None = None,
    version: int | None = None,
) -> bytes:
    """One CONCATENATION as a model.

    shapes: of the tensors that are concatenated along `axis`. order: which of them the operator's inputs are, where not one after the other; a tensor may be
    several. constants: the values of those that are no inputs of the model. in_scale, in_zero_point: of each; those of the output, or some, where None.
    """
    out_scale = 4 / _uniform_deviation(dtype) if out_scale is None else out_scale
    out_zero_point = _ZERO_POINTS.get(dtype, (0, 0))[0] if out_zero_point is None else out_zero_point
    in_scale = [out_scale] * len(shapes) if in_scale is None else in_scale
    in_zero_point = [out_zero_point] * len(shapes) if in_zero_point is None else in_zero_point
    order = range(len(shapes)) if order is None else order
    if out_shape is None:
        out_shape = list(shapes[order[0]])
        out_shape[axis] = sum(shapes[i][axis] for i in order)
    builder = ModelBuilder()
    constants = constants or {}
    tensors = [
        builder.add_tensor(f"input {i}", shape, dtype, data=constants.get(i), **_quantized(dtype, scale, zero_point))
        for i, (shape, scale, zero_point) in enumerate(zip(shapes, in_scale, in_zero_point, strict=True))
    ]
    output = builder.add_tensor("output", out_shape, dtype, **_quantized(dtype, out_scale, out_zero_point))
    builder.add_op("CONCATENATION", [tensors[i] for i in order], [output], version=version, axis=axis, fused_activation_function=activation)
    return builder.build([tensor for i, tensor in enumerate(tensors) if i not in constants], [output])
