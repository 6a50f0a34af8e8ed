"""The reference for models with operators that the reference kernels lack: each node alone, by reference kernels where there are any, else by builtin ones."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any

from .. import models
from ..sessions import Contender, Session, lacking, shaped
from .alone import cut

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class _Node:
    fed: tuple[int, ...]
    outputs: tuple[int, ...]
    session: Session


class NodeByNode:
    """An interpreter, as far as the comparison needs one. The values of all tensors that nodes compute can be read."""

    def __init__(self, source: bytes, runtime: ModuleType, num_threads: int):
        """Raises RuntimeError where a node cannot be computed alone."""
        self._whole = Contender("builtin").open(source, runtime, num_threads=num_threads).interpreter
        self._values: dict[int, NDArray[Any]] = {}
        self._nodes: list[_Node] = []
        content = shaped(source, runtime)
        for op in models.ops(content):
            alone, why = cut(content, op, [op.index])
            if why:
                raise RuntimeError(f"the model has operators without reference kernels, and node {op.index} ({op.name}) cannot be computed alone: {why}")
            kernels = "builtin" if lacking(alone, runtime, "reference") else "reference"
            session = Contender(kernels).open(alone, runtime, num_threads=num_threads)
            self._nodes.append(_Node(op.fed, tuple(tensor.index for tensor in op.outputs), session))

    def get_input_details(self) -> Any:
        return self._whole.get_input_details()

    def get_output_details(self) -> Any:
        return self._whole.get_output_details()

    def resize_tensor_input(self, index: int, shape: Sequence[int]) -> None:
        self._whole.resize_tensor_input(index, shape)

    def allocate_tensors(self) -> None:
        self._whole.allocate_tensors()

    def reset_all_variables(self) -> None:
        pass  # nodes that have any cannot be computed alone

    def set_tensor(self, index: int, values: NDArray[Any]) -> None:
        self._whole.set_tensor(index, values)  # which checks them
        self._values[index] = values

    def get_tensor(self, index: int) -> NDArray[Any]:
        """As the interpreter's; constants, too."""
        return self._values[index].copy() if index in self._values else self._whole.get_tensor(index)

    def invoke(self) -> None:
        for node in self._nodes:
            got = node.session.run([self._values[index] for index in node.fed])
            self._values.update(zip(node.outputs, got, strict=True))


def opened(contender: Contender, source: bytes, runtime: ModuleType, num_threads: int, missing: Collection[str]) -> Session:
    """The contender's session; node by node if there are `missing` reference kernels, and it is the reference."""
    if contender.name == "reference" and missing:
        return Session(contender, NodeByNode(source, runtime, num_threads), None)
    return contender.open(source, runtime, num_threads=num_threads)
