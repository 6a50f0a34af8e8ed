"""A network without a runtime behind the face of an interpreter, for the tools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ..binding import compiled, network

if TYPE_CHECKING:
    from numpy.typing import NDArray


def open_network(source: bytes, runtime: ModuleType, options: Mapping[str, Any]) -> network.Network:
    """The network that reproduces the kernels of a runtime, as runtimes.find() returns it. Raises as Network does."""
    return network.Network(source, runtime=runtime, **options)


class NetworkInterpreter:
    """An interpreter, as far as the tools need one. Tensors have the numbers that the model's file gives them; inputs can be set, and outputs be read."""

    def __init__(self, opened: network.Network | compiled.CompiledNetwork):
        self._network = opened
        self._shapes = [tensor.shape for tensor in opened.inputs]

    def get_input_details(self) -> list[dict[str, Any]]:
        return [_detail(tensor) for tensor in self._network.inputs]

    def get_output_details(self) -> list[dict[str, Any]]:
        return [_detail(tensor) for tensor in self._network.outputs]

    def resize_tensor_input(self, index: int, shape: Sequence[int]) -> None:
        self._shapes[self._input(index)] = tuple(int(size) for size in shape)

    def allocate_tensors(self) -> None:
        self._network.resize(*self._shapes)

    def reset_all_variables(self) -> None:
        pass  # a network has none

    def set_tensor(self, index: int, values: NDArray[Any]) -> None:
        self._network.set_input(self._input(index), values)

    def get_tensor(self, index: int) -> NDArray[Any]:
        return self._network.output([tensor.index for tensor in self._network.outputs].index(index))

    def invoke(self) -> None:
        self._network.invoke()

    def _input(self, index: int) -> int:
        return [tensor.index for tensor in self._network.inputs].index(index)


def _detail(tensor: network.NetworkTensor) -> dict[str, Any]:
    """As the runtimes' interpreters describe a tensor."""
    import numpy as np

    scales = [tensor.scale] if tensor.scale else []
    return {
        "name": tensor.name,
        "index": tensor.index,
        "shape": np.array(tensor.shape, np.int32),
        "dtype": np.dtype(tensor.dtype).type,
        "quantization": (tensor.scale, tensor.zero_point),
        "quantization_parameters": {"scales": np.array(scales, np.float32), "zero_points": np.array([tensor.zero_point] * len(scales), np.int32)},
    }
