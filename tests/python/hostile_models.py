"""Models that hostile tests damage: a small one of each operator, and pieces of real networks."""

from __future__ import annotations

import functools
import pathlib
import random

import builders
import harness
import moves
import numpy as np
from padded import padded
from test_chains import hard_swish_of_three, silu

from tvmq_delegate import models
from tvmq_delegate.models import zoo

LARGEST = 4 << 20  # bytes of a network's file
MACS = 2_000_000 if harness.SLOW else 20_000_000  # of a piece; the reference kernels compute some 200 million a second

# No PADV2: tflite-runtime 2.14 leaves its output unwritten, without an error, where the value is quantized otherwise than the output.
MODELS = {
    "conv": lambda: builders.build_conv(in_shape=(1, 6, 6, 8), out_c=8),
    "depthwise": lambda: builders.build_depthwise(in_shape=(1, 6, 6, 8), depth_multiplier=2),
    "uint8": lambda: builders.build_conv(in_shape=(2, 6, 6, 8), out_c=8, dtype="uint8", stride=(2, 2), padding="VALID"),
    "16x8": lambda: builders.build_conv(in_shape=(1, 6, 6, 8), out_c=8, dtype="int16"),
    "hybrid conv": lambda: builders.build_conv(in_shape=(2, 6, 6, 8), out_c=8, dtype="float32", filter_dtype="int8"),
    "hybrid fully connected": lambda: builders.build_fully_connected(in_shape=(3, 20), out_c=9, dtype="float32", filter_dtype="int8", per_channel=False),
    "transpose conv": lambda: builders.build_transpose_conv(in_shape=(2, 4, 5, 8), size=(8, 10)),
    "pad": lambda: padded(builders.build_depthwise(in_shape=(1, 9, 9, 8), stride=(2, 2), padding="VALID"), [(0, 0), (0, 1), (1, 2), (0, 0)]),
    "max pool": lambda: builders.build_max_pool(in_shape=(2, 7, 6, 20), stride=(1, 2)),
    "average pool": lambda: builders.build_average_pool(in_shape=(2, 7, 6, 20), stride=(2, 1)),
    "concatenation": lambda: builders.build_concatenation(shapes=[(1, 6, 6, 8), (1, 6, 6, 3), (1, 6, 6, 5)]),
    "fully connected": lambda: builders.build_fully_connected(in_shape=(2, 3, 20), out_c=9, keep_num_dims=True, per_channel=False),
    "fully connected of inputs": lambda: builders.build_fully_connected(in_shape=(3, 20), out_c=9, constant_filter=False, per_channel=False),
    "resize_bilinear": lambda: builders.build_resize_bilinear(),
    "mean": lambda: builders.build_reduce(in_shape=(2, 7, 6, 20), keep_dims=True),
    "sum": lambda: builders.build_reduce(operator="SUM", in_shape=(2, 3, 4, 5), axes=(0, 2), dtype="uint8"),
    "reduce max": lambda: builders.build_reduce(operator="REDUCE_MAX", in_shape=(2, 3, 4, 5), axes=(1, 3), in_scale=0.5, out_scale=0.5, out_zero_point=3),
    "softmax": lambda: builders.build_softmax(in_shape=(2, 3, 20)),
    "softmax int16": lambda: builders.build_softmax(in_shape=(3, 20), dtype="int16"),
    "gather_nd of computed indices": lambda: builders.build_gather(index_dtype="uint8"),
    "gather of computed indices": lambda: builders.build_gather(in_shape=(2, 256, 3), axis=1, index_dtype="uint8"),
    "lookup": lambda: builders.build_lookup(index_dtype="uint8"),
    "lookup of float32": lambda: builders.build_lookup(index_dtype="uint8", dtype="float32"),
    "arg max": lambda: builders.build_arg_max(),
    "reshape": lambda: builders.build_reshape(in_shape=(2, 6, 6, 8), shape=(2, -1, 4)),
    "add": lambda: builders.build_binary(shape=(1, 6, 6, 8), activation="RELU6"),
    "add int16": lambda: builders.build_binary(shape=(1, 6, 6, 8), dtype="int16"),
    "mul": lambda: builders.build_binary(operator="MUL", shape=(1, 6, 6, 8), other_shape=(1, 1, 1, 8), dtype="uint8"),
    "sub": lambda: builders.build_binary(operator="SUB", shape=(1, 6, 6, 8)),
    "maximum": lambda: builders.build_binary(operator="MAXIMUM", shape=(1, 6, 6, 8), other_shape=(6, 1)),
    "prelu": lambda: builders.build_binary(operator="PRELU", shape=(1, 6, 6, 8), other_shape=(1, 1, 8), other=np.full((1, 1, 8), 5, np.int8)),
    "squared difference": lambda: builders.build_binary(operator="SQUARED_DIFFERENCE", shape=(1, 6, 6, 8), other_shape=(1, 1, 1, 8)),
    "rsqrt": lambda: builders.build_unary(operator="RSQRT", shape=(1, 6, 6, 8), in_zero_point=-128),
    "rsqrt of float32": lambda: builders.build_unary(operator="RSQRT", shape=(1, 6, 6, 8), dtype="float32"),
    "div": lambda: builders.build_binary(operator="DIV", shape=(1, 6, 6, 8), other_shape=(1, 1, 1, 8), dtype="float32", activation="RELU6"),
    "logistic of float32": lambda: builders.build_unary(operator="LOGISTIC", shape=(1, 6, 6, 8), dtype="float32"),
    "softmax of float32": lambda: builders.build_softmax(in_shape=(6, 8), dtype="float32"),
    "logistic": lambda: builders.build_unary(operator="LOGISTIC", shape=(1, 6, 6, 8)),
    "log of float32": lambda: builders.build_unary(operator="LOG", shape=(1, 6, 6, 8), dtype="float32"),
    "hard swish": lambda: builders.build_unary(operator="HARD_SWISH", shape=(1, 6, 6, 8), dtype="uint8"),
    "batch matmul": lambda: builders.build_batch_matmul(left_shape=(2, 6, 8), right_shape=(2, 8, 10)),
    "leaky relu": lambda: builders.build_unary(operator="LEAKY_RELU", shape=(1, 6, 6, 8), dtype="int16", alpha=0.3),
    "relu6": lambda: builders.build_unary(operator="RELU6", shape=(1, 6, 6, 8)),
    "float gelu": lambda: builders.build_unary(operator="GELU", dtype="float32", shape=(1, 6, 6, 7)),
    "gelu": lambda: builders.build_unary(operator="GELU", shape=(1, 6, 6, 8), approximate=True),
    "greater": lambda: builders.build_condition(shapes=((1, 6, 6, 8), (1, 1, 1, 8))),
    "equal of float32": lambda: builders.build_condition(operator="EQUAL", dtype="float32", shapes=((1, 6, 6, 8),) * 2),
    # With a condition of one dimension, the reference writes behind tensors once the condition is its own output.
    "select": lambda: builders.build_condition(operator="SELECT", shapes=((2, 6, 8),) * 3),
    "select v2": lambda: builders.build_condition(operator="SELECT_V2", dtype="int16", shapes=((1, 6, 1, 8), (6, 8), (1, 6, 6, 1))),
    "logical or": lambda: builders.build_condition(operator="LOGICAL_OR", dtype="bool", shapes=((1, 6, 6, 8), (8,))),
    "logical not": lambda: builders.build_condition(operator="LOGICAL_NOT", dtype="bool", shapes=((1, 6, 6, 8),)),
    "cast": lambda: builders.build_unary(operator="CAST", dtype="uint8", out_dtype="int32", shape=(1, 6, 6, 8)),
    "dequantize": lambda: builders.build_unary(operator="DEQUANTIZE", out_dtype="float32", shape=(1, 6, 6, 8)),
    "quantize": lambda: builders.build_quantize(in_dtype="uint8", out_dtype="int8"),
    **{name.lower(): functools.partial(moves.example, name) for name in moves.MOVES if name != "PADV2"},
    "hard swish of three": hard_swish_of_three,
    "silu": silu,
    "network": lambda: zoo.load("mobilenet_v2_0.25_32_uint8_io"),
}


def networks(folder: pathlib.Path) -> list[pathlib.Path]:
    """The files of a folder, and of those in it, that are small enough to be damaged many times."""
    return [path for path in sorted(folder.rglob("*.tflite")) if path.stat().st_size <= LARGEST]


@functools.lru_cache(maxsize=64)
def costs(path: pathlib.Path) -> tuple[int, ...]:
    """The multiply-accumulates of each node of the first graph."""
    return tuple(op.macs for op in models.ops(path.read_bytes()) if op.subgraph == 0)


def piece(path: pathlib.Path, rng: random.Random) -> bytes:
    """The network, or as many consecutive nodes of one that takes long as take no longer than MACS, one at least."""
    content, macs = path.read_bytes(), costs(path)
    if sum(macs) <= MACS:
        return content
    first = rng.randrange(len(macs))
    end, total = first + 1, macs[first]
    while end < len(macs) and (total := total + macs[end]) <= MACS:
        end += 1
    return models.cut(content, range(first, end))
