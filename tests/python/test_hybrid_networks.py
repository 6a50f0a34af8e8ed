"""Random graphs of hybrid convolutions and operators on float32: each element is the runtime's, whatever nodes the delegate leaves."""

from __future__ import annotations

from collections.abc import Callable

import harness
import hypothesis
import numpy as np
from draws import Draw, randomly
from hybrid_cases import activations
from test_hybrid import long_weights
from test_turned import alike

import tvmq_delegate
from tvmq_delegate import models
from tvmq_delegate.binding import reference
from tvmq_delegate.models import flatbuffer
from tvmq_delegate.models.network import Activation, Network

WEIGHTED = ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED")
LONG = 2000  # weights of an output whose sum may leave int16


def rows(draw: Draw, network: Network, x: Activation) -> Activation:
    """FULLY_CONNECTED of all pixels as rows, of their channels, or of all elements as one row; and back to an image."""
    n = x.shape[0] * x.shape[1] * x.shape[2]
    if draw.boolean():
        y = network.logits(network.reshape(x, (n, x.channels)), draw.integer(1, 40))
        return network.reshape(y, (*x.shape[:3], y.channels))
    y = network.logits(network.reshape(x, (1, n * x.channels)), draw.integer(1, 40))
    return network.reshape(y, (1, 1, 1, y.channels))


def layers(draw: Draw, network: Network, made: list[Activation]) -> list[Callable[[Activation], Activation]]:
    """The layers that may come next."""
    activation = draw.choice(["NONE", "RELU", "RELU6"])
    return [
        lambda x: network.conv(x, draw.integer(1, 40), draw.choice([1, 3]), stride=draw.integer(1, 2), activation=activation),
        lambda x: network.conv(x, draw.integer(1, 40), min(x.shape[1:3]), padding="VALID", activation=activation),
        lambda x: network.depthwise(x, draw.choice([3, 5]), stride=draw.integer(1, 2), activation=activation),
        lambda x: rows(draw, network, x),
        lambda x: rows(draw, network, x),
        lambda x: network.add(x, draw.choice(alike(x, made)), draw.choice(["NONE", "RELU"])),
        lambda x: network.subtract(x, draw.choice(alike(x, made)), squared=draw.boolean()),
        lambda x: network.multiply(x, draw.choice(alike(x, made))),
        lambda x: network.multiply(x, network.curve(network.mean(x, keep_dims=True), "LOGISTIC")),
        lambda x: network.curve(x, draw.choice(["LOGISTIC", "HARD_SWISH", "SILU"])),
        lambda x: network.concat(x, draw.choice(alike(x, made))),
        lambda x: network.channels(x, 0, max(1, x.channels // 2)),
        lambda x: network.resize(x, 2, draw.choice(["RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR"])) if x.shape[1] < 9 else x,
        lambda x: network.transpose(x, (0, 2, 1, 3)),
        lambda x: network.pad(x, draw.integer(1, 2)),
        lambda x: network.max_pool(x, 3, stride=draw.integer(1, 2), padding="SAME"),
        lambda x: network.average_pool(x, 2, padding="SAME"),
        lambda x: network.softmax(x),
    ]


def varied(draw: Draw, content: bytes) -> bytes:
    """The network with weights, scales and options that a Network does not give: rows of extremes, one scale or several, asymmetric inputs."""
    model = flatbuffer.read(content)
    (graph,) = model.subgraphs
    generator = np.random.default_rng(draw.generator_seed())
    for operator in graph.operators:
        code = model.operator_codes[operator.opcode_index]
        name = flatbuffer.enumeration("BuiltinOperator")[code.builtin_code]
        if name not in WEIGHTED:
            continue
        weights = graph.tensors[operator.inputs[1]]
        channels, scales = weights.shape[3 if name == "DEPTHWISE_CONV_2D" else 0], weights.quantization.scale
        how = draw.choice(["as it is", "alike", "several", "one"][: 3 if name == "DEPTHWISE_CONV_2D" else 4])
        if how != "as it is":
            factors = generator.uniform(0.5, 2, channels) if how == "several" else np.ones(1 if how == "one" else channels)
            weights.quantization.scale = tuple((np.float32(scales[0]) * factors.astype(np.float32)).tolist())
            weights.quantization.zero_point = (0,) * len(factors)
            weights.quantization.quantized_dimension = 3 if name == "DEPTHWISE_CONV_2D" else 0
        depth = int(np.prod(weights.shape)) // channels
        if name != "DEPTHWISE_CONV_2D" and depth >= LONG:
            model.buffers[weights.buffer].data = long_weights(draw, channels, depth).tobytes()
        if name == "FULLY_CONNECTED":
            code.version = 9  # since which there are asymmetric inputs
            operator.builtin_options.asymmetric_quantize_inputs = draw.boolean()
    return flatbuffer.write(model)


def networks(draw: Draw) -> bytes:
    network = Network("random", dtype="float32", io_dtype="float32", seed=draw.generator_seed())
    made = [network.conv(network.input(draw.integer(3, 12)), draw.integer(1, 40), 3)]
    for _ in range(draw.integer(2, 9)):
        made.append(draw.choice(layers(draw, network, made))(made[-1]))
    return varied(draw, network.build(*[x for x in made if x is made[-1] or draw.one_in(4)]))


@randomly
def test_random_networks(runtime: harness.Runtime, draw: Draw) -> None:
    content = networks(draw)
    hypothesis.note(" ".join(op.name for op in models.ops(content)))
    delegate = runtime.load(num_threads=draw.choice([1, 1, 2]))
    expected, delegated = runtime.interpreter(content), runtime.interpreter(content, [delegate])
    generator = np.random.default_rng(draw.generator_seed())
    for how in ("any", draw.choice(["grid", "positive", "negative", "zero"])):
        values = [activations(generator, how, tuple(detail["shape"])) for detail in expected.get_input_details()]
        for got, wanted in zip(harness.run(delegated, *values), harness.run(expected, *values), strict=True):
            harness.assert_equal(got, wanted, how)
    nodes = tvmq_delegate.report(delegate).nodes
    if reference.found("hybrid", runtime.module) != "auto":
        assert all(node.claimed or node.reason for node in nodes) and any(node.claimed for node in nodes)
    harness.counts["hybrid networks compared"] += 1
    harness.counts["nodes of hybrid networks claimed"] += sum(node.claimed for node in nodes)
