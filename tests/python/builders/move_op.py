"""One-op models of operators that move elements: any operator, any constants, any options."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tvmq_delegate.models.builder import ModelBuilder

from .one_op import quantized

Constant = np.ndarray
Quantization = tuple[float, int]


def build_move(
    operator: str,
    *,
    operands: Sequence[tuple[int, ...] | Constant],
    out_shapes: Sequence[tuple[int, ...]],
    dtype: str = "int8",
    quantization: Quantization = (0.5, 0),
    out_quantization: Quantization | None = None,
    out_dtype: str | None = None,
    version: int | None = None,
    **options: Any,
) -> bytes:
    """One operator as a model. `operands` are its inputs in order: the shape of a tensor of `dtype`, or a constant of any type, one of `dtype` quantized."""
    builder = ModelBuilder()
    inputs, fed = [], []
    for i, operand in enumerate(operands):
        if isinstance(operand, np.ndarray):
            how = quantized(dtype, *quantization) if str(operand.dtype) == dtype else {}
            inputs.append(builder.add_tensor(f"constant {i}", operand.shape, str(operand.dtype), data=operand, **how))
        else:
            inputs.append(builder.add_tensor(f"input {i}", operand, dtype, **quantized(dtype, *quantization)))
            fed.append(inputs[-1])
    how = quantized(out_dtype or dtype, *(out_quantization or quantization))
    outputs = [builder.add_tensor(f"output {i}", shape, out_dtype or dtype, **how) for i, shape in enumerate(out_shapes)]
    builder.add_op(operator, inputs, outputs, version=version, **options)
    return builder.build(fed, outputs)
