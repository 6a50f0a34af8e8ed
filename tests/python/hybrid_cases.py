"""Random hybrid nodes as cases.py has quantized ones: float32 activations and int8 weights."""

from __future__ import annotations

import builders
import cases
import harness
import numpy as np
from draws import Draw

from tvmq_delegate.binding import library, reference


def activations(generator: np.random.Generator, how: str, shape: tuple[int, ...]) -> np.ndarray:
    """Floats of one order of magnitude, of either sign or of one, on a grid that has ties, next to ties, or all zero."""
    value = generator.standard_normal(shape).astype(np.float32) * np.float32(2.0 ** generator.uniform(-3, 6))
    if how == "grid":
        value = np.round(value * 4) / 4
        value.flat[0], value.flat[-1] = np.abs(value).max() + 1, 0
    if how == "next to a half":  # of a step of 1, where kernels that take eight at a time round otherwise than for the rest
        value[:] = np.nextafter(np.float32(0.5), np.float32(0))
        value.flat[0], value.flat[-1] = 127, -128
    return {"positive": np.abs(value), "negative": -np.abs(value), "zero": value * 0}.get(how, value)


def hybrids(draw: Draw, operator: str) -> cases.Case:
    """A case of int8 whose activations and bias become float32, and its weights what converters write."""
    case = (
        cases.fully_connecteds(draw, "int8") if operator == "FULLY_CONNECTED" else cases.convolutions(draw, "int8", depthwise=operator == "DEPTHWISE_CONV_2D")
    )
    p = dict(case.parameters)
    generator = np.random.default_rng(draw.generator_seed())
    out_c = np.shape(p["filter"])[-1 if operator == "DEPTHWISE_CONV_2D" else 0]
    scales = draw.choice(["several", "one", "alike"])
    n_scales = 1 if scales == "one" and operator != "DEPTHWISE_CONV_2D" else out_c
    p["filter_scale"] = np.float32(generator.uniform(0.001, 0.02, n_scales) if scales == "several" else [0.0123] * n_scales)
    if p["bias"] is not False:
        p["bias"] = generator.standard_normal(out_c).astype(np.float32)
    p |= dict(dtype="float32", bias_dtype="float32", filter_dtype="int8", filter=np.maximum(p["filter"], -127), version=None)
    if operator == "FULLY_CONNECTED":
        p["asymmetric_quantize_inputs"] = draw.boolean()
    for name in ("in_scale", "in_zero_point", "out_scale", "out_zero_point"):
        del p[name]
    inputs = [activations(generator, how, p["in_shape"]) for how in ("any", draw.choice(["grid", "next to a half", "positive", "negative", "zero"]))]
    return cases.Case(case.builder, p, list(inputs))


def has_dot_products() -> bool:
    return any(isa.name == "dotprod" and isa.available for isa in library.isas())


def takes_rows_together(form: str, case: cases.Case) -> bool:
    """Whether the runtime takes several rows of a FULLY_CONNECTED at a time, by dot products, where it has several."""
    channels, depth = np.shape(case.parameters["filter"])
    return form == "neon" and has_dot_products() and depth % 16 == 0 and channels % 2 == 0


def reason_to_refuse(runtime: harness.Runtime, case: cases.Case) -> str | None:
    form = reference.found("hybrid", runtime.module)
    scales = case.parameters["filter_scale"]
    fully_connected = case.builder is builders.build_fully_connected
    if form == "auto":
        keeps_dims = fully_connected and case.parameters.get("keep_num_dims") and len(case.parameters["in_shape"]) != 2
        return "scales" if keeps_dims and len(scales) > 1 else "option hybrid"  # what is refused first
    if fully_connected and takes_rows_together(form, case):
        return "number of rows"
    alike = case.builder is builders.build_conv and len(set(scales.tolist())) == 1
    return "scales" if form == "portable" and len(scales) > 1 and (fully_connected or alike) else None
