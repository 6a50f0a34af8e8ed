"""Memory that the host gives to tensors: at any address that suits their type, with nothing accessible behind their last byte."""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Iterator

import builders
import harness
import numpy as np
import pytest

from tvmq_delegate.models import zoo

SET_ALLOCATION = "_ZN6tflite4impl11Interpreter28SetCustomAllocationForTensorEiRK22TfLiteCustomAllocationl"  # C++ that tflite-runtime exports
SKIP_ALIGNMENT_CHECK = 1
PROT_NONE = 0


class Allocation(ctypes.Structure):
    """TfLiteCustomAllocation."""

    _fields_ = [("data", ctypes.c_void_p), ("bytes", ctypes.c_size_t)]


def guarded(detail: dict) -> np.ndarray:
    """Memory for a tensor that ends at an inaccessible page."""
    dtype, n = np.dtype(detail["dtype"]), int(np.prod(detail["shape"]))
    room = -(-n * dtype.itemsize // mmap.PAGESIZE) * mmap.PAGESIZE
    pages = np.frombuffer(mmap.mmap(-1, room + mmap.PAGESIZE), np.uint8)
    assert ctypes.CDLL(None).mprotect(ctypes.c_void_p(pages.ctypes.data + room), ctypes.c_size_t(mmap.PAGESIZE), PROT_NONE) == 0
    return pages[room - n * dtype.itemsize : room].view(dtype).reshape(detail["shape"])


def models() -> Iterator[bytes]:
    """Tensors of sizes that are no multiple of anything, so that they begin at odd addresses, of int16 at even ones."""
    yield zoo.load("mobilenet_v2_0.25_32_uint8_io")
    yield builders.build_conv(in_shape=(1, 7, 7, 3), out_c=5)
    yield builders.build_conv(in_shape=(1, 7, 7, 3), out_c=5, dtype="int16")
    yield builders.build_depthwise(in_shape=(1, 9, 9, 21))
    yield builders.build_binary(shape=(1, 7, 7, 3))
    yield builders.build_softmax(in_shape=(3, 21))
    yield builders.build_max_pool(in_shape=(1, 7, 7, 21))
    yield builders.build_fully_connected(in_shape=(3, 21), out_c=9, per_channel=False)


def test_tensors_of_the_host(runtime):
    set_allocation = getattr(ctypes.CDLL(runtime.module._interpreter_wrapper.__file__), SET_ALLOCATION, None) if runtime.name == "tflite_runtime" else None
    if set_allocation is None:
        pytest.skip(f"{runtime.name} does not export what gives tensors memory")
    for content in models():
        delegate = runtime.load()
        interpreter, reference = runtime.interpreter(content, [delegate]), runtime.interpreter(content)
        inputs = harness.random_inputs(reference, seed=1)
        tensors = {}
        for detail in interpreter.get_input_details() + interpreter.get_output_details():
            array = tensors[detail["index"]] = guarded(detail)
            allocation = Allocation(array.ctypes.data, array.nbytes)
            whose, how = ctypes.c_void_p(interpreter._native_handle()), ctypes.c_int64(SKIP_ALIGNMENT_CHECK)
            assert set_allocation(whose, detail["index"], ctypes.byref(allocation), how) == 0
        interpreter.allocate_tensors()
        harness.assert_claimed(delegate)
        for detail, value in zip(interpreter.get_input_details(), inputs, strict=True):
            tensors[detail["index"]][...] = value
        interpreter.invoke()
        for detail, expected in zip(interpreter.get_output_details(), harness.run(reference, *inputs), strict=True):
            harness.assert_equal(tensors[detail["index"]], expected)
