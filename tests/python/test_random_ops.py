"""Random one-op models against the reference kernels of each runtime: every element equal, every node claimed."""

from __future__ import annotations

import builders
import cases
import elementwise_cases
import harness
import numpy as np
import oracle
import pytest
from builders.elementwise_op import BINARY
from draws import randomly

import tvmq_delegate
from tvmq_delegate.binding import reference


def check(runtime: harness.Runtime, case: cases.Case, unless: str | None = None, resolver: str = "BUILTIN_REF", **options: int) -> None:
    """The delegate's answer is the resolver's, and it is the delegate that answered. What the reference lacks, the delegate may refuse as well, or compute.

    unless: a reason for which the delegate may leave the node to the runtime, besides that the result depends on how the runtime was compiled.
    """
    content = case.build()
    try:
        reference = runtime.interpreter(content, resolver=resolver)
    except (RuntimeError, ValueError):
        harness.counts["random models that the reference refuses"] += 1
        reference = None
    delegate = runtime.load(**options)
    try:
        delegated = runtime.interpreter(content, [delegate], resolver=resolver)
    except (RuntimeError, ValueError):
        assert reference is None
        return
    if harness.depends_on_build(delegate):
        return
    if unless and any(unless in node.reason for node in tvmq_delegate.report(delegate).nodes):
        harness.counts[f"random models left to the runtime: {unless}"] += 1
        return
    harness.assert_claimed(delegate)
    for source in case.inputs:
        tensors = cases.tensors(source)
        expected = harness.run(reference, *tensors)[0] if reference else oracle.output(case, source)
        got = harness.run(delegated, *tensors)[0]
        if got.dtype == np.float32:  # whose NaN is NaN, with any bits
            got, expected = (np.where(np.isnan(floats), np.float32(np.nan), floats) for floats in (got, expected))
        harness.assert_equal(got, expected)
    harness.counts["random models compared"] += 1


@pytest.mark.parametrize("kind", cases.KINDS)
@randomly
def test_conv(runtime, kind, draw):
    check(runtime, draw(cases.convolutions, kind))


@pytest.mark.parametrize("kind", cases.KINDS)
@randomly
def test_grouped_conv(runtime, kind, draw):
    check(runtime, draw(cases.convolutions, kind, grouped=True))


@pytest.mark.parametrize("kind", [kind for kind in cases.KINDS if kind != "int16, int32 bias"])  # which depthwise convolution does not have
@randomly
def test_depthwise(runtime, kind, draw):
    check(runtime, draw(cases.convolutions, kind, depthwise=True))


@pytest.mark.parametrize("kind", [kind for kind in cases.KINDS if kind != "int16, int32 bias"])  # which TRANSPOSE_CONV has from version 5 on
@randomly
def test_transpose_conv(runtime, kind, draw):
    check(runtime, draw(cases.transpose_convolutions, kind))


@pytest.mark.parametrize("kind", cases.KINDS)
@randomly
def test_fully_connected(runtime, kind, draw):
    case = draw(cases.fully_connecteds, kind)
    reason = reason_to_refuse(runtime, case)
    if reason:
        harness.assert_refused(runtime, case.build(), reason)
    else:
        # One scale of bytes in thousands has no multiplier: test_fit_product.c says which. Products of 16x8 in float64 may exceed the reference's int32.
        in_float64 = kind.startswith("int16") and reference.found("fully_connected", runtime.module) == "float64"
        too_large = "input scale x weight scale / output scale is too large"
        check(runtime, case, unless=too_large if in_float64 else "no fixed-point multiplier reproduces the reference's float64 scaling")


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16"])
@randomly
def test_resize_bilinear(runtime, dtype, draw):
    check(runtime, draw(cases.bilinear_resizes, dtype))


def reason_to_refuse(runtime: harness.Runtime, case: cases.Case) -> str | None:
    """Where the reference kernels of a runtime's version do what the delegate cannot, or what nobody means."""
    p = case.parameters
    if reference.found("fully_connected", runtime.module) == "float64":
        narrow = p["dtype"] == "int16" and p["bias_dtype"] == "int32" and p["bias"] is not False
        return "the reference takes an int32 bias of 16x8 for int64" if narrow else None
    scattered = p["keep_num_dims"] and len(p["in_shape"]) != 2 and np.size(p["filter_scale"]) > 1
    return "keep_num_dims with per-channel scales: the input is not 2-dimensional" if scattered else None


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16"])
@pytest.mark.parametrize("operator", ["MEAN", "SUM", "REDUCE_MAX", "REDUCE_MIN"])
@randomly
def test_reduction(runtime, operator, dtype, draw):
    case = draw(cases.reductions, operator, dtype)
    if operator == "SUM" and dtype != "uint8":
        harness.assert_refused(runtime, case.build(), "SUM is supported for uint8 only")
    else:
        check(runtime, case)


@pytest.mark.parametrize("pair", cases.SOFTMAX_PAIRS, ids="-".join)
@randomly
def test_softmax(runtime, pair, draw):
    # The reference has no result of bytes where 512 elements or more are nearly equal: test_softmax.py.
    check(runtime, draw(cases.softmaxes, *pair, 1500 if pair[1] == "int16" else 511))


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
@randomly
def test_arg_max(runtime, dtype, draw):
    check(runtime, draw(cases.arg_maxima, dtype))


@randomly
def test_lookup(runtime, draw):
    case = draw(cases.lookups)
    if np.size(case.parameters["scale"]) > 1 and reference.found("fully_connected", runtime.module) != "float64":
        harness.assert_refused(runtime, case.build(), "ignore scales of rows")
    else:
        check(runtime, case, num_threads=draw.choice([1, 3]))


@pytest.mark.parametrize("wrong", [-1, 300, -(1 << 31), (1 << 31) - 1])
@pytest.mark.parametrize("threads", [1, 3])
def test_lookup_outside_the_table(runtime, wrong, threads):
    """The inference fails as the reference's does, and the next one succeeds."""
    content = builders.build_lookup(n=100, table_shape=(300, 600))
    delegate = runtime.load(num_threads=threads)
    delegated = runtime.interpreter(content, [delegate])
    harness.assert_claimed(delegate)
    good = np.arange(100, dtype=np.int32)
    for indices in (good, np.where(good == 57, wrong, good).astype(np.int32), good + 200):
        outputs = []
        for interpreter in (runtime.interpreter(content), delegated):
            try:
                outputs.append(harness.run(interpreter, indices)[0])
            except RuntimeError:
                outputs.append(None)
        assert (outputs[0] is None) == (outputs[1] is None) == (wrong in indices)
        if outputs[0] is not None:
            harness.assert_equal(outputs[1], outputs[0])


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16"])
@randomly
def test_reshape(runtime, dtype, draw):
    check(runtime, draw(cases.reshapes, dtype))


@pytest.mark.parametrize("pair", cases.QUANTIZE_PAIRS, ids="-".join)
@randomly
def test_quantize(runtime, pair, draw):
    check(runtime, draw(cases.quantizes, *pair))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16"])
@pytest.mark.parametrize("largest", [False, True], ids=["average", "max"])
@randomly
def test_pool(runtime, dtype, largest, draw):
    check(runtime, draw(cases.pools, dtype, largest))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16"])
@pytest.mark.parametrize("operator", BINARY)
@randomly
def test_binary(runtime, operator, dtype, draw):
    case = draw(elementwise_cases.binaries, operator, dtype, large=True)
    if (operator, dtype) == ("PRELU", "int16"):
        harness.assert_refused(runtime, case.build(), "some of the runtimes")
    elif operator == "DIV":
        harness.assert_refused(runtime, case.build(), "DIV is supported for float32 only")
    elif operator == "SQUARED_DIFFERENCE" and dtype != "int8":
        harness.assert_refused(runtime, case.build(), "no kernel for this type")
    else:  # at some scales, the runtime would end the process
        check(runtime, case, unless="out of range" if operator == "SQUARED_DIFFERENCE" else None, num_threads=draw.choice([1, 3]))


@pytest.mark.parametrize("operator, dtype", [(operator, dtype) for operator, dtypes in elementwise_cases.UNARY.items() for dtype in dtypes])
@randomly
def test_unary(runtime, operator, dtype, draw):
    library = "depends on the runtime's math library" if operator in elementwise_cases.FLOAT else None
    check(runtime, draw(elementwise_cases.unaries, operator, dtype), unless=library)


@pytest.mark.parametrize("operator", elementwise_cases.LIBRARY)
@randomly
def test_library_function(runtime, operator, draw):
    unknown = operator == "GELU" and reference.found("float32", runtime.module) == "auto"  # on Arm
    check(runtime, draw(elementwise_cases.library_functions, operator), unless="option float32" if unknown else "unsafe optimizations")


@pytest.mark.parametrize("dtype", ["int8", "float32"])
@randomly
def test_elu(runtime, dtype, draw):
    """The reference kernels have none: every resolver that has one has the same."""
    case = draw(elementwise_cases.library_functions, "ELU") if dtype == "float32" else draw(elementwise_cases.unaries, "ELU", dtype)
    check(runtime, case, unless="unsafe optimizations", resolver="BUILTIN_WITHOUT_DEFAULT_DELEGATES")


@randomly
def test_float_softmax(runtime, draw):
    check(runtime, draw(cases.float_softmaxes), unless="unsafe optimizations", num_threads=draw.choice([1, 3]))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int32", "int64"])
@randomly
def test_cast(runtime, dtype, draw):
    check(runtime, draw(elementwise_cases.casts, dtype))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16"])
@randomly
def test_products_of_many_dimensions(runtime, dtype, draw):
    """LiteRT broadcasts MUL to 6 dimensions, as Keras' group normalization wants; tflite-runtime to 4."""
    shape = tuple(draw.integer(2, 4) for _ in range(draw.integer(5, 6)))
    other = [size if draw.boolean() else 1 for size in shape]
    other[draw.integer(0, len(shape) - 1)] = 1
    zero_points = (0,) * 2 if dtype == "int16" else (3, 7)
    parameters = dict(operator="MUL", dtype=dtype, shape=shape, other_shape=other, in_zero_point=zero_points)
    generator = np.random.default_rng(draw.generator_seed())
    case = cases.Case(builders.build_binary, parameters, [tuple(harness.random_tensor(generator, of, dtype) for of in (shape, other))])
    if runtime.name == "tflite_runtime":
        harness.assert_refused(runtime, case.build(), "of this rank")
    else:
        check(runtime, case, num_threads=draw.choice([1, 3]))


@pytest.mark.parametrize("operator", elementwise_cases.CONDITIONS)
@randomly
def test_condition(runtime, operator, draw):
    check(runtime, draw(elementwise_cases.conditions, operator), num_threads=draw.choice([1, 3]))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16"])
@randomly
def test_dequantize(runtime, dtype, draw):
    check(runtime, draw(elementwise_cases.dequantizes, dtype))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16"])
@randomly
def test_concatenation(runtime, dtype, draw):
    check(runtime, draw(cases.concatenations, dtype))
