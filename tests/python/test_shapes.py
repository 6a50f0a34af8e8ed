"""Files that leave out the shapes of tensors: the delegate infers what its nodes compute, and takes what it takes of a file with shapes."""

import numpy as np
import pytest
from harness import Runtime, installed, run

import tvmq_delegate
from tvmq_delegate import models
from tvmq_delegate.models import flatbuffer, zoo
from tvmq_delegate.sessions import shaped


def without_shapes(model: bytes) -> bytes:
    """The model, but for the shapes of what its nodes compute."""
    file = flatbuffer.read(model)
    graph = file.subgraphs[0]
    for operator in graph.operators:
        for tensor in operator.outputs:
            graph.tensors[tensor].shape = None
    return flatbuffer.write(file)


@pytest.mark.parametrize("runtime", installed(), ids=lambda runtime: runtime.name)
@pytest.mark.parametrize("network", ["mobilenet_v1_0.25_128", "mobilenet_v2_0.35_96"])
def test_inferred(runtime: Runtime, network: str) -> None:
    model = zoo.load(network)
    taken = {}
    outputs = {}
    for name, content in {"with": model, "without": without_shapes(model)}.items():
        delegate = runtime.load()
        interpreter = runtime.interpreter(content, [delegate])
        shape = interpreter.get_input_details()[0]["shape"]
        image = np.random.default_rng(0).integers(-128, 128, shape).astype(np.int8)
        outputs[name] = run(interpreter, image)[0]
        taken[name] = [(node.op, node.claimed, node.partition) for node in tvmq_delegate.report(delegate).nodes]
    assert taken["without"] == taken["with"]
    assert sum(claimed for _, claimed, _ in taken["without"]) > 25
    np.testing.assert_array_equal(outputs["without"], outputs["with"])


@pytest.mark.parametrize("runtime", installed(), ids=lambda runtime: runtime.name)
def test_learned(runtime: Runtime) -> None:
    """The tools cut nodes out of such a file as out of one with shapes: those that the runtime has found out."""
    model = zoo.load("mobilenet_v1_0.25_128")
    bare = without_shapes(model)
    learned = shaped(bare, runtime.module)
    assert [[tensor.shape for tensor in op.outputs] for op in models.ops(learned)] == [[tensor.shape for tensor in op.outputs] for op in models.ops(model)]
    assert shaped(model, runtime.module) is model
    result = tvmq_delegate.diff(bare, runtime=runtime.name, contenders=["reference", "tvmq"], per_op=True)
    assert any(op.op == "CONV_2D" for op in result.ops)
