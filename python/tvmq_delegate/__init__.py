"""Quantized convolutions for TensorFlow Lite: an external delegate that computes bit for bit what TFLite's reference kernels compute.

    import tvmq_delegate
    from ai_edge_litert.interpreter import Interpreter

    interpreter = Interpreter("model.tflite", experimental_delegates=[tvmq_delegate.load()])

load() and library_path() need nothing but the shared library; what asks the library about itself (cpu, kernels, report, profile, spans, peak) imports cffi when
called.
"""

from .library import Cpu, Kernel, Node, NodeProfile, Option, Peak, Report, Span, Summary, Timing, cpu, kernels, options, peak, profile, report, spans
from .load import library_path, load

__all__ = ["Cpu", "Kernel", "Node", "NodeProfile", "Option", "Peak", "Report", "Span", "Summary", "Timing"]
__all__ += ["cpu", "kernels", "library_path", "load", "options", "peak", "profile", "report", "spans"]

__version__: str


def __getattr__(name: str) -> str:
    """`__version__` is the library's own, asked when it is wanted."""
    if name == "__version__":
        from .library import version

        return version()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
