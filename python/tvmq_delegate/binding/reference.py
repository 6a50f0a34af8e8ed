"""Some arithmetic of reference kernels differs from runtime to runtime, and no interface tells: the kernels are asked.

The questions are models of one node in the folder questions, which tools/questions writes: to load() they cost no import of what builds models.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from types import ModuleType
from typing import Any

from . import runtimes

QUESTIONS = os.path.join(os.path.dirname(__file__), "questions")


def found(option: str, module: ModuleType) -> str:
    """The value that an option of the delegate should have in a runtime, as runtimes.find() returns it: one of OPTIONS.

    What all versions of a runtime do is known, other kernels are asked.
    """
    known, ask = OPTIONS[option]
    return known.get(runtimes.name(module)) or ask(module)


@functools.cache
def ask_fully_connected(module: ModuleType) -> str:
    """How sums of FULLY_CONNECTED are scaled: in fixed point, which rounds twice, or by a product in float64; "auto": in another way."""
    return _SCALING.get(tuple(_answer(module, "fully_connected", [1] * 19, "int8").tolist()), "auto")


@functools.cache
def ask_fast_math(module: ModuleType) -> str:
    """Whether the runtime was compiled with unsafe optimizations: QUANTIZE of a quotient that is a tie, where the product with the reciprocal is below it.
    Vectors and what is left over may be compiled differently.
    """
    return "on" if 33 in _answer(module, "fast_math", [287.9372863769531] * 127, "float32") else "off"


@functools.cache
def ask_hybrid(module: ModuleType) -> str:
    """How float32 activations are quantized for int8 weights, how weights are summed, and whether a product is rounded before the bias is added to it. The
    activations have a scale of 1 and a zero point. "auto": as no kernels that are known.
    """
    import numpy as np

    if OPTIONS["fast_math"][1](module) == "on":
        return "auto"
    ends = [-100.0, 155.0]
    below_half = float(np.nextafter(np.float32(0.5), np.float32(0)))
    output = _answer(module, "hybrid", (ends + [below_half, 0.5] * 63)[:127], "float32")
    rounded_once = output[4:] == np.float32(19685 * np.float64(np.float32(0.1)) + np.float64(np.float32(-1968.4)))
    if len(set(rounded_once)) > 1:
        return "auto"
    counts = np.rint(output[:4] / np.float32(0.1)).astype(int).tolist()
    wrapped = _answer(module, "hybrid_sums", [0] * 6 + ends + [0] * 2087, "float32")[0] / (-28 << 16)
    return _HYBRID.get((*counts, bool(rounded_once[0]), float(wrapped)), "auto")


@functools.cache
def ask_float32(module: ModuleType) -> str:
    """How GELU of float32 is computed, and how products are added, told by a checksum of results at which kernels differ and any good erfcf rounds alike.
    "auto": in other ways, or the runtime has no such kernels.
    """
    import zlib

    try:
        output = _answer(module, "float32", [numerator / 64 for numerator in _FLOAT32_INPUTS], "float32")
    except (ValueError, RuntimeError):
        return "auto"
    return _FLOAT32.get(zlib.crc32(output.tobytes()), "auto")


def _answer(module: ModuleType, question: str, values: list[float], dtype: str) -> Any:
    """The one row that the reference kernels make of another one."""
    import numpy as np

    with open(os.path.join(QUESTIONS, f"{question}.tflite"), "rb") as file:
        model = file.read()
    interpreter = module.Interpreter(model_content=model, experimental_op_resolver_type=module.OpResolverType.BUILTIN_REF)
    interpreter.allocate_tensors()
    interpreter.set_tensor(interpreter.get_input_details()[0]["index"], np.array([values], dtype))
    interpreter.invoke()
    return interpreter.get_tensor(interpreter.get_output_details()[0]["index"])[0]


# The outputs of ask_fully_connected().
_SCALING = {
    (37, -55, 56, 39, 44, 105, -44): "float64",
    (38, -56, 57, 39, 44, 105, -44): "fixed_point",
}
# How many values that ask_hybrid() counts become 1: 0.49999997 and ties among those that are taken eight at a time, then the same of the rest; whether
# a product is not rounded; and how many lanes of int16 wrap when weights are summed.
_HYBRID = {
    (0, 59, 0, 3, True, 0): "neon",
    (59, 59, 0, 3, False, 2): "sse",
    (0, 0, 0, 0, False, 0): "portable",
}
# Elements of ask_float32() times 64, and the checksums of its outputs.
# fmt: off
_FLOAT32_INPUTS = (
    -438, -426, -407, -404, -393, -390, -381, -377, -371, -370, -365, -354, -323, -319, -285, -267, -262, -250, -227, -217, -214, -196, -192, -188,
    -175, -169, -168, -167, -154, -152, -147, -144, -131, -116, -109, -98, -96, -35, -27, 66, 77, 87, 96, 98, -57, -32, -28,
)
# fmt: on
_FLOAT32 = {915942547: "library", 3458179715: "packets", 3061423167: "fused"}
# Option -> what is known of all versions of a runtime, and who asks.
OPTIONS: dict[str, tuple[dict[str, str], Callable[[ModuleType], str]]] = {
    "fully_connected": ({"compiled_model": "float64", "tflite_runtime": "fixed_point"}, ask_fully_connected),
    "fast_math": ({"ai_edge_litert": "off", "compiled_model": "off"}, ask_fast_math),
    "hybrid": ({"compiled_model": "auto"}, ask_hybrid),
    "float32": ({"compiled_model": "auto"}, ask_float32),
}
