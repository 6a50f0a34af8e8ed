"""Some arithmetic of reference kernels differs from runtime to runtime, and no interface tells: the kernels are asked, with models of one node."""

from __future__ import annotations

import functools
import platform
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, Any

from . import runtimes

if TYPE_CHECKING:
    from numpy.typing import NDArray


def found(option: str, module: ModuleType) -> str:
    """The value that an option of the delegate should have in a runtime, as runtimes.find() returns it: one of OPTIONS.

    What all versions of a runtime do is known, other kernels are asked. "auto": what a model is built with is not installed.
    """
    known, ask = OPTIONS[option]
    try:
        return known.get(runtimes.name(module)) or ask(module)
    except ImportError:
        return _ASSUMED.get((option, runtimes.name(module), platform.machine()), "auto")


@functools.cache
def ask_fully_connected(module: ModuleType) -> str:
    """How sums of FULLY_CONNECTED are scaled: 0.3 rounded once is 0, rounded twice 1."""
    import numpy as np

    from ..models import ModelBuilder

    one = np.ones((1, 1), np.int8)
    builder = ModelBuilder()
    source = builder.add_tensor("input", (1, 1), "int8", scale=0.3)
    weights = builder.add_tensor("filter", (1, 1), "int8", scale=1.0, data=one)
    result = builder.add_tensor("output", (1, 1), "int8", scale=1.0)
    builder.add_op("FULLY_CONNECTED", [source, weights], [result])
    return "fixed_point" if _run(module, builder.build([source], [result]), one) == 1 else "float64"


@functools.cache
def ask_fast_math(module: ModuleType) -> str:
    """Whether the runtime was compiled with unsafe optimizations: QUANTIZE of a quotient that is a tie, where the product with the reciprocal is below it."""
    import numpy as np

    from ..models import ModelBuilder

    builder = ModelBuilder()
    source = builder.add_tensor("input", (1, 1), "float32")
    result = builder.add_tensor("output", (1, 1), "int8", scale=8.595143)
    builder.add_op("QUANTIZE", [source], [result])
    return "on" if _run(module, builder.build([source], [result]), np.full((1, 1), 287.9372863769531, np.float32)) == 33 else "off"


@functools.cache
def ask_hybrid(module: ModuleType) -> str:
    """How float32 activations are quantized for int8 weights: 9 of them with a scale of 1 and a zero point, so that one 0.49999997 is among the eight that
    NEON's kernels take at a time and one behind; and whether a product is rounded before the bias is added to it. "auto": as no kernels that are known.
    """
    import numpy as np

    from ..models import ModelBuilder

    if OPTIONS["fast_math"][1](module) == "on":
        return "auto"
    below_half = np.nextafter(np.float32(0.5), np.float32(0))
    value = np.array([[-100, 155, below_half, 0.5, 0, 0, 0, 0, below_half]], np.float32)
    weights = np.zeros((4, 9), np.int8)
    weights[[0, 1, 2, 3], [2, 3, 8, 1]] = [1, 1, 1, 127]
    builder = ModelBuilder()
    source = builder.add_tensor("input", value.shape, "float32")
    filters = builder.add_tensor("filter", weights.shape, "int8", scale=0.1, data=weights)
    bias = builder.add_tensor("bias", (4,), "float32", data=np.array([0, 0, 0, -1968.4], np.float32))
    result = builder.add_tensor("output", (1, 4), "float32")
    builder.add_op("FULLY_CONNECTED", [source, filters, bias], [result], version=9, asymmetric_quantize_inputs=True)
    output = _run(module, builder.build([source], [result]), value)[0]
    return _HYBRID.get((*(output[:3] > 0), output[3] == np.float32(19685 * np.float64(np.float32(0.1)) + np.float64(np.float32(-1968.4)))), "auto")


def _run(module: ModuleType, model: bytes, value: NDArray[Any]) -> Any:
    """Returns the output of the reference kernels."""
    interpreter = module.Interpreter(model_content=model, num_threads=1, experimental_op_resolver_type=module.OpResolverType.BUILTIN_REF)
    interpreter.allocate_tensors()
    interpreter.set_tensor(interpreter.get_input_details()[0]["index"], value)
    interpreter.invoke()
    return interpreter.get_tensor(interpreter.get_output_details()[0]["index"])


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
# The last wheels of tflite-runtime are known, which can be loaded without anything that builds models.
_ASSUMED = {("fast_math", "tflite_runtime", "aarch64"): "on"}
