"""tvmq_delegate.Network: whole models without a runtime, bit for bit as the runtimes' reference kernels compute them."""

from __future__ import annotations

import concurrent.futures
import pathlib
import random
from collections.abc import Callable

import builders
import cases
import damage
import elementwise_cases
import harness
import hostile_models
import hybrid_cases
import moves
import numpy as np
import pytest
from draws import Draw, randomly

import tvmq_delegate
from tvmq_delegate import models
from tvmq_delegate.binding.reference import found
from tvmq_delegate.models import flatbuffer, zoo

Inputs = Callable[[object, int], list[np.ndarray]]
CONV = builders.build_conv()
CHAIN = (harness.REPOSITORY / "tests/fuzz/corpus_network/chain.tflite").read_bytes()


def opened(runtime: harness.Runtime, model: bytes, **options: object) -> tvmq_delegate.Network:
    return tvmq_delegate.Network(model, runtime=runtime.module, **options)


def small_indices(interpreter: object, seed: int) -> list[np.ndarray]:
    """Random inputs whose integers of 32 and 64 bits lie within any table."""
    return [values % 16 if values.dtype in (np.int32, np.int64) else values for values in harness.random_inputs(interpreter, seed)]


def assert_same(runtime: harness.Runtime, model: bytes, seeds: int = 1, inputs: Inputs = harness.random_inputs, **options: object) -> None:
    """The network's outputs, and what it says of inputs and outputs, are the reference interpreter's."""
    reference = runtime.interpreter(model)
    with opened(runtime, model, **options) as network:
        for tensors, details in ((network.inputs, reference.get_input_details()), (network.outputs, reference.get_output_details())):
            for tensor, detail in zip(tensors, details, strict=True):
                assert (tensor.name, tensor.index, np.dtype(tensor.dtype)) == (detail["name"], detail["index"], np.dtype(detail["dtype"]))
                assert (tensor.scale, tensor.zero_point) == detail["quantization"]
                assert tensor.shape == tuple(detail["shape"])
        for seed in range(seeds):
            values = inputs(reference, seed)
            for got, expected in zip(network.run(*values), harness.run(reference, *values), strict=True):
                harness.assert_equal(got, expected)


def is_whole(runtime: harness.Runtime, model: bytes | str) -> bool:
    """Whether the delegate takes every node in a runtime."""
    delegate = runtime.load()
    interpreter = runtime.interpreter(model, [delegate])
    report = tvmq_delegate.report(delegate)
    del interpreter
    return report.summary.claimed == report.summary.nodes and report.summary.subgraphs == 1


def test_networks(runtime: harness.Runtime, networks: pathlib.Path) -> None:
    """A network is opened exactly where the delegate takes it as a whole, and differs in no element."""
    paths = [*networks.glob("*.tflite"), *networks.glob("exported/*.tflite")]
    whole = [path for path in paths if loads(runtime, path) and is_whole(runtime, str(path))]
    for path in paths:
        if path in whole:
            assert_same(runtime, path.read_bytes(), inputs=small_indices)
        elif loads(runtime, path):
            with pytest.raises(RuntimeError):
                opened(runtime, path.read_bytes())
    assert len(whole) > 10
    harness.counts["networks without a runtime compared"] += len(whole)


def loads(runtime: harness.Runtime, path: pathlib.Path) -> bool:
    """Whether a runtime has reference kernels for all nodes."""
    try:
        runtime.interpreter(str(path))
    except (RuntimeError, ValueError):
        return False
    return True


# Drawers of models of one operator: every table of options, and operators without.
DRAWN: dict[str, Callable[[Draw], cases.Case | moves.Move]] = {
    "conv": lambda draw: draw(cases.convolutions, draw.choice([*cases.KINDS])),
    "depthwise": lambda draw: draw(cases.convolutions, draw.choice(["int8", "uint8", "int16"]), depthwise=True),
    "transpose_conv": lambda draw: draw(cases.transpose_convolutions, draw.choice(["int8", "uint8", "int16"])),
    "fully_connected": lambda draw: draw(cases.fully_connecteds, draw.choice([*cases.KINDS])),
    "hybrid": lambda draw: draw(hybrid_cases.hybrids, draw.choice(["CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED"])),
    "resize_bilinear": lambda draw: draw(cases.bilinear_resizes, draw.choice(["int8", "uint8", "int16"])),
    "reduce": lambda draw: draw(cases.reductions, draw.choice(["MEAN", "SUM", "REDUCE_MAX", "REDUCE_MIN"]), draw.choice(["int8", "uint8", "int16"])),
    "softmax": lambda draw: draw(cases.softmaxes, *draw.choice([*cases.SOFTMAX_PAIRS]), 400),
    "arg_max": lambda draw: draw(cases.arg_maxima, draw.choice(["int8", "uint8"])),
    "lookup": lambda draw: draw(cases.lookups, index_dtype="uint8", row_scales=False),
    "reshape": lambda draw: draw(cases.reshapes, draw.choice(["int8", "uint8", "int16"])),
    "quantize": lambda draw: draw(cases.quantizes, *draw.choice([*cases.QUANTIZE_PAIRS])),
    "pool": lambda draw: draw(cases.pools, draw.choice(["int8", "uint8", "int16"]), draw.boolean()),
    "concatenation": lambda draw: draw(cases.concatenations, draw.choice(["int8", "uint8", "int16"])),
    "binary": lambda draw: draw(elementwise_cases.binaries, draw.choice(["ADD", "SUB", "MUL", "MAXIMUM", "SQUARED_DIFFERENCE"]), "int8"),
    "binary_16": lambda draw: draw(elementwise_cases.binaries, draw.choice(["ADD", "SUB", "MUL"]), "int16"),
    "unary": lambda draw: draw(elementwise_cases.unaries, draw.choice(["LEAKY_RELU", "HARD_SWISH", "LOGISTIC", "ABS"]), "int8"),
    "condition": lambda draw: draw(elementwise_cases.conditions, draw.choice([*elementwise_cases.CONDITIONS])),
    "cast": lambda draw: draw(elementwise_cases.casts, draw.choice(["int8", "int16", "int32"])),
    "move": lambda draw: draw(draw.choice([*moves.MOVES.values()])),
}


@pytest.mark.parametrize("operator", DRAWN)
@randomly
def test_operators(runtime: harness.Runtime, operator: str, draw: Draw) -> None:
    """All options of an operator reach its reader: what the delegate takes in a runtime, the network computes; and nothing else."""
    model = DRAWN[operator](draw).build()
    try:
        runtime.interpreter(model)
        whole = is_whole(runtime, model)
    except (RuntimeError, ValueError):
        return
    if whole:
        assert_same(runtime, model)
        harness.counts["random networks of one operator compared"] += 1
        return
    with pytest.raises(RuntimeError, match="1 of 1 nodes cannot be computed"):
        opened(runtime, model)


def test_paths_bytes_and_names(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "chain.tflite"
    path.write_bytes(CHAIN)
    values = np.arange(192, dtype=np.uint8).reshape(1, 8, 8, 3)
    results = []
    for source in (path, str(path), CHAIN, bytearray(CHAIN), memoryview(b"x" + CHAIN)[1:]):  # the last is not aligned
        network = tvmq_delegate.Network(source, num_threads=2)
        results += [network.run(values)[0], network.run(**{network.inputs[0].name: values})[0]]
    assert all((result == results[0]).all() for result in results)
    for wrong in ((), (values, values), (values.astype(np.int8),), (values[:, :4],)):
        with pytest.raises(ValueError, match="takes"):
            network.run(*wrong)
    with pytest.raises(ValueError, match="takes one array"):
        network.run(values, **{network.inputs[0].name: values})
    with pytest.raises(ValueError, match="takes one array"):
        network.run(absent=values)


def behind(model: bytes, odd: int) -> bytes:
    """The same model with its constants after the flatbuffer, as in large files; at odd addresses if `odd` is 1."""
    root = flatbuffer.read(model)
    full = [buffer for buffer in root.buffers if buffer.data is not None and len(buffer.data)]
    contents = [bytes(buffer.data) for buffer in full]
    for buffer, content in zip(full, contents, strict=True):
        buffer.data, buffer.offset, buffer.size = None, 2, len(content)  # any offset but 0 and 1: the file's size depends on no other
    start = len(flatbuffer.write(root)) // 64 * 64 + 64
    data = bytearray()
    for buffer, content in zip(full, contents, strict=True):
        buffer.offset = start + len(data) + odd
        data += (bytes(odd) + content).ljust((len(content) + odd) // 16 * 16 + 16)
    return flatbuffer.write(root).ljust(start, b"\0") + data


@pytest.mark.parametrize("odd", [0, 1])
@pytest.mark.parametrize("build", hostile_models.MODELS.values(), ids=hostile_models.MODELS)
def test_constants_behind_the_flatbuffer(build: Callable[[], bytes], odd: int) -> None:
    """Wherever they lie, the result is the same; only constants that are read in place may have to be aligned."""
    model = build()
    expected = tvmq_delegate.Network(model)
    values = [np.full(tensor.shape, 7, tensor.dtype) for tensor in expected.inputs]
    try:
        moved = tvmq_delegate.Network(behind(model, odd))
    except RuntimeError as error:
        assert odd and "not aligned" in str(error)
        return
    for got, same in zip(moved.run(*values), expected.run(*values), strict=True):
        harness.assert_equal(got, same)


def test_constants_behind_the_end() -> None:
    with pytest.raises(RuntimeError, match="data exceeds the file"):
        tvmq_delegate.Network(behind(CONV, 0)[:-40])


def test_constant_outputs() -> None:
    """An output may be a constant, whose buffer may have more bytes than the shape, but not fewer."""
    for extra in (0, 4, -1):
        root = flatbuffer.read(CONV)
        graph = root.subgraphs[0]
        bias = graph.operators[0].inputs[2]
        buffer = root.buffers[graph.tensors[bias].buffer]
        content = bytes(buffer.data)
        graph.outputs = (*graph.outputs, bias)
        buffer.data = content + bytes(extra) if extra > 0 else content[: len(content) + extra]
        model = flatbuffer.write(root)
        if extra < 0:
            with pytest.raises(RuntimeError, match="fewer bytes than its shape needs"):
                tvmq_delegate.Network(model)
            continue
        network = tvmq_delegate.Network(model)
        (values,) = [np.zeros(tensor.shape, tensor.dtype) for tensor in network.inputs]
        assert network.run(values)[1].tobytes() == content


def test_threads_take_turns() -> None:
    """Threads that share a network get the results of their own inputs, also while it is resized and when it is closed."""
    network = tvmq_delegate.Network(CHAIN, num_threads=2)
    inputs = [np.full((1, 8, 8, 3), value, np.uint8) for value in (3, 80, 200, 255)]
    expected = [network.run(values)[0] for values in inputs]
    stopped = []

    def use(index: int) -> None:
        for i in range(300):
            try:
                if not (network.run(inputs[index])[0] == expected[index]).all():
                    stopped.append(f"thread {index}, run {i}")
                if i % 50 == 49:
                    network.resize((1, 8, 8, 3))
            except RuntimeError as error:
                assert "closed" in str(error)
                return

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        done = [pool.submit(use, index) for index in range(4)]
        done[0].result()
        network.close()
        for each in done:
            each.result()
    assert not stopped


def test_bytes_that_change_are_copied() -> None:
    """A model in memory that can be written to may be reused at once."""
    content = bytearray(len(CHAIN) + 16)
    at = -np.frombuffer(content, np.uint8).ctypes.data % 16
    content[at : at + len(CHAIN)] = CHAIN
    network = tvmq_delegate.Network(memoryview(content)[at : at + len(CHAIN)])
    values = np.arange(192, dtype=np.uint8).reshape(1, 8, 8, 3)
    content[:] = b"\xff" * len(content)
    network.resize((2, 8, 8, 3))  # which reads constants again
    network.resize((1, 8, 8, 3))
    harness.assert_equal(network.run(values)[0], tvmq_delegate.Network(CHAIN).run(values)[0])


def test_resize(runtime: harness.Runtime) -> None:
    reference = runtime.interpreter(CHAIN)
    network = opened(runtime, CHAIN)
    for shape in [(1, 8, 8, 3), (2, 13, 9, 3), (1, 8, 8, 3)]:
        reference.resize_tensor_input(reference.get_input_details()[0]["index"], shape)
        reference.allocate_tensors()
        network.resize(shape)
        values = harness.random_inputs(reference, 3)
        harness.assert_equal(network.run(*values)[0], harness.run(reference, *values)[0])
    with pytest.raises(RuntimeError, match="cannot be prepared"):
        network.resize((1, 8, 8, 5))
    for use in (network.invoke, lambda: network.run(*values), lambda: network.output(0)):
        with pytest.raises(RuntimeError, match="not prepared"):
            use()
    for wrong in [(1,) * 9, (1, 8, -8, 3)]:
        with pytest.raises(RuntimeError, match="dimension"):
            network.resize(wrong)
    with pytest.raises(ValueError, match="1 input"):
        network.resize()
    network.resize((1, 8, 8, 3))
    harness.assert_equal(network.run(*values)[0], harness.run(reference, *values)[0])


def test_it_is_asked_as_a_delegate() -> None:
    with tvmq_delegate.Network(CHAIN, profile=True) as network:
        report = tvmq_delegate.report(network)
        assert report.summary.claimed == len(report.nodes) > 8 and report.summary.partitions == 1
        first = next(index for index in range(len(report.nodes)) if tvmq_delegate.signature(network, index))
        network.invoke()
        expected = network.output(0)
        for candidate in range(len(tvmq_delegate.candidates(network, first))):
            tvmq_delegate.force(network, first, candidate)
            network.invoke()
            assert (network.output(0) == expected).all()
        assert max(profiled.timing.count for profiled in network.profile()) > 1
    for use in (network.invoke, network.report, lambda: network.run(), lambda: network.set_input(0, expected)):
        with pytest.raises((RuntimeError, ValueError)):
            use()
    network.close()
    with pytest.raises(ValueError, match="profile=True"):
        tvmq_delegate.profile(tvmq_delegate.Network(CHAIN))


def test_refusals(tmp_path: pathlib.Path) -> None:
    """All nodes that cannot be computed are listed; options, files and malformed models fail in their own ways."""
    with pytest.raises(RuntimeError) as refused:
        tvmq_delegate.Network(two_unknown())
    first, *listed = str(refused.value).splitlines()
    assert first == "2 of 3 nodes cannot be computed" and len(listed) == 2 and all("L2_NORMALIZATION" in line for line in listed)
    with pytest.raises(RuntimeError, match="has the wrong identifier"):
        tvmq_delegate.Network(b"")
    with pytest.raises(RuntimeError):
        tvmq_delegate.Network(CHAIN[:-50])
    with pytest.raises(FileNotFoundError):
        tvmq_delegate.Network(tmp_path / "none.tflite")
    with pytest.raises(IsADirectoryError):
        tvmq_delegate.Network(tmp_path)
    for options in ({"runtime": "x"}, {"isa": "x"}, {"unknown": 1}):
        with pytest.raises(ValueError, match="option"):
            tvmq_delegate.Network(CHAIN, **options)


def two_unknown() -> bytes:
    """A QUANTIZE between two operators that the delegate has no kernels for."""
    builder = models.ModelBuilder()
    tensors = [builder.add_tensor(f"t{i}", (1, 4), "int8", scale=1 / 128) for i in range(4)]
    builder.add_op("L2_NORMALIZATION", tensors[:1], tensors[1:2])
    builder.add_op("QUANTIZE", tensors[1:2], tensors[2:3])
    builder.add_op("L2_NORMALIZATION", tensors[2:3], tensors[3:])
    return builder.build(tensors[:1], tensors[3:])


def test_empty_data_is_none() -> None:
    """A buffer with an empty vector is what some converters write for tensors that are computed."""
    builder = models.ModelBuilder()
    x, y = (builder.add_tensor(name, (1, 4), "int8", scale=0.5, data=b"") for name in "xy")
    builder.add_op("RELU", [x], [y])
    (output,) = tvmq_delegate.Network(builder.build([x], [y])).run(np.array([[-3, 0, 5, 127]], np.int8))
    assert output.tolist() == [[0, 0, 5, 127]]


def test_hybrid_and_runtimes(runtime: harness.Runtime) -> None:
    """The named runtime's arithmetic is that of the runtime itself."""
    named = {"ai_edge_litert": "litert", "tflite_runtime": "tflite"}.get(runtime.name)
    if named is None:
        pytest.skip("no name stands for this runtime")
    questions = harness.REPOSITORY / "python/tvmq_delegate/binding/questions"
    hybrids = () if found("hybrid", runtime.module) == "auto" else ("hybrid", "hybrid_sums")  # tflite-runtime on Arm
    for model in (builders.build_fully_connected(), *(questions.joinpath(f"{name}.tflite").read_bytes() for name in hybrids)):
        reference = runtime.interpreter(model)
        values = harness.random_inputs(reference, 5)
        harness.assert_equal(tvmq_delegate.Network(model, runtime=named).run(*values)[0], harness.run(reference, *values)[0])


def test_weights_are_shared() -> None:
    """A second instance of a network adds far less memory than its packed weights."""
    model = zoo.load("mobilenet_v1_0.25_128")
    networks = [tvmq_delegate.Network(model)]
    packed = networks[0].report().summary.packed_bytes
    before = resident()
    networks += [tvmq_delegate.Network(model) for _ in range(8)]
    assert resident() - before < 8 * packed / 2 or harness.SLOW
    assert all(network.report().summary.packed_bytes == packed for network in networks)


def resident() -> int:
    pages = int(pathlib.Path("/proc/self/statm").read_text(encoding="utf-8").split()[1])
    return pages * 4096


@pytest.mark.parametrize("how", [damage.truncated, damage.flipped, damage.rewritten])
@randomly
def test_damaged_models(how: Callable[[bytes, random.Random], bytes], draw: Draw) -> None:
    """Whatever is in a file, it is opened or refused with a reason; and what opens runs, unless that would take long."""
    damaged = how(draw.choice([CHAIN, CONV]), draw.numbers)
    try:
        network = tvmq_delegate.Network(damaged, log_severity="silent")
    except RuntimeError as error:
        assert str(error)
        harness.counts["damaged networks refused"] += 1
        return
    small = sum(int(np.prod(tensor.shape)) for tensor in network.inputs + network.outputs) < 1 << 16 and network.report().summary.arena_bytes < 1 << 20
    if small and sum(node.macs for node in network.report().nodes) < 1 << 22:
        try:
            network.invoke()
            harness.counts["damaged networks run"] += 1
        except RuntimeError as error:
            assert str(error)
