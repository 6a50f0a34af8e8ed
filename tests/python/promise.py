"""Which operators of a model the delegate promises to take, by what the file says of them."""

from __future__ import annotations

from moves import MOVES

from tvmq_delegate import models

CONVOLUTIONS = ("CONV_2D", "DEPTHWISE_CONV_2D")
WEIGHTED = (*CONVOLUTIONS, "FULLY_CONNECTED")
# Operators of tensors of 8 or 16 bits, unless all are constant.
ANY_QUANTIZED = (
    "ADD", "AVERAGE_POOL_2D", "CONCATENATION", "DEQUANTIZE", "LEAKY_RELU", "LOGISTIC", "MAX_POOL_2D", "MAXIMUM", "MINIMUM",
    "MUL", "RELU", "RELU6", "SUB", "TANH",
)  # fmt: skip


def hybrid(op: models.Op) -> bool:
    """Whether the operator has float32 activations and constant int8 weights, and the bias that CONV_2D cannot do without."""
    if op.name not in WEIGHTED or op.inputs[0].dtype != "float32":
        return False
    return op.inputs[1].dtype == "int8" and op.inputs[1].constant and (op.name != "CONV_2D" or len(op.inputs) > 2)


def ours(op: models.Op) -> bool:
    """Whether the delegate promises to take the operator: it is quantized, and its weights are constant, or FULLY_CONNECTED's; or hybrid, for kernels that are
    known.
    """
    quantized = ("int8", "uint8", "int16")
    if hybrid(op):
        return True
    if op.name in ("EXP", "GELU", "LOGISTIC", "SOFTMAX", "TANH") and op.inputs[0].dtype == "float32":
        return False  # a partition of its own is not worth its overhead
    if op.name in ANY_QUANTIZED:
        return op.inputs[0].dtype in quantized and not all(tensor.constant for tensor in op.inputs)
    if op.name in ("EQUAL", "GREATER", "GREATER_EQUAL", "LESS", "LESS_EQUAL", "NOT_EQUAL"):
        scales = [tensor.quantization.scale[0] for tensor in op.inputs if tensor.quantization is not None and tensor.quantization.scale]
        return op.inputs[0].dtype in ("int8", "uint8") and len(scales) == 2 and max(scales) < 1
    if op.name in ("SELECT", "SELECT_V2"):
        return op.inputs[1].dtype in quantized and not all(tensor.constant for tensor in op.inputs)
    if op.name == "CAST":
        return op.inputs[0].dtype in (*quantized, "int32", "int64") and op.outputs[0].dtype in (*quantized, "int32", "int64", "float32")
    if op.name in ("EXP", "LOG"):
        return op.inputs[0].dtype == "int8"
    if op.name == "SQUARED_DIFFERENCE":
        return op.inputs[0].dtype == "int8" and not all(tensor.constant for tensor in op.inputs)
    if op.name == "RSQRT":
        return op.inputs[0].dtype == "int8" and op.inputs[0].quantization is not None and op.inputs[0].quantization.zero_point == (-128,)
    if op.name == "ABS":
        return op.inputs[0].dtype in ("int8", "int16")
    if op.name in ("GELU", "HARD_SWISH", "PRELU", "RELU_0_TO_1", "RELU_N1_TO_1"):
        return op.inputs[0].dtype in ("int8", "uint8")
    if op.name == "RESIZE_BILINEAR":
        return op.inputs[0].dtype in quantized and op.inputs[1].constant
    if op.name in ("MEAN", "REDUCE_MAX", "REDUCE_MIN"):
        return op.inputs[0].dtype in quantized and op.inputs[1].constant
    if op.name == "SOFTMAX":
        return op.inputs[0].dtype in quantized and (op.inputs[0].shape or (0,))[-1] < 4096
    if op.name in ("ARG_MAX", "SUM"):
        return op.inputs[0].dtype in (quantized[:2] if op.name == "ARG_MAX" else ("uint8",)) and op.inputs[1].constant
    if op.name == "QUANTIZE":
        return op.outputs[0].dtype in ("int8", "uint8")
    if op.name == "TRANSPOSE_CONV":
        shape, weights, source = op.inputs[:3]
        return source.dtype in quantized and shape.constant and weights.constant
    if op.name in MOVES or op.name == "RESHAPE":
        moved = [operand for operand in op.inputs if operand.dtype in quantized]
        return bool(moved) and len(op.outputs) <= 64 and all(operand in moved or operand.constant for operand in op.inputs)
    computed = op.name == "FULLY_CONNECTED" and op.inputs[0].dtype == op.inputs[1].dtype == "int8"
    return op.name in WEIGHTED and op.inputs[0].dtype in quantized and (op.inputs[1].constant or computed)


def promised(content: bytes) -> set[tuple[int, int]]:
    """Subgraph and index of what the delegate promises to take."""
    return {(op.subgraph, op.index) for op in models.ops(content) if ours(op)}
