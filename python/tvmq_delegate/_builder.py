"""Building .tflite models from nothing: whole networks tensor by tensor, and one-op models for any parameters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ._flatbuffer import ModelError, Record, enum_value, schema, write

if TYPE_CHECKING:
    import numpy as np

# Option fields that hold a number of an enumeration: shown and accepted by name.
OPTION_ENUMS = {
    "padding": "Padding",
    "fused_activation_function": "ActivationFunctionType",
    "in_data_type": "TensorType",
    "out_data_type": "TensorType",
    "output_type": "TensorType",
    "quantized_bias_type": "TensorType",
}

# Operator -> its options table, and the version that each input type needs (1 where none stands).
OPERATORS = {
    "ADD": ("AddOptions", {"int8": 2, "int16": 3}),
    "AVERAGE_POOL_2D": ("Pool2DOptions", {"int8": 2, "int16": 3}),
    "CONCATENATION": ("ConcatenationOptions", {"int8": 2, "int16": 3}),
    "CONV_2D": ("Conv2DOptions", {"int8": 3, "int16": 4}),
    "DEPTHWISE_CONV_2D": ("DepthwiseConv2DOptions", {"int8": 3, "int16": 5}),
    "DEQUANTIZE": ("DequantizeOptions", {"int8": 2, "int16": 3}),
    "FULLY_CONNECTED": ("FullyConnectedOptions", {"int8": 4, "int16": 7}),
    "MAX_POOL_2D": ("Pool2DOptions", {"int8": 2, "int16": 3}),
    "MEAN": ("ReducerOptions", {"int8": 2, "int16": 3}),
    "PAD": ("PadOptions", {"int8": 2, "int16": 3}),
    "QUANTIZE": ("QuantizeOptions", {"int16": 2}),
    "RESHAPE": ("ReshapeOptions", {}),
    "SOFTMAX": ("SoftmaxOptions", {"int8": 2, "int16": 3}),
}

INTEGER_RANGE = {"int4": (-8, 7), "int8": (-128, 127), "uint8": (0, 255), "int16": (-32768, 32767), "int32": (-(2**31), 2**31 - 1), "int64": (-(2**63), 2**63 - 1)}


class ModelBuilder:
    """Collects the tensors and operators of one subgraph, in execution order, and packs them into a .tflite file."""

    def __init__(self, description: str = "tvmq-delegate"):
        self._description = description
        self._tensors: list[Record] = []
        self._types: list[str] = []
        self._buffers = [Record()]  # buffer 0 is empty by convention: tensors without data refer to it
        self._codes: dict[tuple[str, int], int] = {}
        self._operators: list[Record] = []

    def add_tensor(
        self,
        name: str,
        shape: Sequence[int],
        dtype: str,
        *,
        scale: float | Sequence[float] | None = None,
        zero_point: int | Sequence[int] = 0,
        dimension: int = 0,
        data: np.ndarray | Sequence | bytes | None = None,
    ) -> int:
        """Adds a tensor and returns its index.

        `scale` is a number (per tensor), a sequence (per channel, along `dimension`) or None (not quantized). `data` makes the tensor constant: an array of
        `shape` whose values fit `dtype`, or bytes, which are taken as they are, whatever their length.
        """
        record = Record(name=name, shape=tuple(int(n) for n in shape), type=enum_value("TensorType", dtype.upper()), buffer=0)
        if scale is not None:
            scales = _numbers(scale, float)
            zero_points = _numbers(zero_point, int)
            if len(zero_points) == 1:
                zero_points *= len(scales)
            record.quantization = Record(scale=scales, zero_point=zero_points, quantized_dimension=dimension)
        if data is not None:
            record.buffer = len(self._buffers)
            self._buffers.append(Record(data=data if isinstance(data, bytes) else _pack(name, record.shape, dtype, data)))
        self._tensors.append(record)
        self._types.append(dtype)
        return len(self._tensors) - 1

    def add_op(self, name: str, inputs: Sequence[int], outputs: Sequence[int], *, version: int | None = None, **options: Any) -> int:
        """Adds an operator and returns its index. An input of -1 is left out; `options` are the schema's fields in snake case, enumerations by name."""
        if name not in OPERATORS:
            raise ModelError(f"cannot build {name!r}; known: {', '.join(OPERATORS)}")
        table, versions = OPERATORS[name]
        allowed = [field.name for field in schema(table)]
        for key in options:
            if key not in allowed:
                raise ModelError(f"{name} has no option {key!r}; known: {', '.join(allowed) or 'none'}")
        values = {key: enum_value(OPTION_ENUMS[key], value) if isinstance(value, str) else value for key, value in options.items()}
        if version is None:
            version = versions.get(self._types[inputs[0]], 1)
        code = self._codes.setdefault((name, version), len(self._codes))
        self._operators.append(
            Record(
                opcode_index=code,
                inputs=tuple(inputs),
                outputs=tuple(outputs),
                builtin_options_type=enum_value("BuiltinOptions", table),
                builtin_options=Record(**values),
            )
        )
        return len(self._operators) - 1

    def build(self, inputs: Sequence[int], outputs: Sequence[int]) -> bytes:
        """The model as the bytes of a .tflite file."""
        subgraph = Record(tensors=self._tensors, inputs=tuple(inputs), outputs=tuple(outputs), operators=self._operators, name="main")
        codes = []
        for name, version in self._codes:
            number = enum_value("BuiltinOperator", name)
            # Readers older than the 32-bit field know operators by the 8-bit one, which ends at 127.
            codes.append(Record(builtin_code=number, deprecated_builtin_code=min(number, 127), version=version))
        return write(Record(version=3, operator_codes=codes, subgraphs=[subgraph], description=self._description, buffers=self._buffers))


def _numbers(value: Any, kind: type) -> tuple:
    return (kind(value),) if not hasattr(value, "__len__") else tuple(kind(v) for v in value)


def _pack(name: str, shape: tuple[int, ...], dtype: str, data: Any) -> bytes:
    import numpy as np

    array = np.asarray(data)
    if array.shape != shape:
        raise ModelError(f"tensor {name!r}: data of shape {array.shape}, not {shape}")
    if dtype == "int4":  # two to a byte, the first in the low half
        nibbles = np.append(array.ravel(), np.zeros(array.size % 2, array.dtype)).astype(np.uint8) & 15
        return (nibbles[0::2] | nibbles[1::2] << 4).tobytes()
    if dtype in INTEGER_RANGE and array.size:
        low, high = INTEGER_RANGE[dtype]
        if array.dtype.kind not in "iu" or int(array.min()) < low or int(array.max()) > high:
            raise ModelError(f"tensor {name!r}: the data does not fit {dtype}")
    return np.ascontiguousarray(array, dtype=np.dtype(dtype).newbyteorder("<")).tobytes()


def output_size(size: int, filter_size: int, stride: int, dilation: int, padding: str) -> int:
    """Output height or width of a convolution or pooling."""
    effective = (filter_size - 1) * dilation + 1
    span = size if padding == "SAME" else size - effective + 1
    return max(0, -(-span // stride)) if stride > 0 else 0


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
    """
    return _build_conv("DEPTHWISE_CONV_2D", in_shape, (1, *filter_size, in_shape[3] * depth_multiplier), depth_multiplier=depth_multiplier, **parameters)


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
    dtype: str = "int8",
    out_dtype: str | None = None,
    filter_dtype: str | None = None,
    bias_dtype: str | None = None,
    filter: np.ndarray | bytes | None = None,
    bias: np.ndarray | bytes | bool | None = None,
    per_channel: bool | None = None,
    in_scale: float | None = None,
    in_zero_point: int | None = None,
    filter_scale: float | Sequence[float] | None = None,
    filter_zero_point: int | Sequence[int] | None = None,
    out_scale: float | None = None,
    out_zero_point: int | None = None,
    constant_filter: bool = True,
    constant_bias: bool = True,
    out_shape: Sequence[int] | None = None,
    version: int | None = None,
    seed: int = 0,
) -> bytes:
    import numpy as np

    random = np.random.default_rng(seed)
    filter_dtype = filter_dtype or {"uint8": "uint8", "float32": "float32"}.get(dtype, "int8")
    bias_dtype = bias_dtype or {"int16": "int64", "float32": "float32"}.get(dtype, "int32")
    out_dtype = out_dtype or dtype
    if filter is None and constant_filter:
        filter = _random_filter(random, filter_shape, filter_dtype)
    if filter is not None and not isinstance(filter, bytes):
        filter_shape = np.asarray(filter).shape
    channel_axis = 3 if operator == "DEPTHWISE_CONV_2D" else 0
    out_c = filter_shape[channel_axis]

    if filter_zero_point is None:
        filter_zero_point = 119 if filter_dtype == "uint8" else 0
    per_channel = filter_dtype in ("int8", "int4") if per_channel is None else per_channel
    in_deviation = _uniform_deviation(dtype)
    acc_deviation = in_deviation * _filter_norm(filter, filter_shape, filter_dtype, filter_zero_point, channel_axis)
    in_scale = in_scale or 4 / in_deviation
    if filter_scale is None:
        filter_scale = _OUTPUT_DEVIATION / (in_scale * acc_deviation)
        if per_channel:
            filter_scale = filter_scale * random.uniform(0.7, 1.3, out_c)
    filter_scales = np.asarray(_numbers(filter_scale, float))
    if out_scale is None:
        out_scale = float(in_scale * filter_scales.mean() * acc_deviation) / (_uniform_deviation(out_dtype) * 0.6)
    in_zero_point = _ZERO_POINTS.get(dtype, (0, 0))[0] if in_zero_point is None else in_zero_point
    out_zero_point = _ZERO_POINTS.get(out_dtype, (0, 0))[1] if out_zero_point is None else out_zero_point
    if (bias is None or bias is True) and constant_bias:
        bias = random.normal(0, acc_deviation / 2, out_c)
        bias = bias.astype(np.float32) if bias_dtype == "float32" else np.clip(np.rint(bias), -(2**31), 2**31 - 1).astype(bias_dtype)
    if out_shape is None:
        sizes = [output_size(in_shape[1 + i], filter_shape[1 + i], stride[i], dilation[i], padding) for i in (0, 1)]
        out_shape = (in_shape[0], *sizes, out_c)

    def quantized(tensor_type: str, scale: Any, zero_point: Any) -> dict[str, Any]:
        return {"scale": scale, "zero_point": zero_point} if tensor_type in INTEGER_RANGE else {}

    builder = ModelBuilder()
    inputs = [
        builder.add_tensor("input", in_shape, dtype, **quantized(dtype, in_scale, in_zero_point)),
        builder.add_tensor(
            "filter", filter_shape, filter_dtype, data=filter if constant_filter else None, dimension=channel_axis, **quantized(filter_dtype, filter_scales, filter_zero_point)
        ),
    ]
    if bias is not False:
        bias_scale = np.float32(in_scale) * filter_scales.astype(np.float32)
        inputs.append(builder.add_tensor("bias", (out_c,), bias_dtype, data=bias if constant_bias else None, **quantized(bias_dtype, bias_scale, 0)))
    output = builder.add_tensor("output", out_shape, out_dtype, **quantized(out_dtype, out_scale, out_zero_point))
    options: dict[str, Any] = {}
    if depth_multiplier is not None:
        options["depth_multiplier"] = depth_multiplier
    elif dtype == "int16" and bias is not False:
        options["quantized_bias_type"] = bias_dtype.upper()  # newer runtimes take the bias for int64 otherwise
    builder.add_op(
        operator,
        inputs,
        [output],
        version=version,
        padding=padding,
        stride_h=stride[0],
        stride_w=stride[1],
        dilation_h_factor=dilation[0],
        dilation_w_factor=dilation[1],
        fused_activation_function=activation,
        **options,
    )
    variable = [inputs[0]] + [inputs[1]] * (not constant_filter) + inputs[2:] * (not constant_bias)
    return builder.build(variable, [output])


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

    if data is None or isinstance(data, bytes):
        return _uniform_deviation(dtype) * math.sqrt(max(1, math.prod(shape) // max(1, shape[channel_axis])))
    weights = np.moveaxis(np.asarray(data, dtype=np.float64), channel_axis, -1) - np.asarray(zero_point)
    return max(1.0, float(np.sqrt((weights**2).reshape(-1, weights.shape[-1]).sum(axis=0)).mean()))


def build_quantize(
    *,
    in_dtype: str = "int8",
    out_dtype: str = "int8",
    shape: Sequence[int] = (1, 8, 8, 16),
    in_scale: float = 0.05,
    in_zero_point: int = 0,
    out_scale: float = 0.07,
    out_zero_point: int = 0,
    version: int | None = None,
) -> bytes:
    """One QUANTIZE as a model: requantization between integer types, or quantization of float32 (`in_scale`, `in_zero_point` then mean nothing)."""
    builder = ModelBuilder()
    quantization = {"scale": in_scale, "zero_point": in_zero_point} if in_dtype in INTEGER_RANGE else {}
    source = builder.add_tensor("input", shape, in_dtype, **quantization)
    output = builder.add_tensor("output", shape, out_dtype, scale=out_scale, zero_point=out_zero_point)
    builder.add_op("QUANTIZE", [source], [output], version=version)
    return builder.build([source], [output])
