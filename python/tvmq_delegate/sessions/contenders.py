"""The contenders that the tools set against each other: each runtime's own kernels, the delegate in front of them, and the network without a runtime."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import TYPE_CHECKING, Any

from .. import models
from ..binding import Delegate, compiled, library, load, runtimes
from .network import NetworkInterpreter, open_network

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Name -> member of the runtimes' OpResolverType.
RESOLVERS = {"reference": "BUILTIN_REF", "builtin": "BUILTIN_WITHOUT_DEFAULT_DELEGATES", "stock": "AUTO"}
DELEGATE = "tvmq"
NETWORK = "network"
NAMES = (*RESOLVERS, DELEGATE, NETWORK)


@dataclass(frozen=True)
class Contender:
    """A way to run a model.

    name: one of NAMES: "reference" (the runtime's reference kernels), "builtin" (its optimized kernels without delegates), "stock" (the runtime
    as it is by default, with XNNPACK where that belongs to it), "tvmq" (the delegate) or "network" (the model without a runtime, which the delegate must
    take as a whole); or the path of a library that `tvmq compile` made of the model.
    rest: which of the runtime's kernels run the nodes that the delegate leaves to it: "reference", "builtin" or "stock".
    options: the delegate's, as for load().
    library: the path of another build of the delegate, which only a process of its own can open; "" for that of this process.
    """

    name: str
    rest: str = "stock"
    options: Mapping[str, Any] = field(default_factory=dict)
    library: str = ""

    def __post_init__(self) -> None:
        if self.name not in NAMES and not self.compiled:
            raise ValueError(f"unknown contender {self.name!r}; there are {', '.join(NAMES)}, and paths of compiled networks and other builds of the delegate")
        if self.rest not in RESOLVERS:
            raise ValueError(f"unknown kernels {self.rest!r} for the rest; there are {', '.join(RESOLVERS)}")

    @classmethod
    def named(cls, text: str, rest: str, options: Mapping[str, Any]) -> Contender:
        """The contender of a name, or of the library that a path leads to: a compiled network, or another build of the delegate.

        Raises ValueError if there is none.
        """
        if not text.endswith(compiled.SUFFIX):
            return cls(text, rest, options)
        if not os.path.isfile(text):
            raise ValueError(f"{text}: no such library")
        return cls(text, rest, options) if compiled.name_in(text) else cls(DELEGATE, rest, options, os.path.abspath(text))

    @property
    def delegated(self) -> bool:
        """Whether the delegate computes it, by the options."""
        return self.name in (DELEGATE, NETWORK)

    @property
    def compiled(self) -> bool:
        """Whether it is a library that `tvmq compile` made, which runs its model as a whole alone."""
        return self.name.endswith(compiled.SUFFIX)

    @property
    def kernels(self) -> str:
        """Which of the runtime's kernels run what is not delegated, a key of RESOLVERS; "reference" where none do."""
        return self.rest if self.delegated else "reference" if self.compiled else self.name

    def wholly(self) -> Contender:
        """The same with a delegate that takes every node or fails: for nodes alone, where what the runtime computes would prove nothing of the delegate."""
        every = {"require_full_delegation": True, "min_nodes_per_partition": 1, "max_delegated_partitions": 0}
        return dataclasses.replace(self, options={**self.options, **every}) if self.delegated else self

    def open(self, source: bytes, runtime: ModuleType, *, num_threads: int = 1) -> Session:
        """An interpreter of the model, with its tensors allocated.

        Args:
          source: bytes of a .tflite file.
          runtime: what runtimes.find() returned.
          num_threads: of the interpreter, and so of the delegate unless its options say otherwise.

        Raises:
          ValueError, RuntimeError: the runtime refuses the model, or a library was compiled of another one. Whatever load() and CompiledNetwork raise.
        """
        if self.compiled:
            return Session(self, NetworkInterpreter(_compiled_of(self.name, source)), None)
        if self.name == NETWORK:
            network = open_network(source, runtime, {"num_threads": num_threads, **self.options})
            return Session(self, NetworkInterpreter(network), network)
        delegate = load(runtime=runtime, **self.options) if self.delegated else None
        try:
            interpreter = runtime.Interpreter(
                model_content=source,
                experimental_delegates=[delegate] if delegate else None,
                experimental_op_resolver_type=runtime.OpResolverType[RESOLVERS[self.kernels]],
                num_threads=num_threads,
            )
        except (RuntimeError, ValueError) as error:
            missing = lacking(source, runtime, self.kernels)
            if not missing:
                raise
            raise RuntimeError(f"{runtimes.name(runtime)} has no {self.kernels} kernels for {', '.join(missing)}") from error
        interpreter.allocate_tensors()
        return Session(self, interpreter, delegate)


@dataclass(frozen=True)
class Session:
    """A model opened by a contender. interpreter: the runtime's own object. delegate: for report() and profile(), None where there is none."""

    contender: Contender
    interpreter: Any
    delegate: Delegate | None

    def feed(self, inputs: Sequence[NDArray[Any]]) -> None:
        """Sets the model's inputs, in order; an input of another shape resizes the model."""
        details = self.interpreter.get_input_details()
        resized = [(detail["index"], values.shape) for detail, values in zip(details, inputs, strict=True) if tuple(detail["shape"]) != values.shape]
        for index, shape in resized:
            self.interpreter.resize_tensor_input(index, shape)
        if resized:
            self.interpreter.allocate_tensors()
        for detail, values in zip(details, inputs):
            self.interpreter.set_tensor(detail["index"], values)

    def invoke(self) -> None:
        """One inference, of what was fed last."""
        self.interpreter.invoke()

    def outputs(self) -> list[NDArray[Any]]:
        """Copies of the model's outputs, in order."""
        return [self.interpreter.get_tensor(detail["index"]) for detail in self.interpreter.get_output_details()]

    def run(self, inputs: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
        """Feeds, invokes, and returns the outputs."""
        self.feed(inputs)
        self.invoke()
        return self.outputs()


def _compiled_of(path: str, source: bytes) -> compiled.CompiledNetwork:
    """The library at a path. Raises ValueError if it is no compiled network, or its inputs and outputs are not the model's."""
    if os.path.isfile(path) and not compiled.name_in(path):
        raise ValueError(f"{path} is no network that tvmq compile made; tvmq bench takes other builds, which TVMQ_LIBRARY names elsewhere")
    network = compiled.CompiledNetwork(path)
    for role, own, tensors in zip(("inputs", "outputs"), (network.inputs, network.outputs), models.ends(source)):
        if [(tensor.index, tensor.dtype, tensor.shape) for tensor in own] != [(tensor.index, tensor.dtype, tensor.shape) for tensor in tensors]:
            told = [", ".join(models.described(tensor.dtype, tensor.shape) for tensor in each) or "none" for each in (own, tensors)]
            raise ValueError(f"{path} was compiled of another model: its {role} are {told[0]}, the model's are {told[1]}")
    return network


def lacking(source: bytes, runtime: ModuleType, kernels: str) -> tuple[str, ...]:
    """The operators that a model names and a runtime has no such kernels for. kernels: a key of RESOLVERS."""
    missing = []
    for name, version, alone in models.named(source):
        try:
            runtime.Interpreter(model_content=alone, experimental_op_resolver_type=runtime.OpResolverType[RESOLVERS[kernels]])
        except (RuntimeError, ValueError):
            missing.append(f"{name} (version {version})" if version > 1 else name)
    return tuple(missing)


def check(source: bytes, sessions: Sequence[Session]) -> None:
    """Raises RuntimeError if an inference of one of the sessions would end the process.

    The runtimes' optimized kernels read the bias of every depthwise convolution, but for 16x8; the reference kernels and the delegate can do without.
    """
    depthwise = [op for op in models.ops(source) if op.name == "DEPTHWISE_CONV_2D" and op.outputs[0].dtype != "int16"]
    bare = [op for op in depthwise if sum(tensor is not None for tensor in op.inputs) < 3]
    for session in sessions:
        taken = {(node.subgraph, node.node) for node in library.report(session.delegate).nodes if node.claimed} if session.delegate else set()
        left = [op for op in bare if (op.subgraph, op.index) not in taken]
        if left and session.contender.kernels != "reference":
            raise RuntimeError(f"node {left[0].index} ({left[0].name}) has no bias: the runtime's own kernels would crash under {session.contender.name}")
