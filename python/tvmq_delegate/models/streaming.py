"""Networks that see a few frames of a stream at a time and keep what they need of earlier ones in variables."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .network import Activation, Network


class StreamingNetwork(Network):
    """A network of frames: activations are [1, frames, 1, channels]."""

    def features(self, frames: int, channels: int) -> Activation:
        """The input: frames of features between 0 and 1."""
        shape = (1, frames, 1, channels)
        scale, zero_point = self._share
        self._inputs.append(self._builder.add_tensor("input", shape, self._dtype, scale=scale or None, zero_point=zero_point))
        return Activation(self._inputs[-1], shape, scale, zero_point, np.full(channels, 0.5), np.full(channels, 1 / 12))

    def window(self, x: Activation, kept: int) -> Activation:
        """The frames of x behind as many frames that earlier inferences kept, of which the latest are kept for the next one."""
        shape = (1, kept, 1, x.channels)
        dtype = np.dtype(self._dtype)
        variable = self._builder.add_variable(f"frames before {x.tensor}", np.full(shape, x.zero_point, dtype), dtype.name)
        before = Activation(self._builder.add_tensor(f"read_{x.tensor}", shape, dtype.name, scale=x.scale or None, zero_point=x.zero_point), shape, *_like(x))
        self._builder.add_op("READ_VARIABLE", [variable], [before.tensor])
        frames = self.concat(before, x, axis=1)
        bounds = [np.array(values, np.int32) for values in ((0, x.shape[1], 0, 0), frames.shape, (1, 1, 1, 1))]
        latest = self._op("STRIDED_SLICE", [frames], shape, x.mean, x.variance, (x.scale, x.zero_point), constants=bounds)
        self._builder.add_op("ASSIGN_VARIABLE", [variable, latest.tensor], [])
        return frames

    def convolve(self, x: Activation, size: int, out_c: int) -> Activation:
        """CONV_2D over `size` frames, of which the first have been kept."""
        return self.conv(self.window(x, size - x.shape[1]) if size > x.shape[1] else x, out_c, (size, 1), padding="VALID")

    def convolve_channels(self, x: Activation, size: int) -> Activation:
        """DEPTHWISE_CONV_2D over `size` frames, all but the last of which have been kept."""
        frames = self.window(x, size - 1)
        return self._convolution("DEPTHWISE_CONV_2D", frames, (1, size, 1, x.channels), 3, 1, "VALID", "NONE", depth_multiplier=1)


def _like(x: Activation) -> tuple[float, int, NDArray[Any], NDArray[Any]]:
    return x.scale, x.zero_point, x.mean, x.variance
