"""A network that `tvmq compile` made a shared library of, as a Python class. Needs numpy."""

from __future__ import annotations

import ctypes
import json
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .network import NetworkTensor

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ALIGNMENT = 64
_FAILURES = {
    2: "this processor does not have the instructions that the library was compiled for",
    3: "the inference failed, as the reference's would",
}


_FUNCTIONS = ("arena_bytes", "description", "init", "run")

SUFFIX = ".so"  # how the names of shared libraries end


def file_name(name: str) -> str:
    """The file name of the library of a network."""
    return f"lib{name}{SUFFIX}"


def name_in(path: str | os.PathLike[str]) -> str | None:
    """The name that a compiled network was made with, whatever its file is called; None for other files. Does not load it. Raises OSError if the file cannot
    be read."""
    content = Path(path).read_bytes()
    found = {match[1] for match in re.finditer(rb"\0(\w+)_%s\0" % _FUNCTIONS[0].encode(), content)}
    whole = [name for name in found if all(b"\0%s_%s\0" % (name, function.encode()) in content for function in _FUNCTIONS)]
    return whole[0].decode() if whole else None


class CompiledNetwork:
    """One instance of a compiled network, with the members of Network that run it.

    inputs, outputs: in the order of the model's file.
    """

    inputs: tuple[NetworkTensor, ...]
    outputs: tuple[NetworkTensor, ...]

    def __init__(self, path: str | os.PathLike[str]):
        """Loads a library, which may have been renamed.

        Raises OSError: the file cannot be loaded. ValueError: it is no compiled network. RuntimeError: the processor does not have the instructions.
        """
        import numpy as np

        name = name_in(path)
        if name is None:
            raise ValueError(f"{os.fspath(path)} is no network that tvmq compile made")
        loaded = ctypes.CDLL(os.path.abspath(path))
        describe, init, self._run = (getattr(loaded, f"{name}_{function}") for function in _FUNCTIONS[1:])
        describe.restype = ctypes.c_char_p
        described: dict[str, Any] = json.loads(describe())
        memory = np.empty(described["arena_bytes"] + _ALIGNMENT, np.uint8)
        self._arena = memory[-memory.ctypes.data % _ALIGNMENT :]
        self._check(init(self._pointer(self._arena)))
        self.inputs, self.outputs = (
            tuple(NetworkTensor(**{**tensor, "shape": tuple(tensor["shape"])}) for tensor in described[role]) for role in ("inputs", "outputs")
        )
        self._arrays = [[np.zeros(tensor.shape, tensor.dtype) for tensor in tensors] for tensors in (self.inputs, self.outputs)]
        pointers = [(ctypes.c_void_p * max(len(arrays), 1))(*map(self._pointer, arrays)) for arrays in self._arrays]
        self._arguments = (self._pointer(self._arena), *pointers)

    @staticmethod
    def _pointer(array: NDArray[Any]) -> ctypes.c_void_p:
        return ctypes.c_void_p(array.ctypes.data)

    def _check(self, status: int) -> None:
        if status != 0:
            raise RuntimeError(_FAILURES.get(status, f"the compiled network reports error {status}"))

    def resize(self, *shapes: Sequence[int]) -> None:
        """Raises RuntimeError unless the shapes are those that the network was compiled for."""
        if [tuple(shape) for shape in shapes] != [tensor.shape for tensor in self.inputs]:
            raise RuntimeError("the shapes of a compiled network are those of its model")

    def set_input(self, index: int, values: NDArray[Any]) -> None:
        """Copies an array to an input. Raises ValueError for one of another type or shape."""
        tensor, array = self.inputs[index], self._arrays[0][index]
        if values.dtype != array.dtype or values.shape != array.shape:
            raise ValueError(f"input {index} ({tensor.name!r}) takes {tensor.dtype}{list(tensor.shape)}, not {values.dtype}{list(values.shape)}")
        array[...] = values

    def invoke(self) -> None:
        """One inference, of what the inputs hold."""
        self._check(self._run(*self._arguments))

    def output(self, index: int) -> NDArray[Any]:
        """A copy of an output."""
        return self._arrays[1][index].copy()

    def run(self, *inputs: NDArray[Any]) -> list[NDArray[Any]]:
        """One inference: an array for each input, in order; copies of the outputs. Raises ValueError for arrays that do not fit."""
        if len(inputs) != len(self.inputs):
            raise ValueError(f"the network takes one array for each of its {len(self.inputs)} inputs")
        for index, values in enumerate(inputs):
            self.set_input(index, values)
        self.invoke()
        return [self.output(index) for index in range(len(self.outputs))]
