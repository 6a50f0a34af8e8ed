"""The main job on one network: every node that the delegate takes compared with TFLite's reference kernels, and the time beside the stock runtime's."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any

from . import inputs as _inputs
from . import library, model
from . import runtime as _runtime
from .contenders import Contender, Session

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
    (sample,) = _inputs.random(_inputs.describe(source, runtime), seed=seed)
    delegate = Contender("tvmq", rest="reference", options=options)
    reference, delegated = Contender("reference").open(model.expose(source), runtime), delegate.open(source, runtime)
    reference.run(sample.load())
    got = delegated.run(sample.load())
    outputs = [reference.interpreter.get_tensor(detail["index"]) for detail in delegated.interpreter.get_output_details()]
    whole = _compared("the network's outputs", list(zip(got, outputs)))

    listed = {(op.subgraph, op.index): op for op in model.ops(source)}
    claimed = [listed[node.subgraph, node.node] for node in library.report(delegated.delegate).nodes if node.claimed and node.subgraph == 0]
    return Verdict(tuple(_compare_node(source, runtime, op, reference, delegate) for op in claimed), whole)


def race(source: bytes, runtime: ModuleType, *, num_threads: int = 1, seconds: float = 3.0, min_runs: int = 10, **options: Any) -> list[Time]:
    """Times the delegate beside the runtime as it comes, and the runtime's own kernels without XNNPACK, one inference each in turn.

    The first of the list is the delegate. Each interpreter runs `min_runs` times at least, and until `seconds` have passed for all of them together.
    """
    contenders = {
        "with the delegate": Contender("tvmq", options=options),
        f"stock {_runtime.name(runtime)}": Contender("stock"),
        "stock, built-in kernels alone": Contender("builtin"),
    }
    sessions = {what: contender.open(source, runtime, num_threads=num_threads) for what, contender in contenders.items()}
    (sample,) = _inputs.random(_inputs.describe(source, runtime))
    for session in sessions.values():
        session.run(sample.load())  # warms up
    times: dict[str, list[float]] = {what: [] for what in sessions}
    end, rounds = time.perf_counter() + seconds, 0
    while rounds < min_runs or time.perf_counter() < end:
        rounds += 1
        for what, session in sessions.items():
            start = time.perf_counter()
            session.invoke()
            times[what].append((time.perf_counter() - start) * 1e3)
    medians = {what: statistics.median(samples) for what, samples in times.items()}
    ours = next(iter(medians.values()))
    return [Time(what, rounds, medians[what], min(samples), medians[what] / ours) for what, samples in times.items()]


def _compare_node(source: bytes, runtime: ModuleType, op: model.Op, reference: Session, delegate: Contender) -> Comparison:
    alone = delegate.wholly().open(model.cut(source, op.index), runtime)
    got = alone.run([reference.interpreter.get_tensor(i) for i in op.fed])
    return _compared(f"{op.index} {op.name}", list(zip(got, (reference.interpreter.get_tensor(tensor.index) for tensor in op.outputs), strict=True)))


def _compared(what: str, pairs: list[tuple[np.ndarray, np.ndarray]]) -> Comparison:
    """Floats are compared as the bits that they are."""
    different = sum(int((_bits(got) != _bits(expected)).any(axis=-1).sum()) for got, expected in pairs)
    return Comparison(what, sum(expected.size for _, expected in pairs), different)


def _bits(values: np.ndarray) -> np.ndarray:
    return values.reshape(-1, 1).view("uint8")
