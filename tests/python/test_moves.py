"""Operators that move elements, against numpy and the reference kernels of each runtime: random ones, and those that are left to the runtime."""

from __future__ import annotations

import functools
import math
from typing import Any

import builders
import harness
import moves
import numpy as np
import pytest
from draws import Draw, randomly
from moves import Shape

import tvmq_delegate
from tvmq_delegate import models
from tvmq_delegate.binding import reference


def outputs(runtime: harness.Runtime, content: bytes, inputs: list[np.ndarray]) -> list[np.ndarray] | None:
    """Outputs of the reference kernels; None: they lack the operator or one of its types."""
    try:
        return harness.run(runtime.interpreter(content), *inputs)
    except (RuntimeError, ValueError):
        harness.counts["moves that the reference refuses"] += 1
        return None


@pytest.mark.parametrize("name", moves.MOVES)
@randomly
def test_random(runtime, name, draw):
    move, dtype = draw(moves.MOVES[name]), draw.choice(["int8", "uint8", "int16"])
    content = move.build(dtype, quantization=moves.quantization(draw, dtype))
    inputs = move.tensors(np.random.default_rng(draw.generator_seed()), dtype)
    reference = outputs(runtime, content, inputs)
    delegate = runtime.load(num_threads=draw.integer(1, 2))
    try:
        delegated = runtime.interpreter(content, [delegate])
    except (RuntimeError, ValueError):
        assert reference is None
        return
    harness.assert_claimed(delegate)
    expected = move.expected(*inputs)
    for i, (got, wanted) in enumerate(zip(harness.run(delegated, *inputs), expected, strict=True)):
        harness.assert_equal(got, wanted, f"output {i}")
        if reference is not None:
            harness.assert_equal(reference[i], wanted, f"output {i} of the reference")
    harness.counts["random models compared"] += 1


@randomly
def test_several_axes(runtime, draw):
    """Newer runtimes reverse neighbours, others the first axis alone."""
    shape, dtype = moves.a_shape(draw, 2, 6), draw.choice(["uint8", "int32", "float32"])
    first = draw.integer(0, len(shape) - 2)
    axes = draw.shuffled(list(range(first, draw.integer(first + 2, len(shape)))))
    written = np.array([moves.from_behind(draw, axis, len(shape)) for axis in axes], np.int32)
    content = builders.build_move("REVERSE_V2", operands=[shape, written], dtype=dtype, out_shapes=[shape])
    delegate = runtime.load(num_threads=draw.integer(1, 2))
    delegated, tensor = runtime.interpreter(content, [delegate]), np.arange(math.prod(shape)).reshape(shape).astype(dtype)
    (node,) = tvmq_delegate.report(delegate).nodes
    assert node.claimed == (reference.found("fully_connected", runtime.module) == "float64")
    assert node.claimed or "reverse the first axis alone" in node.reason
    (got,), (expected,) = harness.run(delegated, tensor), harness.run(runtime.interpreter(content), tensor)
    harness.assert_equal(got, expected)
    harness.assert_equal(got, np.flip(tensor, axes if node.claimed else axes[0]))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int32", "int64", "float32"])
@randomly
def test_computed_indices(runtime, dtype, draw):
    """Indices that are inputs. One that is outside makes the inference fail as the reference does, and the next one succeeds."""
    generator = np.random.default_rng(draw.generator_seed())
    shape, of = moves.a_shape(draw, 1, 5, 4000), moves.a_shape(draw, 0, 2, 300)
    axis = draw.choice([None, draw.integer(0, len(shape) - 1)])
    sizes = shape[: draw.integer(1, len(shape))] if axis is None else shape[axis : axis + 1]
    if axis is None:
        of = (*of, len(sizes))
    index_dtype = draw.choice(["int16", "int32", "int64"])
    content = builders.build_gather(in_shape=shape, indices_shape=of, axis=axis, dtype=dtype, index_dtype=index_dtype)
    delegate = runtime.load(num_threads=draw.integer(1, 3))
    interpreters = runtime.interpreter(content), runtime.interpreter(content, [delegate])
    harness.assert_claimed(delegate)
    tensor = harness.random_tensor(generator, shape, np.dtype(dtype))
    good = generator.integers(0, sizes if axis is None else sizes[0], of).astype(index_dtype)
    wrong = good.copy()
    wrong[tuple(0 if axis is None and i + 1 == len(of) else draw.below(size) for i, size in enumerate(of))] = draw.choice(
        [-1, sizes[0], np.iinfo(np.int16).max, np.iinfo(np.int16).min]
    )
    for indices in (good, wrong, good):
        outputs = []
        for interpreter in interpreters:
            try:
                outputs.append(harness.run(interpreter, tensor, indices)[0])
            except RuntimeError:
                outputs.append(None)
        assert (outputs[0] is None) == (outputs[1] is None) == (indices is wrong)
        if outputs[0] is not None:
            harness.assert_equal(outputs[1], outputs[0])


MATRIX = (4, 6)
move = functools.partial(builders.build_move, out_shapes=[MATRIX])


def constant(value: object) -> np.ndarray:
    return np.array(value, np.int32)


# Name -> model, what the reason says.
REFUSED = {
    "another type": (lambda: move("SQUEEZE", operands=[MATRIX], out_dtype="uint8"), "types differ"),
    "a dimension twice": (lambda: move("TRANSPOSE", operands=[(4, 4), constant([1, 1])]), "twice"),
    "a permutation that is an input": (lambda: computed("TRANSPOSE", (6, 4), constant([1, 0])), "perm is not constant"),
    "an end that counts from the begin": (
        lambda: move("STRIDED_SLICE", operands=[(9, 6), constant([2, 0]), constant([4, 6]), constant([1, 1])], offset=True, version=4),
        "offset is set: end is relative to begin",
    ),
    "65 outputs": (lambda: move("SPLIT", operands=[constant(0), (65, 3)], out_shapes=[(1, 3)] * 65, num_splits=65), "number of outputs"),
    "sizes that are inputs": (lambda: computed("SPLIT_V", MATRIX, constant([4]), constant(0), num_splits=1), "size_splits are not constant"),
    "other scales": (
        lambda: move("EXPAND_DIMS", operands=[(6,), constant(0)], out_shapes=[(1, 6)], out_quantization=(0.25, 0)),
        "scales or zero points differ",
    ),
    "an index outside": (lambda: move("GATHER", operands=[(5, 6), constant([0, 1, 2, 5])], axis=0), "outside the input"),
    "batches of indices": (lambda: move("GATHER", operands=[(4, 9), constant([[0] * 6] * 4)], axis=1, batch_dims=1), "batch_dims is not 0"),
    "a block that is an input": (lambda: computed("SPACE_TO_BATCH_ND", (1, 4, 6), constant([2]), constant([[0, 0]])), "block_shape is not constant"),
    "paddings of int64": (
        lambda: move("SPACE_TO_BATCH_ND", operands=[(1, 8, 6), constant([2]), np.zeros((1, 2), np.int64)], out_shapes=[(2, 4, 6)]),
        "paddings are not int32",
    ),
    "crops of int64": (
        lambda: move("BATCH_TO_SPACE_ND", operands=[(2, 4, 6), constant([2]), np.zeros((1, 2), np.int64)], out_shapes=[(1, 8, 6)]),
        "crops are not int32",
    ),
    "a negative padding": (
        lambda: move("SPACE_TO_BATCH_ND", operands=[(1, 8, 6), constant([2]), constant([[-2, 0]])], out_shapes=[(2, 3, 6)]),
        "a padding or crop is negative",
    ),
    "a negative block": (lambda: move("SPACE_TO_BATCH_ND", operands=[(1, 8, 6), constant([-2]), constant([[0, 0]])]), "block_shape is not positive"),
    "a block of parts of pixels": (
        lambda: move("SPACE_TO_BATCH_ND", operands=[(1, 8, 6), constant([3]), constant([[0, 0]])]),
        "a padded dimension is not a multiple of the block's",
    ),
    "a large block": (
        lambda: move("SPACE_TO_BATCH_ND", operands=[(1, 1, 6), constant([4097]), constant([[0, 4096]])], out_shapes=[(4097, 1, 6)]),
        "a block has more than 4096 pixels",
    ),
    "blocks of two dimensions": (lambda: move("BATCH_TO_SPACE_ND", operands=[(4, 6), constant([2]), constant([[0, 0]])]), "neither 3 nor 4 dimensions"),
    "crops of more than all": (
        lambda: move("BATCH_TO_SPACE_ND", operands=[(2, 4, 6), constant([2]), constant([[4, 5]])]),
        "crops exceed a dimension",
    ),
    "crops of all": (
        lambda: move("BATCH_TO_SPACE_ND", operands=[(2, 4, 6), constant([2]), constant([[4, 4]])], out_shapes=[(1, 0, 6)]),
        "empty tensor",
    ),
    "a batch of parts of blocks": (
        lambda: move("BATCH_TO_SPACE_ND", operands=[(3, 4, 6), constant([2]), constant([[0, 0]])]),
        "the batch is not a multiple of the block's pixels",
    ),
    "blocks of other scales": (
        lambda: move(
            "SPACE_TO_BATCH_ND", operands=[(1, 8, 6), constant([2]), constant([[0, 0]])], out_shapes=[(2, 4, 6)], out_quantization=(0.25, 0)
        ),
        "scales or zero points differ",
    ),
    "axes that are an input": (lambda: computed("REVERSE_V2", MATRIX, constant([1]), version=1), "axes are not constant"),
    "axes apart": (lambda: move("REVERSE_V2", dtype="uint8", operands=[(4, 3, 6), constant([0, 2])], out_shapes=[(4, 3, 6)]), "axes are not neighbours"),
    "an axis twice": (lambda: move("REVERSE_V2", dtype="uint8", operands=[MATRIX, constant([1, -1])]), "axes are not neighbours"),
    "no axis": (lambda: move("REVERSE_V2", dtype="uint8", operands=[MATRIX, constant([])]), "there is no axis"),
    "axes of int64": (lambda: move("REVERSE_V2", dtype="uint8", operands=[MATRIX, np.array([1])]), "axes are not int32"),
    "an axis beyond": (lambda: move("REVERSE_V2", dtype="uint8", operands=[MATRIX, constant([2])]), "axis is out of range"),
    "an index of several outside": (lambda: move("GATHER_ND", operands=[(4, 5, 6), constant([[0, 1], [0, 5]])], out_shapes=[(2, 6)]), "outside the input"),
    "an index below 0": (lambda: move("GATHER_ND", operands=[(4, 5, 6), constant([[0, 1], [1, -1]])], out_shapes=[(2, 6)]), "outside the input"),
    "indices of no integers": (lambda: move("GATHER_ND", operands=[MATRIX, np.zeros((1, 0), np.int32)], out_shapes=[(1, *MATRIX)]), "empty tensor"),
    "a slice that the file has otherwise": (lambda: move("SLICE", operands=[(9, 6), constant([0, 0]), constant([3, 6])]), "another shape"),
}  # fmt: skip


def computed(operator: str, shape: tuple[int, ...], *parameters: np.ndarray, **options: Any) -> bytes:
    """The first parameter is an input of the model."""
    builder = models.ModelBuilder()
    source = builder.add_tensor("input", shape, "int8", scale=0.5)
    inputs = [builder.add_tensor(f"parameter {i}", p.shape, "int32", data=p if i else None) for i, p in enumerate(parameters)]
    output = builder.add_tensor("output", MATRIX, "int8", scale=0.5)
    builder.add_op(operator, [source, *inputs], [output], **options)
    return builder.build([source, inputs[0]], [output])


@pytest.mark.parametrize("name", REFUSED)
def test_refused(runtime, name):
    build, reason = REFUSED[name]
    content = build()
    delegate = runtime.load()
    try:
        runtime.interpreter(content)
    except (RuntimeError, ValueError):
        harness.counts["refused moves that the runtime refuses itself"] += 1
        with pytest.raises((RuntimeError, ValueError)):
            runtime.interpreter(content, [delegate])
    else:
        runtime.interpreter(content, [delegate])
    (node,) = tvmq_delegate.report(delegate).nodes
    assert not node.claimed and reason in node.reason, node.reason


# ---- in networks


def chained(draw: Draw, builder: models.ModelBuilder, source: int, shape: Shape) -> tuple[list[int], list[Shape]]:
    """A random operator that moves elements behind a tensor; its outputs and their shapes."""
    size = shape[3]
    cut = draw.integer(1, size - 1) if size > 1 else 0

    def constants(*values: object) -> list[int]:
        return [builder.add_tensor("constant", np.shape(value), "int32", data=np.array(value)) for value in values]

    ways: list[tuple[str, list[int], list[Shape], dict]] = [
        ("RESHAPE", [source, *constants([*shape[:1], shape[2], shape[1], size])], [(*shape[:1], shape[2], shape[1], size)], {}),
        ("TRANSPOSE", [source, *constants([0, 2, 1, 3])], [(shape[0], shape[2], shape[1], size)], {}),
        ("TRANSPOSE", [source, *constants([0, 3, 1, 2])], [(shape[0], size, *shape[1:3])], {}),
        ("STRIDED_SLICE", [source, *constants([0, 0, 0, cut], [0] * 4, [1] * 4)], [(*shape[:3], size - cut)], {"begin_mask": 7, "end_mask": 15}),
        ("STRIDED_SLICE", [source, *constants([0] * 4, [0] * 4, [1, -1, 1, 1])], [shape], {"begin_mask": 15, "end_mask": 15}),
        ("PAD", [source, *constants([[0, 0], [1, 0], [0, 2], [0, 0]])], [(shape[0], shape[1] + 1, shape[2] + 2, size)], {}),
        (
            "SPACE_TO_BATCH_ND",
            [source, *constants([2, 1], [[1, shape[1] % 2 + 1], [0, 1]])],
            [(2 * shape[0], (shape[1] + 3) // 2, shape[2] + 1, size)],
            {},
        ),
        ("BATCH_TO_SPACE_ND", [source, *constants([1, shape[0]], [[0, 0], [0, 1]])], [(1, shape[1], shape[0] * shape[2] - 1, size)], {}),
        ("TILE", [source, *constants([1, 2, 1, 1])], [(shape[0], 2 * shape[1], *shape[2:])], {}),
        ("SPLIT_V", [source, *constants([cut, -1], 3)], [(*shape[:3], cut), (*shape[:3], size - cut)], {"num_splits": 2}),
        ("SPLIT_V", [source, *constants([1, -1], 1)], [(shape[0], 1, *shape[2:]), (shape[0], shape[1] - 1, *shape[2:])], {"num_splits": 2}),
        ("RESIZE_NEAREST_NEIGHBOR", [source, *constants(2 * np.array(shape[1:3]))], [(shape[0], 2 * shape[1], 2 * shape[2], size)], {}),
        ("CONCATENATION", [source, source], [(*shape[:3], 2 * size)], {"axis": 3}),
        ("CONCATENATION", [source, source], [(shape[0], 2 * shape[1], *shape[2:])], {"axis": 1}),
    ]
    usable = [way for way in ways if all(min(of) > 0 for of in way[2])]
    operator, inputs, shapes, options = draw.choice(usable)
    outputs = [builder.add_tensor(f"{operator} {draw.below(1 << 30)}", of, "int8", scale=0.05, zero_point=3) for of in shapes]
    builder.add_op(operator, inputs, outputs, **options)
    return outputs, shapes


def convolved(draw: Draw, builder: models.ModelBuilder, source: int, shape: Shape) -> tuple[int, Shape]:
    generator = np.random.default_rng(draw.generator_seed())
    out_c = draw.integer(1, 12)
    weights = generator.integers(-127, 128, (out_c, 3, 3, shape[3]), np.int8)
    tensors = [
        builder.add_tensor("filter", weights.shape, "int8", scale=0.01, data=weights),
        builder.add_tensor("bias", (out_c,), "int32", scale=0.0005, data=generator.integers(-2000, 2000, out_c)),
    ]
    output = builder.add_tensor(f"conv {draw.below(1 << 30)}", (*shape[:3], out_c), "int8", scale=0.05, zero_point=3)
    builder.add_op("CONV_2D", [source, *tensors], [output], padding="SAME", stride_h=1, stride_w=1)
    return output, (*shape[:3], out_c)


@randomly
def test_network(runtime, draw):
    """Moves between convolutions, each reading any tensor before it: views, pieces computed in place, PADs folded and computed, some tensors read twice."""
    builder = models.ModelBuilder()
    shape = (draw.integer(1, 2), draw.integer(2, 6), draw.integer(2, 6), draw.integer(2, 9))
    tensors = [(builder.add_tensor("input", shape, "int8", scale=0.05, zero_point=3), shape)]
    for _ in range(draw.integer(1, 9)):
        source, of = tensors[-1 if draw.boolean() else draw.below(len(tensors))]
        if math.prod(of) > 20_000:
            continue
        made = [convolved(draw, builder, source, of)] if draw.one_in(3) else list(zip(*chained(draw, builder, source, of), strict=True))
        tensors += made
    results = {tensors[-1][0], *(tensor for tensor, _ in tensors[1:] if draw.one_in(4))}
    if len(tensors) == 1:
        return
    content = builder.build([tensors[0][0]], sorted(results))
    delegate = runtime.load(num_threads=draw.integer(1, 2))
    delegated, reference = runtime.interpreter(content, [delegate]), runtime.interpreter(content)
    harness.assert_claimed(delegate)
    for seed in range(2):
        inputs = harness.random_inputs(reference, seed)
        for got, expected in zip(harness.run(delegated, *inputs), harness.run(reference, *inputs), strict=True):
            harness.assert_equal(got, expected)
