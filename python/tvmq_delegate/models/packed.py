"""Writing records as flatbuffers of the TFLite schema. A module of its own because `flatbuffers` imports numpy, which commands that only read do without."""

from __future__ import annotations

import struct
from typing import Any

import flatbuffers
from flatbuffers.builder import BuilderSizeError
from flatbuffers.number_types import UOffsetTFlags

from .flatbuffer import ALIGNMENT, WIDEST, Field, Newer, Record, enumeration, schema
from .formats import IDENTIFIER, ModelError


class _Builder(flatbuffers.Builder):  # type: ignore[misc]
    """Carries files that were read, to whose tables it points. renumbered: as flatbuffer.write's."""

    def __init__(self, renumbered: bool):
        super().__init__(1024)
        self.renumbered = renumbered
        self.carried: dict[int, int] = {}  # file -> where it begins

    def carry(self, newer: Newer) -> int:
        """Where the table stands."""
        if self.renumbered:
            raise newer.refusal
        if id(newer.file) not in self.carried:
            self.Prep(WIDEST, len(newer.file))
            _place(self, newer.file)
            self.carried[id(newer.file)] = self.Offset()
        return self.carried[id(newer.file)] - newer.position


def packed(model: Record, renumbered: bool) -> bytes:
    """Returns the bytes of a file: see flatbuffer.write()."""
    builder = _Builder(renumbered)
    try:
        builder.Finish(_write_table(builder, "Model", model), file_identifier=IDENTIFIER)
    except BuilderSizeError as error:
        raise ModelError("the model is larger than the 2 GB of a flatbuffer") from error
    return bytes(builder.Output())


def _write_table(builder: _Builder, name: str, record: Record) -> int:
    if record.newer:
        if not record.newer.unchanged(record):
            raise record.newer.refusal
        return builder.carry(record.newer)
    fields = [(field, value) for field in schema(name) if (value := getattr(record, field.name, None)) is not None]
    children = {}
    try:
        for field, value in fields:
            if field.vector or field.flags is None:
                children[field.slot] = _write_child(builder, name, field, record, value)
        builder.StartObject(max((field.slot for field in schema(name)), default=-1) + 1)
        for field, value in fields:
            if field.slot in children:
                builder.PrependUOffsetTRelativeSlot(field.slot, children[field.slot], 0)
            else:
                builder.PrependSlot(field.flags, field.slot, value, field.default)
    except (TypeError, OverflowError, struct.error) as error:  # what flatbuffers and struct raise for a value that does not fit its field
        raise ModelError(f"{name}.{field.name}: {error}") from error
    return int(builder.EndObject())


def _write_child(builder: _Builder, name: str, field: Field, record: Record, value: Any) -> int:
    if not field.vector:
        return _write_element(builder, field, record, value)
    if field.flags is None:
        offsets = [_write_element(builder, field, record, element) for element in value]
        builder.StartVector(UOffsetTFlags.bytewidth, len(offsets), UOffsetTFlags.bytewidth)
        for offset in reversed(offsets):
            builder.PrependUOffsetTRelative(offset)
        return int(builder.EndVector())
    if field.flags.name == "uint8":
        data = bytes(value)
        builder.Prep(ALIGNMENT.get((name, field.name), 1), len(data))
        return int(builder.CreateByteVector(data))
    data = struct.pack(f"<{len(value)}{field.flags.packer_type.format[-1]}", *value)
    builder.StartVector(field.flags.bytewidth, len(value), field.flags.bytewidth)
    _place(builder, data)
    return int(builder.EndVector())


def _place(builder: flatbuffers.Builder, data: bytes | memoryview) -> None:
    """Writes what there is room for, all at once, as flatbuffers itself does with bytes."""
    builder.head = builder.Head() - len(data)
    builder.Bytes[builder.Head() : builder.Head() + len(data)] = data


def _write_element(builder: _Builder, field: Field, record: Record, value: Any) -> int:
    if field.is_string:
        return int(builder.CreateString(value))
    if isinstance(value, Newer):
        return builder.carry(value)
    table = field.table or enumeration(str(field.union)).get(getattr(record, f"{field.name}_type"))
    if table is None:
        raise ModelError(f"{field.name}: type {getattr(record, f'{field.name}_type')} is unknown to the installed schema")
    return _write_table(builder, table, value)
