"""LiteRT's CompiledModel behind the face of a TFLite runtime's interpreter module, for the tools: --runtime compiled_model.

The reference is the interpreter's: CompiledModel's own does not show what lies between the nodes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .accelerator import delegates, environment, litert

if TYPE_CHECKING:
    from numpy.typing import NDArray

compiled_model, interpreter = litert("compiled_model"), litert("interpreter")
OpResolverType = interpreter.OpResolverType
_KERNELS = {OpResolverType.AUTO: None, OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES: compiled_model.CpuKernelMode.BUILTIN}


class Delegate:
    """An environment with the delegate in it, for one model: asked about once the model is made."""

    def __init__(self, options: Mapping[str, object]):
        self.environment = environment(**options)  # type: ignore[arg-type]

    def _get_native_delegate_pointer(self) -> int:
        alive = delegates(self.environment)
        if not alive:
            raise ValueError("there is no model that has this delegate")
        return alive[-1]._get_native_delegate_pointer()


def load_delegate(path: str, options: Mapping[str, object]) -> Delegate:
    """As the runtimes' function; the accelerator finds the library itself."""
    return Delegate(options)


def Interpreter(  # noqa: N802  (as the runtimes call it)
    *, model_content: bytes, experimental_delegates: Sequence[Delegate] | None = None, experimental_op_resolver_type: Any = OpResolverType.AUTO, **others: Any
) -> Any:
    """A model as the interpreters show theirs. Whatever kernels are asked for beside a delegate, CompiledModel runs what it leaves with its default ones."""
    if experimental_delegates:
        return _Interpreter(model_content, experimental_delegates[0].environment, None, **others)
    if experimental_op_resolver_type in _KERNELS:
        return _Interpreter(model_content, None, _KERNELS[experimental_op_resolver_type], **others)
    return interpreter.Interpreter(model_content=model_content, experimental_op_resolver_type=experimental_op_resolver_type, **others)


class _Interpreter:
    """The first signature of a compiled model. Tensors have the numbers that the model file gives them."""

    def __init__(self, content: bytes, environment: Any, kernels: Any, num_threads: int | None = None):
        described = OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
        self._described = interpreter.Interpreter(model_content=content, experimental_op_resolver_type=described)
        self._content, self._kernels, self._num_threads = content, kernels, num_threads or 1
        self._environment = environment
        self._shapes: dict[int, Sequence[int]] = {}
        self._model: Any = None
        self._inputs: Any = None
        self._outputs: Any = None
        self._used = False

    def allocate_tensors(self) -> None:
        if self._model is None:
            self._open()

    def _open(self) -> None:
        """Makes the model anew: its state is that of the beginning."""
        self._model = self._inputs = self._outputs = None
        cpu = compiled_model.CpuOptions(num_threads=self._num_threads, kernel_mode=self._kernels)
        options = compiled_model.Options(cpu_options=cpu)
        self._model = compiled_model.CompiledModel.from_buffer(self._content, environment=self._environment, options=options)
        (signature, names), *_ = self._model.get_signature_list().items()
        self._signature = signature
        self._input_tensors = [self._model.get_input_tensor_details(signature)[name]["index"] for name in names["inputs"]]
        self._output_tensors = [self._model.get_output_tensor_details(signature)[name]["index"] for name in names["outputs"]]
        self._names = dict(zip([*self._input_tensors, *self._output_tensors], [*names["inputs"], *names["outputs"]]))
        for index, shape in self._shapes.items():
            self._model.resize_input_tensor(self._input_tensors.index(index), list(shape), strict=False)
        self._make_buffers()
        self._used = False

    def _make_buffers(self) -> None:
        self._inputs, self._outputs = self._model.create_input_buffers(0), self._model.create_output_buffers(0)

    def _details(self, described: list[dict[str, Any]], compiled: Mapping[str, Any]) -> list[dict[str, Any]]:
        import numpy as np

        return [{**detail, "shape": np.array(compiled[self._names[detail["index"]]]["shape"], np.int32)} for detail in described]

    def get_input_details(self) -> list[dict[str, Any]]:
        described = self._described.get_input_details()
        return self._details(described, self._model.get_input_tensor_details(self._signature)) if self._model else described

    def get_output_details(self) -> list[dict[str, Any]]:
        described = self._described.get_output_details()
        return self._details(described, self._model.get_output_tensor_details(self._signature)) if self._model else described

    def resize_tensor_input(self, index: int, shape: Sequence[int]) -> None:
        self.allocate_tensors()
        self._shapes[index] = shape = [int(size) for size in shape]
        self._model.resize_input_tensor(self._input_tensors.index(index), shape, strict=False)
        self._make_buffers()

    def reset_all_variables(self) -> None:
        if self._used:
            self._open()

    def set_tensor(self, index: int, values: NDArray[Any]) -> None:
        self._inputs[self._input_tensors.index(index)].write(_known(values))

    def get_tensor(self, index: int) -> NDArray[Any]:
        import numpy as np

        detail = next(detail for detail in self.get_output_details() if detail["index"] == index)
        values = np.empty(tuple(detail["shape"]), detail["dtype"])
        known = _known(values)
        buffer = self._outputs[self._output_tensors.index(index)]
        read: NDArray[Any] = buffer.read(known.size, known.dtype.type).view(values.dtype)
        return read.reshape(values.shape)

    def invoke(self) -> None:
        self._used = True
        self._model.run_by_index(0, self._inputs, self._outputs)


def _known(values: NDArray[Any]) -> NDArray[Any]:
    """The same bytes in a type that LiteRT's buffers know from Python."""
    import numpy as np

    plain = np.ascontiguousarray(values)
    return plain if str(plain.dtype) in ("float32", "int32", "int8", "uint8", "bool") else plain.reshape(-1).view(np.int8)
