"""Runs a network that `tvmq compile` made a library of, in Python alone: `python run.py build/kws/libkws.so input.bin... output.bin...`.

The files hold raw elements, row by row, of each input and output.
"""

import ctypes
import json
import math
import pathlib
import sys

ELEMENT_BYTES = {"bool": 1, "int8": 1, "uint8": 1, "int16": 2, "int32": 4, "float32": 4, "int64": 8}
ALIGNMENT = 64


def bytes_of(tensor):
    return math.prod(tensor["shape"]) * ELEMENT_BYTES[tensor["dtype"]]


def addresses(buffers):
    return (ctypes.c_void_p * len(buffers))(*(ctypes.addressof(buffer) for buffer in buffers))


def read(file, tensor):
    data = pathlib.Path(file).read_bytes()
    if len(data) != bytes_of(tensor):
        sys.exit(f"{file} has {len(data)} bytes, but {tensor['name']} is {tensor['dtype']}{tensor['shape']}, which has {bytes_of(tensor)}")
    return ctypes.create_string_buffer(data, len(data))


def main(library, *files):
    name = pathlib.Path(library).name.removeprefix("lib").removesuffix(".so")
    network = ctypes.CDLL(str(pathlib.Path(library).resolve()))
    try:
        describe, init, run = (getattr(network, f"{name}_{function}") for function in ("description", "init", "run"))
    except AttributeError:
        sys.exit(f"{library} has no functions {name}_init and {name}_run: it is no network that tvmq compile made, or has been renamed")
    describe.restype = ctypes.c_char_p
    about = json.loads(describe())
    if len(files) != len(about["inputs"]) + len(about["outputs"]):
        sys.exit(f"{library} takes files for {len(about['inputs'])} inputs and {len(about['outputs'])} outputs, not {len(files)}")

    memory = ctypes.create_string_buffer(about["arena_bytes"] + ALIGNMENT)
    arena = ctypes.c_void_p(ctypes.addressof(memory) + -ctypes.addressof(memory) % ALIGNMENT)
    inputs = [read(file, tensor) for file, tensor in zip(files, about["inputs"])]
    outputs = [ctypes.create_string_buffer(bytes_of(tensor)) for tensor in about["outputs"]]
    status = init(arena) or run(arena, addresses(inputs), addresses(outputs))
    if status:
        sys.exit(f"error {status}, of those in {name}.h")
    for file, output in zip(files[len(inputs) :], outputs):
        pathlib.Path(file).write_bytes(output.raw)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    try:
        main(*sys.argv[1:])
    except OSError as error:
        sys.exit(str(error))
