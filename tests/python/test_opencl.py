"""The option backend=opencl: whole networks on an OpenCL device, such as PoCL, and on the CPU where there is none. tests/opencl has the layers."""

from __future__ import annotations

import builders
import harness
import numpy as np
import pytest

import tvmq_delegate
from tvmq_delegate.models import zoo
from tvmq_delegate.models.builder import ModelBuilder

NETWORKS = ["mobilenet_v1_0.25_128", "mobilenet_v1_0.25_128_uint8", "mobilenet_v2_0.35_96", "mobilenet_v3_large"]


@pytest.fixture(name="on_device")
def _on_device(runtime: harness.Runtime, capfd: pytest.CaptureFixture[str]) -> None:
    """Skips the test where no OpenCL device can be used."""
    delegate = runtime.load(backend="opencl")
    runtime.interpreter(builders.build_conv(), [delegate])
    if any("no device" in node.refusal for node in tvmq_delegate.report(delegate).nodes):
        pytest.skip(capfd.readouterr().err.strip() or "no OpenCL device")


def computed_by(delegate: object) -> set[str]:
    """How the nodes are computed for which something runs."""
    return {node.how for node in tvmq_delegate.report(delegate).nodes if node.how not in ("view", "constant") and not node.how.startswith("folded")}


@pytest.mark.usefixtures("on_device")
@pytest.mark.parametrize("network", NETWORKS)
def test_networks(runtime: harness.Runtime, network: str) -> None:
    source = zoo.load(network)
    delegate = runtime.load(backend="opencl")
    interpreter, reference = runtime.interpreter(source, [delegate]), runtime.interpreter(source)
    assert computed_by(delegate) == {"OpenCL"}
    for seed in range(3):
        inputs = harness.random_inputs(reference, seed)
        for got, expected in zip(harness.run(interpreter, *inputs), harness.run(reference, *inputs), strict=True):
            harness.assert_equal(got, expected, network)
    assert computed_by(delegate) == {"OpenCL"}


@pytest.mark.usefixtures("on_device")
def test_resized_and_profiled(runtime: harness.Runtime) -> None:
    """A network is planned for the device anew when its input is resized."""
    source = zoo.load("mobilenet_v2_0.35_96")
    delegate = runtime.load(backend="opencl", profile=True)
    interpreter, reference = runtime.interpreter(source, [delegate]), runtime.interpreter(source)
    for batch in (2, 1):
        for one in (interpreter, reference):
            one.resize_tensor_input(one.get_input_details()[0]["index"], (batch, 96, 96, 3))
            one.allocate_tensors()
        (image,) = harness.random_inputs(reference, batch)
        harness.assert_equal(harness.run(interpreter, image)[0], harness.run(reference, image)[0])
        assert computed_by(delegate) == {"OpenCL"}
    times = [node.timing for node in tvmq_delegate.profile(delegate) if node.node.how == "OpenCL"]
    assert times and all(timing.count > 0 and timing.total_ns > 0 for timing in times)


@pytest.mark.usefixtures("on_device")
def test_resized_to_nothing_and_back(runtime: harness.Runtime) -> None:
    """An empty network has nothing that the device could compute; the next one has."""
    content = builders.build_conv()
    delegate = runtime.load(backend="opencl")
    interpreter, reference = runtime.interpreter(content, [delegate]), runtime.interpreter(content)
    shape = tuple(interpreter.get_input_details()[0]["shape"])
    for batch in (1, 0, 2):
        for one in (interpreter, reference):
            one.resize_tensor_input(one.get_input_details()[0]["index"], (batch, *shape[1:]))
            one.allocate_tensors()
        image = harness.random_tensor(np.random.default_rng(batch), (batch, *shape[1:]), np.int8)
        harness.assert_equal(harness.run(interpreter, image)[0], harness.run(reference, image)[0])
    assert computed_by(delegate) == {"OpenCL"}


@pytest.mark.usefixtures("on_device")
@pytest.mark.parametrize("with_copy", [False, True])
def test_pieces_of_what_is_only_read(runtime: harness.Runtime, with_copy: bool) -> None:
    """Outputs of a SPLIT that lie in the network's input, of which one may be an output of the network, too."""
    builder = ModelBuilder()
    image = builder.add_tensor("image", (2, 8, 8, 16), "int8", scale=0.1)
    axis = builder.add_tensor("axis", (), "int32", data=np.array(0))
    pieces = [builder.add_tensor(f"piece {i}", (1, 8, 8, 16), "int8", scale=0.1) for i in range(2)]
    pooled = [builder.add_tensor(f"pooled {i}", (1, 4, 4, 16), "int8", scale=0.1) for i in range(2)]
    builder.add_op("SPLIT", [axis, image], pieces, num_splits=2)
    for piece, output in zip(pieces, pooled, strict=True):
        builder.add_op("MAX_POOL_2D", [piece], [output], padding="VALID", stride_w=2, stride_h=2, filter_width=2, filter_height=2)
    content = builder.build([image], pooled + pieces[:with_copy])
    delegate = runtime.load(backend="opencl")
    interpreter, reference = runtime.interpreter(content, [delegate]), runtime.interpreter(content)
    assert with_copy or computed_by(delegate) == {"OpenCL"}
    for seed in range(3):
        inputs = harness.random_inputs(reference, seed)
        for got, expected in zip(harness.run(interpreter, *inputs), harness.run(reference, *inputs), strict=True):
            harness.assert_equal(got, expected)


@pytest.mark.usefixtures("on_device")
def test_the_cpu_computes_what_the_device_cannot(runtime: harness.Runtime, capfd: pytest.CaptureFixture[str]) -> None:
    """A partition is all on one device; a line and the nodes say which node it lacks."""
    source = zoo.load("wake_word")
    delegate = runtime.load(backend="opencl")
    interpreter, reference = runtime.interpreter(source, [delegate]), runtime.interpreter(source)
    nodes = tvmq_delegate.report(delegate).nodes
    assert "OpenCL" not in computed_by(delegate) and all(node.refusal.startswith("OpenCL: ") for node in nodes if node.claimed)
    assert "runs on the CPU: OpenCL: " in capfd.readouterr().err
    inputs = harness.random_inputs(reference, 0)
    harness.assert_equal(harness.run(interpreter, *inputs)[0], harness.run(reference, *inputs)[0])


@pytest.mark.usefixtures("on_device")
def test_an_inference_that_must_fail(runtime: harness.Runtime) -> None:
    """The square root of a negative element is an error of the reference, whatever computes the node."""
    source = builders.build_unary(operator="RSQRT", shape=(1, 8), in_zero_point=0)
    for options in ({"backend": "opencl"}, {}):
        interpreter = runtime.interpreter(source, [runtime.load(**options)])
        with pytest.raises(RuntimeError):
            harness.run(interpreter, np.full((1, 8), -1, np.int8))


def test_without_a_library(runtime: harness.Runtime, capfd: pytest.CaptureFixture[str]) -> None:
    source = zoo.load("mobilenet_v1_0.25_128")
    delegate = runtime.load(backend="opencl", opencl_library="/nonexistent/libOpenCL.so")
    interpreter, reference = runtime.interpreter(source, [delegate]), runtime.interpreter(source)
    lines = [line for line in capfd.readouterr().err.splitlines() if "backend=opencl" in line]
    assert len(lines) == 1 and "everything runs on the CPU" in lines[0] and "/nonexistent/libOpenCL.so" in lines[0]
    assert {node.refusal for node in tvmq_delegate.report(delegate).nodes} == {"OpenCL: no device can be used"}
    image = harness.random_inputs(reference, 0)
    harness.assert_equal(harness.run(interpreter, *image)[0], harness.run(reference, *image)[0])


def test_off_by_default(runtime: harness.Runtime) -> None:
    delegate = runtime.load()
    runtime.interpreter(zoo.load("mobilenet_v1_0.25_128"), [delegate])
    nodes = tvmq_delegate.report(delegate).nodes
    assert "OpenCL" not in computed_by(delegate) and not any(node.refusal for node in nodes)
    assert np.all([node.claimed for node in nodes])
