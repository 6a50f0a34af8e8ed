"""The zoo: its networks are the published ones, and their layers compute what their quantization was estimated from."""

from __future__ import annotations

import functools

import harness
import numpy as np
import pytest

import tvmq_delegate
from tvmq_delegate import models
from tvmq_delegate.binding import reference
from tvmq_delegate.models import moments, network, zoo

# Millions of multiply-accumulates, parameters in thousands (filters and biases), and operators, as published or counted in the public models.
PUBLISHED = {
    "mobilenet_v1": (568.7, 4221, {"CONV_2D": 15, "DEPTHWISE_CONV_2D": 13, "AVERAGE_POOL_2D": 1, "RESHAPE": 1, "SOFTMAX": 1}),
    "mobilenet_v1_0.25_128": (13.57, 467, {"CONV_2D": 15, "DEPTHWISE_CONV_2D": 13, "AVERAGE_POOL_2D": 1, "RESHAPE": 1, "SOFTMAX": 1}),
    "mobilenet_v2": (300.8, 3488, {"CONV_2D": 35, "DEPTHWISE_CONV_2D": 17, "ADD": 10, "MEAN": 1, "FULLY_CONNECTED": 1, "SOFTMAX": 1}),
    "resnet18": (1814.1, 11685, {"PAD": 5, "CONV_2D": 20, "MAX_POOL_2D": 1, "ADD": 8, "MEAN": 1, "FULLY_CONNECTED": 1, "SOFTMAX": 1}),
    "resnet50": (3858.0, 25530, {"PAD": 2, "CONV_2D": 53, "MAX_POOL_2D": 1, "ADD": 16, "MEAN": 1, "FULLY_CONNECTED": 1, "SOFTMAX": 1}),
    "squeezenet1_0": (818.9, 1248, {"CONV_2D": 26, "MAX_POOL_2D": 3, "CONCATENATION": 8, "MEAN": 1, "SOFTMAX": 1}),
    "squeezenet1_1": (349.2, 1235, {"CONV_2D": 26, "MAX_POOL_2D": 3, "CONCATENATION": 8, "MEAN": 1, "SOFTMAX": 1}),
    "vgg16": (15470.3, 138357, {"CONV_2D": 13, "MAX_POOL_2D": 5, "RESHAPE": 1, "FULLY_CONNECTED": 3, "SOFTMAX": 1}),
    "vgg19": (19632.1, 143667, {"CONV_2D": 16, "MAX_POOL_2D": 5, "RESHAPE": 1, "FULLY_CONNECTED": 3, "SOFTMAX": 1}),
    # Normalizations before convolutions are operators of their own, others are folded into biases.
    "densenet121": (
        2834.2,
        7905,
        {
            "PAD": 2,
            "CONV_2D": 120,
            "MAX_POOL_2D": 1,
            "MUL": 62,
            "ADD": 62,
            "QUANTIZE": 4,
            "CONCATENATION": 58,
            "AVERAGE_POOL_2D": 3,
            "MEAN": 1,
            "FULLY_CONNECTED": 1,
            "SOFTMAX": 1,
        },
    ),
    "mobilenet_v3_large": (
        216.6,
        5470,
        {"CONV_2D": 48, "HARD_SWISH": 21, "DEPTHWISE_CONV_2D": 15, "ADD": 10, "MEAN": 9, "MUL": 16, "RESHAPE": 1, "FULLY_CONNECTED": 1, "SOFTMAX": 1},
    ),
    "efficientnet_b0": (
        385.8,
        5267,
        {"CONV_2D": 65, "LOGISTIC": 65, "MUL": 65, "DEPTHWISE_CONV_2D": 16, "MEAN": 17, "ADD": 9, "FULLY_CONNECTED": 1, "SOFTMAX": 1},
    ),
    "yolov8n": (
        1093.0,
        3151,
        {
            "PAD": 7,
            "CONV_2D": 64,
            "LOGISTIC": 58,
            "MUL": 59,
            "STRIDED_SLICE": 18,
            "ADD": 8,
            "CONCATENATION": 17,
            "MAX_POOL_2D": 3,
            "RESIZE_NEAREST_NEIGHBOR": 2,
            "RESHAPE": 8,
            "SOFTMAX": 1,
            "SUB": 2,
            "QUANTIZE": 2,
            "TRANSPOSE": 1,
        },
    ),
    "unet": (668.7, 487, {"CONV_2D": 15, "MAX_POOL_2D": 3, "RESIZE_BILINEAR": 3, "CONCATENATION": 3, "LOGISTIC": 1}),
    "inception_v3": (
        5713.2,
        23818,
        {"CONV_2D": 94, "CONCATENATION": 15, "AVERAGE_POOL_2D": 9, "MAX_POOL_2D": 4, "MEAN": 1, "FULLY_CONNECTED": 1, "SOFTMAX": 1},
    ),
}

load = functools.cache(zoo.load)


@pytest.mark.skipif(harness.EMULATED, reason="what a network consists of is the same on every processor")
@pytest.mark.parametrize("name", PUBLISHED)
def test_published_architecture(name):
    ops = models.ops(zoo.load(name))
    macs, parameters, counts = PUBLISHED[name]
    assert sum(op.macs for op in ops) / 1e6 == pytest.approx(macs, rel=1e-3)
    constants = [tensor for op in ops if op.macs for tensor in op.inputs[1:]]
    assert sum(int(np.prod(tensor.shape)) for tensor in constants) // 1000 == pytest.approx(parameters, abs=1)
    assert {name: sum(op.name == name for op in ops) for name in {op.name for op in ops}} == counts


def test_same_shapes_as_the_converted_networks(networks):
    """Convolution by convolution like the networks that TensorFlow's converter wrote, in whatever order the branches stand."""

    def convolutions(source, last):
        found = [op for op in models.ops(source) if op.name in ("CONV_2D", "DEPTHWISE_CONV_2D")]
        # Padding shows as PAD and VALID there, as SAME here, or the other way round: compare what comes out. Classifiers have 1000 or 1001 classes.
        return sorted((op.name, op.inputs[1].shape, op.outputs[0].shape, op.params["stride_h"]) for op in found[:last])

    pairs = {
        "synth_inception_v3_299_int8": ("inception_v3", None),
        "synth_resnet18_224_int8": ("resnet18", None),
        "synth_mobilenet_v1_1.0_224_int8": ("mobilenet_v1", -1),
        "tf2_mobilenet_v2_1.0_224_ptq": ("mobilenet_v2", 35),
        "mobilenet_v1_0.25_128_quant": ("mobilenet_v1_0.25_128", None),
        "mobilenet_v1_0.5_160_quant": ("mobilenet_v1_0.5_160", None),
    }
    present = [name for name in pairs if (networks / f"{name}.tflite").exists()]
    if not present:
        pytest.skip(f"none of {', '.join(pairs)} in {networks}")
    for name in present:
        network, last = pairs[name]
        assert convolutions(networks / f"{name}.tflite", last) == convolutions(load(network), last), name


POOLED_OFTEN = (zoo.squeezenet1_0, zoo.squeezenet1_1)  # of 32 pixels nothing would be left
LARGE = (zoo.densenet121, zoo.resnet50, zoo.vgg16, zoo.vgg19)
WHOLE = (zoo.mobilenet_v3_large, zoo.efficientnet_b0, zoo.unet, zoo.yolov8n, *POOLED_OFTEN, *LARGE)


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
@pytest.mark.parametrize("build", WHOLE, ids=[build.__name__ for build in WHOLE])
def test_networks_are_taken_whole(runtime, build, dtype):
    """At a resolution at which the reference is cheap: every node in one partition, and every element equal."""
    if harness.EMULATED and build in LARGE:
        pytest.skip("networks of more than 30 million multiply-accumulates are too slow emulated or sanitized")
    data = build(resolution=64 if build in POOLED_OFTEN else 32, dtype=dtype, classes=7)
    delegate = runtime.load()
    delegated = runtime.interpreter(data, [delegate])
    nodes = tvmq_delegate.report(delegate).nodes
    assert {(node.claimed, node.partition) for node in nodes} == {(True, 0)}, [(node.op, node.reason) for node in nodes if not node.claimed]
    inputs = harness.random_inputs(delegated, seed=2)
    for output, expected in zip(harness.run(delegated, *inputs), harness.run(runtime.interpreter(data), *inputs), strict=True):
        harness.assert_equal(output, expected)


SMALL = dict(resolution=32, classes=7, dtype="float32")


@pytest.mark.parametrize(
    "build",
    [functools.partial(zoo.mobilenet_v2, width=0.35), zoo.resnet18, zoo.mobilenet_v3_large, zoo.efficientnet_b0, zoo.unet, zoo.yolov8n],
    ids=["mobilenet_v2", "resnet18", "mobilenet_v3_large", "efficientnet_b0", "unet", "yolov8n"],
)
def test_hybrid_networks(runtime, build):
    """Everything is taken, if the runtime's kernels are known, but functions that a library of mathematics decides on; and every element is equal."""
    data = build(**SMALL)
    delegate = runtime.load()
    delegated = runtime.interpreter(data, [delegate])
    nodes = tvmq_delegate.report(delegate).nodes
    left = {node.op for node in nodes if not node.claimed and "not worth its overhead" not in node.reason}
    if reference.found("hybrid", runtime.module) == "auto":
        assert {"CONV_2D", "FULLY_CONNECTED"} & {node.op for node in nodes} <= left
    else:
        assert left <= {"RESIZE_BILINEAR"}, left
    inputs = harness.random_inputs(delegated, seed=2)
    for output, expected in zip(harness.run(delegated, *inputs), harness.run(runtime.interpreter(data), *inputs), strict=True):
        harness.assert_equal(output, expected)


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
def test_layers_compute_what_was_estimated(runtime, dtype):
    """Mean and deviation of each channel, for independent pixels as the formulas assume them. Quantization ranges follow from these, so they fit."""
    net = network.Network("layers", dtype=dtype, io_dtype=dtype, seed=0)
    first = net.conv(net.input(48), 24, 3, stride=2, activation="RELU6")
    second = net.depthwise(first)
    left, right = (net.conv(x, 24, activation="NONE") for x in (first, second))
    added = net.add(left, right, "RELU")
    layers = [first, second, left, right, added]
    data = net.build(added)
    interpreter = runtime.interpreter(models.expose(data))
    (values,) = harness.random_inputs(interpreter, seed=3)
    outputs = dict(zip((op.outputs[0].index for op in models.ops(data)), harness.run(interpreter, values), strict=True))
    for layer in layers:
        stored = outputs[layer.tensor].reshape(-1, layer.channels)
        real = layer.scale * (stored.astype(float) - layer.zero_point)
        deviation = np.sqrt(layer.variance)
        assert np.mean(np.abs(real.mean(axis=0) - layer.mean)) < 0.1 * deviation.mean()
        assert np.median(real.std(axis=0) / deviation) == pytest.approx(1, abs=0.1)
        assert np.mean(stored == np.iinfo(dtype).max) < 0.03


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
def test_channels_whose_weights_are_rounded_to_zero(runtime, dtype):
    """They have scales that a runtime takes: filters of one weight leave some of 500 channels without."""
    made = network.Network("zeros", dtype=dtype, io_dtype=dtype, seed=1)
    content = made.build(made.depthwise(made.depthwise(made.conv(made.input(2), 500), 1), 1))
    interpreter = runtime.interpreter(content)
    filters = [detail for detail in interpreter.get_tensor_details() if detail["name"].startswith("filter")]
    single = [detail for detail in filters if tuple(detail["shape"][:3]) == (1, 1, 1)]
    assert any((interpreter.get_tensor(detail["index"]) == detail["quantization_parameters"]["zero_points"][0]).any() for detail in single)
    delegated = runtime.interpreter(content, [runtime.load()])
    inputs = harness.random_inputs(interpreter, 1)
    for got, expected in zip(harness.run(delegated, *inputs), harness.run(interpreter, *inputs), strict=True):
        harness.assert_equal(got, expected, dtype)


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
def test_hard_swish_of_a_coarse_tensor(runtime, dtype):
    """Its output is no finer than runtimes take."""
    made = network.Network("coarse", dtype=dtype, io_dtype=dtype, seed=1)
    x = made.conv(made.input(4), 8)
    for _ in range(3):
        x = made.multiply(x, x)
    y = made.curve(x, "HARD_SWISH")
    assert made.curve(made.conv(x, 8), "HARD_SWISH").scale * 128 < x.scale
    runtime.interpreter(made.build(y))


def test_seed_and_types():
    assert zoo.mobilenet_v1(width=0.25, resolution=32) == zoo.mobilenet_v1(width=0.25, resolution=32)
    assert zoo.mobilenet_v1(width=0.25, resolution=32) != zoo.mobilenet_v1(width=0.25, resolution=32, seed=1)
    ops = models.ops(zoo.load("mobilenet_v2_0.35_96_uint8_io"))
    assert [ops[0].name, ops[-1].name] == ["QUANTIZE", "QUANTIZE"]
    assert ops[0].inputs[0].dtype == ops[-1].outputs[0].dtype == "uint8" and ops[1].inputs[0].dtype == "int8"
    filters = [op.inputs[1] for op in models.ops(zoo.load("mobilenet_v1_0.25_128_uint8")) if op.macs]
    assert all(filter.dtype == "uint8" and len(filter.quantization.scale) == 1 and filter.quantization.zero_point == (121,) for filter in filters)
    convolutions = [op.inputs[1] for op in models.ops(zoo.load("mobilenet_v1_0.25_128")) if op.macs]
    assert all(len(filter.quantization.scale) == filter.shape[filter.quantization.dimension] for filter in convolutions)


@pytest.mark.parametrize(
    "name",
    ["", "mobilenet", "mobilenet_v1_0.25", "mobilenet_v1_1_0", "resnet18_0.5_128", "mobilenet_v1_uint4", "../mobilenet_v1", "inception_v3.tflite"],
)
def test_unknown_names(name):
    with pytest.raises(ValueError, match="in the zoo; known: mobilenet_v1, .* each also with one of _uint8, _uint8_io, _hybrid behind it, and "):
        zoo.load(name)
    assert not zoo.knows(name)


def test_every_network_has_every_type(monkeypatch):
    for known in zoo._NETWORKS:
        monkeypatch.setitem(zoo._NETWORKS, known, lambda **given: repr(given).encode())
    assert all(zoo.knows(name) for name in zoo.names())
    assert zoo.load("resnet18_hybrid") == b"{'dtype': 'float32'}" and zoo.load("unet_uint8_io") == b"{'io_dtype': 'uint8'}"
    assert zoo.load("mobilenet_v1_0.5_160_uint8") == b"{'width': 0.5, 'resolution': 160, 'dtype': 'uint8'}"


def test_types_are_checked():
    with pytest.raises(ValueError, match="int8, uint8 or float32, and both float32 if dtype is, not 'int16'"):
        zoo.mobilenet_v1(dtype="int16")


def test_clipped_moments_against_samples():
    samples = np.random.default_rng(5).standard_normal(400_000)
    for mean, deviation, upper in [(0.5, 2.0, 8.0), (0.5, 2.0, 6.0), (-3.0, 1.0, 6.0), (7.0, 2.0, 6.0)]:
        clipped = np.clip(mean + deviation * samples, 0, upper)
        (m,), (v,) = moments.clipped_moments(np.array([mean]), np.array([deviation**2]), upper)
        assert m == pytest.approx(clipped.mean(), abs=0.02) and v == pytest.approx(clipped.var(), abs=0.03)
