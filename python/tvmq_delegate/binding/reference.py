"""Some arithmetic of reference kernels differs from runtime to runtime, and no interface tells: the kernels are asked.

The questions are models of one node in the folder questions, which tools/questions writes: to load() they cost no import of what builds models.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from . import runtimes

QUESTIONS = Path(__file__).with_name("questions")


def found(option: str, module: ModuleType) -> str:
    """The value that an option of the delegate should have in a runtime, as runtimes.find() returns it: one of OPTIONS.

    What all versions of a runtime do is known, other kernels are asked.
    """
    known, ask = OPTIONS[option]
    return known.get(runtimes.name(module)) or ask(module)


@functools.cache
def ask_fully_connected(module: ModuleType) -> str:
    """How sums of FULLY_CONNECTED are scaled: 0.3 rounded once is 0, rounded twice 1."""
    return "fixed_point" if _answer(module, "fully_connected", [1], "int8")[0] == 1 else "float64"


@functools.cache
def ask_fast_math(module: ModuleType) -> str:
    """Whether the runtime was compiled with unsafe optimizations: QUANTIZE of a quotient that is a tie, where the product with the reciprocal is below it."""
    return "on" if _answer(module, "fast_math", [287.9372863769531], "float32")[0] == 33 else "off"


@functools.cache
def ask_hybrid(module: ModuleType) -> str:
    """How float32 activations are quantized for int8 weights: 9 of them with a scale of 1 and a zero point, so that one 0.49999997 is among the eight that
    NEON's kernels take at a time and one behind; and whether a product is rounded before the bias is added to it. "auto": as no kernels that are known.
    """
    import numpy as np

    if OPTIONS["fast_math"][1](module) == "on":
        return "auto"
    below_half = float(np.nextafter(np.float32(0.5), np.float32(0)))
    output = _answer(module, "hybrid", [-100, 155, below_half, 0.5, 0, 0, 0, 0, below_half], "float32")
    return _HYBRID.get((*(output[:3] > 0), output[3] == np.float32(19685 * np.float64(np.float32(0.1)) + np.float64(np.float32(-1968.4)))), "auto")


def _answer(module: ModuleType, question: str, values: list[float], dtype: str) -> Any:
    """The one row that the reference kernels make of another one."""
    import numpy as np

    model = QUESTIONS.joinpath(f"{question}.tflite").read_bytes()
    interpreter = module.Interpreter(model_content=model, num_threads=1, experimental_op_resolver_type=module.OpResolverType.BUILTIN_REF)
    interpreter.allocate_tensors()
    interpreter.set_tensor(interpreter.get_input_details()[0]["index"], np.array([values], dtype))
    interpreter.invoke()
    return interpreter.get_tensor(interpreter.get_output_details()[0]["index"])[0]


# Whether the first three outputs of ask_hybrid(), of 0.49999997 or a tie, are 1, and the product of the fourth is not rounded.
_HYBRID = {
    (False, True, False, True): "neon",
    (True, True, False, False): "sse",
    (False, False, False, False): "portable",
}
# Option -> what is known of all versions of a runtime, and who asks.
OPTIONS: dict[str, tuple[dict[str, str], Callable[[ModuleType], str]]] = {
    "fully_connected": ({"ai_edge_litert": "float64", "compiled_model": "float64", "tflite_runtime": "fixed_point"}, ask_fully_connected),
    "fast_math": ({"ai_edge_litert": "off", "compiled_model": "off"}, ask_fast_math),
    "hybrid": ({"compiled_model": "auto"}, ask_hybrid),
}
