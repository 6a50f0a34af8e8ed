"""Delegates and interpreters coming and going: memory, resizing, threads, processes, and the order in which things end."""

from __future__ import annotations

import functools
import gc
import itertools
import os
import pathlib
import signal
import threading
import time

import builders
import harness
import numpy as np
import pytest

import tvmq_delegate
from tvmq_delegate.models import zoo

CYCLES = 50 if harness.SLOW else 200


@pytest.fixture(scope="module")
def network() -> bytes:
    """Small and soon prepared, with a head, and QUANTIZE at both ends."""
    return zoo.mobilenet_v2(width=0.25, resolution=32 if harness.EMULATED else 64, classes=10, io_dtype="uint8")


def resident_bytes() -> int:
    return int(pathlib.Path("/proc/self/statm").read_text(encoding="utf-8").split()[1]) * os.sysconf("SC_PAGESIZE")


def cycle(runtime: harness.Runtime, content: bytes, options: dict | None = None) -> list[np.ndarray]:
    """One life: load, prepare, run, destroy."""
    interpreter = runtime.interpreter(content, [runtime.load(**(options or {}))])
    return harness.run(interpreter, *harness.random_inputs(interpreter, seed=0))


def test_affinity_is_the_inferences_alone(runtime, network):
    usable = os.sched_getaffinity(0)
    delegate = runtime.load(cpu_affinity=max(usable), num_threads=2)
    interpreter = runtime.interpreter(network, [delegate])
    inputs = harness.random_inputs(interpreter, seed=0)
    got = harness.run(interpreter, *inputs)
    assert tvmq_delegate.report(delegate).summary.threads == 1  # no more than the processors that there are
    assert os.sched_getaffinity(0) == usable
    for value, expected in zip(got, harness.run(runtime.interpreter(network), *inputs), strict=True):
        harness.assert_equal(value, expected)


@pytest.mark.parametrize("num_threads", [1, 2])
def test_many_lives(runtime, network, num_threads):
    """The process does not grow. That no block of the library is left, unit tests count."""
    sizes = []
    for lives in (CYCLES // 5, CYCLES, CYCLES):  # in the first the allocator and the runtime settle
        for _ in range(lives):
            cycle(runtime, network, {"num_threads": num_threads})
        gc.collect()
        sizes.append(resident_bytes())
    if not harness.SLOW:  # a sanitizer keeps what is freed, an emulator what it has translated
        growth = min(after - before for before, after in itertools.pairwise(sizes))  # the allocator takes more at times, a leak each time
        assert growth < CYCLES * 1024, "the process grows by more than 1 KiB a life"


@pytest.mark.parametrize(
    "build, channels",
    [
        (functools.partial(builders.build_conv, out_c=24, stride=(2, 1)), 16),
        (functools.partial(builders.build_depthwise, filter_size=(3, 5)), 40),
        (functools.partial(builders.build_depthwise, filter_size=(5, 3)), 4),  # of one pixel, or of some side by side
    ],
)
def test_resize_and_back(runtime, build, channels):
    """Another height, width and batch after delegation, and the first ones again; each time as the reference computes it. Weights are packed again only where
    another size wants another layout, or leaves taps of the filter nothing but padding."""
    content = build(in_shape=(1, 8, 8, channels))
    delegate = runtime.load()
    delegated, reference = runtime.interpreter(content, [delegate]), runtime.interpreter(content)
    packings = []
    for batch, height, width in [(1, 8, 8), (3, 8, 8), (1, 13, 5), (1, 1, 1), (2, 30, 30), (1, 8, 8)]:
        shape = (batch, height, width, channels)
        for interpreter in (delegated, reference):
            interpreter.resize_tensor_input(interpreter.get_input_details()[0]["index"], shape)
            interpreter.allocate_tensors()
        inputs = harness.random_inputs(reference, seed=sum(shape))
        assert inputs[0].shape == shape
        harness.assert_equal(harness.run(delegated, *inputs)[0], harness.run(reference, *inputs)[0], f"resized to {shape}")
        packings.append((tvmq_delegate.report(delegate).nodes[0].packing, height == width == 1))
    harness.assert_claimed(delegate)
    changes = sum(a != b for a, b in itertools.pairwise(packings))
    assert tvmq_delegate.report(delegate).summary.packs == 1 + changes, packings


def test_resize_to_the_window(runtime):
    """A window that is the whole image needs no im2col, and takes the same packed weights as other images."""
    content = builders.build_conv(in_shape=(4, 2, 2, 8), out_c=16, filter_size=(2, 2), padding="VALID")
    delegate = runtime.load(isa="c", machine="sapphire-rapids")
    delegated, reference = runtime.interpreter(content, [delegate]), runtime.interpreter(content)
    for size in (2, 4, 2, 5):
        for interpreter in (delegated, reference):
            interpreter.resize_tensor_input(interpreter.get_input_details()[0]["index"], (4, size, size, 8))
            interpreter.allocate_tensors()
        inputs = harness.random_inputs(reference, seed=size)
        harness.assert_equal(harness.run(delegated, *inputs)[0], harness.run(reference, *inputs)[0])
        (node,) = tvmq_delegate.report(delegate).nodes
        assert (node.algorithm == "rows") == (size == 2)
    assert tvmq_delegate.report(delegate).summary.packs == 1


def test_resize_to_other_channels(runtime):
    """One channel that becomes 24 outputs, two that become 12 each, 24 that stay: each is planned by what computes it best, on the same weights."""
    content = builders.build_depthwise(in_shape=(1, 12, 12, 1), filter_size=(3, 3), depth_multiplier=24)
    delegate = runtime.load()
    delegated, reference = runtime.interpreter(content, [delegate]), runtime.interpreter(content)
    kernels = []
    for channels in (1, 2, 24, 1):
        for interpreter in (delegated, reference):
            interpreter.resize_tensor_input(interpreter.get_input_details()[0]["index"], (1, 12, 12, channels))
            interpreter.allocate_tensors()
        inputs = harness.random_inputs(reference, seed=channels)
        harness.assert_equal(harness.run(delegated, *inputs)[0], harness.run(reference, *inputs)[0], f"{channels} channels")
        kernels.append(tvmq_delegate.report(delegate).nodes[0].kernel)
    harness.assert_claimed(delegate)
    assert kernels[0] == kernels[3] and all("_depthwise_" in kernel for kernel in kernels[1:3]), kernels


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16"])
@pytest.mark.parametrize("constant", [False, True])
def test_resized_inputs_of_add_are_broadcast(runtime, dtype, constant):
    """Inputs of one shape when they were claimed, of others later: along the batch, rows, columns, channels, and both ways at once; and of one again."""
    shape = (1, 6, 5, 16)
    other = np.random.default_rng(0).integers(np.iinfo(dtype).min, np.iinfo(dtype).max + 1, shape).astype(dtype) if constant else None
    content = builders.build_binary(dtype=dtype, shape=shape, other=other)
    delegate = runtime.load()
    delegated, reference = runtime.interpreter(content, [delegate]), runtime.interpreter(content)
    alone = [(3, 6, 5, 16), (1, 6, 5, 1), (1, 1, 1, 16), (3, 1, 5, 1), (1, 1, 1, 1), shape]
    pairs = [(a, b) for a in alone for b in (shape, (1, 1, 1, 16), (3, 6, 1, 1))]
    for shapes in [(a,) for a in alone] if constant else pairs:
        for interpreter in (delegated, reference):
            for detail, size in zip(interpreter.get_input_details(), shapes, strict=True):
                interpreter.resize_tensor_input(detail["index"], size)
            interpreter.allocate_tensors()
        inputs = harness.random_inputs(reference, seed=1)
        harness.assert_equal(harness.run(delegated, *inputs)[0], harness.run(reference, *inputs)[0], f"resized to {shapes}")
    harness.assert_claimed(delegate)


def test_batch_of_a_whole_network(runtime, network):
    """Tensors between delegated nodes, and between partitions, follow the batch."""
    delegated, reference = runtime.interpreter(network, [runtime.load()]), runtime.interpreter(network)
    for batch in (1, 3, 2):
        for interpreter in (delegated, reference):
            detail = interpreter.get_input_details()[0]
            interpreter.resize_tensor_input(detail["index"], [batch, *detail["shape"][1:]])
            interpreter.allocate_tensors()
        inputs = harness.random_inputs(reference, seed=batch)
        harness.assert_equal(harness.run(delegated, *inputs)[0], harness.run(reference, *inputs)[0], f"batch {batch}")


def test_weights_are_packed_once(runtime, network):
    """However often tensors are allocated, by the application or by the runtime's own delegate."""
    delegate = runtime.load()
    interpreter = runtime.interpreter(network, [delegate], resolver="AUTO")
    first = tvmq_delegate.report(delegate).summary
    for _ in range(5):
        interpreter.allocate_tensors()
        harness.run(interpreter, *harness.random_inputs(interpreter, seed=0))
    assert first.packs > 0 and tvmq_delegate.report(delegate).summary.packs == first.packs


def test_inputs_follow_each_other(runtime, network):
    """No state is carried from one inference to the next."""
    interpreter = runtime.interpreter(network, [runtime.load()])
    a, b = (harness.random_inputs(interpreter, seed) for seed in (1, 2))
    first = harness.run(interpreter, *a)
    harness.run(interpreter, *b)
    harness.assert_equal(harness.run(interpreter, *a)[0], first[0])


def test_interpreters_in_threads(runtime, network):
    """Several interpreters, each with its own delegate, prepared and run at the same time."""
    expected = cycle(runtime, network)
    failures: list[BaseException] = []

    def work(num_threads: int) -> None:
        try:
            for _ in range(3 if harness.EMULATED else 20):
                harness.assert_equal(cycle(runtime, network, {"num_threads": num_threads})[0], expected[0])
        except BaseException as error:  # a thread cannot fail a test itself
            failures.append(error)

    threads = [threading.Thread(target=work, args=(1 + i % 2,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures


def test_interpreters_side_by_side(runtime, network):
    """Alive together, run in turns."""
    interpreters = [runtime.interpreter(network, [runtime.load(num_threads=n)]) for n in (1, 2, 1)]
    inputs = harness.random_inputs(interpreters[0], seed=3)
    outputs = [harness.run(interpreter, *inputs)[0] for _ in range(2) for interpreter in interpreters]
    for output in outputs[1:]:
        harness.assert_equal(output, outputs[0])


@pytest.mark.parametrize("where", ["option", "interpreter"])
def test_num_threads(runtime, network, where):
    """The option wins, else the interpreter's number counts; never more than there are processors. The result does not depend on it."""
    expected = cycle(runtime, network)[0]
    for n in (1, 2, 7):
        delegate = runtime.load(**({"num_threads": n} if where == "option" else {}))
        interpreter = runtime.interpreter(network, [delegate], num_threads=n if where == "interpreter" else 1)
        harness.assert_equal(harness.run(interpreter, *harness.random_inputs(interpreter, seed=0))[0], expected)
        assert tvmq_delegate.report(delegate).summary.threads == min(n, tvmq_delegate.cpu().count)


def test_threads_of_many_interpreters(runtime, network):
    """None where nobody asks for any; else each delegate's own, as many as there are processors but one, which end with it."""

    def count() -> int:
        """Once it stays the same: threads that have ended are listed a little longer than it takes to join them."""
        last, now = -1, len(os.listdir("/proc/self/task"))
        while now != last:
            time.sleep(0.05)
            last, now = now, len(os.listdir("/proc/self/task"))
        return now

    before = count()
    quiet = [runtime.interpreter(network, [runtime.load()], num_threads=None) for _ in range(4)]
    assert count() == before
    busy = [runtime.interpreter(network, [runtime.load(num_threads=64)]) for _ in range(4)]
    assert count() == before + 4 * (min(64, tvmq_delegate.cpu().count) - 1)
    del quiet, busy
    gc.collect()
    assert count() == before


def test_delegate_is_let_go_first(runtime, network):
    """The interpreter keeps the delegate alive."""
    delegate = runtime.load()
    interpreter = runtime.interpreter(network, [delegate])
    expected = harness.run(interpreter, *harness.random_inputs(interpreter, seed=0))
    del delegate
    gc.collect()
    harness.assert_equal(harness.run(interpreter, *harness.random_inputs(interpreter, seed=0))[0], expected[0])


@pytest.mark.skipif(harness.SLOW, reason="a sanitizer keeps what is freed, an emulator what it has translated")
@pytest.mark.parametrize("prepared", [False, True])
def test_lives_without_inference(runtime, prepared):
    """Delegates that no interpreter gets, and interpreters that never run."""
    content = builders.build_conv()

    def live() -> None:
        delegate = runtime.load()
        if prepared:
            runtime.module.Interpreter(model_content=content, experimental_delegates=[delegate])

    # A leak grows in every round; an allocator that finds its heap in pieces, in one.
    growths = []
    for _ in range(4):
        before = resident_bytes()
        for _ in range(CYCLES):
            live()
        gc.collect()
        growths.append(resident_bytes() - before)
    assert min(growths) < CYCLES * 512, f"the process grows by more than half a KiB a life: {growths}"


def test_delegate_serves_one_interpreter(runtime, network):
    """The second interpreter is refused the delegate, or runs without it; the first goes on."""
    delegate = runtime.load()
    first = runtime.interpreter(network, [delegate])
    inputs = harness.random_inputs(first, seed=0)
    expected = harness.run(first, *inputs)
    try:
        second = runtime.interpreter(network, [delegate])
    except (RuntimeError, ValueError):
        second = None
    if second is not None:
        harness.assert_equal(harness.run(second, *inputs)[0], expected[0])
    harness.assert_equal(harness.run(first, *inputs)[0], expected[0])


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_fork(runtime, network):
    """A child loads and runs the delegate for itself, whatever threads its parent had."""
    expected = cycle(runtime, network, {"num_threads": 2})
    child = os.fork()
    if child == 0:
        try:
            same = cycle(runtime, network, {"num_threads": 2})[0].tobytes() == expected[0].tobytes()
            os._exit(0 if same else 1)
        finally:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    harness.assert_equal(cycle(runtime, network, {"num_threads": 2})[0], expected[0])


@pytest.mark.parametrize("num_threads", [1, 2])
def test_signals(runtime, network, num_threads):
    """A signal every half millisecond, the first of each round raising what Ctrl-C does: it comes after an inference, and the next one is as right as any."""
    interpreter = runtime.interpreter(network, [runtime.load(num_threads=num_threads)])
    inputs = harness.random_inputs(interpreter, seed=0)
    expected = harness.run(interpreter, *inputs)
    interrupts, armed = 0, False

    def on_signal(*_: object) -> None:
        nonlocal armed
        if armed:
            armed = False
            raise KeyboardInterrupt

    handler = signal.signal(signal.SIGALRM, on_signal)
    signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
    try:
        for _ in range(50):
            try:
                armed = True
                while armed:
                    interpreter.invoke()
            except KeyboardInterrupt:
                interrupts += 1
            harness.assert_equal(harness.run(interpreter, *inputs)[0], expected[0])
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
    assert interrupts == 50


def test_runtimes_side_by_side():
    """One library serves every runtime of the process, each through its own delegates."""
    content = builders.build_conv()
    interpreters = [runtime.interpreter(content, [runtime.load()]) for runtime in harness.installed()]
    if len(interpreters) < 2:
        pytest.skip("only one TFLite runtime is installed")
    inputs = harness.random_inputs(interpreters[0], seed=0)
    outputs = [harness.run(interpreter, *inputs)[0] for interpreter in interpreters]
    for output in outputs[1:]:
        harness.assert_equal(output, outputs[0])
