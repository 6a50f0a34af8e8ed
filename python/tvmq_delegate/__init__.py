"""Quantized convolutions for TensorFlow Lite: an external delegate that computes bit for bit what TFLite's reference kernels compute.

    import tvmq_delegate
    from ai_edge_litert.interpreter import Interpreter

    interpreter = Interpreter("model.tflite", experimental_delegates=[tvmq_delegate.load()])

load() and library_path() need nothing but the shared library; what asks the library about itself (cpu, kernels, report, profile) imports cffi when it is called.
"""

from .load import library_path, load

__all__ = ["library_path", "load"]
