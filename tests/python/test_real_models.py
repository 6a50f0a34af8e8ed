"""Whole networks, and every one of their nodes on its own, against the reference kernels: the models directory and the zoo."""

from __future__ import annotations

import pathlib
from collections.abc import Iterable
from typing import Any

import harness
import pytest
from promise import WEIGHTED, ours, promised

import tvmq_delegate
from tvmq_delegate import models
from tvmq_delegate.models import zoo
from tvmq_delegate.sessions import run_alone, shaped

# test_zoo.py runs these, smaller: whole they would take the reference minutes. test_variables.py runs the one that keeps a state.
ELSEWHERE = {"mobilenet_v2_hybrid", "mobilenet_v3_large", "efficientnet_b0", "yolov8n", "unet", "wake_word"}
ELSEWHERE |= {"densenet121", "resnet50", "squeezenet1_0", "squeezenet1_1", "vgg16", "vgg19"}
NETWORKS = {path.stem: path for path in sorted(harness.MODELS.glob("*.tflite"))} | {f"zoo-{name}": name for name in zoo.names() if name not in ELSEWHERE}
# The reference runs at some 5 million multiply-accumulates a second when it is emulated. Of networks that take a sanitizer long, layers are among the fuzzer's.
LARGEST_MACS = 30e6 if harness.EMULATED else 1.5e9 if harness.SANITIZED else float("inf")


@pytest.fixture(params=NETWORKS, scope="module")
def network(request: pytest.FixtureRequest, runtime: harness.Runtime) -> tuple[str, bytes]:
    """Name and content of each network."""
    if harness.SANITIZED and runtime != harness.installed()[0]:
        pytest.skip("what the library reads and writes for a network is the same in the other runtime")
    source = NETWORKS[request.param]
    content = source.read_bytes() if isinstance(source, pathlib.Path) else zoo.load(source)
    macs = sum(op.macs for op in models.ops(content))
    if macs > LARGEST_MACS:
        pytest.skip(f"networks of more than {LARGEST_MACS / 1e6:.0f} million multiply-accumulates are too slow emulated or sanitized")
    return request.param, content


HYBRID = (
    "hybrid: the runtime's arithmetic is unknown: see the option hybrid",
    "hybrid: the runtime's kernels ignore these per-channel scales",
    "hybrid: DEPTHWISE_CONV_2D needs per-channel scales",
    "hybrid: a weight is -128",
)
# Reasons that types do not tell: why networks that are not the zoo's may have operators that are refused all the same.
JUSTIFIED = {
    **dict.fromkeys(WEIGHTED, HYBRID),
    "ADD": ("pot_scale_int16 with scales that are all powers of two is not supported",),
    "RESIZE_BILINEAR": ("interpolation weights are not exact in float32, and runtimes round them differently",),
    "CONCATENATION": ("input and output scales differ", "input and output zero points differ", "the node has more than 64 inputs"),
    "AVERAGE_POOL_2D": ("input and output scales differ", "input and output zero points differ"),
    "MAX_POOL_2D": ("input and output scales differ", "input and output zero points differ"),
}


def justly_refused(name: str, nodes: Iterable[tvmq_delegate.Node]) -> set[tuple[int, int]]:
    """Subgraph and index of the nodes that the delegate refuses for one of these reasons."""
    refused = {(node.subgraph, node.node) for node in nodes if node.reason in JUSTIFIED.get(node.op, ())}
    assert not (refused and name.startswith("zoo-")), f"{name}: {refused}"
    return refused


def test_models_directory_is_there(networks):
    assert list(networks.glob("*.tflite")), f"no .tflite file in {networks}"


@pytest.fixture(scope="module")
def computed(runtime: harness.Runtime, network: tuple[str, bytes]) -> Any:
    """The reference interpreter of the network, which has computed every tensor of it for the inputs of seed 1."""
    reference = runtime.interpreter(models.expose(network[1]))
    harness.run(reference, *harness.random_inputs(reference, seed=1))
    return reference


def test_every_node(runtime, network, computed):
    """Each node that the delegate promises, cut out, with those that are folded into it, and fed with what the reference has computed up to it."""
    name, content = network
    whole = runtime.load()
    keep = runtime.interpreter(content, [whole])
    with_shapes = shaped(content, runtime.module)
    ops = models.ops(with_shapes)
    nodes = tvmq_delegate.report(whole).nodes
    together, refused = run_alone(ops, nodes), justly_refused(name, nodes)
    del keep
    for op in filter(ours, ops):
        if (op.subgraph, op.index) in refused or (op.subgraph == 0 and op.index not in together):  # which comes with what it is folded into
            continue
        delegate = runtime.load()
        parts = together[op.index] if op.subgraph == 0 else (op.index,)
        node = runtime.interpreter(models.cut(with_shapes, parts, op.subgraph), [delegate])
        harness.assert_claimed(delegate)
        got = harness.run(node, *(computed.get_tensor(tensor) for tensor in models.fed([ops[i] for i in parts])))
        harness.assert_equal(got[0], computed.get_tensor(op.outputs[0].index), f"{name}: {op.name} {op.index}")
        harness.counts["nodes of networks compared"] += 1


def test_whole_network(runtime, network, computed):
    """The delegate's nodes between the reference's: equal outputs for several inputs, one after the other, and nothing refused that is promised."""
    name, content = network
    delegate = runtime.load()
    delegated, reference = runtime.interpreter(content, [delegate]), runtime.interpreter(content)
    outputs = [detail["index"] for detail in reference.get_output_details()]
    for seed, inputs in enumerate(harness.random_inputs(reference, seed) for seed in range(2)):
        references = harness.run(reference, *inputs) if seed == 0 else [computed.get_tensor(index) for index in outputs]
        for got, expected in zip(harness.run(delegated, *inputs), references, strict=True):
            harness.assert_equal(got, expected, name)
    report = tvmq_delegate.report(delegate)
    assert {(node.subgraph, node.node) for node in report.nodes if node.claimed} == promised(content) - justly_refused(name, report.nodes)
    assert all(node.reason for node in report.nodes if not node.claimed)
    summary = report.summary
    harness.tables["delegated"][f"{name}, {runtime.name}"] = f"{summary.claimed} of {summary.nodes} nodes in {summary.partitions} partitions"


def test_beside_the_default_kernels(runtime, network):
    """The runtime's fast kernels (XNNPACK where it has it) take what the delegate leaves: the same nodes are claimed, and it runs."""
    name, content = network
    delegate = runtime.load()
    delegated = runtime.interpreter(content, [delegate], resolver="AUTO")
    outputs = harness.run(delegated, *harness.random_inputs(delegated, seed=0))
    assert outputs and all(output.size for output in outputs), name
    nodes = tvmq_delegate.report(delegate).nodes
    assert {(node.subgraph, node.node) for node in nodes if node.claimed} == promised(content) - justly_refused(name, nodes)
