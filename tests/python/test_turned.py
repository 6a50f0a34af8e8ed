"""Random networks of int8 and uint8 on every instruction set: those that multiply unsigned bytes keep the int8 tensors between nodes as uint8."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import harness
import numpy as np
import pytest
from draws import Draw, randomly

import tvmq_delegate
from tvmq_delegate.binding import library
from tvmq_delegate.models.network import Activation, Network

ISAS = [isa.name for isa in library.isas() if isa.available]
UNSIGNED = {"avxvnni", "avx512vnni", "avx512vbmi"}  # they multiply unsigned bytes


def alike(x: Activation, made: list[Activation]) -> list[Activation]:
    return [other for other in made if other.shape == x.shape]


def normalized(network: Network, x: Activation) -> Activation:
    """The instance normalization of an int8 activation, without what is learned."""
    mean = network.mean(x, keep_dims=True)
    variance = network.mean(network.subtract(x, mean, squared=True), keep_dims=True)
    return network.multiply(network.subtract(x, mean), network.curve(variance, "RSQRT"))


def layers(draw: Draw, network: Network, made: list[Activation], dtype: str) -> list[Callable[[Activation], Activation]]:
    """The layers that may come next."""
    of_int8 = [lambda x: network.subtract(x, draw.choice(alike(x, made)), squared=True), lambda x: normalized(network, x)]
    return [
        *(of_int8 if dtype == "int8" else []),
        lambda x: network.conv(x, draw.integer(1, 40), draw.choice([1, 3]), stride=draw.integer(1, 2)),
        lambda x: network.conv(x, draw.integer(1, 40), activation="NONE"),
        lambda x: network.depthwise(x, draw.choice([3, 5]), stride=draw.integer(1, 2)),
        lambda x: network.add(x, draw.choice(alike(x, made))),
        lambda x: network.subtract(x, draw.choice(alike(x, made))),
        lambda x: network.multiply(x, draw.choice(alike(x, made))),
        lambda x: network.multiply(x, network.curve(network.mean(x, keep_dims=True), "LOGISTIC")),
        lambda x: network.curve(x, draw.choice(["LOGISTIC", "HARD_SWISH"])),
        lambda x: network.concat(x, network.requantize(draw.choice(alike(x, made)), x)),
        lambda x: network.channels(x, 0, max(1, x.channels // 2)),
        lambda x: network.resize(x, 2, draw.choice(["RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR"])) if x.shape[1] < 9 else x,
        lambda x: network.transpose(x, (0, 2, 1, 3)),
        lambda x: network.conv(network.pad(x, draw.integer(1, 2)), draw.integer(1, 20), 3, padding="VALID"),
        lambda x: network.pad(x, 1),
        lambda x: network.max_pool(x, 3, stride=draw.integer(1, 2), padding="SAME"),
        lambda x: network.average_pool(x, 2, padding="SAME"),
    ]


def networks(draw: Draw) -> bytes:
    dtype = draw.choice(["int8", "int8", "uint8"])
    network = Network("random", dtype=dtype, io_dtype=draw.choice(["int8", "uint8", "float32"]), seed=draw.generator_seed())
    made = [network.conv(network.input(draw.integer(5, 12), low=draw.choice([-1.0, 0.0])), draw.integer(1, 24), 3)]
    for _ in range(draw.integer(2, 9)):
        made.append(draw.choice(layers(draw, network, made, dtype))(made[-1]))
    outputs = [x for x in made if x is made[-1] or draw.one_in(8)]
    if draw.boolean():
        outputs.append(network.softmax(network.logits(network.flatten(network.mean(made[-1])), 5)))
    return network.build(*outputs)


def turned(delegate: tvmq_delegate.Delegate, n_nodes: int) -> int:
    """The number of convolutions whose input of int8 is kept as uint8."""
    signatures = [tvmq_delegate.signature(delegate, index) or "" for index in range(n_nodes)]
    return sum(" in=u8" in signature and " filter=s8" in signature for signature in signatures)


def inputs_of(draw: Draw, interpreter: Any) -> list[np.ndarray]:
    """Random, some floats out of every range."""
    inputs = harness.random_inputs(interpreter, draw.generator_seed())
    for values in inputs:
        if values.dtype == np.float32 and draw.boolean():
            values.flat[:7] = [np.inf, -np.inf, np.nan, 3e38, -3e38, 1.7e7, -1.7e7]
    return inputs


@randomly
def test_random_networks(runtime, draw):
    content = draw(networks)
    reference = runtime.interpreter(content)
    inputs = inputs_of(draw, reference)
    wanted = harness.run(reference, *inputs)
    for isa in ISAS:
        delegate = runtime.load(isa=isa, num_threads=draw.choice([1, 1, 2]))
        delegated = runtime.interpreter(content, [delegate])
        for got, expected in zip(harness.run(delegated, *inputs), wanted, strict=True):
            harness.assert_equal(got, expected, isa)
        found = turned(delegate, len(tvmq_delegate.report(delegate).nodes))
        assert isa in UNSIGNED or found == 0, isa
        harness.counts["convolutions of random networks whose input is turned"] += found
    harness.counts["random networks compared"] += 1


@pytest.mark.parametrize("isa", [isa for isa in ISAS if isa in UNSIGNED] or [pytest.param("", marks=pytest.mark.skip("the processor has no VNNI"))])
def test_turned_inside(runtime, isa):
    """Inner tensors are turned, and the model's own are not; resized, they still are."""
    network = Network("three", dtype="int8", io_dtype="int8", seed=3)
    x = network.conv(network.input(8), 16, 3)
    content = network.build(network.conv(network.conv(x, 32), 8))
    delegate = runtime.load(isa=isa)
    delegated, reference = runtime.interpreter(content, [delegate]), runtime.interpreter(content)
    for size in (8, 11):
        for interpreter in (delegated, reference):
            interpreter.resize_tensor_input(interpreter.get_input_details()[0]["index"], (1, size, size, 3))
            interpreter.allocate_tensors()
        image = np.random.default_rng(size).integers(-128, 128, (1, size, size, 3), np.int8)
        harness.assert_equal(harness.run(delegated, image)[0], harness.run(reference, image)[0])
        signs = [tvmq_delegate.signature(delegate, index) for index in range(3)]
        assert [(f" in={a}" in sign, f" out={b}" in sign) for sign, (a, b) in zip(signs, ["su", "uu", "us"], strict=True)] == [(True, True)] * 3, signs
