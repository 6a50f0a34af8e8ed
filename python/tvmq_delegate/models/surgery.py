"""Surgery on .tflite files without a TFLite runtime.

List the operators, cut one out as a model of its own, make all intermediate tensors readable.
"""

from __future__ import annotations

import functools
import math
import mmap
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .builder import OPTION_ENUMS
from .flatbuffer import Newer, Record, check_root, enum_value, enumeration, read, schema, write
from .formats import HEAD_BYTES, ModelError, check_header

if TYPE_CHECKING:
    from numpy.typing import NDArray

ModelSource = bytes | bytearray | memoryview | str | os.PathLike[str]


@dataclass(frozen=True)
class Quantization:
    """Affine quantization: real = scale * (value - zero_point); one pair per tensor, or one per index along `dimension`."""

    scale: tuple[float, ...]
    zero_point: tuple[int, ...]
    dimension: int


@dataclass(frozen=True)
class Tensor:
    """A tensor as the file declares it. `data` holds the raw bytes of a constant and is None otherwise."""

    index: int
    name: str
    shape: tuple[int, ...]
    dtype: str
    quantization: Quantization | None
    is_variable: bool
    data: memoryview | None = field(repr=False, compare=False)

    def __str__(self) -> str:
        return described(self.dtype, self.shape)

    @property
    def constant(self) -> bool:
        """Whether the file holds the values."""
        return self.data is not None

    def numpy(self) -> NDArray[Any]:
        """The values of a constant, in the tensor's shape. Raises ModelError for other tensors, for types numpy lacks and for data of the wrong size."""
        import numpy as np

        if self.data is None:
            raise ModelError(f"tensor {self.index} ({self.name}) is not constant")
        try:
            return np.frombuffer(self.data, np.dtype(self.dtype).newbyteorder("<")).reshape(self.shape)
        except (TypeError, ValueError) as error:
            raise ModelError(f"tensor {self.index} ({self.name}): {len(self.data)} bytes do not fit {self.dtype} of shape {self.shape}") from error


@dataclass(frozen=True)
class Op:
    """One operator.

    index, subgraph: as the interpreter numbers them. name: BuiltinOperator's name; a custom operator's own name.
    inputs: None where an optional input is left out. params: the options by the schema's names in snake case (`stride_h`, `padding`,
    `fused_activation_function`, ...), enumerations by name. macs: multiply-accumulates of one inference; 0 for operators that are not counted.
    """

    index: int
    subgraph: int
    name: str
    version: int
    inputs: tuple[Tensor | None, ...]
    outputs: tuple[Tensor, ...]
    params: Mapping[str, Any]
    macs: int

    @property
    def fed(self) -> tuple[int, ...]:
        """Indices of the tensors that must be given to compute it alone: neither constant, nor variables, nor empty; each once, in order."""
        given = (t for t in self.inputs if t is not None and not t.constant and not t.is_variable and 0 not in t.shape)
        return tuple(dict.fromkeys(t.index for t in given))


def described(dtype: str, shape: Sequence[int]) -> str:
    """Type and shape as the tools print them, "int8[1x8x8x16]"; sizes that are free, given as -1, are "?"."""
    return f"{dtype}[{'x'.join('?' if n < 0 else str(n) for n in shape)}]"


def opened(source: ModelSource, name: str | None = None) -> tuple[bytes, str]:
    """The bytes of a model that is given as such or by its path, and what to call it: `name`, else the path, else ""."""
    if isinstance(source, (str, os.PathLike)):
        return _read_file(source), name or os.fspath(source)
    if not isinstance(source, (bytes, bytearray, memoryview)):
        raise TypeError(f"a model is given as bytes or by the path of its file, not as {type(source).__name__}")
    return bytes(source), name or ""


def _read_file(path: str | os.PathLike[str]) -> bytes:
    """Its bytes. What cannot be a model is not read: the first bytes decide, then the root table of the file, which is mapped for that."""
    with open(path, "rb") as stream:
        begin = stream.read(HEAD_BYTES)
        check_header(begin)
        if not stream.seekable():
            return begin + stream.read()
        check_root(mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ))
        stream.seek(0)
        return stream.read()


def ops(model: ModelSource) -> list[Op]:
    """All operators of a model (the bytes of a .tflite file, or its path), subgraph by subgraph in the order of execution.

    Raises ModelError if the file is malformed, OSError if it cannot be opened.
    """
    file = _unpacked(opened(model)[0])
    return [file.op(subgraph, index) for subgraph, graph in enumerate(file.subgraphs) for index in range(len(graph.operators or ()))]


def ends(model: ModelSource) -> tuple[tuple[Tensor, ...], tuple[Tensor, ...]]:
    """The inputs and the outputs of a model's main subgraph. Raises as ops()."""
    file = _unpacked(opened(model)[0])
    graph = _at(file.subgraphs, 0, "subgraph")
    inputs, outputs = (tuple(file.tensor(0, index) for index in indices or ()) for indices in (graph.inputs, graph.outputs))
    return inputs, outputs


def named(model: ModelSource) -> list[tuple[str, int, bytes]]:
    """The name and version of each operator that a model names, and a model that names it alone, without a node: a runtime opens it if it has such a kernel.

    Raises as ops().
    """
    file = _unpacked(opened(model)[0])
    graph = Record(tensors=(), inputs=(), outputs=(), operators=(), name="main")
    return [
        (_operator_name(code), code.version, write(Record(version=3, operator_codes=[code], subgraphs=[graph], buffers=[Record()]), renumbered=True))
        for code in file.model.operator_codes or ()
    ]


def _operator_name(code: Record) -> str:
    """BuiltinOperator's name, a custom operator's own, or a number that is newer than the installed schema."""
    number = max(code.builtin_code, code.deprecated_builtin_code)
    name = enumeration("BuiltinOperator").get(number, f"BUILTIN_{number}")
    return (code.custom_code or b"CUSTOM").decode(errors="replace") if name == "CUSTOM" else name


def cut(model: ModelSource, index: int | Sequence[int], subgraph: int = 0) -> bytes:
    """One operator as a model of its own, or several, given in order of execution.

    Its inputs are those of Op.fed that none of the operators computes, its outputs the last operator's. Constants, quantization, options and versions are
    carried along unchanged. Raises ModelError if the file is malformed, if there is no such operator, if one refers to other subgraphs, or if it or one of its
    tensors has what is newer than the installed schema.
    """
    file = _unpacked(opened(model)[0])
    indices = [index] if isinstance(index, int) else list(index)
    ops = [file.op(subgraph, i) for i in indices]
    for op in ops:
        if any("subgraph" in key for key in op.params):
            raise ModelError(f"operator {op.index} ({op.name}) refers to other subgraphs and cannot stand alone")

    operators, codes = zip(*(file.operator(subgraph, i) for i in indices))
    buffers = [Record()]
    tensors: list[Record] = []
    renumbered = {-1: -1}
    for lists in (lists for operator in operators for lists in (operator.inputs, operator.outputs, operator.intermediates)):
        for old in lists or ():
            if old in renumbered:
                continue
            renumbered[old] = len(tensors)
            tensor = Record(**vars(file.tensor_record(subgraph, old)))
            if tensor.quantization is not None and not _stands_alone(tensor.quantization):
                raise ModelError(f"the quantization of tensor {old} (details of type {tensor.quantization.details_type}) may refer to other tensors")
            data = file.data(tensor)
            tensor.buffer = 0
            if data is not None:
                tensor.buffer = len(buffers)
                buffers.append(Record(data=data))
            tensors.append(tensor)

    moved = [Record(**vars(operator)) for operator in operators]
    for n, operator in enumerate(moved):
        operator.opcode_index = n
        for key in ("inputs", "outputs", "intermediates"):
            old = getattr(operator, key)
            setattr(operator, key, None if old is None else tuple(renumbered[i] for i in old))
    graph = Record(
        tensors=tensors,
        inputs=tuple(renumbered[i] for i in fed(ops)),
        outputs=tuple(renumbered[t.index] for t in ops[-1].outputs),
        operators=moved,
        name="main",
    )
    description = f"{ops[-1].name} {ops[-1].index}"
    return write(Record(version=file.model.version, operator_codes=list(codes), subgraphs=[graph], description=description, buffers=buffers), renumbered=True)


def _stands_alone(quantization: Record) -> bool:
    """Whether it has no details, or such as refer to no tensors; those of blockwise quantization do."""
    return quantization.details is None or enumeration("QuantizationDetails").get(quantization.details_type) == "CustomQuantization"


def fed(ops: Sequence[Op]) -> tuple[int, ...]:
    """Indices of the tensors that must be given to compute operators, which stand in order of execution: the inputs of what `cut` makes of them."""
    computed = {tensor.index for op in ops for tensor in op.outputs}
    return tuple(dict.fromkeys(index for op in ops for index in op.fed if index not in computed))


def expose(model: ModelSource) -> bytes:
    """The model with every operator's outputs as its outputs, in order of execution, so that a runtime keeps them all. Handles of variables are left out, and
    so are signatures, which name the outputs that were.

    `experimental_preserve_all_tensors` does not do that everywhere: runtimes let some operators overwrite their input even then.
    """
    file = _File(opened(model)[0])  # which changes
    graph = _at(file.subgraphs, 0, "subgraph")
    outputs = dict.fromkeys(tensor for operator in graph.operators or () for tensor in operator.outputs or ())
    graph.outputs = tuple(tensor for tensor in outputs if not _is_state(graph, tensor))
    file.model.signature_defs = None
    return write(file.model)


def beginning(model: ModelSource, last: int) -> bytes:
    """The model up to operator `last` of the main subgraph. Its outputs are those tensors computed so far that later operators read, or that the model returns.
    Signatures, which name the outputs that were, are left out. Raises ModelError if there is no such operator.
    """
    file = _File(opened(model)[0])  # which changes
    graph = _at(file.subgraphs, 0, "subgraph")
    operators = graph.operators or ()
    _at(operators, last, "subgraph 0: operator")
    computed = dict.fromkeys(tensor for operator in operators[: last + 1] for tensor in operator.outputs or ())
    wanted = {tensor for operator in operators[last + 1 :] for tensor in operator.inputs or ()} | set(graph.outputs or ())
    wanted |= set(operators[last].outputs or ())
    graph.outputs = tuple(tensor for tensor in computed if tensor in wanted and not _is_state(graph, tensor))
    graph.operators = operators[: last + 1]
    file.model.signature_defs = None
    return write(file.model)


def _is_state(graph: Record, tensor: int) -> bool:
    """Whether it is the handle of a variable, which holds no values."""
    return bool(_at(graph.tensors, tensor, "tensor").type == enum_value("TensorType", "RESOURCE"))


def with_shapes(model: ModelSource, shapes: Mapping[int, Sequence[int]]) -> bytes:
    """The model with these shapes, by tensor of the main subgraph, where the file gives none."""
    file = _File(opened(model)[0])  # which changes
    for index, shape in shapes.items():
        tensors = _at(file.subgraphs, 0, "subgraph").tensors or ()
        if index < len(tensors) and not tensors[index].shape:
            tensors[index].shape = tuple(shape)
    return write(file.model)


@functools.lru_cache(maxsize=1)
def _unpacked(content: bytes) -> _File:
    """One to read, not to change: operators of a model are mostly cut out one after the other."""
    return _File(content)


class _File:
    """A model file, unpacked; every index in it is checked where it is followed."""

    def __init__(self, content: bytes):
        self.view = memoryview(content)
        self.model = read(self.view)
        self.subgraphs = self.model.subgraphs or ()
        self.tensors: dict[tuple[int, int], Tensor] = {}
        self.take_in_tail()

    def operator(self, subgraph: int, index: int) -> tuple[Record, Record]:
        graph = _at(self.subgraphs, subgraph, "subgraph")
        operator = _at(graph.operators, index, f"subgraph {subgraph}: operator")
        return operator, _at(self.model.operator_codes, operator.opcode_index, f"operator {index}: operator code")

    def op(self, subgraph: int, index: int) -> Op:
        operator, code = self.operator(subgraph, index)
        name = _operator_name(code)
        inputs = tuple(None if i == -1 else self.tensor(subgraph, i) for i in operator.inputs or ())
        outputs = tuple(self.tensor(subgraph, i) for i in operator.outputs or ())
        return Op(index, subgraph, name, code.version, inputs, outputs, _params(operator), _macs(name, inputs, outputs))

    def tensor_record(self, subgraph: int, index: int) -> Record:
        record: Record = _at(self.subgraphs[subgraph].tensors, index, f"subgraph {subgraph}: tensor")
        return record

    def tensor(self, subgraph: int, index: int) -> Tensor:
        key = (subgraph, index)
        if key not in self.tensors:
            record = self.tensor_record(subgraph, index)
            shape = tuple(record.shape or ())
            dtype = enumeration("TensorType").get(record.type, f"type_{record.type}")
            if any(n < 0 for n in shape):
                raise ModelError(f"tensor {index}: negative size in shape {shape}")
            quantization = None
            if record.quantization is not None and record.quantization.scale:
                q = record.quantization
                quantization = Quantization(q.scale, q.zero_point or (0,) * len(q.scale), q.quantized_dimension)
            name = (record.name or b"").decode(errors="replace")
            self.tensors[key] = Tensor(index, name, shape, dtype.lower(), quantization, record.is_variable, self.data(record))
        return self.tensors[key]

    def data(self, tensor: Record) -> memoryview | None:
        """The bytes of a constant tensor, None where the buffer is empty."""
        return _at(self.model.buffers, tensor.buffer, "buffer").data or None

    def take_in_tail(self) -> None:
        """Large files keep data behind the flatbuffer, by offset and size: lets it stand where small files have it. Offset 1 is the schema's mark for none."""
        for buffer in self.model.buffers or ():
            if buffer.offset > 1:
                buffer.data = self.span(buffer.offset, buffer.size)
            buffer.offset = buffer.size = 0
        for graph in self.subgraphs:
            for operator in graph.operators or ():
                if operator.large_custom_options_offset > 1:
                    operator.custom_options = self.span(operator.large_custom_options_offset, operator.large_custom_options_size)
                operator.large_custom_options_offset = operator.large_custom_options_size = 0

    def span(self, offset: int, size: int) -> memoryview:
        if offset + size > len(self.view):
            raise ModelError(f"bytes {offset} to {offset + size} lie outside the file of {len(self.view)} bytes (truncated or malformed)")
        return self.view[offset : offset + size]


def _at(items: tuple[Any, ...] | None, index: int, what: str) -> Any:
    items = items or ()
    if not 0 <= index < len(items):
        raise ModelError(f"{what} {index} does not exist, there are {len(items)}")
    return items[index]


def _params(operator: Record) -> dict[str, Any]:
    params: dict[str, Any] = {}
    for union, enum in (("builtin_options", "BuiltinOptions"), ("builtin_options2", "BuiltinOptions2")):
        options = getattr(operator, union)
        if options is None or isinstance(options, Newer):
            continue
        for option in schema(enumeration(enum)[getattr(operator, f"{union}_type")]):
            value = getattr(options, option.name)
            if option.name in OPTION_ENUMS:
                value = enumeration(OPTION_ENUMS[option.name]).get(value, value)
            params[option.name] = value
    return params


# The dimensions of the filter that each output element takes a product over.
_SUMMED = {"CONV_2D": slice(1, None), "DEPTHWISE_CONV_2D": slice(1, 3), "FULLY_CONNECTED": slice(1, None)}


def _macs(name: str, inputs: tuple[Tensor | None, ...], outputs: tuple[Tensor, ...]) -> int:
    if name not in _SUMMED or len(inputs) < 2 or inputs[1] is None or not outputs:
        return 0
    return math.prod(outputs[0].shape) * math.prod(inputs[1].shape[_SUMMED[name]])
