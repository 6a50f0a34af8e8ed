"""PADs in front of convolutions and max poolings: folded into them where that is exact, computed where it is not."""

from __future__ import annotations

import functools

import builders
import cases
import harness
import hybrid_cases
import numpy as np
import oracle
import pytest
from draws import Draw, randomly
from padded import Paddings, padded

import tvmq_delegate
from tvmq_delegate import models
from tvmq_delegate.binding import reference as reference_kernels

ISAS = [isa.name for isa in tvmq_delegate.binding.library.isas() if isa.available]


def margins(draw: Draw, shape: tuple[int, ...]) -> Paddings:
    """Paddings of height and width that leave something of a padded shape."""
    sides = []
    for size in shape[1:3]:
        before = draw.integer(0, min(3, size - 1))
        sides.append((before, draw.integer(0, min(3, size - 1 - before))))
    return [(0, 0), *sides, (0, 0)]


def a_value(draw: Draw, dtype: str) -> int:
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    return draw.choice([low, high]) if draw.boolean() else draw.integer(low, high)


def options(draw: Draw) -> dict:
    """Draws the options of load() that decide which kernels run."""
    return {"isa": draw.choice(ISAS), "winograd": draw.choice(["auto", "on"]), "num_threads": draw.integer(1, 2)}


def assert_folded(delegate: object) -> None:
    """Every node was taken, and the first is a PAD of which nothing is left."""
    harness.assert_claimed(delegate)
    pad = tvmq_delegate.report(delegate).nodes[0]
    assert (pad.folded_into, pad.how, pad.kernel, pad.packed_bytes) == (1, "folded into node 1", "", 0), pad


@pytest.mark.parametrize("shape", ["conv", "grouped", "depthwise"])
@pytest.mark.parametrize("kind", cases.KINDS)
@randomly
def test_random(runtime, kind, shape, draw):
    """Any convolution behind any PAD, on any kernels: as BUILTIN_REF computes both."""
    if (kind, shape) == ("int16, int32 bias", "depthwise"):
        return  # which no runtime has
    case = draw(cases.convolutions, kind, depthwise=shape == "depthwise", grouped=shape == "grouped")
    paddings = draw(margins, case.parameters["in_shape"])
    zero_point = case.parameters["in_zero_point"]
    how = {"operator": "PADV2", "value": zero_point} if draw.boolean() else {}
    content = padded(case.build(), paddings, paddings_dtype=draw.choice(["int32", "int64"]), **how)
    check(runtime, case, content, paddings, draw(options))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16"])
@randomly
def test_random_max_pool(runtime, dtype, draw):
    """Any max pooling behind any PAD, of any value."""
    case = draw(cases.pools, dtype, largest=True)
    paddings = draw(margins, case.parameters["in_shape"])
    how = {"operator": "PADV2", "value": draw(a_value, dtype)} if draw.boolean() else {}
    check(runtime, case, padded(case.build(), paddings, **how), paddings, draw(options))


def check(runtime: harness.Runtime, case: cases.Case, content: bytes, paddings: Paddings, options: dict) -> None:
    """The PAD is folded into the case's operator, and the results are BUILTIN_REF's."""
    try:
        reference = runtime.interpreter(content)
    except (RuntimeError, ValueError):
        harness.counts["padded operators that the reference refuses"] += 1
        reference = None
    delegate = runtime.load(**options)
    try:
        delegated = runtime.interpreter(content, [delegate])
    except (RuntimeError, ValueError):
        assert reference is None
        return
    if harness.depends_on_build(delegate):
        return
    assert_folded(delegate)
    for whole in case.inputs:
        source = whole[tuple(slice(before, size - after) for size, (before, after) in zip(whole.shape, paddings))]
        if reference:
            expected = harness.run(reference, source)[0]
        else:
            expected = oracle.output(case, np.pad(source, paddings, constant_values=case.parameters["in_zero_point"]))
        harness.assert_equal(harness.run(delegated, source)[0], expected)
    harness.counts["padded operators compared"] += 1


@pytest.mark.parametrize("operator", ["CONV_2D", "DEPTHWISE_CONV_2D"])
@randomly
def test_random_hybrid(runtime, operator, draw):
    """Any convolution of float32 with int8 weights behind a PAD of zeros, which it quantizes with the rest."""
    case = draw(hybrid_cases.hybrids, operator)
    if hybrid_cases.reason_to_refuse(runtime, case):
        return
    paddings = draw(margins, case.parameters["in_shape"])
    content = padded(case.build(), paddings)
    delegate = runtime.load(**draw(options))
    delegated, reference = runtime.interpreter(content, [delegate]), runtime.interpreter(content)
    assert_folded(delegate)
    for whole in case.inputs:
        source = whole[tuple(slice(before, size - after) for size, (before, after) in zip(whole.shape, paddings))]
        harness.assert_equal(harness.run(delegated, source)[0], harness.run(reference, source)[0])
    harness.counts["padded hybrid operators compared"] += 1


@pytest.mark.parametrize("margins", [(0, 0, 0, 0), (1, 1, 1, 1), (1, 0, 1, 0), (0, 1, 0, 0)])
@pytest.mark.parametrize("build", [builders.build_conv, builders.build_depthwise])
def test_hybrid_rounding(runtime, build, margins):
    """Kernels that round eight elements at a time, and the rest otherwise, count the PAD's zeros."""
    top, bottom, left, right = margins
    shape = (1, top + 3 + bottom, left + 3 + right, 3)
    content = padded(
        build(in_shape=shape, filter_size=(1, 1), padding="VALID", dtype="float32", filter_dtype="int8"), [(0, 0), (top, bottom), (left, right), (0, 0)]
    )
    source = np.full((1, 3, 3, 3), np.nextafter(np.float32(0.5), np.float32(0)))
    source.flat[:2] = 127, -128  # steps of 1
    delegate = runtime.load()
    delegated, reference = runtime.interpreter(content, [delegate]), runtime.interpreter(content)
    harness.assert_equal(harness.run(delegated, source)[0], harness.run(reference, source)[0])


def test_hybrid_with_a_large_pad(runtime):
    """The PAD is folded however small its input is, or becomes."""
    conv = builders.build_conv(in_shape=(1, 1100, 1100, 2), stride=(20, 20), padding="VALID", dtype="float32", filter_dtype="int8")
    content = padded(conv, [(0, 0), (400, 400), (400, 400), (0, 0)])
    delegate = runtime.load()
    delegated, reference = runtime.interpreter(content, [delegate]), runtime.interpreter(content)
    for size in (300, 2, 300):
        for interpreter in (delegated, reference):
            interpreter.resize_tensor_input(interpreter.get_input_details()[0]["index"], (1, size, size, 2))
            interpreter.allocate_tensors()
        (source,) = harness.random_inputs(reference, seed=size)
        harness.assert_equal(harness.run(delegated, source)[0], harness.run(reference, source)[0])
        if reference_kernels.found("hybrid", runtime.module) != "auto":
            assert_folded(delegate)


CONV = functools.partial(builders.build_conv, in_shape=(1, 10, 10, 8), out_c=8)
EVEN = [(0, 0), (1, 1), (1, 1), (0, 0)]

# Name -> model. Each PAD is computed.
COMPUTED = {
    "a value that is not the zero point": lambda: padded(CONV(in_zero_point=3), EVEN, operator="PADV2", value=4),
    "another scale": lambda: padded(CONV(in_scale=0.5), EVEN, scale=0.25),
    "padded channels": lambda: padded(CONV(), [(0, 0), (1, 1), (1, 1), (0, 2)]),
    "an output of the model": lambda: padded(CONV(), EVEN, exposed=True),
    "a reader that is left": lambda: padded(CONV(activation="TANH"), EVEN),
    "a max pooling of float32": lambda: padded(builders.build_max_pool(padding="VALID", in_shape=(1, 10, 10, 8), dtype="float32"), EVEN),
    "an average pooling": lambda: padded(builders.build_average_pool(padding="VALID", in_shape=(1, 10, 10, 8)), EVEN),
    "a reader without a border": lambda: padded(builders.build_quantize(in_dtype="int8", out_dtype="uint8"), EVEN),
}


@pytest.mark.parametrize("name", COMPUTED)
def test_computed(runtime, name):
    """A PAD that cannot be folded is a copy."""
    content = COMPUTED[name]()
    delegate = runtime.load()
    delegated, reference = runtime.interpreter(content, [delegate]), runtime.interpreter(content)
    pad = tvmq_delegate.report(delegate).nodes[0]
    assert (pad.claimed, pad.folded_into, pad.how) == (True, -1, "copies"), pad
    inputs = harness.random_inputs(delegated, seed=0)
    for got, expected in zip(harness.run(delegated, *inputs), harness.run(reference, *inputs), strict=True):
        harness.assert_equal(got, expected, name)


# Name -> model, what the reason says.
REFUSED = {
    "a value of another zero point": (
        lambda: padded(CONV(in_zero_point=3), EVEN, operator="PADV2", value=3, value_zero_point=0),
        "scale or zero point of the padding value",
    ),
    "paddings that are an input": (lambda: padded(CONV(), None, in_shape=(1, 8, 8, 8)), "paddings are not constant"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused(runtime, name):
    build, reason = REFUSED[name]
    content = build()
    expected_from = runtime.interpreter(content)
    delegate = runtime.load()
    delegated = runtime.interpreter(content, [delegate])
    pad = tvmq_delegate.report(delegate).nodes[0]
    assert (pad.claimed, pad.folded_into, pad.how) == (False, -1, pad.reason) and reason in pad.reason, pad
    inputs = harness.random_inputs(delegated, seed=0)
    if "paddings that are" in name:
        inputs[1] = np.array(EVEN, np.int32)
    if "another zero point" in name:  # an error when it runs, or garbage
        return
    for got, expected in zip(harness.run(delegated, *inputs), harness.run(expected_from, *inputs), strict=True):
        harness.assert_equal(got, expected, name)


def forked(reader: str) -> bytes:
    """One PAD, read by a convolution and by another operator."""
    builder = models.ModelBuilder()
    values = np.random.default_rng(0).integers(-127, 128, (8, 3, 3, 8), np.int8)
    source = builder.add_tensor("input", (1, 9, 9, 8), "int8", scale=0.1, zero_point=5)
    between = builder.add_tensor("padded", (1, 12, 11, 8), "int8", scale=0.1, zero_point=5)
    builder.add_op("PAD", [source, builder.add_tensor("paddings", (4, 2), "int32", data=np.array([(0, 0), (1, 2), (2, 0), (0, 0)]))], [between])
    bias = builder.add_tensor("bias", (8,), "int32", scale=0.001, data=np.arange(8))
    options = dict(padding="VALID", stride_h=2, stride_w=2)
    outputs = [builder.add_tensor(name, (1, 5, 5, 8), "int8", scale=scale, zero_point=5) for name, scale in (("conv", 0.3), ("other", 0.1))]
    weights = builder.add_tensor("filter", values.shape, "int8", scale=0.01, data=values)
    builder.add_op("CONV_2D", [between, weights, bias], outputs[:1], **options)
    if reader == "DEPTHWISE_CONV_2D":
        weights = builder.add_tensor("filter", (1, 3, 3, 8), "int8", scale=0.01, data=values[:1], dimension=3)
        builder.add_op(reader, [between, weights, bias], outputs[1:], depth_multiplier=1, **options)
    else:
        builder.add_op(reader, [between], outputs[1:], filter_height=3, filter_width=3, **options)
    return builder.build([source], outputs)


@pytest.mark.parametrize("reader", ["DEPTHWISE_CONV_2D", "MAX_POOL_2D", "AVERAGE_POOL_2D"])
def test_two_readers(runtime, reader):
    """Both take the PAD in, or neither."""
    content = forked(reader)
    delegate = runtime.load()
    delegated, reference = runtime.interpreter(content, [delegate]), runtime.interpreter(content)
    inputs = harness.random_inputs(reference, seed=0)
    for got, expected in zip(harness.run(delegated, *inputs), harness.run(reference, *inputs), strict=True):
        harness.assert_equal(got, expected, reader)
    pad, conv, other = tvmq_delegate.report(delegate).nodes
    folded = reader != "AVERAGE_POOL_2D"
    assert pad.claimed and conv.claimed and other.claimed
    assert pad.how == ("folded into node 1, 2" if folded else "copies")


def test_after_each_other(runtime):
    """The second of two PADs, before the convolution, is folded, and the other computed."""
    content = padded(padded(CONV(), EVEN), EVEN)
    delegate = runtime.load()
    delegated, reference = runtime.interpreter(content, [delegate]), runtime.interpreter(content)
    inputs = harness.random_inputs(reference, seed=0)
    harness.assert_equal(harness.run(delegated, *inputs)[0], harness.run(reference, *inputs)[0])
    assert [node.how for node in tvmq_delegate.report(delegate).nodes][:2] == ["copies", "folded into node 2"]


@pytest.mark.parametrize("resolver", ["BUILTIN_REF", "AUTO"])
@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize("build", [functools.partial(build, in_shape=(1, 10, 10, 8)) for build in (CONV, builders.build_depthwise, builders.build_max_pool)])
def test_resize(runtime, build, padding, resolver):
    """The padded tensor follows the input, though nothing writes it; the weights stay packed."""
    content = padded(build(padding=padding, stride=(2, 1)), EVEN)
    delegate = runtime.load()
    delegated, reference = runtime.interpreter(content, [delegate], resolver=resolver), runtime.interpreter(content)
    for batch, height, width in [(1, 8, 8), (3, 8, 8), (1, 13, 5), (1, 2, 2), (2, 30, 31), (1, 8, 8)]:
        for interpreter in (delegated, reference):
            interpreter.resize_tensor_input(interpreter.get_input_details()[0]["index"], (batch, height, width, 8))
            interpreter.allocate_tensors()
        inputs = harness.random_inputs(reference, seed=height)
        harness.assert_equal(harness.run(delegated, *inputs)[0], harness.run(reference, *inputs)[0], f"{batch} x {height} x {width}")
        shapes = [tuple(interpreter.get_tensor_details()[0]["shape"]) for interpreter in (delegated, reference)]
        assert shapes[0] == shapes[1] == (batch, height + 2, width + 2, 8)
    assert_folded(delegate)


def test_takes_no_time(runtime):
    """The clock of the convolution is that of both."""
    delegate = runtime.load(profile=True, num_threads=2)
    interpreter = runtime.interpreter(padded(CONV(), EVEN), [delegate])
    for _ in range(3):
        harness.run(interpreter, *harness.random_inputs(interpreter, seed=0))
    assert_folded(delegate)
    (profiled,) = tvmq_delegate.profile(delegate)
    assert (profiled.node.node, profiled.timing.count) == (1, 3)
    assert {span.node for span in tvmq_delegate.spans(delegate)} == {1}


@pytest.mark.parametrize("rounding", ["reference", "upward", "single"])
def test_rounding(runtime, rounding):
    """A border means the same under every rounding."""
    content, whole = padded(CONV(), EVEN), CONV()
    source = harness.random_inputs(runtime.interpreter(content), seed=2)[0]
    zero_point = models.ops(content)[0].inputs[0].quantization.zero_point[0]
    got, expected = (
        harness.run(runtime.interpreter(each, [runtime.load(rounding=rounding)]), values)[0]
        for each, values in ((content, source), (whole, np.pad(source, EVEN, constant_values=zero_point)))
    )
    harness.assert_equal(got, expected)
