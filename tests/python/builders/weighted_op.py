"""One-op models for any parameters of the operators with weights that the delegate takes, including those that are to be refused."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

from tvmq_delegate.models.builder import INTEGER_RANGE, ModelBuilder, output_size

from .one_op import input_quantization, output_zero_point, quantized, uniform_deviation

if TYPE_CHECKING:
    import numpy as np

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
    *, in_shape: Sequence[int] = (1, 64), out_c: int = 16, keep_num_dims: bool = False, activation: str = "NONE", weights_format: int = 0,
    asymmetric_quantize_inputs: bool = False, **parameters: Any,
) -> bytes:  # fmt: skip
    """One FULLY_CONNECTED as a model.

    in_shape: of the input. out_c: outputs of each row; the filter is [out_c, the last of in_shape], or an array whose depth divides the input's elements.
    keep_num_dims: the output has the input's dimensions but the last one, else it is a matrix. weights_format: of the schema; 1 is shuffled.
    asymmetric_quantize_inputs: float32 activations are quantized with a zero point.
    The other parameters are those of `build_depthwise`, without what concerns height and width.
    """

    def shape(filter_shape: tuple[int, ...]) -> tuple[int, ...]:
        return (*(in_shape[:-1] if keep_num_dims else [math.prod(in_shape) // filter_shape[1]]), filter_shape[0])

    options = dict(fused_activation_function=activation, keep_num_dims=keep_num_dims, weights_format=weights_format)
    if asymmetric_quantize_inputs:  # since version 9
        options["asymmetric_quantize_inputs"] = True
        parameters["version"] = 9
    return _build_weighted("FULLY_CONNECTED", in_shape, (out_c, in_shape[-1]), 0, shape, options, **parameters)


def build_transpose_conv(
    *,
    in_shape: Sequence[int] = (1, 5, 6, 16),
    out_c: int = 8,
    filter_size: tuple[int, int] = (3, 3),
    stride: tuple[int, int] = (2, 2),
    padding: str = "SAME",
    size: Sequence[int] | None = None,
    shape_dtype: str = "int32",
    activation: str = "NONE",
    out_shape: Sequence[int] | None = None,
    **parameters: Any,
) -> bytes:
    """One TRANSPOSE_CONV as a model; the filter is [out_c, height, width, channels].

    size: height and width of the output; None: the least that the padding leads to. out_shape: of the output, as a constant of shape_dtype, where it shall not
    be the right one. The other parameters are those of `build_depthwise`, without depth_multiplier and dilation.
    """

    def shape(filter_shape: tuple[int, ...]) -> Sequence[int]:
        least = [(n - 1) * s + (1 if padding == "SAME" else f) for n, s, f in zip(in_shape[1:3], stride, filter_shape[1:3])]
        return (in_shape[0], *(least if size is None else size), filter_shape[0]) if out_shape is None else out_shape

    options = dict(padding=padding, stride_h=stride[0], stride_w=stride[1])
    if activation != "NONE":  # since version 4
        options["fused_activation_function"] = activation
        parameters.setdefault("version", 4)
    return _build_weighted("TRANSPOSE_CONV", in_shape, (out_c, *filter_size, in_shape[3]), 0, shape, options, shape_dtype=shape_dtype, **parameters)


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
    shape_dtype: str | None = None,
) -> bytes:
    """One operator with a filter, of `filter_shape` unless it is given as an array, and a bias. `out_shape` makes the output's shape of the filter's; with
    `shape_dtype` it is a constant as well, the first input, and the activations are the third.
    """
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
    acc_deviation = uniform_deviation(dtype) * _filter_norm(filter, filter_shape, filter_dtype, filter_zero_point, channel_axis)
    in_scale, in_zero_point = input_quantization(dtype, in_scale, in_zero_point)
    if filter_scale is None:
        usable = in_scale if 0 < in_scale < math.inf else 1.0
        filter_scale = _OUTPUT_DEVIATION / (usable * acc_deviation) * (random.uniform(0.7, 1.3, out_c) if per_channel else 1.0)
    filter_scales = np.atleast_1d(np.asarray(filter_scale, np.float64))
    if out_scale is None:
        out_scale = float(in_scale * filter_scales.mean() * acc_deviation) / (uniform_deviation(out_dtype) * 0.6)
    out_zero_point = output_zero_point(out_dtype, out_zero_point)
    if bias is None and constant_bias:
        bias = random.normal(0, acc_deviation / 2, out_c)
        bias = bias.astype(np.float32) if bias_dtype == "float32" else np.clip(np.rint(bias), -(2**31), 2**31 - 1).astype(bias_dtype)

    builder = ModelBuilder()
    inputs = [builder.add_tensor("input", in_shape, dtype, **quantized(dtype, in_scale, in_zero_point))]
    quantization = quantized(filter_dtype, filter_scales, filter_zero_point)
    data = filter if constant_filter else None
    inputs.append(builder.add_tensor("filter", filter_shape, filter_dtype, data=data, dimension=channel_axis, **quantization))
    if bias is not False:
        quantization = quantized(bias_dtype, np.float32(in_scale) * filter_scales.astype(np.float32), 0)
        inputs.append(builder.add_tensor("bias", (out_c,), bias_dtype, data=bias if constant_bias else None, **quantization))
    output = builder.add_tensor("output", out_shape(filter_shape), out_dtype, **quantized(out_dtype, out_scale, out_zero_point))
    ordered = inputs
    if shape_dtype is not None:
        shape = np.array(out_shape(filter_shape), shape_dtype)
        ordered = [builder.add_tensor("shape", shape.shape, shape_dtype, data=shape), inputs[1], inputs[0], *inputs[2:]]
    builder.add_op(operator, ordered, [output], version=version, **options)
    variable = [inputs[0]] + [inputs[1]] * (not constant_filter) + inputs[2:] * (not constant_bias)
    return builder.build(variable, [output])


def _random_filter(random: np.random.Generator, shape: tuple[int, ...], dtype: str) -> np.ndarray:
    if dtype not in INTEGER_RANGE:
        return random.normal(0, 1, shape).astype(dtype)
    low, high = INTEGER_RANGE[dtype]
    return random.integers(low + (low < 0), high + 1, shape)  # the quantization spec leaves out the lowest value of a symmetric type


def _filter_norm(data: Any, shape: tuple[int, ...], dtype: str, zero_point: int | Sequence[int], channel_axis: int) -> float:
    """The root of the sum of squared weights, averaged over the output channels; that of evenly spread weights where the data is not at hand."""
    import numpy as np

    if data is None or isinstance(data, bytes) or 0 in shape:
        return uniform_deviation(dtype) * math.sqrt(max(1, math.prod(shape) // max(1, shape[channel_axis])))
    weights = np.moveaxis(np.asarray(data, dtype=np.float64), channel_axis, -1) - np.asarray(zero_point)
    return max(1.0, float(np.sqrt((weights**2).reshape(-1, weights.shape[-1]).sum(axis=0)).mean()))


def build_batch_matmul(
    *,
    left_shape: Sequence[int] = (2, 5, 8),
    right_shape: Sequence[int] = (2, 8, 6),
    adj_x: bool = False,
    adj_y: bool = False,
    right: np.ndarray | None = None,
    scales: tuple[float, float, float] = (0.05, 0.04, 0.1),
    zero_points: tuple[int, int, int] = (3, -5, 7),
    dtype: str = "int8",
) -> bytes:
    """One BATCH_MATMUL as a model. scales, zero_points: of both sides and the output. right: values of the right side, which is then a constant."""
    import numpy as np

    rows, columns = left_shape[-1 if adj_x else -2], right_shape[-2 if adj_y else -1]
    out_shape = (*np.broadcast_shapes(tuple(left_shape[:-2]), tuple(right_shape[:-2])), rows, columns)
    builder = ModelBuilder()
    shapes = {"left": left_shape, "right": right_shape, "output": out_shape}
    left, other, output = (
        builder.add_tensor(name, shape, dtype, scale=scale, zero_point=point, data=right if name == "right" else None)
        for (name, shape), scale, point in zip(shapes.items(), scales, zero_points, strict=True)
    )
    builder.add_op("BATCH_MATMUL", [left, other], [output], adj_x=adj_x, adj_y=adj_y)
    return builder.build([left] if right is not None else [left, other], [output])
