"""Models as .tflite files, without a TFLite runtime: reading them, cutting them up, building them, and the zoo of published networks."""

from . import layers, zoo
from .builder import ModelBuilder
from .formats import ModelError
from .surgery import ModelSource, Op, Quantization, Tensor, beginning, cut, described, ends, expose, fed, named, opened, ops, with_shapes

__all__ = [
    "ModelBuilder", "ModelError", "ModelSource", "Op", "Quantization", "Tensor", "beginning", "cut", "described", "ends", "expose", "fed", "layers", "named",
    "opened", "ops", "with_shapes", "zoo",
]  # fmt: skip
