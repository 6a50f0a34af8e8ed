"""One-op models for any parameters of the operators that the delegate takes."""

from .elementwise_op import build_binary, build_condition, build_unary
from .move_op import build_move
from .one_op import (
    build_arg_max,
    build_average_pool,
    build_concatenation,
    build_gather,
    build_lookup,
    build_max_pool,
    build_quantize,
    build_reduce,
    build_reshape,
    build_resize_bilinear,
    build_softmax,
)  # fmt: skip
from .weighted_op import build_batch_matmul, build_conv, build_depthwise, build_fully_connected, build_transpose_conv

__all__ = [
    "build_arg_max", "build_average_pool", "build_batch_matmul", "build_binary", "build_concatenation", "build_condition", "build_conv", "build_depthwise",
    "build_fully_connected", "build_gather", "build_lookup", "build_max_pool", "build_move", "build_quantize", "build_reduce", "build_reshape",
    "build_resize_bilinear", "build_softmax", "build_transpose_conv", "build_unary",
]  # fmt: skip
