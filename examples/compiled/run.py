"""Runs a network that `tvmq compile` made a library of, in Python alone: `python run.py build/kws/libkws.so input.bin... output.bin...`.

The files hold raw elements, row by row, of each input and output.
"""

import ctypes
import json
import math
import pathlib
import sys

ELEMENT_BYTES = {"int8": 1, "uint8": 1, "int16": 2, "int32": 4, "float32": 4, "int64": 8}
ALIGNMENT = 64


def bytes_of(tensor):
    return math.prod(tensor["shape"]) * ELEMENT_BYTES[tensor["dtype"]]


def addresses(buffers):
    return (ctypes.c_void_p * len(buffers))(*(ctypes.addressof(buffer) for buffer in buffers))


def main(library, *files):
    name = pathlib.Path(library).name.removeprefix("lib").removesuffix(".so")
    network = ctypes.CDLL(str(pathlib.Path(library).resolve()))
    describe, init, run = (getattr(network, f"{name}_{function}") for function in ("description", "init", "run"))
    describe.restype = ctypes.c_char_p
    about = json.loads(describe())
    if len(files) != len(about["inputs"]) + len(about["outputs"]):
        sys.exit(f"{library} has {len(about['inputs'])} inputs and {len(about['outputs'])} outputs")

    memory = ctypes.create_string_buffer(about["arena_bytes"] + ALIGNMENT)
    arena = ctypes.c_void_p(ctypes.addressof(memory) + -ctypes.addressof(memory) % ALIGNMENT)
    inputs = [ctypes.create_string_buffer(pathlib.Path(file).read_bytes(), bytes_of(tensor)) for file, tensor in zip(files, about["inputs"])]
    outputs = [ctypes.create_string_buffer(bytes_of(tensor)) for tensor in about["outputs"]]
    status = init(arena) or run(arena, addresses(inputs), addresses(outputs))
    if status:
        sys.exit(f"error {status}, of those in {name}.h")
    for file, output in zip(files[len(inputs) :], outputs):
        pathlib.Path(file).write_bytes(output.raw)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
