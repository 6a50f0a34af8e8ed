"""A whole network without a TFLite runtime: tvmq_network.h as a Python class. Needs cffi and numpy."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal

from . import ffi, library, loader

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Unpack

    from .options import LoadOptions


@dataclass(frozen=True)
class NetworkTensor:
    """An input or output of a network. index: its number in the model's file. dtype: numpy's name. scale: 0 unless the tensor has exactly one."""

    name: str
    index: int
    dtype: str
    shape: tuple[int, ...]
    scale: float
    zero_point: int


class Network:
    """A model that the library runs alone, bit for bit as TFLite's reference kernels would.

        with tvmq_delegate.Network("model.tflite") as network:
            (output,) = network.run(image)

    The delegate must take every node of the model. Threads that share a network run it one after the other. report(), profile() and the other functions that
    take a delegate take a network as well.

    inputs, outputs: in the order of the model's file.
    """

    inputs: tuple[NetworkTensor, ...]
    outputs: tuple[NetworkTensor, ...]

    def __init__(
        self,
        model: str | os.PathLike[str] | bytes | bytearray | memoryview,
        *,
        runtime: Literal["litert", "tflite"] | ModuleType = "litert",
        **options: Unpack[LoadOptions],
    ):
        """Opens a model: the path of a .tflite file, or its bytes, which are copied if they can be written to or are not aligned to 16 bytes.

        Args:
          model: the path, whose file is mapped, or the bytes.
          runtime: whose reference kernels to reproduce where runtimes differ: LiteRT's, or those of tflite-runtime 2.14. The kernels of a runtime given as a
            module, as by runtimes.find(), are asked, as load() does.
          **options: the delegate's options, as for load(); num_threads is 1 by default. Options that limit what the delegate takes have no effect.

        Raises:
          RuntimeError: the model is malformed or not supported, or the delegate cannot take all of its nodes; the message lists them with the reasons.
          ValueError: an option is unknown or has a value that it cannot have.
          OSError: the file cannot be opened, or the library cannot be loaded.
          ImportError: cffi is not installed.
        """
        asked = {**loader.spelled(options), "runtime": runtime} if isinstance(runtime, str) else loader.resolved(options, runtime)
        given, calibrated = loader.with_machine(asked)
        self._ffi, self._lib = ffi.library()
        self._network: Any = None
        self._lock = threading.RLock()
        self._path, self._bytes = b"", None  # one of them; the network reads from the bytes while it is open
        if isinstance(model, (str, os.PathLike)):
            with open(model, "rb"):  # the system's own errors
                self._path = os.fsencode(model)
        else:
            self._bytes = self._ffi.from_buffer(model if memoryview(model).readonly else bytes(model))
        self._network = loader.made(self._opened, given, calibrated)
        loader.note(self, given)
        self._describe()

    def _opened(self, options: Mapping[str, object]) -> Any:
        if self._bytes is None:
            network = ffi.with_options(self._lib.tvmq_network_open_file, self._path, options=options)
        else:
            network = ffi.with_options(self._lib.tvmq_network_open, self._bytes, len(self._bytes), options=options)
        return self._ffi.gc(network, self._lib.tvmq_network_close)

    def _describe(self) -> None:
        """Makes the tensors' descriptions, and arrays of their memory."""
        import numpy as np

        self._arrays: list[list[NDArray[Any]]] = []
        described = []
        for get in (self._lib.tvmq_network_input, self._lib.tvmq_network_output):
            found: list[NetworkTensor] = []
            arrays: list[NDArray[Any]] = []
            while info := get(self._open, len(found)):
                shape = tuple(info.dims[0 : info.rank])
                found.append(NetworkTensor(ffi.string(info.name), info.index, ffi.string(info.type), shape, info.scale, info.zero_point))
                memory = self._ffi.buffer(info.data, info.bytes) if info.bytes else bytearray()
                arrays.append(np.frombuffer(memory, found[-1].dtype).reshape(shape))
            described.append(tuple(found))
            self._arrays.append(arrays)
        self.inputs, self.outputs = described

    @property
    def _open(self) -> Any:
        if self._network is None:
            raise RuntimeError("the network is closed")
        return self._network

    def _check(self, status: int) -> None:
        if status != 0:
            raise RuntimeError(ffi.string(self._lib.tvmq_network_error(self._open)))

    def _get_native_delegate_pointer(self) -> int:
        """For report() and its like, as the runtimes' delegates have it."""
        return int(self._ffi.cast("uintptr_t", self._lib.tvmq_network_delegate(self._open)))

    def resize(self, *shapes: Sequence[int]) -> None:
        """Plans for other shapes: one for each input, in order. Raises RuntimeError if the network cannot have them; it then runs after another resize."""
        if len(shapes) != len(self.inputs):
            raise ValueError(f"the network has {len(self.inputs)} inputs, not {len(shapes)}")
        with self._lock:
            self._arrays = []
            for index, shape in enumerate(shapes):
                self._check(self._lib.tvmq_network_resize_input(self._open, index, [int(size) for size in shape], len(shape)))
            self._check(self._lib.tvmq_network_prepare(self._open))
            self._describe()

    def set_input(self, index: int, values: NDArray[Any]) -> None:
        """Copies an array to an input. Raises ValueError for one of another type or shape."""
        with self._lock:
            self._check_prepared()
            tensor, array = self.inputs[index], self._arrays[0][index]
            if values.dtype != array.dtype or values.shape != array.shape:
                raise ValueError(f"input {index} ({tensor.name!r}) takes {tensor.dtype}{list(tensor.shape)}, not {values.dtype}{list(values.shape)}")
            array[...] = values

    def invoke(self) -> None:
        """One inference, of what the inputs hold."""
        with self._lock:
            self._check_prepared()
            self._check(self._lib.tvmq_network_run(self._open))

    def output(self, index: int) -> NDArray[Any]:
        """A copy of an output."""
        with self._lock:
            self._check_prepared()
            return self._arrays[1][index].copy()

    def _check_prepared(self) -> None:
        if not self._arrays and self._open:
            raise RuntimeError("the network is not prepared for the shapes of its inputs")

    def run(self, /, *inputs: NDArray[Any], **named: NDArray[Any]) -> list[NDArray[Any]]:
        """One inference: an array for each input, in order or by name; copies of the outputs. Raises ValueError for arrays that do not fit."""
        names = [tensor.name for tensor in self.inputs]
        arrays = dict(enumerate(inputs)) | {names.index(name): values for name, values in named.items() if name in names}
        if len(arrays) != len(inputs) + len(named) or arrays.keys() != set(range(len(names))):
            raise ValueError(f"the network takes one array for each of its {len(names)} inputs ({', '.join(map(repr, names))})")
        with self._lock:
            for index, values in arrays.items():
                self.set_input(index, values)
            self.invoke()
            return [self.output(index) for index in range(len(self.outputs))]

    def report(self) -> library.Report:
        """As tvmq_delegate.report()."""
        with self._lock:
            return library.report(self)

    def profile(self, *, reset: bool = False) -> list[library.NodeProfile]:
        """As tvmq_delegate.profile(); for a network opened with profile=True."""
        with self._lock:
            return library.profile(self, reset=reset)

    def close(self) -> None:
        """Releases everything, as the end of `with` does. A closed network raises RuntimeError."""
        with self._lock:
            self._arrays = []
            network, self._network = self._network, None
            if network is not None:
                self._ffi.release(network)
            self._bytes = None

    def __enter__(self) -> Network:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
