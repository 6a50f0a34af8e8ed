"""YOLOv8 nano: backbone, neck, heads, and the decoder of boxes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .network import Activation, Network

# Places of a distance to a box's side, whose distribution the heads predict.
_BINS = 16


class Detector:
    """The network of that many classes, layer by layer."""

    def __init__(self, net: Network, classes: int):
        self._net = net
        self._classes = classes

    def build(self, resolution: int) -> bytes:
        """The model, for images of that height and width, a multiple of 32."""
        net = self._net
        x = self._layer(net.input(resolution), 16, 3, stride=2)
        x = self._split(self._layer(x, 32, 3, stride=2), 32, 1, shortcut=True)
        fine = self._split(self._layer(x, 64, 3, stride=2), 64, 2, shortcut=True)
        middle = self._split(self._layer(fine, 128, 3, stride=2), 128, 2, shortcut=True)
        coarse = self._pyramid(self._split(self._layer(middle, 256, 3, stride=2), 256, 1, shortcut=True))

        middle = self._split(net.concat(net.resize(coarse, 2, "RESIZE_NEAREST_NEIGHBOR"), middle), 128, 1)
        fine = self._split(net.concat(net.resize(middle, 2, "RESIZE_NEAREST_NEIGHBOR"), fine), 64, 1)
        middle = self._split(net.concat(self._layer(fine, 64, 3, stride=2), middle), 128, 1)
        coarse = self._split(net.concat(self._layer(middle, 128, 3, stride=2), coarse), 256, 1)
        return net.build(self._decoded([fine, middle, coarse]))

    def _layer(self, x: Activation, out_c: int, size: int = 1, *, stride: int = 1) -> Activation:
        """Convolution and SiLU; SAME padding is symmetric only without a stride."""
        if stride == 1:
            return self._net.curve(self._net.conv(x, out_c, size, activation="NONE"), "SILU")
        return self._net.curve(self._net.conv(self._net.pad(x, 1), out_c, size, stride=stride, padding="VALID", activation="NONE"), "SILU")

    def _split(self, x: Activation, out_c: int, repeats: int, *, shortcut: bool = False) -> Activation:
        """Half of the channels pass by, half through bottlenecks, and the outputs of all of these are joined (C2f)."""
        net, half = self._net, out_c // 2
        x = self._layer(x, out_c)
        parts = [net.channels(x, 0, half), net.channels(x, half, half)]
        for _ in range(repeats):
            y = self._layer(self._layer(parts[-1], half, 3), half, 3)
            parts.append(net.add(parts[-1], y, like=y) if shortcut else y)
        return self._layer(net.concat(*parts), out_c)

    def _pyramid(self, x: Activation) -> Activation:
        """Poolings of three sizes, each made of the one before (SPPF)."""
        parts = [self._layer(x, x.channels // 2)]
        for _ in range(3):
            parts.append(self._net.max_pool(parts[-1], 5, stride=1, padding="SAME"))
        return self._layer(self._net.concat(*parts), x.channels)

    def _head(self, x: Activation, hidden: int, out_c: int) -> Activation:
        """Logits of each pixel, pixels in a row."""
        y = self._net.logits(self._layer(self._layer(x, hidden, 3), hidden, 3), out_c)
        return self._net.reshape(y, (1, y.shape[1] * y.shape[2], out_c))

    def _joined(self, parts: list[Activation]) -> Activation:
        """The pixels of all, with the scale of the first: only per-channel filters give every head the same."""
        first = parts[0]
        same = [x if (x.scale, x.zero_point) == (first.scale, first.zero_point) else self._net.requantize(x, first) for x in parts]
        return self._net.concat(*same, axis=1)

    def _decoded(self, levels: list[Activation]) -> Activation:
        """Boxes as centre and size, and scores, of all anchors: [1, 4 + classes, anchors]."""
        net = self._net
        distances = self._joined([self._head(x, 64, 4 * _BINS) for x in levels])
        scores = self._joined([self._head(x, max(64, min(self._classes, 100)), self._classes) for x in levels])
        n = distances.shape[1]
        distances = net.softmax(net.reshape(distances, (1, n, 4, _BINS)))
        distances = net.reshape(net.conv(distances, 1), (1, n, 4))
        centres, strides = _anchors([x.shape[1] for x in levels])
        anchors = net.constant(centres)
        first, last = net.subtract(anchors, net.channels(distances, 0, 2)), net.add(anchors, net.channels(distances, 2, 2))
        size = net.subtract(last, first)
        middle = net.requantize(net.multiply(net.add(first, last), net.scalar(0.5)), size)
        boxes = net.multiply(net.concat(middle, size), net.constant(strides))
        scores = net.requantize(net.curve(scores, "LOGISTIC"), boxes)
        return net.transpose(net.concat(boxes, scores), (0, 2, 1))


def _anchors(sizes: list[int]) -> tuple[NDArray[Any], NDArray[Any]]:
    """The centre of each pixel of the maps, in pixels of its map, and how wide that pixel is in the image, of which the output gives shares."""
    centres, strides = [], []
    for n in sizes:
        y, x = np.mgrid[:n, :n]
        centres.append(np.stack([x.ravel(), y.ravel()], axis=1) + 0.5)
        strides.append(np.full((n * n, 4), 1 / n))
    return np.concatenate(centres)[None], np.concatenate(strides)[None]
