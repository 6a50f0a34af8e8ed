"""zoo.py: the networks are the published ones, run everywhere, and their activations live."""

from __future__ import annotations

import functools
import time

import harness
import numpy as np
import pytest

from tvmq_delegate import models
from tvmq_delegate.models import network, zoo

# Millions of multiply-accumulates, parameters in thousands (filters and biases), and operators, as published or counted in the public models.
PUBLISHED = {
    "mobilenet_v1": (568.7, 4221, {"CONV_2D": 15, "DEPTHWISE_CONV_2D": 13, "AVERAGE_POOL_2D": 1, "RESHAPE": 1, "SOFTMAX": 1}),
    "mobilenet_v1_0.25_128": (13.57, 467, {"CONV_2D": 15, "DEPTHWISE_CONV_2D": 13, "AVERAGE_POOL_2D": 1, "RESHAPE": 1, "SOFTMAX": 1}),
    "mobilenet_v2": (300.8, 3488, {"CONV_2D": 35, "DEPTHWISE_CONV_2D": 17, "ADD": 10, "MEAN": 1, "FULLY_CONNECTED": 1, "SOFTMAX": 1}),
    "resnet18": (1814.1, 11685, {"PAD": 5, "CONV_2D": 20, "MAX_POOL_2D": 1, "ADD": 8, "MEAN": 1, "FULLY_CONNECTED": 1, "SOFTMAX": 1}),
    "inception_v3": (
        5713.2,
        23818,
        {"CONV_2D": 94, "CONCATENATION": 15, "AVERAGE_POOL_2D": 9, "MAX_POOL_2D": 4, "MEAN": 1, "FULLY_CONNECTED": 1, "SOFTMAX": 1},
    ),
}

load = functools.cache(zoo.load)
NETWORKS = [*zoo.names(), "resnet18_uint8", "mobilenet_v1_0.5_160_uint8_io", "mobilenet_v2_0.35_96"]


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_architecture(name):
    ops = models.ops(load(name))
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


def noise(shape: tuple[int, ...], dtype: type) -> np.ndarray:
    return harness.random_tensor(np.random.default_rng(3), shape, dtype)


def picture(shape: tuple[int, ...], dtype: type) -> np.ndarray:
    """Smooth shapes with a little noise, unlike independent pixels: neighbours resemble each other, as in photographs."""
    info = np.iinfo(dtype)
    y, x = np.mgrid[0 : shape[1], 0 : shape[2]] / shape[1]
    waves = np.stack([np.sin(7 * x + 3 * y * y), np.cos(5 * y - 2 * x * x), np.sin(9 * x * y)], axis=-1)
    values = 90 * waves + np.random.default_rng(3).normal(0, 8, shape) + (info.min + info.max) / 2
    return np.clip(np.rint(values), info.min, info.max).astype(dtype)


@pytest.mark.parametrize("content", [noise, picture])
@pytest.mark.parametrize("name", NETWORKS)
def test_activations_live(name, content):
    """No layer's output is flat, and none sits at its range's ends, but for the zeros of a rectifier. One runtime is enough: the reference kernels agree."""
    if not harness.installed():
        pytest.skip("no TFLite runtime is installed")
    runtime = harness.installed()[-1]
    data = load(name)
    interpreter = runtime.interpreter(models.expose(data))
    (source,) = runtime.interpreter(data).get_input_details()
    image = content(tuple(source["shape"]), source["dtype"])
    details = interpreter.get_output_details()
    outputs = dict(zip([detail["index"] for detail in details], harness.run(interpreter, image), strict=True))
    ops = models.ops(data)
    logits = next(op for op in reversed(ops) if op.macs)
    for op in ops:
        (tensor,) = op.outputs
        values = outputs[tensor.index]
        low, high = (float(np.mean(values == end)) for end in (np.iinfo(values.dtype).min, np.iinfo(values.dtype).max))
        distinct = np.count_nonzero(np.bincount(values.view(np.uint8).ravel()))
        what = f"{op.index} ({op.name}): {distinct} values, {low:.3f} lowest, {high:.3f} highest, deviation {values.std():.1f}"
        if op.index > logits.index and op.name != "RESHAPE":
            # Of a thousand classes most have less than a step of probability; several must have more, and none all of it.
            assert distinct >= 5 and high == 0 and values.max() > np.iinfo(values.dtype).min + 3, what
        else:
            assert distinct >= 60, what
            assert low < 0.65 and high < 0.15 and values.std() > 10, what
            # Channels are not constants: what they hold varies from place to place.
            if values.ndim == 4 and values.shape[1] > 1:
                assert np.median(values.std(axis=(1, 2))) > 5, what


@pytest.mark.parametrize("name", ["mobilenet_v1_0.25_128", "mobilenet_v1_0.25_128_uint8", "mobilenet_v2_0.35_96_uint8_io", "resnet18", "inception_v3"])
def test_optimized_kernels_run_it(runtime, name):
    """Under the other resolvers too, where results differ from the reference's by rounding only: the same classes come out on top, or nearly."""
    data = load(name)
    outputs = {}
    for resolver in ("BUILTIN_REF", "BUILTIN_WITHOUT_DEFAULT_DELEGATES", "AUTO"):
        interpreter = runtime.interpreter(data, resolver=resolver)
        (source,) = interpreter.get_input_details()
        (outputs[resolver],) = harness.run(interpreter, picture(tuple(source["shape"]), source["dtype"]))
    reference = outputs.pop("BUILTIN_REF").astype(int)
    for resolver, output in outputs.items():
        assert np.abs(output.astype(int) - reference).mean() < 0.5, resolver


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
    with pytest.raises(ValueError, match="in the zoo; known: mobilenet_v1, "):
        zoo.load(name)


def test_types_are_checked():
    with pytest.raises(ValueError, match="int8 or uint8, not 'int16'"):
        zoo.mobilenet_v1(dtype="int16")


def test_building_is_quick():
    """Statistics come from formulas, not from running the network."""
    for name, seconds in (("mobilenet_v1", 2), ("mobilenet_v2", 2), ("inception_v3", 5)):
        started = time.process_time()
        zoo.load(name)
        assert time.process_time() - started < seconds * (20 if harness.EMULATED else 1), name


def test_clipped_moments_against_samples():
    samples = np.random.default_rng(5).standard_normal(400_000)
    for mean, deviation, upper in [(0.5, 2.0, 8.0), (0.5, 2.0, 6.0), (-3.0, 1.0, 6.0), (7.0, 2.0, 6.0)]:
        clipped = np.clip(mean + deviation * samples, 0, upper)
        (m,), (v,) = network.clipped_moments(np.array([mean]), np.array([deviation**2]), upper)
        assert m == pytest.approx(clipped.mean(), abs=0.02) and v == pytest.approx(clipped.var(), abs=0.03)
