"""Published networks, built in memory with seeded random weights: the right shapes and operators, meaningless predictions.

Every tool uses one of them when no model is given. `load` takes a name:

    mobilenet_v1, mobilenet_v2, resnet18, resnet50, inception_v3
    densenet121, squeezenet1_0, squeezenet1_1, vgg16, vgg19
    mobilenet_v3_large, efficientnet_b0, yolov8n, unet, wake_word
    mobilenet_v1_0.25_128       width multiplier and resolution
    mobilenet_v1_uint8          uint8 with asymmetric per-tensor filters instead of int8 with per-channel filters
    mobilenet_v2_uint8_io       int8 inside, uint8 input and output with QUANTIZE between
    mobilenet_v2_hybrid         float32 activations and int8 filters, which converters call dynamic-range quantization
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .network import Activation, Network

__all__ = [
    "densenet121", "described", "efficientnet_b0", "inception_v3", "knows", "load", "mobilenet_v1", "mobilenet_v2", "mobilenet_v3_large", "names", "resnet18",
    "resnet50", "squeezenet1_0", "squeezenet1_1", "unet", "vgg16", "vgg19", "wake_word", "yolov8n",
]  # fmt: skip


def described() -> str:
    """The names that `load` takes, in words."""
    types, sized = ", ".join(filter(None, _TYPES)), " and ".join(_SIZED)
    return f"{', '.join(_NETWORKS)}; each also with one of {types} behind it, and {sized} with a width and a resolution: {_SIZED[-1]}_0.35_96_uint8"


def names() -> list[str]:
    """Networks of every kind; `load` takes more of them."""
    first = ["mobilenet_v1", "mobilenet_v1_0.25_128", "mobilenet_v1_uint8"]
    second = ["mobilenet_v2", "mobilenet_v2_uint8", "mobilenet_v2_uint8_io", "mobilenet_v2_hybrid"]
    return [*first, *second, *(name for name in _NETWORKS if name not in _SIZED)]


def load(name: str) -> bytes:
    """The network of that name as the bytes of a .tflite file. Raises ValueError for a name that means none."""
    match = _matched(name)
    if match is None:
        raise ValueError(f"no network {name!r} in the zoo; known: {described()}")
    options: dict[str, Any] = {"width": float(match[2]), "resolution": int(match[3])} if match[2] else {}
    return _NETWORKS[match[1]](**options, **_TYPES[match[4]])


def knows(name: str) -> bool:
    """Whether `load` takes the name."""
    return _matched(name) is not None


def _matched(name: str) -> re.Match[str] | None:
    """The network, its width and resolution, and the suffix of its types."""
    match = re.fullmatch(rf"(\w+?)(?:_(\d+(?:\.\d+)?)_(\d+))?({'|'.join(filter(None, _TYPES))})?", name)
    known = match and match[1] in _NETWORKS and (not match[2] or (match[1] in _SIZED and int(match[3])))
    return match if known else None


def mobilenet_v1(*, width: float = 1.0, resolution: int = 224, classes: int = 1001, dtype: str = "int8", io_dtype: str | None = None, seed: int = 0) -> bytes:
    """MobileNet v1 (Howard et al. 2017).

    width: multiplier of all channel counts. resolution: height and width of the input in pixels. dtype: of activations, "int8" or "uint8" with filters
    alike, or "float32" with filters of int8. io_dtype: of input and output, default dtype; where it differs, QUANTIZE or DEQUANTIZE stands at both
    ends. seed: of weights and biases.
    """
    net = _network("mobilenet_v1", dtype, io_dtype, seed)

    def channels(n: int) -> int:
        return max(8, int(n * width))

    x = net.conv(net.input(resolution), channels(32), 3, stride=2, activation="RELU6")
    plan = [(64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *[(512, 1)] * 5, (1024, 2), (1024, 1)]
    for out_c, stride in plan:
        x = net.depthwise(x, stride=stride)
        x = net.conv(x, channels(out_c), activation="RELU6")
    x = net.average_pool(x, x.shape[1])
    return net.build(net.softmax(net.flatten(net.logits(x, classes))))


def mobilenet_v2(*, width: float = 1.0, resolution: int = 224, classes: int = 1001, dtype: str = "int8", io_dtype: str | None = None, seed: int = 0) -> bytes:
    """MobileNet v2 (Sandler et al. 2018): inverted residuals with linear bottlenecks. Parameters as `mobilenet_v1`."""
    net = _network("mobilenet_v2", dtype, io_dtype, seed)

    x = net.conv(net.input(resolution), _multiple_of_8(32 * width), 3, stride=2, activation="RELU6")
    plan = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]
    for expansion, out_c, repeats, first_stride in plan:
        for i in range(repeats):
            stride = first_stride if i == 0 else 1
            y = x if expansion == 1 else net.conv(x, x.channels * expansion, activation="RELU6")
            y = net.depthwise(y, stride=stride)
            y = net.conv(y, _multiple_of_8(out_c * width), activation="NONE")
            x = net.add(x, y) if stride == 1 and x.channels == y.channels else y
    x = net.conv(x, _multiple_of_8(1280 * max(1.0, width)), activation="RELU6")
    return net.build(net.softmax(net.logits(net.mean(x), classes)))


def resnet18(*, resolution: int = 224, classes: int = 1000, dtype: str = "int8", io_dtype: str | None = None, seed: int = 0) -> bytes:
    """ResNet-18 (He et al. 2015), with the explicit symmetric padding of its strided layers. Parameters as `mobilenet_v1`."""
    return _resnet("resnet18", (2, 2, 2, 2), False, resolution, classes, dtype, io_dtype, seed)


def resnet50(*, resolution: int = 224, classes: int = 1000, dtype: str = "int8", io_dtype: str | None = None, seed: int = 0) -> bytes:
    """ResNet-50 (He et al. 2015), whose bottlenecks have their stride in the first convolution. Parameters as `mobilenet_v1`."""
    return _resnet("resnet50", (3, 4, 6, 3), True, resolution, classes, dtype, io_dtype, seed)


def _resnet(name: str, repeats: Sequence[int], bottleneck: bool, resolution: int, classes: int, dtype: str, io_dtype: str | None, seed: int) -> bytes:
    net = _network(name, dtype, io_dtype, seed)

    def strided(x: Activation, out_c: int, stride: int) -> Activation:
        """3x3 convolution; SAME padding is symmetric only without a stride."""
        return net.conv(x, out_c, 3) if stride == 1 else net.conv(net.pad(x, 1), out_c, 3, stride=stride, padding="VALID")

    def residual(x: Activation, c: int, stride: int) -> Activation:
        if bottleneck:
            return net.conv(net.conv(net.conv(x, c, stride=stride, padding="VALID"), c, 3), 4 * c, activation="NONE")
        return net.conv(strided(x, c, stride), c, 3, activation="NONE")

    x = net.conv(net.pad(net.input(resolution), 3), 64, 7, stride=2, padding="VALID")
    x = net.max_pool(net.pad(x, 1), 3, stride=2)
    for c, first_stride, n in zip((64, 128, 256, 512), (1, 2, 2, 2), repeats):
        for stride in (first_stride, *[1] * (n - 1)):
            y = residual(x, c, stride)
            same = stride == 1 and x.channels == y.channels
            shortcut = x if same else net.conv(x, y.channels, stride=stride, padding="VALID", activation="NONE")
            x = net.add(shortcut, y, "RELU")
    return net.build(net.softmax(net.logits(net.mean(x), classes)))


def densenet121(*, resolution: int = 224, classes: int = 1000, dtype: str = "int8", io_dtype: str | None = None, seed: int = 0) -> bytes:
    """DenseNet-121 (Huang et al. 2016). A batch normalization before a convolution stays a MUL and an ADD. Parameters as `mobilenet_v1`."""
    net = _network("densenet121", dtype, io_dtype, seed)

    def normalized(x: Activation) -> Activation:
        """To a deviation of 2 and a mean of 0.5."""
        factors = 2 * x.variance**-0.5
        scaled = net.multiply(x, net.constant(factors))
        return net.add(scaled, net.constant(0.5 - factors * x.mean), "RELU")

    x = net.conv(net.pad(net.input(resolution), 3), 64, 7, stride=2, padding="VALID")
    x = net.max_pool(net.pad(x, 1), 3, stride=2)
    for block, layers in enumerate((6, 12, 24, 16)):
        if block:
            x = net.average_pool(net.conv(normalized(x), x.channels // 2, activation="NONE"), 2, stride=2)
        like = None  # all that a block concatenates has one scale
        for _ in range(layers):
            y = net.conv(net.conv(normalized(x), 128), 32, 3, activation="NONE", like=like)
            x = net.requantize(x, y) if like is None else x
            x, like = net.concat(x, y), y
    return net.build(net.softmax(net.logits(net.mean(normalized(x)), classes)))


def squeezenet1_0(*, resolution: int = 224, classes: int = 1000, dtype: str = "int8", io_dtype: str | None = None, seed: int = 0) -> bytes:
    """SqueezeNet 1.0 (Iandola et al. 2016). Parameters as `mobilenet_v1`."""
    return _squeezenet("squeezenet1_0", (96, 7), (3, 7), resolution, classes, dtype, io_dtype, seed)


def squeezenet1_1(*, resolution: int = 224, classes: int = 1000, dtype: str = "int8", io_dtype: str | None = None, seed: int = 0) -> bytes:
    """SqueezeNet 1.1 (Iandola et al. 2016). Parameters as `mobilenet_v1`."""
    return _squeezenet("squeezenet1_1", (64, 3), (2, 4), resolution, classes, dtype, io_dtype, seed)


def _squeezenet(
    name: str, stem: tuple[int, int], pools: Sequence[int], resolution: int, classes: int, dtype: str, io_dtype: str | None, seed: int
) -> bytes:  # fmt: skip
    """stem: channels and filter size of the first convolution. pools: before which fire modules there is a pooling, besides the first one."""
    net = _network(name, dtype, io_dtype, seed)

    def pooled(x: Activation) -> Activation:
        """Windows may reach over the last row and column, as where the original rounds up."""
        return net.max_pool(x, 3, stride=2, padding="SAME" if x.shape[1] % 2 == 0 else "VALID")

    x = pooled(net.conv(net.input(resolution), stem[0], stem[1], stride=2, padding="VALID"))
    for module, squeezed in enumerate((16, 16, 32, 32, 48, 48, 64, 64)):
        s = net.conv(pooled(x) if module in pools else x, squeezed)
        x = net.concat(net.conv(s, 4 * squeezed), net.conv(s, 4 * squeezed, 3))
    return net.build(net.softmax(net.mean(net.conv(x, classes))))


def vgg16(*, resolution: int = 224, classes: int = 1000, dtype: str = "int8", io_dtype: str | None = None, seed: int = 0) -> bytes:
    """VGG-16 (Simonyan and Zisserman 2014), 138 MB. Parameters as `mobilenet_v1`."""
    return _vgg("vgg16", (2, 2, 3, 3, 3), resolution, classes, dtype, io_dtype, seed)


def vgg19(*, resolution: int = 224, classes: int = 1000, dtype: str = "int8", io_dtype: str | None = None, seed: int = 0) -> bytes:
    """VGG-19 (Simonyan and Zisserman 2014), 144 MB. Parameters as `mobilenet_v1`."""
    return _vgg("vgg19", (2, 2, 4, 4, 4), resolution, classes, dtype, io_dtype, seed)


def _vgg(name: str, layers: Sequence[int], resolution: int, classes: int, dtype: str, io_dtype: str | None, seed: int) -> bytes:
    net = _network(name, dtype, io_dtype, seed)
    x = net.input(resolution)
    for out_c, n in zip((64, 128, 256, 512, 512), layers):
        for _ in range(n):
            x = net.conv(x, out_c, 3)
        x = net.max_pool(x, 2, stride=2)
    x = net.reshape(x, (1, x.shape[1] * x.shape[2] * x.channels))
    return net.build(net.softmax(net.logits(net.dense(net.dense(x, 4096), 4096), classes)))


def inception_v3(*, resolution: int = 299, classes: int = 1000, dtype: str = "int8", io_dtype: str | None = None, seed: int = 0) -> bytes:
    """Inception v3 (Szegedy et al. 2015) without the auxiliary classifier. Parameters as `mobilenet_v1`."""
    net = _network("inception_v3", dtype, io_dtype, seed)

    def chain(x: Activation, *layers: tuple[int, int | tuple[int, int]]) -> Activation:
        """Convolutions one after the other, each (channels, filter size)."""
        for out_c, filter_size in layers:
            x = net.conv(x, out_c, filter_size)
        return x

    def pooled(x: Activation, out_c: int) -> Activation:
        return net.conv(net.average_pool(x, 3, padding="SAME"), out_c)

    def reduced(x: Activation, out_c: int) -> Activation:
        return net.conv(x, out_c, 3, stride=2, padding="VALID")

    def forked(x: Activation) -> Activation:
        return net.concat(net.conv(x, 384, (1, 3)), net.conv(x, 384, (3, 1)))

    x = net.conv(net.input(resolution), 32, 3, stride=2, padding="VALID")
    x = net.conv(x, 32, 3, padding="VALID")
    x = net.max_pool(net.conv(x, 64, 3), 3, stride=2)
    x = net.conv(net.conv(x, 80, padding="VALID"), 192, 3, padding="VALID")
    x = net.max_pool(x, 3, stride=2)

    for pool_c in (32, 64, 64):
        x = net.concat(chain(x, (64, 1)), chain(x, (48, 1), (64, 5)), chain(x, (64, 1), (96, 3), (96, 3)), pooled(x, pool_c))
    x = net.concat(reduced(x, 384), reduced(chain(x, (64, 1), (96, 3)), 96), net.max_pool(x, 3, stride=2))

    row, column = (1, 7), (7, 1)
    for c in (128, 160, 160, 192):
        twice = chain(x, (c, 1), (c, row), (192, column))
        four_times = chain(x, (c, 1), (c, column), (c, row), (c, column), (192, row))
        x = net.concat(chain(x, (192, 1)), twice, four_times, pooled(x, 192))
    x = net.concat(reduced(chain(x, (192, 1)), 320), reduced(chain(x, (192, 1), (192, row), (192, column)), 192), net.max_pool(x, 3, stride=2))

    for _ in range(2):
        x = net.concat(chain(x, (320, 1)), forked(chain(x, (384, 1))), forked(chain(x, (448, 1), (384, 3))), pooled(x, 192))
    return net.build(net.softmax(net.logits(net.mean(x), classes)))


def mobilenet_v3_large(*, resolution: int = 224, classes: int = 1000, dtype: str = "int8", io_dtype: str | None = None, seed: int = 0) -> bytes:
    """MobileNet v3 large (Howard et al. 2019), hard sigmoids as a RELU6 and a multiplication. Parameters as `mobilenet_v1`."""
    net = _network("mobilenet_v3_large", dtype, io_dtype, seed)

    def curved(x: Activation, out_c: int, name: str) -> Activation:
        return net.conv(x, out_c) if name == "RELU" else net.curve(net.conv(x, out_c, activation="NONE"), name)

    def excited(x: Activation) -> Activation:
        """Squeeze and excite."""
        gate = net.conv(net.conv(net.mean(x, keep_dims=True), _multiple_of_8(x.channels / 4)), x.channels, activation="RELU6")
        return net.multiply(x, net.multiply(gate, net.scalar(1 / 6)))

    x = net.curve(net.conv(net.input(resolution), 16, 3, stride=2, activation="NONE"), "HARD_SWISH")
    plan = [(3, 16, 16, False, "RELU", 1), (3, 64, 24, False, "RELU", 2), (3, 72, 24, False, "RELU", 1)]
    plan += [(5, 72, 40, True, "RELU", 2), (5, 120, 40, True, "RELU", 1), (5, 120, 40, True, "RELU", 1)]
    plan += [(3, 240, 80, False, "HARD_SWISH", 2), (3, 200, 80, False, "HARD_SWISH", 1), *[(3, 184, 80, False, "HARD_SWISH", 1)] * 2]
    plan += [(3, 480, 112, True, "HARD_SWISH", 1), (3, 672, 112, True, "HARD_SWISH", 1)]
    plan += [(5, 672, 160, True, "HARD_SWISH", 2), *[(5, 960, 160, True, "HARD_SWISH", 1)] * 2]
    for size, expanded, out_c, excites, name, stride in plan:
        y = x if expanded == x.channels else curved(x, expanded, name)
        y = net.depthwise(y, size, stride=stride, activation="RELU" if name == "RELU" else "NONE")
        y = net.curve(y, name) if name != "RELU" else y
        y = net.conv(excited(y) if excites else y, out_c, activation="NONE")
        x = net.add(x, y) if stride == 1 and x.channels == out_c else y
    x = net.mean(curved(x, 960, "HARD_SWISH"), keep_dims=True)
    x = curved(x, 1280, "HARD_SWISH")
    return net.build(net.softmax(net.logits(net.flatten(x), classes)))


def efficientnet_b0(*, resolution: int = 224, classes: int = 1000, dtype: str = "int8", io_dtype: str | None = None, seed: int = 0) -> bytes:
    """EfficientNet-B0 (Tan and Le 2019), SiLU as LOGISTIC and MUL. Parameters as `mobilenet_v1`."""
    net = _network("efficientnet_b0", dtype, io_dtype, seed)

    def silu(x: Activation) -> Activation:
        return net.curve(x, "SILU")

    x = silu(net.conv(net.input(resolution), 32, 3, stride=2, activation="NONE"))
    plan = [(1, 16, 1, 1, 3), (6, 24, 2, 2, 3), (6, 40, 2, 2, 5), (6, 80, 3, 2, 3), (6, 112, 3, 1, 5), (6, 192, 4, 2, 5), (6, 320, 1, 1, 3)]
    for expansion, out_c, repeats, first_stride, size in plan:
        for i in range(repeats):
            stride = first_stride if i == 0 else 1
            y = x if expansion == 1 else silu(net.conv(x, x.channels * expansion, activation="NONE"))
            y = silu(net.depthwise(y, size, stride=stride, activation="NONE"))
            squeezed = silu(net.conv(net.mean(y, keep_dims=True), x.channels // 4, activation="NONE"))
            gate = net.curve(net.conv(squeezed, y.channels, activation="NONE"), "LOGISTIC")
            y = net.conv(net.multiply(y, gate), out_c, activation="NONE")
            x = net.add(x, y) if stride == 1 and x.channels == out_c else y
    x = silu(net.conv(x, 1280, activation="NONE"))
    return net.build(net.softmax(net.logits(net.mean(x), classes)))


def unet(*, resolution: int = 128, channels: int = 16, classes: int = 4, dtype: str = "int8", io_dtype: str | None = None, seed: int = 0) -> bytes:
    """U-Net (Ronneberger et al. 2015) of four levels from `channels` on, padded, its upsampling bilinear. Other parameters as `mobilenet_v1`."""
    net = _network("unet", dtype, io_dtype, seed)

    def block(x: Activation, out_c: int) -> Activation:
        return net.conv(net.conv(x, out_c, 3), out_c, 3)

    x, skips = block(net.input(resolution), channels), []
    for level in (1, 2, 3):
        skips.append(x)
        x = block(net.max_pool(x, 2, stride=2), channels << level)
    for level in (2, 1, 0):
        x = block(net.concat(net.resize(x, 2), skips[level]), channels << level)
    return net.build(net.curve(net.logits(x, classes), "LOGISTIC"))


def yolov8n(*, resolution: int = 320, classes: int = 80, dtype: str = "int8", io_dtype: str | None = None, seed: int = 1) -> bytes:
    """YOLOv8 nano (Ultralytics 2023) with its decoder: boxes and scores of each anchor in one output. Parameters as `mobilenet_v1`.

    seed: with 0, one of the 58 scales brings a LOGISTIC so near a tie that the delegate leaves it to the runtime.
    """
    from .yolo import Detector

    return Detector(_network("yolov8n", dtype, io_dtype, seed), classes).build(resolution)


def wake_word(*, frames: int = 3, features: int = 40, dtype: str = "int8", io_dtype: str | None = None, seed: int = 0) -> bytes:
    """A wake word in a stream of speech: the MixedNet of microWakeWord (Ahrendt 2024), which keeps earlier frames in variables.

    frames: of each inference. features: of each frame. Other parameters as `mobilenet_v1`; input and output are of dtype.
    """
    from .streaming import StreamingNetwork

    net = StreamingNetwork("wake_word", dtype=dtype, io_dtype=io_dtype or dtype, seed=seed)
    x = net.convolve(net.features(frames, features), frames + 2, 30)
    for size in (5, 9, 13, 21):
        x = net.conv(net.convolve_channels(x, size), 60)
    x = net.window(x, 4)
    return net.build(net.curve(net.logits(net.reshape(x, (1, 5 * x.channels)), 1), "LOGISTIC"))


def _multiple_of_8(n: float) -> int:
    """The nearest multiple of 8 that is not more than a tenth below."""
    rounded = max(8, int(n + 4) // 8 * 8)
    return rounded + 8 if rounded < 0.9 * n else rounded


def _network(name: str, dtype: str, io_dtype: str | None, seed: int) -> Network:
    from .network import Network  # numpy comes with the runtime and is not needed to list the names

    return Network(name, dtype=dtype, io_dtype=io_dtype or dtype, seed=seed)


_NETWORKS: dict[str, Callable[..., bytes]] = {
    "mobilenet_v1": mobilenet_v1,
    "mobilenet_v2": mobilenet_v2,
    "resnet18": resnet18,
    "resnet50": resnet50,
    "densenet121": densenet121,
    "squeezenet1_0": squeezenet1_0,
    "squeezenet1_1": squeezenet1_1,
    "vgg16": vgg16,
    "vgg19": vgg19,
    "inception_v3": inception_v3,
    "mobilenet_v3_large": mobilenet_v3_large,
    "efficientnet_b0": efficientnet_b0,
    "yolov8n": yolov8n,
    "unet": unet,
    "wake_word": wake_word,
}

_SIZED = ("mobilenet_v1", "mobilenet_v2")  # whose names may have a width and a resolution
_TYPES: dict[str | None, dict[str, Any]] = {None: {}, "_uint8": {"dtype": "uint8"}, "_uint8_io": {"io_dtype": "uint8"}, "_hybrid": {"dtype": "float32"}}
