"""TFLite's C library by ctypes: what its ordinary kernels give, and what the delegate sees of it."""

from __future__ import annotations

import contextlib
import ctypes
import os
import pathlib


class Host:
    def __init__(self, library: pathlib.Path) -> None:
        self._library = ctypes.CDLL(str(library))
        for name in ("ModelCreate", "InterpreterOptionsCreate", "InterpreterCreate", "InterpreterGetInputTensor", "InterpreterGetOutputTensor", "TensorData"):
            getattr(self._library, f"TfLite{name}").restype = ctypes.c_void_p
        self._library.TfLiteVersion.restype = ctypes.c_char_p
        self._library.TfLiteTensorByteSize.restype = ctypes.c_size_t

    @property
    def version(self) -> str:
        return self._library.TfLiteVersion().decode()

    def _open(self, model: bytes, delegate: int | None = None) -> ctypes.c_void_p:
        self._content = model  # must outlive the interpreter, which this process never releases
        options = ctypes.c_void_p(self._library.TfLiteInterpreterOptionsCreate())
        if delegate is not None:
            self._library.TfLiteInterpreterOptionsAddDelegate(options, ctypes.c_void_p(delegate))
        made = ctypes.c_void_p(self._library.TfLiteModelCreate(model, ctypes.c_size_t(len(model))))
        interpreter = ctypes.c_void_p(self._library.TfLiteInterpreterCreate(made, options))
        if not interpreter or self._library.TfLiteInterpreterAllocateTensors(interpreter) != 0:
            raise RuntimeError("the C library cannot open a model")
        return interpreter

    def _bytes(self, tensor: int) -> ctypes.Array[ctypes.c_char]:
        size = self._library.TfLiteTensorByteSize(ctypes.c_void_p(tensor))
        return (ctypes.c_char * size).from_address(self._library.TfLiteTensorData(ctypes.c_void_p(tensor)))

    def answer(self, model: bytes, values: bytes) -> bytes:
        """The output of a model that runs in the library's own kernels."""
        interpreter = self._open(model)
        self._bytes(self._library.TfLiteInterpreterGetInputTensor(interpreter, 0))[:] = values
        if self._library.TfLiteInterpreterInvoke(interpreter) != 0:
            raise RuntimeError("the C library cannot run a model")
        return bytes(self._bytes(self._library.TfLiteInterpreterGetOutputTensor(interpreter, 0)))

    def see(self, model: bytes) -> str:
        """Makes the delegate say on stderr what the code of the library's kernels is."""
        plugin = ctypes.CDLL(os.environ["TVMQ_LIBRARY"])
        plugin.tflite_plugin_create_delegate.restype = ctypes.c_void_p
        texts = [(ctypes.c_char_p * 1)(text) for text in (b"log_severity", b"info")]
        with contextlib.suppress(RuntimeError):
            self._open(model, plugin.tflite_plugin_create_delegate(*texts, ctypes.c_size_t(1), None))
        return ""
