"""Flatbuffers of the TFLite schema as plain Python objects: verified reading, and writing.

The `tflite` package holds the schema as generated accessors, without an object API and without checks. Here the accessors are called once per table
type with a probe in place of the data, which tells each field's slot, type and default; reading and writing (`packed.py`) then are one generic function each.

Files may be newer than the installed schema: what it does not describe is carried along with the file that was read, at which what is written points.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import inspect
import mmap
import re
import struct
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from .formats import HEAD_BYTES, ModelError, check_header

# Union fields and the enumeration that names their members; the member's number stands in the field `<name>_type`.
UNIONS = {
    "builtin_options": "BuiltinOptions",
    "builtin_options2": "BuiltinOptions2",
    "details": "QuantizationDetails",
    "array_segments": "SparseIndexVector",
    "array_indices": "SparseIndexVector",
}

# Vectors that the schema wants on a wider boundary than their elements need: kernels load from them in place.
WIDEST = 16
ALIGNMENT = {("Buffer", "data"): WIDEST}


class Record(SimpleNamespace):
    """One table: an attribute per field of the schema, in snake case. Scalars hold their default where the file is silent, everything else None.

    newer: the same table in the file, where it has fields that the installed schema lacks; else None.
    """

    newer: Newer | None = None


@dataclass(frozen=True)
class Newer:
    """A table of a file of which the installed schema does not know the type, or not all fields. what: its name, for messages."""

    what: str = dataclasses.field(compare=False)
    name: str | None  # of the table's type, None if it is not known
    position: int = dataclasses.field(compare=False)
    file: memoryview = dataclasses.field(compare=False, repr=False)

    @property
    def refusal(self) -> ModelError:
        return ModelError(f"{self.what} is newer than the installed schema, and cannot be changed or taken out of its file")

    def unchanged(self, record: Record) -> bool:
        """Whether the record is still what was read."""
        return self.name is not None and _Reader(self.file).table(self.name, self.position, self.what) == record


@dataclass(frozen=True)
class Field:
    """One field of a table. Exactly one of `flags` (scalar), `table` (name of a table type), `is_string`, `union` is set."""

    name: str
    slot: int
    default: Any
    vector: bool
    flags: Any = None
    table: str | None = None
    is_string: bool = False
    union: str | None = None


class _Probe:
    """Stands in for flatbuffers' Table and notes what an accessor asks for first: OperatorCode.BuiltinCode goes on to another field."""

    Bytes = b""
    Pos = 0

    def __init__(self, present: bool):
        self.present = present
        self.slot = -1
        self.flags: Any = None
        self.is_string = False
        self.vector = False

    def Offset(self, slot: int) -> int:
        self.slot = slot if self.slot < 0 else self.slot
        return 4 if self.present else 0

    def Vector(self, offset: int) -> int:
        self.vector = True
        return 0

    def Indirect(self, offset: int) -> int:
        return 0

    def Get(self, flags: Any, offset: int) -> int:
        self.flags = flags if self.flags is None else self.flags
        return 0

    def String(self, offset: int) -> bytes:
        self.is_string = True
        return b""

    def Union(self, table: Any, offset: int) -> None:
        pass


def snake_case(name: str) -> str:
    """`DilationHFactor` -> `dilation_h_factor`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def _members(cls: type[Any]) -> dict[str, Any]:
    """Returns what the schema says of a class: Python's own attributes begin with an underscore, and each version has others."""
    return {name: value for name, value in vars(cls).items() if not name.startswith("_")}


@functools.cache
def schema(table: str) -> tuple[Field, ...]:
    """The fields of a table type of the TFLite schema, ordered by slot."""
    cls = getattr(importlib.import_module(f"tflite.{table}"), table)
    fields = []
    members = _members(cls)
    for accessor, function in members.items():
        derived = re.fullmatch("(.+)(AsNumpy|IsNone|Length)", accessor)
        if accessor == "Init" or not inspect.isfunction(function) or (derived and derived[1] in members):
            continue
        arguments = [0] * (function.__code__.co_argcount - 1)  # a vector's accessor takes an index
        seen, absent = _Probe(True), _Probe(False)
        value = _call(cls, function, seen, arguments)
        default = _call(cls, function, absent, arguments)
        name = snake_case(accessor)
        is_scalar = seen.flags is not None
        fields.append(
            Field(
                name=name,
                slot=(seen.slot - 4) // 2,
                default=default if is_scalar and not seen.vector else None,
                vector=seen.vector,
                flags=seen.flags,
                is_string=seen.is_string,
                union=UNIONS[name] if name in UNIONS else None,
                table=None if is_scalar or seen.is_string or name in UNIONS else type(value).__name__,
            )
        )
    return tuple(sorted(fields, key=lambda field: field.slot))


def _call(cls: type[Any], function: Callable[..., Any], probe: _Probe, arguments: list[int]) -> Any:
    table = cls()
    table._tab = probe
    return function(table, *arguments)


@functools.cache
def enumeration(name: str) -> dict[int, str]:
    """Number -> name of an enumeration of the schema."""
    cls = getattr(importlib.import_module(f"tflite.{name}"), name)
    return {value: key for key, value in _members(cls).items() if isinstance(value, int)}


def enum_value(enum: str, name: str) -> int:
    """The number of `name` in an enumeration of the schema."""
    for value, key in enumeration(enum).items():
        if key == name:
            return value
    raise ModelError(f"{enum}: no {name!r}; known: {', '.join(enumeration(enum).values())}")


def check_root(data: bytes | memoryview | mmap.mmap) -> None:
    """Raises ModelError unless the root table and the vectors in it lie within the file. Of a file that is mapped, little else is read."""
    view = memoryview(data).cast("B")
    check_header(view[:HEAD_BYTES])
    reader = _Reader(view)
    position = reader.offset(0, "Model")
    slots, _ = reader.slots(position, "Model")
    for field in schema("Model"):
        offset = slots[field.slot] if field.slot < len(slots) else 0
        if offset and (field.vector or field.is_string):
            target = reader.offset(position + offset, f"Model.{field.name}")
            (length,) = reader.unpack("<I", target, f"Model.{field.name}")
            reader.span(target + 4, length, f"Model.{field.name}")


def read(data: bytes | memoryview) -> Record:
    """Unpacks a .tflite file into nested records. Byte vectors stay views of `data`, other vectors become tuples.

    Raises ModelError where an offset or a length leaves the file.
    """
    view = memoryview(data).cast("B")
    check_header(view[:HEAD_BYTES])
    reader = _Reader(view)
    return reader.table("Model", reader.offset(0, "Model"), "Model")


class _Reader:
    def __init__(self, view: memoryview):
        self.view = view
        self.tables: dict[tuple[str, int], tuple[Record, int]] = {}
        # Offsets may point several times at the same bytes, and what they lead to counts each time: a file that unfolds to far more than itself is hostile.
        self.budget = 8 * len(view)

    def span(self, position: int, size: int, where: str) -> None:
        """Checks that [position, position + size) lies within the file."""
        if position < 0 or position + size > len(self.view):
            raise ModelError(f"{where}: bytes {position} to {position + size} lie outside the file of {len(self.view)} bytes (truncated or malformed)")
        self.spend(size, where)

    def spend(self, size: int, where: str) -> None:
        self.budget -= size
        if self.budget < 0:
            raise ModelError(f"{where}: malformed, the same bytes are referred to over and over")

    def unpack(self, code: str, position: int, where: str) -> tuple[Any, ...]:
        self.span(position, struct.calcsize(code), where)
        return struct.unpack_from(code, self.view, position)

    def offset(self, position: int, where: str) -> int:
        (distance,) = self.unpack("<I", position, where)
        return position + int(distance)

    def table(self, name: str, position: int, where: str) -> Record:
        key = (name, position)
        if key in self.tables:
            record, cost = self.tables[key]
            self.spend(cost, where)
            return record
        before = self.budget
        record = self.fields(name, position, where)
        self.tables[key] = (record, before - self.budget)
        return record

    def slots(self, position: int, where: str) -> tuple[tuple[int, ...], int]:
        """How far from the beginning of its table each field lies, 0 if the file is silent, and the bytes of the table."""
        vtable = position - self.unpack("<i", position, where)[0]
        vtable_bytes, table_bytes = self.unpack("<HH", vtable, where)
        if vtable_bytes < 4 or vtable_bytes % 2 or table_bytes < 4:
            raise ModelError(f"{where}: malformed table (vtable of {vtable_bytes} bytes, table of {table_bytes})")
        slots = self.unpack(f"<{(vtable_bytes - 4) // 2}H", vtable + 4, where)
        self.span(position, table_bytes, where)
        return slots, table_bytes

    def fields(self, name: str, position: int, where: str) -> Record:
        slots, table_bytes = self.slots(position, where)
        fields = schema(name)
        record = Record()
        known = {field.slot for field in fields}
        unknown = [slot for slot, offset in enumerate(slots) if offset and slot not in known]
        if unknown:
            record.newer = Newer(f"{where} with field {unknown[0]}", name, position, self.view)
        for field in fields:
            offset = slots[field.slot] if field.slot < len(slots) else 0
            value = field.default
            if offset:
                is_inline = field.flags is not None and not field.vector
                if offset + (field.flags.bytewidth if is_inline else 4) > table_bytes:
                    raise ModelError(f"{where}.{field.name}: malformed, the field lies outside its table")
                value = self.field(field, record, position + offset, f"{where}.{field.name}")
            setattr(record, field.name, value)
        return record

    def field(self, field: Field, record: Record, position: int, where: str) -> Any:
        if field.flags is not None and not field.vector:
            return field.flags.py_type(self.unpack(field.flags.packer_type.format, position, where)[0])
        target = self.offset(position, where)
        if field.vector:
            return self.vector(field, target, where)
        if field.is_string:
            return self.string(target, where)
        return self.table(field.table, target, where) if field.table else self.union_member(field, record, target, where)

    def vector(self, field: Field, position: int, where: str) -> Any:
        (length,) = self.unpack("<I", position, where)
        start = position + 4
        if field.flags is not None:
            self.span(start, length * field.flags.bytewidth, where)
            if field.flags.bytewidth == 1 and field.flags.name == "uint8":
                return self.view[start : start + length]
            return struct.unpack_from(f"<{length}{field.flags.packer_type.format[-1]}", self.view, start)
        self.span(start, length * 4, where)
        element = self.string if field.is_string else functools.partial(self.table, str(field.table))
        return tuple(element(self.offset(start + 4 * i, where), f"{where}[{i}]") for i in range(length))

    def string(self, position: int, where: str) -> bytes:
        (length,) = self.unpack("<I", position, where)
        self.span(position + 4, length, where)
        return bytes(self.view[position + 4 : position + 4 + length])

    def union_member(self, field: Field, record: Record, position: int, where: str) -> Record | Newer | None:
        number = getattr(record, f"{field.name}_type")
        name = enumeration(str(field.union)).get(number)
        if name is None:
            self.slots(position, where)
            return Newer(f"{where} of type {number}", None, position, self.view)
        return None if name == "NONE" else self.table(name, position, where)


def write(model: Record, *, renumbered: bool = False) -> bytes:
    """Packs records, as `read` gives them, into a .tflite file.

    Raises ModelError for values that do not fit their fields, and for a changed record that has fields newer than the installed schema. renumbered: tensors and
    subgraphs have other numbers than in the file that was read, to which nothing that is newer than the schema may refer: ModelError if there is any.
    """
    from .packed import packed  # which imports numpy

    return packed(model, renumbered)
