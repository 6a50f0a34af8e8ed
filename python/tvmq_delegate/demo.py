"""The main job on one network: every node that the delegate takes compared with TFLite's reference kernels, and the time beside the stock runtime's."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any

from . import library, model
from . import runtime as _runtime
from .load import load

if TYPE_CHECKING:
    import numpy as np

DEFAULT_NETWORK = "mobilenet_v2"


@dataclass(frozen=True)
class Comparison:
    """Elements of one node's output, or of the network's outputs, and how many of them differ from the reference's."""

    what: str
    elements: int
    different: int


@dataclass(frozen=True)
class Verdict:
    """Bit for bit against the reference kernels: each claimed node alone, fed with the reference's own activations, and the whole network."""

    nodes: tuple[Comparison, ...]
    whole: Comparison

    @property
    def exact(self) -> bool:
        return not any(compared.different for compared in (*self.nodes, self.whole))


@dataclass(frozen=True)
class Time:
    """Inference times of one interpreter in milliseconds. ratio: its median over the delegate's; above 1, the delegate is faster."""

    what: str
    runs: int
    median_ms: float
    min_ms: float
    ratio: float


def compare(source: bytes, runtime: ModuleType, *, seed: int = 0, **options: Any) -> Verdict:
    """Compares the delegate with the reference kernels of `runtime` on random input.

    Args:
      source: bytes of a .tflite file.
      runtime: what runtime.find() returned.
      seed: of the input.
      **options: the delegate's, as for load().
    """
    inputs = _random_inputs(source, runtime, seed)
    reference = _run(_interpreter(model.expose(source), runtime, "BUILTIN_REF"), inputs)
    delegate = load(runtime=runtime, **options)
    delegated = _run(_interpreter(source, runtime, "BUILTIN_REF", delegate), inputs)
    outputs = [detail["index"] for detail in delegated.get_output_details()]
    whole = _compared("the network's outputs", [(delegated.get_tensor(i), reference.get_tensor(i)) for i in outputs])

    listed = {(op.subgraph, op.index): op for op in model.ops(source)}
    claimed = [listed[node.subgraph, node.node] for node in library.report(delegate).nodes if node.claimed and node.subgraph == 0]
    return Verdict(tuple(_compare_node(source, runtime, op, reference, options) for op in claimed), whole)


def race(source: bytes, runtime: ModuleType, *, num_threads: int = 1, seconds: float = 3.0, min_runs: int = 10, **options: Any) -> list[Time]:
    """Times the delegate beside the runtime as it comes, and the runtime's own kernels without XNNPACK, one inference each in turn.

    The first of the list is the delegate. Each interpreter runs `min_runs` times at least, and until `seconds` have passed for all of them together.
    """
    delegate = load(runtime=runtime, num_threads=num_threads, **options)
    runners = {
        "with the delegate": _interpreter(source, runtime, "AUTO", delegate, num_threads=num_threads),
        f"stock {_runtime.name(runtime)}": _interpreter(source, runtime, "AUTO", num_threads=num_threads),
        "stock, built-in kernels alone": _interpreter(source, runtime, "BUILTIN_WITHOUT_DEFAULT_DELEGATES", num_threads=num_threads),
    }
    inputs = _random_inputs(source, runtime, 0)
    for interpreter in runners.values():
        _run(interpreter, inputs)  # warms up
    times: dict[str, list[float]] = {what: [] for what in runners}
    end, rounds = time.perf_counter() + seconds, 0
    while rounds < min_runs or time.perf_counter() < end:
        rounds += 1
        for what, interpreter in runners.items():
            start = time.perf_counter()
            interpreter.invoke()
            times[what].append((time.perf_counter() - start) * 1e3)
    medians = {what: statistics.median(samples) for what, samples in times.items()}
    ours = next(iter(medians.values()))
    return [Time(what, rounds, medians[what], min(samples), medians[what] / ours) for what, samples in times.items()]


def _compare_node(source: bytes, runtime: ModuleType, op: model.Op, reference: Any, options: dict[str, Any]) -> Comparison:
    fed = dict.fromkeys(tensor.index for tensor in op.inputs if tensor and not tensor.constant)
    # If the delegate left the node alone to the runtime, comparing it would prove nothing.
    delegate = load(runtime=runtime, **{**options, "require_full_delegation": True})
    alone = _run(_interpreter(model.cut(source, op.index), runtime, "BUILTIN_REF", delegate), [reference.get_tensor(i) for i in fed])
    got = [alone.get_tensor(detail["index"]) for detail in alone.get_output_details()]
    return _compared(f"{op.index} {op.name}", list(zip(got, (reference.get_tensor(tensor.index) for tensor in op.outputs), strict=True)))


def _compared(what: str, pairs: list[tuple[np.ndarray, np.ndarray]]) -> Comparison:
    """Floats are compared as the bits that they are."""
    different = sum(int((_bits(got) != _bits(expected)).any(axis=-1).sum()) for got, expected in pairs)
    return Comparison(what, sum(expected.size for _, expected in pairs), different)


def _bits(values: np.ndarray) -> np.ndarray:
    return values.reshape(-1, 1).view("uint8")


def _interpreter(source: bytes, runtime: ModuleType, resolver: str, delegate: Any = None, num_threads: int = 1) -> Any:
    return runtime.Interpreter(
        model_content=source,
        experimental_delegates=[delegate] if delegate else None,
        experimental_op_resolver_type=runtime.OpResolverType[resolver],
        num_threads=num_threads,
    )


def _run(interpreter: Any, inputs: list[np.ndarray]) -> Any:
    interpreter.allocate_tensors()
    for detail, values in zip(interpreter.get_input_details(), inputs, strict=True):
        interpreter.set_tensor(detail["index"], values)
    interpreter.invoke()
    return interpreter


def _random_inputs(source: bytes, runtime: ModuleType, seed: int) -> list[np.ndarray]:
    import numpy as np

    generator = np.random.default_rng(seed)
    return [_random(generator, detail) for detail in _interpreter(source, runtime, "BUILTIN_REF").get_input_details()]


def _random(generator: np.random.Generator, detail: dict[str, Any]) -> np.ndarray:
    """Every value of small integers; floats around zero; zeros for wide integers and all else, which tend to be indices."""
    import numpy as np

    shape, dtype = tuple(detail["shape"]), np.dtype(detail["dtype"])
    if dtype.kind in "iu" and dtype.itemsize <= 2:
        info = np.iinfo(dtype)
        return generator.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)
    return generator.standard_normal(shape).astype(dtype) if dtype.kind == "f" else np.zeros(shape, dtype)
