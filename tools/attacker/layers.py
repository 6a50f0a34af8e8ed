"""Layers of public networks, counted: the distribution from which the attack on speed draws.

layers.json holds a line for each kind of layer: how many nodes of how many networks have it, the function of tests/python/builders that builds it, and that
function's parameters. `python -m attacker.layers MODEL.tflite...`, run in tools/, counts networks anew; the networks themselves are not in the repository.
"""

from __future__ import annotations

import collections
import dataclasses
import json
import pathlib
import sys
from collections.abc import Callable, Iterable
from typing import Any

import builders
import numpy as np

from tvmq_delegate.models import surgery

PATH = pathlib.Path(__file__).with_name("layers.json")

Parameters = dict[str, Any]


@dataclasses.dataclass(frozen=True)
class Layer:
    """build: a key of BUILDERS. parameters: of that function, as JSON holds them."""

    build: str
    parameters: Parameters

    def model(self) -> bytes:
        """Raises what builders raise where parameters do not fit together."""
        return BUILDERS[self.build](**self.parameters)

    def __str__(self) -> str:
        return f"{self.build} {', '.join(f'{name}={value}' for name, value in self.parameters.items())}"


def _transpose(shape: list[int], permutation: list[int], dtype: str) -> bytes:
    return builders.build_move(
        "TRANSPOSE", operands=[tuple(shape), np.array(permutation, np.int32)], out_shapes=[tuple(shape[i] for i in permutation)], dtype=dtype
    )


def _binary(shape: list[int], other_shape: list[int], dtype: str, constant: bool, **parameters: Any) -> bytes:
    """Both inputs have the same quantization of either type, as between two branches of a network; the constant is one of the middle of the type's range."""
    values = np.ones(other_shape, dtype) if constant else None
    return builders.build_binary(shape=shape, other_shape=other_shape, other=values, dtype=dtype, **parameters)


BUILDERS: dict[str, Callable[..., bytes]] = {
    "conv": builders.build_conv,
    "depthwise": builders.build_depthwise,
    "fully_connected": builders.build_fully_connected,
    "transpose_conv": builders.build_transpose_conv,
    "binary": _binary,
    "unary": builders.build_unary,
    "average_pool": builders.build_average_pool,
    "max_pool": builders.build_max_pool,
    "reduce": builders.build_reduce,
    "softmax": builders.build_softmax,
    "quantize": builders.build_quantize,
    "concatenation": builders.build_concatenation,
    "resize_bilinear": builders.build_resize_bilinear,
    "transpose": _transpose,
}

# ---- what a node of a network is


def _weighted(op: surgery.Op) -> Parameters | None:
    source, weights = op.inputs[2 if op.name == "TRANSPOSE_CONV" else 0], op.inputs[1]
    if source is None or weights is None or not weights.constant or weights.dtype not in ("int8", "uint8"):
        return None
    bias = op.inputs[2] if len(op.inputs) > 2 and op.name != "TRANSPOSE_CONV" else None
    types = {"dtype": source.dtype, "filter_dtype": weights.dtype}
    if bias is not None and source.dtype == "int16":
        types["bias_dtype"] = bias.dtype
    return {"in_shape": list(source.shape), "activation": op.params.get("fused_activation_function", "NONE"), **types}


def _window(op: surgery.Op, height: int, width: int) -> Parameters:
    given = {"filter_size": [height, width], "stride": [op.params["stride_h"], op.params["stride_w"]], "padding": op.params["padding"]}
    dilation = [op.params.get("dilation_h_factor", 1), op.params.get("dilation_w_factor", 1)]
    return {**given, "dilation": dilation} if dilation != [1, 1] else given


def _conv(op: surgery.Op) -> Parameters | None:
    found, weights = _weighted(op), op.inputs[1]
    if not found or not weights:
        return None
    return {**found, **_window(op, *weights.shape[1:3]), "out_c": weights.shape[0], "groups": found["in_shape"][3] // weights.shape[3]}


def _depthwise(op: surgery.Op) -> Parameters | None:
    found, weights = _weighted(op), op.inputs[1]
    return {**found, **_window(op, *weights.shape[1:3]), "depth_multiplier": weights.shape[3] // found["in_shape"][3]} if found and weights else None


def _transpose_conv(op: surgery.Op) -> Parameters | None:
    found, weights = _weighted(op), op.inputs[1]
    return {**found, **_window(op, *weights.shape[1:3]), "out_c": weights.shape[0], "size": list(op.outputs[0].shape[1:3])} if found and weights else None


def _fully_connected(op: surgery.Op) -> Parameters | None:
    found, weights = _weighted(op), op.inputs[1]
    if not found or not weights:
        return None
    depth, elements = weights.shape[1], int(np.prod(found["in_shape"]))
    return {**found, "in_shape": [elements // depth, depth], "out_c": weights.shape[0]}


def _pairs(op: surgery.Op) -> Parameters | None:
    a, b = op.inputs[:2]
    if a is None or b is None:
        return None
    out = list(op.outputs[0].shape)
    small, large = (a, b) if list(b.shape) == out else (b, a)
    if list(large.shape) != out:
        return None
    activation = op.params.get("fused_activation_function")
    fused = {"activation": activation} if activation else {}
    return {"operator": op.name, "shape": out, "other_shape": list(small.shape), "dtype": a.dtype, "constant": small.constant, **fused}


def _source(op: surgery.Op) -> surgery.Tensor:
    return next(tensor for tensor in op.inputs if tensor is not None)


def _unary(op: surgery.Op) -> Parameters:
    options = {name: value for name, value in op.params.items() if name in ("alpha", "approximate")}
    return {"operator": op.name, "shape": list(_source(op).shape), "dtype": _source(op).dtype, **options}


def _pool(op: surgery.Op) -> Parameters:
    return {"in_shape": list(_source(op).shape), "dtype": _source(op).dtype, **_window(op, op.params["filter_height"], op.params["filter_width"])}


def _reduce(op: surgery.Op) -> Parameters | None:
    axes = op.inputs[1]
    if axes is None or not axes.constant:
        return None
    given = {"operator": op.name, "in_shape": list(_source(op).shape), "axes": axes.numpy().reshape(-1).tolist()}
    return {**given, "keep_dims": bool(op.params.get("keep_dims", False)), "dtype": _source(op).dtype}


def _softmax(op: surgery.Op) -> Parameters:
    return {"in_shape": list(_source(op).shape), "dtype": _source(op).dtype}


def _quantize(op: surgery.Op) -> Parameters:
    return {"in_dtype": _source(op).dtype, "out_dtype": op.outputs[0].dtype, "shape": list(_source(op).shape)}


def _concatenation(op: surgery.Op) -> Parameters | None:
    shapes = [list(tensor.shape) for tensor in op.inputs if tensor is not None and not tensor.constant]
    return {"shapes": shapes, "axis": op.params["axis"] % len(shapes[0]), "dtype": _source(op).dtype} if len(shapes) > 1 else None


def _resize(op: surgery.Op) -> Parameters:
    ways = {name: bool(op.params.get(name, False)) for name in ("align_corners", "half_pixel_centers")}
    return {"in_shape": list(_source(op).shape), "size": list(op.outputs[0].shape[1:3]), "dtype": _source(op).dtype, **ways}


def _moved(op: surgery.Op) -> Parameters | None:
    order = op.inputs[1]
    if order is None or not order.constant:
        return None
    return {"shape": list(_source(op).shape), "permutation": order.numpy().reshape(-1).tolist(), "dtype": _source(op).dtype}


READERS: dict[str, tuple[str, Callable[[surgery.Op], Parameters | None]]] = {
    "CONV_2D": ("conv", _conv),
    "DEPTHWISE_CONV_2D": ("depthwise", _depthwise),
    "TRANSPOSE_CONV": ("transpose_conv", _transpose_conv),
    "FULLY_CONNECTED": ("fully_connected", _fully_connected),
    **dict.fromkeys(("ADD", "SUB", "MUL", "MAXIMUM", "MINIMUM", "SQUARED_DIFFERENCE"), ("binary", _pairs)),
    **dict.fromkeys(("LOGISTIC", "TANH", "HARD_SWISH", "RELU", "RELU6", "LEAKY_RELU", "GELU", "ABS", "RSQRT"), ("unary", _unary)),
    "AVERAGE_POOL_2D": ("average_pool", _pool),
    "MAX_POOL_2D": ("max_pool", _pool),
    **dict.fromkeys(("MEAN", "SUM", "REDUCE_MAX", "REDUCE_MIN"), ("reduce", _reduce)),
    "SOFTMAX": ("softmax", _softmax),
    "QUANTIZE": ("quantize", _quantize),
    "CONCATENATION": ("concatenation", _concatenation),
    "RESIZE_BILINEAR": ("resize_bilinear", _resize),
    "TRANSPOSE": ("transpose", _moved),
}


def of(op: surgery.Op) -> Layer | None:
    """The layer that a node is; None: of no kind that is drawn, or of shapes that the file does not say."""
    build, read = READERS.get(op.name, ("", lambda op: None))
    try:
        parameters = read(op)
    except IndexError:
        return None
    return Layer(build, parameters) if parameters and 0 not in op.outputs[0].shape else None


# ---- the file


def count(paths: Iterable[pathlib.Path]) -> list[tuple[int, int, Layer]]:
    """Nodes, networks and layer of each kind, the commonest first."""
    nodes: collections.Counter[str] = collections.Counter()
    networks: collections.Counter[str] = collections.Counter()
    for path in paths:
        found = [json.dumps(dataclasses.asdict(layer)) for layer in map(of, surgery.ops(path.read_bytes())) if layer]
        nodes.update(found)
        networks.update(set(found))
    return [(n, networks[key], Layer(**json.loads(key))) for key, n in nodes.most_common()]


def read() -> list[tuple[int, int, Layer]]:
    return [(nodes, networks, Layer(build, parameters)) for nodes, networks, build, parameters in json.loads(PATH.read_text(encoding="utf-8"))]


def write(found: Iterable[tuple[int, int, Layer]]) -> None:
    lines = ",\n".join(json.dumps([nodes, networks, layer.build, layer.parameters], separators=(",", ":")) for nodes, networks, layer in found)
    PATH.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    write(count(map(pathlib.Path, sys.argv[1:])))
