"""One-op models for any parameters of the operators that compute element by element, including those that are to be refused."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tvmq_delegate.models.builder import ModelBuilder

from .one_op import default_zero_points, input_quantization, output_zero_point, quantized, uniform_deviation

if TYPE_CHECKING:
    import numpy as np

# Operators on two tensors, and those of their options that are not every one's.
BINARY = {
    "ADD": ("fused_activation_function", "pot_scale_int16"),
    "SUB": ("fused_activation_function", "pot_scale_int16"),
    "MUL": ("fused_activation_function",),
    "DIV": ("fused_activation_function",),
    "MAXIMUM": (),
    "MINIMUM": (),
    "PRELU": (),
    "SQUARED_DIFFERENCE": (),
}


def build_binary(
    *,
    operator: str = "ADD",
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
    """One operator on two tensors as a model.

    dtype, shape: of both inputs and the output. other_dtype, other_shape: of the second input, out_dtype: of the output, where they differ.
    other: values of the second input, which is then a constant. twice: the first input is the second one too.
    in_scale, in_zero_point: of both inputs. What is None is chosen as `build_depthwise` chooses it. activation: as there.
    pot_scale_int16: the option of that name: int16 scales that are powers of two are treated as such.
    """
    other_dtype, out_dtype = other_dtype or dtype, out_dtype or dtype
    other_shape = shape if other_shape is None else other_shape
    if in_scale is None:
        in_scale = (4 / uniform_deviation(dtype), 3 / uniform_deviation(other_dtype))
    if in_zero_point is None:
        in_zero_point = default_zero_points(dtype)
    if out_scale is None and operator == "SQUARED_DIFFERENCE":
        out_scale = max(in_scale)
    elif out_scale is None:
        out_scale = math.hypot(in_scale[0] * uniform_deviation(dtype), in_scale[1] * uniform_deviation(other_dtype)) / (uniform_deviation(out_dtype) * 0.6)
    out_zero_point = output_zero_point(out_dtype, out_zero_point)
    builder = ModelBuilder()
    inputs = [builder.add_tensor("input", shape, dtype, **quantized(dtype, in_scale[0], in_zero_point[0]))]
    if twice:
        inputs *= 2
    else:
        inputs.append(builder.add_tensor("other", other_shape, other_dtype, data=other, **quantized(other_dtype, in_scale[1], in_zero_point[1])))
    output = builder.add_tensor("output", shape, out_dtype, **quantized(out_dtype, out_scale, out_zero_point))
    options = {"fused_activation_function": activation, "pot_scale_int16": pot_scale_int16}
    builder.add_op(operator, inputs, [output], version=version, **{key: options[key] for key in BINARY[operator]})
    return builder.build(inputs[: 1 if twice or other is not None else 2], [output])


def build_condition(
    *,
    operator: str = "GREATER",
    dtype: str = "int8",
    shapes: Sequence[Sequence[int]] = ((1, 8, 8, 16), (1, 8, 8, 16)),
    out_shape: Sequence[int] | None = None,
    constants: Sequence[np.ndarray | None] = (None, None, None),
    scales: tuple[float, float] = (0.02, 0.03),
    zero_points: tuple[int, int] = (0, 0),
    version: int | None = None,
) -> bytes:
    """One comparison, operation on conditions or selection as a model.

    shapes: of the inputs, of which SELECT's first is a condition. dtype: of what is compared or selected. constants: values of inputs that are constant.
    scales, zero_points: of what is compared; what is selected has the first.
    """
    import numpy as np

    selects = operator.startswith("SELECT")
    builder = ModelBuilder()
    inputs = []
    for i, (shape, constant) in enumerate(zip(shapes, constants)):
        of = "bool" if selects and i == 0 else dtype
        which = 0 if selects else i
        inputs.append(builder.add_tensor(f"input_{i}", shape, of, data=constant, **quantized(of, scales[which], zero_points[which])))
    out_dtype = dtype if selects else "bool"
    if out_shape is None:
        out_shape = shapes[-1] if operator == "SELECT" else np.broadcast_shapes(*map(tuple, shapes))
    output = builder.add_tensor("output", out_shape, out_dtype, **quantized(out_dtype, scales[0], zero_points[0]))
    builder.add_op(operator, inputs, [output], version=version)
    return builder.build([tensor for tensor, constant in zip(inputs, constants) if constant is None], [output])


def build_unary(
    *,
    operator: str = "LOGISTIC",
    dtype: str = "int8",
    out_dtype: str | None = None,
    shape: Sequence[int] = (1, 8, 8, 16),
    in_scale: float | None = None,
    in_zero_point: int | None = None,
    out_scale: float | None = None,
    out_zero_point: int | None = None,
    version: int | None = None,
    **options: float | str,
) -> bytes:
    """One function of a tensor's elements as a model; `options` are the operator's own. Scales that are None: 1/256 of LOGISTIC's output, else a deviation of
    4, and for the output of 2.
    """
    out_dtype = out_dtype or dtype
    in_scale, in_zero_point = input_quantization(dtype, in_scale, in_zero_point)
    if out_scale is None:
        out_scale = 1 / 256 if operator == "LOGISTIC" else 2 / uniform_deviation(out_dtype)
    builder = ModelBuilder()
    source = builder.add_tensor("input", shape, dtype, **quantized(dtype, in_scale, in_zero_point))
    output = builder.add_tensor("output", shape, out_dtype, **quantized(out_dtype, out_scale, output_zero_point(out_dtype, out_zero_point)))
    builder.add_op(operator, [source], [output], version=version, **options)
    return builder.build([source], [output])
