"""A network that has a layer of every kind instead of a purpose: what a machine is calibrated with."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .network import Activation


def every_layer(dtype: str = "int8", *, seed: int = 0) -> bytes:
    """Stems of 3, 4 and 1 channels, 1x1, square and long convolutions, depthwise ones and fully connected layers, in sizes that networks have.

    dtype: "int8" or "uint8".
    """
    from .network import Network  # numpy comes with the runtime

    net = Network(f"every_layer_{dtype}", dtype=dtype, io_dtype=dtype, seed=seed)

    outputs: list[Activation] = []

    def branches(x: Activation, *layers: tuple[int, int | tuple[int, int]], stride: int = 1) -> None:
        """Convolutions side by side, each (channels, filter size), whose outputs are the network's."""
        outputs.extend(net.conv(x, out_c, size, stride=stride) for out_c, size in layers)

    def depthwise(x: Activation, *sizes: int) -> None:
        outputs.extend(net.depthwise(x, size) for size in sizes)

    image = net.input(64)
    branches(image, (32, 3), (24, 5), (64, 7), stride=2)
    branches(net.conv(image, 4), (32, 3), (16, 3), stride=2)
    branches(net.conv(image, 1), (8, (10, 8)), (64, (10, 4)), stride=2)
    x = net.conv(image, 16, 3, stride=2)
    depthwise(x, 3)
    branches(x, (8, 1), (24, 1), (48, 1), (96, 1), (16, 3), (32, 3))
    x = net.conv(x, 64)
    branches(x, (16, 1), (64, 1), (64, 3))
    depthwise(x, 3, 5)
    x = net.conv(net.depthwise(x, stride=2), 96)
    branches(x, (24, 1), (48, 1), (160, 1), (576, 1), (96, 3), (128, (1, 7)), (48, 5))
    depthwise(x, 3)
    x = net.conv(net.depthwise(x, 5, stride=2), 160)
    branches(x, (320, 1), (192, 1), (192, 3), (160, (7, 1)))
    depthwise(x, 3)
    x = net.conv(x, 256, 3, stride=2)
    branches(x, (512, 1), (256, 3), (80, 1))
    depthwise(x, 3)
    x = net.mean(x)
    outputs.extend(net.logits(x, classes) for classes in (10, 100, 1000))
    return net.build(*outputs)
