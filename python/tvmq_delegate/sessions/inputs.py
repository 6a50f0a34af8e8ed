"""Samples for the tools to feed to models: seeded random values, arrays from files, images from a folder.

Each function returns samples, which load their arrays when asked. Whatever does not fit the model raises ValueError with one line that says what would.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from .. import models
from ..binding import plural, runtimes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DISTRIBUTIONS = ("uniform", "extremes", "mixed")
IMAGE_SUFFIXES = (".bmp", ".gif", ".jpeg", ".jpg", ".png", ".ppm", ".webp")


@dataclass(frozen=True)
class InputTensor:
    """An input of a model. shape: as the model is prepared; signature: the same with -1 where the size is free. dtype: numpy's; scale: 0 if not quantized."""

    name: str
    shape: tuple[int, ...]
    signature: tuple[int, ...]
    dtype: np.dtype[Any]
    scale: float
    zero_point: int

    def __str__(self) -> str:
        return f"input {self.name!r}, {models.described(_type(self.dtype), self.signature)}"

    def checked(self, values: NDArray[Any], origin: str) -> NDArray[Any]:
        """`values` if the input takes them, else ValueError."""
        fits = len(values.shape) == len(self.signature) and all(want in (-1, got) for want, got in zip(self.signature, values.shape))
        if _type(values.dtype) != _type(self.dtype) or not fits:
            raise ValueError(f"{origin}: {models.described(_type(values.dtype), values.shape)} does not fit {self}")
        return values


@dataclass(frozen=True)
class Sample:
    """The inputs of one inference. load: one array for each input of the model, in order."""

    name: str
    load: Callable[[], list[NDArray[Any]]]


def describe(source: models.ModelSource, runtime: str | ModuleType | None = None) -> list[InputTensor]:
    """The inputs of a model: the bytes of a .tflite file, or its path. runtime: as for load().

    Raises ModelError, and what the runtime does about models that it refuses.
    """
    import numpy as np

    content, _ = models.opened(source)
    models.ops(content)  # raises ModelError for malformed files, which the runtimes are less careful with
    module = runtimes.find(runtime)
    # Some operators, and some versions of them, have no reference kernels.
    kernels = module.OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
    interpreter = module.Interpreter(model_content=content, experimental_op_resolver_type=kernels)
    return [
        InputTensor(
            detail["name"],
            tuple(map(int, detail["shape"])),
            tuple(map(int, detail["shape_signature"] if len(detail["shape_signature"]) else detail["shape"])),
            np.dtype(detail["dtype"]),
            *quantization(detail),
        )
        for detail in interpreter.get_input_details()
    ]


def quantization(detail: Mapping[str, Any]) -> tuple[float, int]:
    """Scale and zero point in the details that an interpreter gives of a tensor; 0 and 0 if it is not quantized."""
    scales, zero_points = detail["quantization_parameters"]["scales"], detail["quantization_parameters"]["zero_points"]
    return (float(scales[0]), int(zero_points[0])) if len(scales) else (0.0, 0)


def random(tensors: Sequence[InputTensor], count: int = 1, *, seed: int = 0, distribution: str = "uniform") -> list[Sample]:
    """`count` samples of random values, with the seeds from `seed` on.

    distribution: "uniform", every value of small integers, and standard normal floats; "extremes", nothing but the ends of the range, for floats -100 and 100;
    "mixed", both in turn. Wide integers, which tend to be indices, are 0.
    """
    _check(tensors)
    if distribution not in DISTRIBUTIONS:
        raise ValueError(f"unknown distribution {distribution!r}; there are {', '.join(DISTRIBUTIONS)}")
    for tensor in tensors:
        if tensor.dtype.kind not in "biuf":
            raise ValueError(f"no random values for {tensor}: give it from a file")
    samples = []
    for i in range(seed, seed + count):
        kind = ("uniform", "extremes")[(i - seed) % 2] if distribution == "mixed" else distribution
        samples.append(Sample(f"{kind}, seed {i}", functools.partial(_random, tuple(tensors), i, kind)))
    return samples


def reshaped(tensors: Sequence[InputTensor], shapes: str, names: str | None = None) -> list[InputTensor]:
    """The inputs in other shapes, which benchmark_model's input_layer_shape names: "1,224,224,3", with colons between those of several inputs.

    names: the inputs in the order of the shapes, with commas between; the model's own order if None.
    """
    order = names.split(",") if names is not None else [tensor.name for tensor in tensors]
    if sorted(order) != sorted(tensor.name for tensor in tensors):
        raise ValueError(f"the inputs {', '.join(order)} are not those of the model: {'; '.join(map(str, tensors))}")
    try:
        sizes = [tuple(int(size) for size in shape.split(",")) for shape in shapes.split(":")]
    except ValueError:
        raise ValueError(f"{shapes!r} is not a shape such as 1,224,224,3") from None
    if len(sizes) != len(order) or any(size < 1 for shape in sizes for size in shape):
        raise ValueError(f"{shapes!r}: the model takes a shape of sizes above 0 for each of {'; '.join(map(str, tensors))}")
    given = dict(zip(order, sizes))
    return [dataclasses.replace(tensor, shape=given[tensor.name]) for tensor in tensors]


def files(paths: Sequence[str | os.PathLike[str]], tensors: Sequence[InputTensor]) -> list[Sample]:
    """One sample from each .npz file, whose arrays are called as the model's inputs or stand in their order, or .npy file (models of one input)."""
    _check(tensors)
    return [Sample(Path(path).name, functools.partial(_file, Path(path), tuple(tensors))) for path in paths]


def value_files(text: str, tensors: Sequence[InputTensor]) -> list[NDArray[Any]]:
    """One array for each input: from what benchmark_model's input_layer_value_files names, NAME:FILE,... of raw bytes or .npy; or one .npy or .npz file."""
    import numpy as np

    if ":" not in text:
        (sample,) = files([text], tensors)
        return sample.load()
    paths = dict(pair.partition(":")[::2] for pair in text.split(","))
    if set(paths) != {tensor.name for tensor in tensors}:
        raise ValueError(f"files are given for {', '.join(paths)}; the model has {'; '.join(map(str, tensors))}")

    def values(tensor: InputTensor) -> NDArray[Any]:
        path = Path(paths[tensor.name])
        if path.suffix == ".npy":
            return _file(path, (tensor,))[0]
        raw = path.read_bytes()
        want = int(np.prod(tensor.shape)) * tensor.dtype.itemsize
        if len(raw) != want:
            raise ValueError(f"{path}: {len(raw)} bytes; {tensor} takes {want}")
        return np.frombuffer(raw, tensor.dtype).reshape(tensor.shape)

    return [values(tensor) for tensor in tensors]


def images(folder: str | os.PathLike[str], tensors: Sequence[InputTensor], *, mean: Sequence[float] = (), std: Sequence[float] = ()) -> list[Sample]:
    """One sample from each image in a folder, in the order of the names, resized to cover the model's input, its centre cropped.

    mean, std: one number, or one for each channel: the model takes (pixel - mean) / std, quantized by its own parameters. By default pixels from 0 to 255 are
    spread over the range that the quantized input stands for, or from -1 to 1 for floats. Needs Pillow.
    """
    _check(tensors)
    found = sorted(path for path in Path(folder).iterdir() if path.suffix.lower() in IMAGE_SUFFIXES)
    if not found:
        raise ValueError(f"{folder}: no image ({', '.join(IMAGE_SUFFIXES)}) in this folder")
    takes = [tensor for tensor in tensors if len(tensor.shape) == 4 and tensor.shape[3] in (1, 3) and tensor.dtype.kind in "iuf"]
    if len(tensors) != 1 or not takes:
        raise ValueError(f"images fit models with one input of shape [1, height, width, 1 or 3]; this one has {'; '.join(map(str, tensors)) or 'none'}")
    (tensor,) = takes
    for what, numbers in (("mean", mean), ("std", std)):
        if len(numbers) not in (0, 1, tensor.shape[3]):
            raise ValueError(f"{what}: {plural(len(numbers), 'number')} for {plural(tensor.shape[3], 'channel')}")
    if not all(map(math.isfinite, (*mean, *std))) or 0 in std:
        raise ValueError("mean and std are finite numbers, and std is not 0")
    try:
        import PIL  # noqa: F401
    except ImportError:
        raise ImportError("reading images needs Pillow: pip install pillow") from None
    return [Sample(path.name, functools.partial(_image, path, tensor, tuple(mean), tuple(std))) for path in found]


def _type(dtype: np.dtype[Any]) -> str:
    """TFLite's name of the type; numpy's strings have a length each."""
    return "string" if dtype.kind in "SOU" else str(dtype)


def _check(tensors: Sequence[InputTensor]) -> None:
    """Raises TypeError for a model, or whatever else describe() would take."""
    if not isinstance(tensors, Sequence) or not all(isinstance(tensor, InputTensor) for tensor in tensors):
        raise TypeError("samples are made for the inputs of a model as inputs.describe(model) returns them")


def _random(tensors: tuple[InputTensor, ...], seed: int, kind: str) -> list[NDArray[Any]]:
    import numpy as np

    generator = np.random.default_rng(seed)

    def values(tensor: InputTensor) -> NDArray[Any]:
        dtype, extremes = tensor.dtype, kind == "extremes"
        if dtype.kind == "f":
            return (generator.choice([-100.0, 100.0], tensor.shape) if extremes else generator.standard_normal(tensor.shape)).astype(dtype)
        if dtype.kind == "b" or dtype.itemsize <= 2:
            low, high = (0, 1) if dtype.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
            whole = generator.choice([low, high], tensor.shape) if extremes else generator.integers(low, high, tensor.shape, endpoint=True)
            return np.asarray(whole).astype(dtype)
        return np.zeros(tensor.shape, dtype)

    return [values(tensor) for tensor in tensors]


def _file(path: Path, tensors: tuple[InputTensor, ...]) -> list[NDArray[Any]]:
    import numpy as np

    try:
        loaded = np.load(path, allow_pickle=False)
        arrays = {"": loaded} if isinstance(loaded, np.ndarray) else {name: loaded[name] for name in loaded.files}
    except OSError:
        raise
    except Exception:  # numpy lets out what its parsers, zipfile and zlib raise, and MemoryError for sizes that no file has
        raise ValueError(f"{path} is not a readable .npy or .npz file") from None
    if not all(isinstance(values, np.ndarray) for values in arrays.values()):
        raise ValueError(f"{path} holds something other than arrays")
    names = [tensor.name for tensor in tensors]
    if len(arrays) != len(tensors):
        raise ValueError(f"{path} holds {plural(len(arrays), 'array')}; the model has {plural(len(tensors), 'input')}: {'; '.join(map(str, tensors))}")
    places = [f"arr_{i}" for i in range(len(tensors))]  # as numpy calls arrays that are saved without names
    if len(tensors) == 1:
        ordered = list(arrays.values())
    elif set(arrays) in (set(names), set(places)):
        ordered = [arrays[name] for name in (names if set(arrays) == set(names) else places)]
    else:
        raise ValueError(f"{path} holds {', '.join(arrays)}; the model's inputs are {', '.join(names)} (or arr_0, arr_1, ... in this order)")
    return [tensor.checked(values, str(path)) for tensor, values in zip(tensors, ordered)]


def _image(path: Path, tensor: InputTensor, mean: tuple[float, ...], std: tuple[float, ...]) -> list[NDArray[Any]]:
    import numpy as np
    from PIL import Image, ImageOps

    _, height, width, channels = tensor.shape
    try:
        with Image.open(path) as image:
            upright = ImageOps.exif_transpose(image).convert("RGB" if channels == 3 else "L")
            pixels = np.asarray(ImageOps.fit(upright, (width, height), Image.Resampling.BILINEAR), np.float64)
    except (OSError, SyntaxError, ValueError) as error:
        raise ValueError(f"{path}: no image that Pillow can read ({' '.join(str(error).split())})") from None
    pixels = pixels.reshape(1, height, width, channels)
    integers = tensor.dtype.kind in "iu"
    low, high = (np.iinfo(tensor.dtype).min, np.iinfo(tensor.dtype).max) if integers else (-1.0, 1.0)
    if mean or std:
        values = (pixels - (mean or 0.0)) / (std or 1.0)
        if integers:
            if not tensor.scale:
                raise ValueError(f"mean and std need a quantized or a float input, not {tensor}")
            values = values / tensor.scale + tensor.zero_point
    else:
        values = low + pixels / 255 * (high - low)
    return [np.clip(np.rint(values), low, high).astype(tensor.dtype) if integers else values.astype(tensor.dtype)]
