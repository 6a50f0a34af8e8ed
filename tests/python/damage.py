"""Damages to .tflite files: bytes, fields and structure. Each takes the bytes of a file and a generator of random numbers, and gives the bytes of another."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from typing import Any

from tvmq_delegate import models
from tvmq_delegate.models import flatbuffer

INTEGERS = [0, -1, 1, 2, 3, 5, 127, 128, 255, 256, 32768, 65536, 2**20, 2**30, 2**31 - 1, -(2**31)]
FLOATS = [0.0, -0.5, 1e-45, 1e-38, 3e38, float("nan"), float("inf"), -float("inf")]


def truncated(content: bytes, rng: random.Random) -> bytes:
    return content[: rng.randrange(len(content))]


def flipped(content: bytes, rng: random.Random) -> bytes:
    """A few bytes changed, mostly in the front, where tables are, not weights."""
    changed = bytearray(content)
    for _ in range(rng.randint(1, 4)):
        changed[min(rng.randrange(len(content)), rng.randrange(len(content)))] = rng.choice([0, 1, 127, 128, 255, rng.randrange(256)])
    return bytes(changed)


def rewritten(content: bytes, rng: random.Random) -> bytes:
    """A well-formed file with fields that lie: shapes, scales, options, indices, sizes of buffers."""
    while True:
        root = flatbuffer.read(content)
        for _ in range(rng.choice([1, 1, 1, 2, 3])):
            record, key = rng.choice(list(fields(root)))
            setattr(record, key, hostile(getattr(record, key), rng))
        try:
            return flatbuffer.write(root)
        except models.ModelError:  # a value that the field cannot hold
            continue


def fields(record: flatbuffer.Record) -> Iterator[tuple[flatbuffer.Record, str]]:
    """Every field of a table and of the tables in it, as table and name; but not which table a union holds, which must be so."""
    for key, value in vars(record).items():
        tables = value if isinstance(value, (tuple, list)) else (value,)
        for table in tables:
            if isinstance(table, flatbuffer.Record):
                yield from fields(table)
        if value is not None and key.removesuffix("_type") not in flatbuffer.UNIONS and not any(isinstance(table, flatbuffer.Record) for table in tables):
            yield record, key


def hostile(value: Any, rng: random.Random) -> Any:
    """Another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return rng.choice(INTEGERS)
    if isinstance(value, float):
        return rng.choice(FLOATS)
    if isinstance(value, (bytes, memoryview)):
        data = bytes(value)
        return rng.choice([b"", data[: len(data) // 2], data[:-1], data + b"\0", data[:1]])
    if isinstance(value, (tuple, list)) and value:
        items = list(value)
        at = rng.randrange(len(items))
        change = rng.choice(["replace", "replace", "replace", "drop", "repeat", "none"])
        if change == "replace":
            items[at] = hostile(items[at], rng)
        elif change == "none":
            return None
        else:
            items[at : at + 1] = [] if change == "drop" else [items[at]] * 2
        return tuple(items)
    return None


def restructured(content: bytes, rng: random.Random) -> bytes:
    """A well-formed file whose graph is another: tensors swapped, shared, missing or given twice, operators in another order, cycles, variables."""
    while True:
        root = flatbuffer.read(content)
        graph = root.subgraphs[0]
        for _ in range(rng.choice([1, 1, 2, 3])):
            rng.choice(RESTRUCTURINGS)(root, graph, rng)
        try:
            return flatbuffer.write(root)
        except models.ModelError:
            continue


def swap_tensors(root: flatbuffer.Record, graph: flatbuffer.Record, rng: random.Random) -> None:
    """Two tensors change places in the list, so that each operator reads and writes the other."""
    tensors = list(graph.tensors)
    a, b = rng.randrange(len(tensors)), rng.randrange(len(tensors))
    tensors[a], tensors[b] = tensors[b], tensors[a]
    graph.tensors = tuple(tensors)


def share_buffer(root: flatbuffer.Record, graph: flatbuffer.Record, rng: random.Random) -> None:
    """A tensor takes another one's buffer: constants alias each other, activations become constant, weights computed."""
    rng.choice(graph.tensors).buffer = rng.choice(graph.tensors).buffer


def borrow_type(root: flatbuffer.Record, graph: flatbuffer.Record, rng: random.Random) -> None:
    """A tensor takes another one's shape, type or quantization."""
    to, source = rng.choice(graph.tensors), rng.choice(graph.tensors)
    for key in rng.sample(["shape", "type", "quantization"], rng.randint(1, 3)):
        setattr(to, key, copy.deepcopy(getattr(source, key)))


def rewire(root: flatbuffer.Record, graph: flatbuffer.Record, rng: random.Random) -> None:
    """An operator reads or writes another tensor of the graph, none, or one tensor twice; cycles come of it."""
    operator = rng.choice(graph.operators)
    key = rng.choice(["inputs", "inputs", "outputs"])
    listed = list(getattr(operator, key) or [])
    if not listed:
        return
    at = rng.randrange(len(listed))
    action = rng.choice(["other", "other", "none", "twice", "drop"])
    if action == "drop":
        del listed[at]
    elif action == "twice":
        listed.insert(at, listed[at])
    else:
        listed[at] = -1 if action == "none" else rng.randrange(len(graph.tensors))
    setattr(operator, key, tuple(listed))


def reorder(root: flatbuffer.Record, graph: flatbuffer.Record, rng: random.Random) -> None:
    """An operator moves, is left out, or stands there twice."""
    operators = list(graph.operators)
    operator = operators.pop(rng.randrange(len(operators)))
    for _ in range(rng.choice([0, 1, 1, 2]) if operators else 1):
        operators.insert(rng.randint(0, len(operators)), copy.deepcopy(operator))
    graph.operators = tuple(operators)


def change_ends(root: flatbuffer.Record, graph: flatbuffer.Record, rng: random.Random) -> None:
    """Any tensor becomes an input or an output of the graph, or one of them no longer is one."""
    key = rng.choice(["inputs", "outputs"])
    ends = list(getattr(graph, key) or [])
    if ends and rng.random() < 0.3:
        ends.pop(rng.randrange(len(ends)))
    else:
        ends.insert(rng.randint(0, len(ends)), rng.randrange(len(graph.tensors)))
    setattr(graph, key, tuple(ends))


def make_variable(root: flatbuffer.Record, graph: flatbuffer.Record, rng: random.Random) -> None:
    rng.choice(graph.tensors).is_variable = True


def change_operator(root: flatbuffer.Record, graph: flatbuffer.Record, rng: random.Random) -> None:
    """An operator becomes one of another kind of the same graph, with its own options, or takes the other one's options too."""
    operator, other = rng.choice(graph.operators), rng.choice(graph.operators)
    operator.opcode_index = other.opcode_index
    if rng.random() < 0.5:
        operator.builtin_options_type, operator.builtin_options = other.builtin_options_type, copy.deepcopy(other.builtin_options)


def cut_buffer(root: flatbuffer.Record, graph: flatbuffer.Record, rng: random.Random) -> None:
    """The contents of a constant end early."""
    full = [buffer for buffer in root.buffers if buffer.data is not None and len(buffer.data)]
    if full:
        buffer = rng.choice(full)
        buffer.data = bytes(buffer.data)[: rng.randrange(len(buffer.data))]


RESTRUCTURINGS: list[Callable[[flatbuffer.Record, flatbuffer.Record, random.Random], None]] = [
    swap_tensors, share_buffer, borrow_type, rewire, rewire, reorder, change_ends, make_variable, change_operator, cut_buffer,
]  # fmt: skip

DAMAGES = (truncated, flipped, rewritten, restructured)
