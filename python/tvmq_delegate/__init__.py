"""Quantized convolutional networks for TensorFlow Lite on the CPU: an external delegate that computes bit for bit what TFLite's reference kernels compute.

    import tvmq_delegate
    from ai_edge_litert.interpreter import Interpreter

    interpreter = Interpreter("model.tflite", experimental_delegates=[tvmq_delegate.load()])

load() and library_path() need nothing but the shared library; what asks the library about itself (cpu, kernels, report, candidates, signature, profile,
spans, buffers, peak) imports cffi when called. nodes(), diff(), bench() and tune() return what the commands of `tvmq` with these names find: str() of it is a
text with their tables, 120 columns wide, and notebooks show them. Interpreter makes a runtime's interpreter with the delegate in it. Network runs a
model without a runtime.
"""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers take it as true; programs of `tvmq run` wait for no import
if TYPE_CHECKING:
    from typing import Any

    from .accuracy import diff
    from .binding.accelerator import CompiledDelegate, accelerator_path, delegates, environment
    from .binding.library import (
        Buffer,
        Candidate,
        Cpu,
        Kernel,
        Machine,
        Node,
        NodeProfile,
        Option,
        Peak,
        Report,
        Span,
        Summary,
        Timing,
        buffers,
        candidates,
        cpu,
        force,
        kernels,
        machines,
        options,
        peak,
        profile,
        report,
        set_machine,
        signature,
        spans,
    )
    from .binding.loader import library_path, load
    from .binding.network import Network, NetworkTensor
    from .binding.options import LoadOptions, ToolOptions
    from .binding.runtimes import Delegate
    from .measure import Settings, bench, calibrate
    from .reports.trace import write_trace
    from .sessions import Interpreter, inputs, nodes
    from .tuning import explain, tune

__all__ = [
    "Buffer",
    "Candidate",
    "CompiledDelegate",
    "Cpu",
    "Delegate",
    "Interpreter",
    "Kernel",
    "LoadOptions",
    "Machine",
    "Network",
    "NetworkTensor",
    "Node",
    "NodeProfile",
    "Option",
    "Peak",
    "Report",
    "Settings",
    "Span",
    "Summary",
    "Timing",
    "ToolOptions",
]
__all__ += ["accelerator_path", "bench", "buffers", "calibrate", "candidates", "cpu", "delegates", "diff", "environment", "explain", "force", "inputs"]
__all__ += ["kernels", "library_path", "load", "nodes", "machines", "options", "peak", "profile", "report", "set_machine", "signature", "spans", "tune"]
__all__ += ["write_trace"]

__version__: str

# Module -> what is imported from it when it is asked for: the list of commands needs none of it, and load() only itself.
_LATER = {
    "accuracy": ["diff"],
    "binding.accelerator": ["CompiledDelegate", "accelerator_path", "delegates", "environment"],
    "binding.library": [
        "Buffer", "Candidate", "Cpu", "Kernel", "Machine", "Node", "NodeProfile", "Option", "Peak", "Report", "Span", "Summary", "Timing", "buffers",
        "candidates", "cpu", "force", "kernels", "machines", "options", "peak", "profile", "report", "set_machine", "signature", "spans",
    ],
    "binding.loader": ["library_path", "load"],
    "binding.network": ["Network", "NetworkTensor"],
    "binding.options": ["LoadOptions", "ToolOptions"],
    "binding.runtimes": ["Delegate"],
    "measure": ["Settings", "bench", "calibrate"],
    "reports.trace": ["write_trace"],
    "sessions": ["Interpreter", "inputs", "nodes"],
    "tuning": ["explain", "tune"],
}  # fmt: skip
_MODULES = {name: module for module, names in _LATER.items() for name in names}
_ROOMS = ("accuracy", "binding", "fleet", "hosts", "measure", "models", "reports", "sessions", "tuning")


def __getattr__(name: str) -> Any:
    import importlib

    if name == "__version__":
        return importlib.import_module(".binding.library", __name__).version()
    if name in _ROOMS:
        return importlib.import_module(f".{name}", __name__)
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f".{_MODULES[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES, "__version__"})
