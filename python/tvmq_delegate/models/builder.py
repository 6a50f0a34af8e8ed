"""Building .tflite models from nothing, tensor by tensor and operator by operator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .flatbuffer import Record, enum_value, schema, write
from .formats import ModelError

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Option fields that hold a number of an enumeration: shown and accepted by name.
OPTION_ENUMS = {
    "padding": "Padding",
    "fused_activation_function": "ActivationFunctionType",
    "in_data_type": "TensorType",
    "out_data_type": "TensorType",
    "mode": "MirrorPadMode",
    "output_type": "TensorType",
    "out_type": "TensorType",
    "quantized_bias_type": "TensorType",
}

# Operator -> its options table, None without one, and the version that each input type needs (1 where none stands).
OPERATORS: dict[str, tuple[str | None, dict[str, int]]] = {
    "ABS": ("AbsOptions", {"int8": 2, "int16": 3}),
    "ADD": ("AddOptions", {"int8": 2, "int16": 3}),
    "ARG_MAX": ("ArgMaxOptions", {"int8": 2, "uint8": 2}),
    "ASSIGN_VARIABLE": ("AssignVariableOptions", {}),
    "AVERAGE_POOL_2D": ("Pool2DOptions", {"int8": 2, "int16": 3}),
    "BATCH_MATMUL": ("BatchMatMulOptions", {"int8": 2}),
    "BATCH_TO_SPACE_ND": ("BatchToSpaceNDOptions", {"int8": 2, "int16": 4}),
    "BROADCAST_TO": ("BroadcastToOptions", {"int8": 2, "bool": 2}),
    "CALL_ONCE": ("CallOnceOptions", {}),
    "CAST": ("CastOptions", {"int8": 2, "uint8": 2, "int16": 4}),
    "CONCATENATION": ("ConcatenationOptions", {"int8": 2, "int16": 3}),
    "CONV_2D": ("Conv2DOptions", {"int8": 3, "int16": 4}),
    "DEPTHWISE_CONV_2D": ("DepthwiseConv2DOptions", {"int8": 3, "int16": 5}),
    "DEPTH_TO_SPACE": ("DepthToSpaceOptions", {}),
    "DEQUANTIZE": ("DequantizeOptions", {"int8": 2, "int16": 3}),
    "DIV": ("DivOptions", {}),
    "ELU": (None, {}),
    "EMBEDDING_LOOKUP": (None, {}),
    "EQUAL": ("EqualOptions", {"int8": 2, "uint8": 2}),
    "EXP": ("ExpOptions", {"int8": 2}),
    "EXPAND_DIMS": ("ExpandDimsOptions", {}),
    "FULLY_CONNECTED": ("FullyConnectedOptions", {"int8": 4, "int16": 7}),
    "GATHER": ("GatherOptions", {"int8": 2, "int16": 4}),
    "GATHER_ND": ("GatherNdOptions", {"int8": 2, "int16": 3}),
    "GELU": ("GeluOptions", {"int8": 2}),
    "GREATER": ("GreaterOptions", {"int8": 2}),
    "GREATER_EQUAL": ("GreaterEqualOptions", {"int8": 2}),
    "HARD_SWISH": ("HardSwishOptions", {}),
    "L2_NORMALIZATION": ("L2NormOptions", {"int8": 2}),
    "LEAKY_RELU": ("LeakyReluOptions", {"int8": 2, "int16": 2}),
    "LESS": ("LessOptions", {"int8": 2}),
    "LESS_EQUAL": ("LessEqualOptions", {"int8": 2}),
    "LOG": (None, {"int8": 2, "int16": 2}),
    "LOGICAL_AND": ("LogicalAndOptions", {}),
    "LOGICAL_NOT": ("LogicalNotOptions", {}),
    "LOGICAL_OR": ("LogicalOrOptions", {}),
    "LOGISTIC": (None, {"int8": 2, "int16": 3}),
    "MAXIMUM": ("MaximumMinimumOptions", {"int8": 2, "int16": 4}),
    "MAX_POOL_2D": ("Pool2DOptions", {"int8": 2, "int16": 3}),
    "MEAN": ("ReducerOptions", {"int8": 2, "int16": 3}),
    "MINIMUM": ("MaximumMinimumOptions", {"int8": 2, "int16": 4}),
    "MIRROR_PAD": ("MirrorPadOptions", {"int8": 2, "int16": 3}),
    "MUL": ("MulOptions", {"int8": 2, "int16": 4}),
    "NEG": ("NegOptions", {}),
    "NOT_EQUAL": ("NotEqualOptions", {"int8": 2, "uint8": 2}),
    "PACK": ("PackOptions", {"int8": 2, "int16": 3}),
    "PAD": ("PadOptions", {"int8": 2, "int16": 3}),
    "PADV2": ("PadV2Options", {"int8": 2, "int16": 2}),
    "PRELU": (None, {}),
    "QUANTIZE": ("QuantizeOptions", {"int16": 2}),
    "READ_VARIABLE": ("ReadVariableOptions", {}),
    "REDUCE_MAX": ("ReducerOptions", {"int8": 2, "int16": 3}),
    "REDUCE_MIN": ("ReducerOptions", {"int8": 2, "int16": 3}),
    "RELU": (None, {"int8": 2, "int16": 3}),
    "RELU6": (None, {"int8": 2, "int16": 3}),
    "RELU_0_TO_1": (None, {}),
    "RELU_N1_TO_1": (None, {}),
    "RESHAPE": ("ReshapeOptions", {}),
    "RESIZE_BILINEAR": ("ResizeBilinearOptions", {"int8": 2, "int16": 4}),
    "RESIZE_NEAREST_NEIGHBOR": ("ResizeNearestNeighborOptions", {"int8": 2, "int16": 4}),
    "REVERSE_V2": ("ReverseV2Options", {"int8": 3, "int16": 3}),
    "RSQRT": (None, {"int8": 2, "int16": 3}),
    "SELECT": ("SelectOptions", {}),
    "SELECT_V2": ("SelectV2Options", {}),
    "SHAPE": ("ShapeOptions", {}),
    "SLICE": ("SliceOptions", {"int8": 2, "int16": 4}),
    "SOFTMAX": ("SoftmaxOptions", {"int8": 2, "int16": 3}),
    "SPACE_TO_BATCH_ND": ("SpaceToBatchNDOptions", {"int8": 2, "int16": 4}),
    "SPACE_TO_DEPTH": ("SpaceToDepthOptions", {"int8": 2}),
    "SPLIT": ("SplitOptions", {"int8": 2, "int16": 4}),
    "SPLIT_V": ("SplitVOptions", {"int8": 2}),
    "SQRT": (None, {"int8": 2, "int16": 2}),
    "SQUARE": ("SquareOptions", {}),
    "SQUARED_DIFFERENCE": ("SquaredDifferenceOptions", {"int8": 2}),
    "SQUEEZE": ("SqueezeOptions", {}),
    "STRIDED_SLICE": ("StridedSliceOptions", {"int8": 2, "int16": 4}),
    "SUB": ("SubOptions", {"int8": 2, "int16": 5}),
    "SUM": ("ReducerOptions", {"int8": 2}),
    "TANH": (None, {"int8": 2, "int16": 3}),
    "TILE": ("TileOptions", {}),
    "TRANSPOSE": ("TransposeOptions", {"int8": 2, "int16": 4}),
    "TRANSPOSE_CONV": ("TransposeConvOptions", {"int8": 3, "uint8": 3, "int16": 3}),
    "UNPACK": ("UnpackOptions", {"int8": 2, "int16": 3}),
    "VAR_HANDLE": ("VarHandleOptions", {}),
}

INTEGER_RANGE = {
    "int4": (-8, 7),
    "int8": (-128, 127),
    "uint8": (0, 255),
    "int16": (-(2**15), 2**15 - 1),
    "int32": (-(2**31), 2**31 - 1),
    "int64": (-(2**63), 2**63 - 1),
}


class ModelBuilder:
    """Collects the tensors and operators of one subgraph, in execution order, and packs them into a .tflite file.

    Variables get their first values in another subgraph.
    """

    def __init__(self, description: str = "tvmq-delegate"):
        self._description = description
        self._tensors: list[Record] = []
        self._types: list[str] = []
        self._buffers = [Record()]  # buffer 0 is empty by convention: tensors without data refer to it
        self._codes: dict[tuple[str, int], int] = {}
        self._operators: list[Record] = []
        self._once: ModelBuilder | None = None  # the subgraph that assigns first values

    def add_tensor(
        self,
        name: str,
        shape: Sequence[int],
        dtype: str,
        *,
        scale: float | Sequence[float] | NDArray[Any] | None = None,
        zero_point: int | Sequence[int] = 0,
        dimension: int = 0,
        data: NDArray[Any] | Sequence[Any] | bytes | None = None,
    ) -> int:
        """Adds a tensor and returns its index.

        `scale` is a number (per tensor), a sequence or an array (per channel, along `dimension`) or None (not quantized). `data` makes the tensor constant: an
        array of `shape` whose values fit `dtype`, or bytes, which are taken as they are, whatever their length.
        """
        record = Record(name=name, shape=tuple(int(n) for n in shape), type=enum_value("TensorType", dtype.upper()), buffer=0)
        if scale is not None:
            scales = _numbers(scale, float)
            zero_points = _numbers(zero_point, int)
            if len(zero_points) == 1:
                zero_points *= len(scales)
            record.quantization = Record(scale=scales, zero_point=zero_points, quantized_dimension=dimension)
        if data is not None:
            record.buffer = len(self._buffers)
            self._buffers.append(Record(data=data if isinstance(data, bytes) else _pack(name, record.shape, dtype, data)))
        self._tensors.append(record)
        self._types.append(dtype)
        return len(self._tensors) - 1

    def add_op(self, name: str, inputs: Sequence[int], outputs: Sequence[int], *, version: int | None = None, **options: Any) -> int:
        """Adds an operator and returns its index. An input of -1 is left out; `options` are the schema's fields in snake case, enumerations by name."""
        if name not in OPERATORS:
            raise ModelError(f"cannot build {name!r}; known: {', '.join(OPERATORS)}")
        table, versions = OPERATORS[name]
        allowed = [field.name for field in schema(table)] if table else []
        for key in options:
            if key not in allowed:
                raise ModelError(f"{name} has no option {key!r}; known: {', '.join(allowed) or 'none'}")
        values = {key: enum_value(OPTION_ENUMS[key], value) if key in OPTION_ENUMS and isinstance(value, str) else value for key, value in options.items()}
        if version is None:
            version = versions.get(self._types[inputs[0]], 1) if inputs else 1
        code = self._codes.setdefault((name, version), len(self._codes))
        self._operators.append(
            Record(
                opcode_index=code,
                inputs=tuple(inputs),
                outputs=tuple(outputs),
                builtin_options_type=enum_value("BuiltinOptions", table or "NONE"),
                builtin_options=Record(**values) if table else None,
            )
        )
        return len(self._operators) - 1

    def add_variable(self, name: str, value: NDArray[Any], dtype: str) -> int:
        """Adds a variable, which READ_VARIABLE and ASSIGN_VARIABLE find by the index that is returned. It has `value` before the first inference, and so must
        be added before operators that use it.
        """
        if self._once is None:
            self._once = ModelBuilder()
            self._once._buffers, self._once._codes = self._buffers, self._codes
            self.add_op("CALL_ONCE", [], [], init_subgraph_index=1)
        first = self._once.add_tensor(f"{name}/first", value.shape, dtype, data=value)
        self._once.add_op("ASSIGN_VARIABLE", [self._once._add_handle(name), first], [])
        return self._add_handle(name)

    def _add_handle(self, name: str) -> int:
        handle = self.add_tensor(name, (), "resource")
        self.add_op("VAR_HANDLE", [], [handle], shared_name=name)
        return handle

    def _graph(self, name: str, inputs: Sequence[int], outputs: Sequence[int]) -> Record:
        return Record(tensors=self._tensors, inputs=tuple(inputs), outputs=tuple(outputs), operators=self._operators, name=name)

    def build(self, inputs: Sequence[int], outputs: Sequence[int]) -> bytes:
        """The model as the bytes of a .tflite file."""
        subgraphs = [self._graph("main", inputs, outputs)]
        if self._once is not None:
            subgraphs.append(self._once._graph("first_values", (), ()))
        codes = []
        for name, version in self._codes:
            number = enum_value("BuiltinOperator", name)
            # Readers older than the 32-bit field know operators by the 8-bit one, which ends at 127.
            codes.append(Record(builtin_code=number, deprecated_builtin_code=min(number, 127), version=version))
        return write(Record(version=3, operator_codes=codes, subgraphs=subgraphs, description=self._description, buffers=self._buffers))


def _numbers(value: Any, kind: type) -> tuple[Any, ...]:
    return (kind(value),) if not hasattr(value, "__len__") else tuple(kind(v) for v in value)


def _pack(name: str, shape: tuple[int, ...], dtype: str, data: Any) -> bytes:
    import numpy as np

    array = np.asarray(data)
    if array.shape != shape:
        raise ModelError(f"tensor {name!r}: data of shape {array.shape}, not {shape}")
    if dtype == "int4":  # two to a byte, the first in the low half
        nibbles = np.append(array.ravel(), np.zeros(array.size % 2, array.dtype)).astype(np.uint8) & 15
        return (nibbles[0::2] | nibbles[1::2] << 4).tobytes()
    if dtype in INTEGER_RANGE and array.size:
        low, high = INTEGER_RANGE[dtype]
        if array.dtype.kind not in "iu" or int(array.min()) < low or int(array.max()) > high:
            raise ModelError(f"tensor {name!r}: the data does not fit {dtype}")
    return np.ascontiguousarray(array, dtype=np.dtype(dtype).newbyteorder("<")).tobytes()


def output_size(size: int, filter_size: int, stride: int, dilation: int, padding: str) -> int:
    """Output height or width of a convolution or pooling."""
    effective = (filter_size - 1) * dilation + 1
    span = size if padding == "SAME" else size - effective + 1
    return max(0, -(-span // stride)) if stride > 0 else 0
