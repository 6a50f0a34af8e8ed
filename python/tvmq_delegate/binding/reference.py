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


def _run(module: ModuleType, model: bytes, value: NDArray[Any]) -> Any:
    """Returns the output of the reference kernels."""
    interpreter = module.Interpreter(model_content=model, num_threads=1, experimental_op_resolver_type=module.OpResolverType.BUILTIN_REF)
    interpreter.allocate_tensors()
    interpreter.set_tensor(interpreter.get_input_details()[0]["index"], value)
    interpreter.invoke()
    return interpreter.get_tensor(interpreter.get_output_details()[0]["index"])


# Option -> what is known of all versions of a runtime, and who asks.
OPTIONS: dict[str, tuple[dict[str, str], Callable[[ModuleType], str]]] = {
    "fully_connected": ({"ai_edge_litert": "float64", "compiled_model": "float64", "tflite_runtime": "fixed_point"}, ask_fully_connected),
    "fast_math": ({"ai_edge_litert": "off", "compiled_model": "off"}, ask_fast_math),
}
# The last wheels of tflite-runtime are known, which can be loaded without anything that builds models.
_ASSUMED = {("fast_math", "tflite_runtime", "aarch64"): "on"}
