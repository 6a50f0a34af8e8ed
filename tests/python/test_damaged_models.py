"""Damaged .tflite files: each is read or refused, and none takes memory or time without bounds."""

from __future__ import annotations

import struct
import tracemalloc

import builders
import harness
import pytest
from draws import randomly

from tvmq_delegate import models
from tvmq_delegate.models import ModelError, flatbuffer

SMALL = builders.build_conv(in_shape=(1, 3, 3, 2), out_c=2)


@pytest.mark.parametrize("junk", [b"", b"TFL3", bytes(64), b"\x10\0\0\0TFL3", b"\xff" * 4 + b"TFL3" + bytes(100), b"PK\3\4" + bytes(100)])
def test_junk_is_refused(junk):
    with pytest.raises(ModelError):
        models.ops(junk)


def test_every_truncation_is_refused():
    """Constants and tables lie all over the file: no prefix of it is a model."""
    for length in range(len(SMALL)):
        with pytest.raises(ModelError):
            models.ops(SMALL[:length])


def read_all(data: bytes) -> str:
    """ "read" or "refused"; any other exception is a failure."""
    try:
        for op in models.ops(data):
            models.cut(data, op.index, op.subgraph)
        models.expose(data)
    except ModelError as error:
        assert str(error)
        return "refused"
    return "read"


@randomly
def test_changed_bytes_are_read_or_refused(draw):
    data = bytearray(SMALL)
    for _ in range(draw.integer(1, 4)):
        data[draw.below(len(SMALL))] = draw.below(256)
    harness.counts[f"models with changed bytes {read_all(bytes(data))}"] += 1


@pytest.mark.parametrize("value", [0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, len(SMALL)])
def test_changed_words_are_read_or_refused(value):
    for position in range(0, len(SMALL) - 3, 4):
        data = bytearray(SMALL)
        struct.pack_into("<I", data, position, value)
        harness.counts[f"models with changed words {read_all(bytes(data))}"] += 1


def test_shared_tables_do_not_multiply():
    """Thousands of subgraphs that are one and the same table: read in no time, but without end to walk through or to write."""
    file = flatbuffer.read(SMALL)
    n, filler = 5000, 0x5EED5EED
    file.metadata_buffer = (filler,) * n  # becomes the vector of subgraphs
    data = bytearray(flatbuffer.write(file))
    assert len(models.ops(data)) == 1

    def word(position: int) -> int:
        return struct.unpack_from("<I", data, position)[0]

    root = word(0)
    vtable = root - struct.unpack_from("<i", data, root)[0]
    slot = next(field.slot for field in flatbuffer.schema("Model") if field.name == "subgraphs")
    field = root + struct.unpack_from("<H", data, vtable + 4 + 2 * slot)[0]
    vector = field + word(field)
    subgraph = vector + 4 + word(vector + 4)
    elements = data.index(struct.pack("<II", n, filler)) + 4
    struct.pack_into("<I", data, field, elements - 4 - field)
    for position in range(elements, elements + 4 * n, 4):
        struct.pack_into("<I", data, position, subgraph - position)
    with pytest.raises(ModelError, match="over and over"):
        models.ops(data)


def test_overlapping_strings_do_not_multiply():
    """Many strings that all reach to the end of the file: reading must not take the product of both."""
    file = flatbuffer.read(SMALL)
    file.metadata = tuple(flatbuffer.Record(name=b"m", buffer=i) for i in range(400))
    data = bytearray(flatbuffer.write(file))
    lengths = [position for position in range(len(data) - 6) if data[position : position + 6] == b"\1\0\0\0m\0"]
    assert len(lengths) == 400
    assert len(flatbuffer.read(data).metadata) == 400
    for position in lengths:
        struct.pack_into("<I", data, position, len(data) - position - 4)
    with pytest.raises(ModelError, match="over and over"):
        flatbuffer.read(data)


def test_huge_shapes_take_no_memory():
    huge = (2**15, 2**15, 2**15, 16)
    tracemalloc.start()
    data = builders.build_conv(in_shape=huge, out_c=4)
    (op,) = models.ops(data)
    models.cut(data, 0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert op.outputs[0].shape == (*huge[:3], 4) and op.macs == 2**45 * 4 * 9 * 16
    assert peak < 2**20


def test_negative_sizes_and_wrong_data_are_refused():
    file = flatbuffer.read(SMALL)
    file.subgraphs[0].tensors[0].shape = (1, -1, 3, 2)
    with pytest.raises(ModelError, match=r"tensor 0: negative size in shape \(1, -1, 3, 2\)"):
        models.ops(flatbuffer.write(file))
    (op,) = models.ops(builders.build_conv(filter=b"abc"))
    with pytest.raises(ModelError, match="3 bytes do not fit int8 of shape"):
        op.inputs[1].numpy()
    with pytest.raises(ModelError, match="is not constant"):
        op.inputs[0].numpy()
