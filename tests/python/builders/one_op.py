"""One-op models for any parameters of the operators without weights that the delegate takes, including those that are to be refused."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tvmq_delegate.models.builder import INTEGER_RANGE, ModelBuilder, output_size

if TYPE_CHECKING:
    import numpy as np


def quantized(dtype: str, scale: Any, zero_point: Any) -> dict[str, Any]:
    """The keywords of add_tensor that quantize an integer tensor; floats have none."""
    return {"scale": scale, "zero_point": zero_point} if dtype in INTEGER_RANGE else {}


def uniform_deviation(dtype: str) -> float:
    """Standard deviation of values spread evenly over an integer type; 1 for floats."""
    low, high = INTEGER_RANGE.get(dtype, (0, 0))
    return math.sqrt(((high - low + 1) ** 2 - 1) / 12) or 1.0


def default_zero_points(dtype: str) -> tuple[int, int]:
    """Zero points of an input and of an output (or of two inputs): not the middle of the range, so that they count."""
    return {"int8": (3, -4), "uint8": (125, 131)}.get(dtype, (0, 0))


def input_quantization(dtype: str, scale: float | None, zero_point: int | None) -> tuple[float, int]:
    """Scale and zero point as given, or where None a scale at which real values have a deviation of 4, and the default zero point."""
    return 4 / uniform_deviation(dtype) if scale is None else scale, default_zero_points(dtype)[0] if zero_point is None else zero_point


def output_zero_point(dtype: str, zero_point: int | None) -> int:
    return default_zero_points(dtype)[1] if zero_point is None else zero_point


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
    scale, zero_point = input_quantization(dtype, scale, zero_point)
    if out_shape is None:
        out_shape = (in_shape[0], *(output_size(in_shape[1 + i], filter_size[i], stride[i], 1, padding) for i in (0, 1)), in_shape[3])
    builder = ModelBuilder()
    source = builder.add_tensor("input", in_shape, dtype, **quantized(dtype, scale, zero_point))
    quantization = quantized(out_dtype, scale if out_scale is None else out_scale, zero_point if out_zero_point is None else out_zero_point)
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


def build_reduce(
    *,
    operator: str = "MEAN",
    in_shape: Sequence[int] = (1, 8, 8, 16),
    axes: Sequence[int] = (1, 2),
    keep_dims: bool = False,
    dtype: str = "int8",
    out_dtype: str | None = None,
    in_scale: float | None = None,
    in_zero_point: int | None = None,
    out_scale: float | None = None,
    out_zero_point: int | None = None,
    axes_dtype: str = "int32",
    version: int | None = None,
) -> bytes:
    """One MEAN, SUM, REDUCE_MAX or REDUCE_MIN as a model, over `axes`.

    Scales that are None are those of `build_quantize`, the output's two thirds of the input's.
    """
    import numpy as np

    out_dtype = out_dtype or dtype
    in_scale, in_zero_point = input_quantization(dtype, in_scale, in_zero_point)
    out_zero_point = output_zero_point(out_dtype, out_zero_point)
    reduced = {axis % len(in_shape) for axis in axes}
    out_shape = [1 if i in reduced else n for i, n in enumerate(in_shape) if keep_dims or i not in reduced]
    builder = ModelBuilder()
    source = builder.add_tensor("input", in_shape, dtype, **quantized(dtype, in_scale, in_zero_point))
    which = builder.add_tensor("axes", (len(axes),), axes_dtype, data=np.array(axes, axes_dtype))
    quantization = quantized(out_dtype, in_scale * 2 / 3 if out_scale is None else out_scale, out_zero_point)
    output = builder.add_tensor("output", out_shape, out_dtype, **quantization)
    builder.add_op(operator, [source, which], [output], version=version, keep_dims=keep_dims)
    return builder.build([source], [output])


def build_arg_max(
    *, in_shape: Sequence[int] = (1, 4, 5, 10), axis: int = -1, axis_dtype: str = "int32", dtype: str = "int8", out_dtype: str = "int64"
) -> bytes:
    """One ARG_MAX as a model."""
    import numpy as np

    builder = ModelBuilder()
    source = builder.add_tensor("input", in_shape, dtype, **quantized(dtype, *input_quantization(dtype, 0.5, None)))
    which = builder.add_tensor("axis", (), axis_dtype, data=np.array(axis, axis_dtype))
    out_shape = [n for i, n in enumerate(in_shape) if i != axis % len(in_shape)]
    output = builder.add_tensor("output", out_shape, out_dtype)
    builder.add_op("ARG_MAX", [source, which], [output], output_type=out_dtype.upper())
    return builder.build([source], [output])


def build_lookup(
    *,
    n: int = 7,
    table_shape: Sequence[int] = (256, 10),
    dtype: str = "int8",
    out_dtype: str = "float32",
    scale: float | Sequence[float] | None = 0.0123,
    zero_point: int = 0,
    dimension: int = 0,
    table: np.ndarray | None = None,
    index_dtype: str = "int32",
    constant: bool = True,
) -> bytes:
    """One EMBEDDING_LOOKUP as a model.

    scale, zero_point: of the table, or of each of its rows, or of what `dimension` says. table: its values, random where None. index_dtype: "uint8" has a CAST
    in front, so that no index is outside a table of 256 rows. constant: the table is, or it is the second input.
    """
    import numpy as np

    builder = ModelBuilder()
    source = indices = builder.add_tensor("indices", (n,), index_dtype)
    if index_dtype != "int32":
        indices = builder.add_tensor("cast", (n,), "int32")
        builder.add_op("CAST", [source], [indices], in_data_type=index_dtype.upper(), out_data_type="INT32")
    if table is None:
        generator = np.random.default_rng(1)
        low, high = INTEGER_RANGE.get(dtype, (-100, 100))
        table = generator.integers(low, high, table_shape, endpoint=True).astype("int8" if dtype == "int4" else dtype)
    zero_points = [zero_point] * np.size(scale) if scale is not None else 0
    quantization = quantized(dtype, scale, zero_points) | {"dimension": dimension}
    rows = builder.add_tensor("table", table_shape, dtype, data=table if constant else None, **(quantization if scale is not None else {}))
    output = builder.add_tensor("output", (n, *table_shape[1:]), out_dtype, **quantized(out_dtype, 0.0123, 0))
    builder.add_op("EMBEDDING_LOOKUP", [indices, rows], [output])
    return builder.build([source, *([] if constant else [rows])], [output])


def build_gather(
    *,
    in_shape: Sequence[int] = (256, 6),
    indices_shape: Sequence[int] = (5, 1),
    axis: int | None = None,
    dtype: str = "int8",
    index_dtype: str = "int32",
) -> bytes:
    """One GATHER of computed indices as a model, or one GATHER_ND where there is no axis.

    index_dtype: "uint8" has a CAST in front, so that no index is outside 256 slices.
    """
    builder = ModelBuilder()
    source = builder.add_tensor("input", in_shape, dtype, **quantized(dtype, 0.5, 0))
    given = indices = builder.add_tensor("indices", indices_shape, index_dtype)
    if index_dtype == "uint8":
        indices = builder.add_tensor("cast", indices_shape, "int32")
        builder.add_op("CAST", [given], [indices], in_data_type="UINT8", out_data_type="INT32")
    if axis is None:
        shape = (*indices_shape[:-1], *in_shape[indices_shape[-1] :])
    else:
        shape = (*in_shape[:axis], *indices_shape, *in_shape[axis + 1 :])
    output = builder.add_tensor("output", shape, dtype, **quantized(dtype, 0.5, 0))
    builder.add_op("GATHER_ND" if axis is None else "GATHER", [source, indices], [output], **({} if axis is None else {"axis": axis}))
    return builder.build([source, given], [output])


def build_softmax(
    *,
    in_shape: Sequence[int] = (2, 10),
    beta: float = 1.0,
    dtype: str = "int8",
    out_dtype: str | None = None,
    in_scale: float | None = None,
    in_zero_point: int | None = None,
    out_scale: float | None = None,
    out_zero_point: int | None = None,
) -> bytes:
    """One SOFTMAX as a model, along the last dimension; the output's quantization is that which TFLite prescribes, unless given."""
    out_dtype = out_dtype or dtype
    builder = ModelBuilder()
    source = builder.add_tensor("input", in_shape, dtype, **quantized(dtype, *input_quantization(dtype, in_scale, in_zero_point)))
    scale, zero_point = {"int8": (1 / 256, -128), "uint8": (1 / 256, 0)}.get(out_dtype, (1 / 32768, 0))
    quantization = quantized(out_dtype, scale if out_scale is None else out_scale, zero_point if out_zero_point is None else out_zero_point)
    output = builder.add_tensor("output", in_shape, out_dtype, **quantization)
    builder.add_op("SOFTMAX", [source], [output], beta=beta)
    return builder.build([source], [output])


def build_resize_bilinear(
    *,
    in_shape: Sequence[int] = (1, 5, 6, 8),
    size: Sequence[int] = (10, 12),
    align_corners: bool = False,
    half_pixel_centers: bool = False,
    dtype: str = "int8",
    out_dtype: str | None = None,
) -> bytes:
    """One RESIZE_BILINEAR as a model, to a height and a width."""
    import numpy as np

    builder = ModelBuilder()
    quantization = quantized(dtype, *input_quantization(dtype, 0.5, None))
    source = builder.add_tensor("input", in_shape, dtype, **quantization)
    target = builder.add_tensor("size", (len(size),), "int32", data=np.array(size, np.int32))
    output = builder.add_tensor("output", (in_shape[0], *size, in_shape[-1]), out_dtype or dtype, **quantization)
    builder.add_op("RESIZE_BILINEAR", [source, target], [output], align_corners=align_corners, half_pixel_centers=half_pixel_centers)
    return builder.build([source], [output])


def build_reshape(*, in_shape: Sequence[int] = (1, 4, 4, 8), shape: Sequence[int] = (1, -1), dtype: str = "int8", tensor: bool = True) -> bytes:
    """One RESHAPE as a model, to a constant shape: that of a `tensor`, or the node's own."""
    import numpy as np

    builder = ModelBuilder()
    quantization = quantized(dtype, *input_quantization(dtype, 0.5, None))
    source = builder.add_tensor("input", in_shape, dtype, **quantization)
    target = builder.add_tensor("shape", (len(shape),), "int32", data=np.array(shape, np.int32))
    rest = math.prod(in_shape) // math.prod(n for n in shape if n != -1)
    output = builder.add_tensor("output", [rest if n == -1 else n for n in shape], dtype, **quantization)
    builder.add_op("RESHAPE", [source, target] if tensor else [source], [output], new_shape=tuple(shape))
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
    in_scale, in_zero_point = input_quantization(in_dtype, in_scale, in_zero_point)
    if out_scale is None:
        out_scale = (in_scale if in_dtype in INTEGER_RANGE else 1.0) * uniform_deviation(in_dtype) / (uniform_deviation(out_dtype) * 0.6)
    out_zero_point = output_zero_point(out_dtype, out_zero_point)
    builder = ModelBuilder()
    source = builder.add_tensor("input", shape, in_dtype, **quantized(in_dtype, in_scale, in_zero_point))
    output = builder.add_tensor("output", shape, out_dtype, **quantized(out_dtype, out_scale, out_zero_point))
    builder.add_op("QUANTIZE", [source], [output], version=version)
    return builder.build([source], [output])


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
    out_scale, out_zero_point = input_quantization(dtype, out_scale, out_zero_point)
    in_scale = [out_scale] * len(shapes) if in_scale is None else in_scale
    in_zero_point = [out_zero_point] * len(shapes) if in_zero_point is None else in_zero_point
    order = range(len(shapes)) if order is None else order
    if out_shape is None:
        out_shape = list(shapes[order[0]])
        out_shape[axis] = sum(shapes[i][axis] for i in order)
    builder = ModelBuilder()
    constants = constants or {}
    tensors = [
        builder.add_tensor(f"input {i}", shape, dtype, data=constants.get(i), **quantized(dtype, scale, zero_point))
        for i, (shape, scale, zero_point) in enumerate(zip(shapes, in_scale, in_zero_point, strict=True))
    ]
    output = builder.add_tensor("output", out_shape, dtype, **quantized(dtype, out_scale, out_zero_point))
    builder.add_op("CONCATENATION", [tensors[i] for i in order], [output], version=version, axis=axis, fused_activation_function=activation)
    return builder.build([tensor for i, tensor in enumerate(tensors) if i not in constants], [output])
