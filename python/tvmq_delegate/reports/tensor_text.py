"""A tensor in words: its shape, its quantization, and the range of its values if the file has them."""

from __future__ import annotations

import math

from .. import models


def facts(tensor: models.Tensor) -> dict[str, str]:
    """Names of facts, and the facts."""
    known = {"name": tensor.name or "(none)", "type": str(tensor)}
    quantization = tensor.quantization
    if quantization is not None and len(quantization.scale) == 1:
        known |= {"scale": f"{quantization.scale[0]:.8g}", "zero point": str(quantization.zero_point[0])}
    elif quantization is not None:
        low, high = min(quantization.scale), max(quantization.scale)
        known["scale"] = f"{len(quantization.scale)} along dimension {quantization.dimension}: {low:.4g} to {high:.4g}"
        zeros = sorted({*quantization.zero_point})
        known["zero point"] = str(zeros[0]) if len(zeros) == 1 else f"{zeros[0]} to {zeros[-1]}"
    if tensor.constant:
        known |= _values(tensor)
    return known


def _values(tensor: models.Tensor) -> dict[str, str]:
    try:
        values = tensor.numpy()
    except models.ModelError:
        return {}
    if values.dtype.kind not in "iuf" or not values.size:
        return {}
    if values.size <= 8:
        return {"values": ", ".join(f"{value:.6g}" for value in values.ravel().tolist())}
    found = {"range": f"{values.min():.6g} to {values.max():.6g}"}
    quantization = tensor.quantization
    if quantization is not None and values.dtype.kind in "iu":
        scales, zeros = quantization.scale, quantization.zero_point
        axis = quantization.dimension if len(scales) > 1 else None
        if axis is None or (axis < values.ndim and values.shape[axis] == len(scales) == len(zeros)):
            rest = tuple(i for i in range(values.ndim) if i != axis)
            lows, highs = (extreme.ravel().tolist() for extreme in (values.min(axis=rest), values.max(axis=rest)))
            real = [scale * (value - zero) for ends in (lows, highs) for value, scale, zero in zip(ends, scales, zeros)]
            if all(map(math.isfinite, real)):
                found["real range"] = f"{min(real):.4g} to {max(real):.4g}"
    return found
