"""BATCH_MATMUL, and FULLY_CONNECTED of computed weights: random products, whose right side is packed anew at each inference."""

from __future__ import annotations

import platform

import builders
import harness
import numpy as np
import pytest

from tvmq_delegate.binding import library, reference

SIZES = [1, 2, 5, 8, 16, 17, 33, 64, 100]


def draw(generator: np.random.Generator, dtype: str = "int8") -> dict:
    """Parameters of `build_batch_matmul`, all of which the delegate takes."""
    rows, depth, columns = (int(generator.choice(SIZES)) for _ in range(3))
    if generator.random() < 0.1:
        depth = int(generator.choice([503, 504, 505, 1009]))  # several sums of 32 bits
    batch = [int(n) for n in generator.integers(1, 4, generator.integers(0, 4))]
    left, right = ([n if generator.random() < 0.8 else 1 for n in batch] for _ in range(2))
    adj_x, adj_y = generator.random() < 0.4, generator.random() < 0.5
    if adj_x and batch:
        right[-1] = left[-1] = max(2, batch[-1])  # what is taken
    elif generator.random() < 0.3:
        right = right[len(right) // 2 :]
    return {
        "left_shape": (*left, depth, rows) if adj_x else (*left, rows, depth),
        "right_shape": (*right, columns, depth) if adj_y else (*right, depth, columns),
        "adj_x": bool(adj_x),
        "adj_y": bool(adj_y),
        "scales": tuple(float(generator.uniform(0.01, 0.1)) * factor for factor in (1, 1, depth**0.5 * (1000 if dtype == "int16" else 1))),
        "zero_points": tuple(int(generator.choice([-128, 0, 127, generator.integers(-128, 128)])) * (dtype == "int8") for _ in range(3)),
        "dtype": dtype,
        **({"scales": (None, None, None)} if dtype == "float32" else {}),
    }


def values(generator: np.random.Generator, shape: tuple[int, ...], dtype: str = "int8") -> np.ndarray:
    """Any elements, or the least one alone; float32 of several magnitudes."""
    if dtype == "float32":
        return (generator.normal(0, 1, shape) * 10.0 ** generator.integers(-3, 4, shape)).astype(np.float32)
    least = int(np.iinfo(dtype).min)
    return generator.integers(least, -least if generator.random() < 0.8 else least + 1, shape).astype(dtype)


def skip_unknown(runtime: harness.Runtime) -> None:
    if platform.machine() == "aarch64" and reference.found("float32", runtime.module) != "fused":
        pytest.skip("the runtime's kernels of float32 are none of those that are known")


@pytest.mark.parametrize("dtype", ["int8", "int16", "float32"])
@pytest.mark.parametrize("seed", range(6))
def test_products(runtime: harness.Runtime, seed: int, dtype: str) -> None:
    if dtype == "float32":
        skip_unknown(runtime)
    generator = np.random.default_rng(seed)
    for _ in range(2 if harness.SLOW else 8):
        parameters = draw(generator, dtype)
        sides = [values(generator, parameters[side], dtype) for side in ("left_shape", "right_shape")]
        constant = bool(generator.random() < 0.2)
        model = builders.build_batch_matmul(**parameters, right=sides[1] if constant else None)
        delegate = runtime.load(num_threads=int(generator.choice([1, 3])))
        computed, expected = runtime.interpreter(model, [delegate]), runtime.interpreter(model)
        for _ in range(2):
            inputs = sides[:1] if constant else sides
            harness.assert_equal(harness.run(computed, *inputs)[0], harness.run(expected, *inputs)[0], str(parameters))
            sides = [values(generator, side.shape, dtype) for side in sides]
        harness.assert_claimed(delegate)


@pytest.mark.parametrize("activation", ["NONE", "RELU", "RELU6"])
def test_fully_connected_of_float32(runtime: harness.Runtime, activation: str) -> None:
    """Both sides are inputs; results beyond float32 become its greatest numbers."""
    skip_unknown(runtime)
    generator = np.random.default_rng(5)
    model = builders.build_fully_connected(
        in_shape=(7, 33), out_c=20, constant_filter=False, per_channel=False, activation=activation, dtype="float32", filter_dtype="float32"
    )
    delegate = runtime.load()
    inputs = [values(generator, shape, "float32") * np.float32(1e17) for shape in ((7, 33), (20, 33))]
    harness.assert_equal(harness.run(runtime.interpreter(model, [delegate]), *inputs)[0], harness.run(runtime.interpreter(model), *inputs)[0])
    harness.assert_claimed(delegate)


@pytest.mark.parametrize("isa", [isa.name for isa in library.isas() if isa.available])
def test_each_instruction_set(runtime: harness.Runtime, isa: str) -> None:
    generator = np.random.default_rng(3)
    model = builders.build_batch_matmul(left_shape=(2, 40, 33), right_shape=(2, 33, 70), zero_points=(-128, 20, -100), scales=(0.05, 0.04, 0.5))
    inputs = [values(generator, shape) for shape in ((2, 40, 33), (2, 33, 70))]
    delegate = runtime.load(isa=isa)
    harness.assert_equal(harness.run(runtime.interpreter(model, [delegate]), *inputs)[0], harness.run(runtime.interpreter(model), *inputs)[0])


def test_other_shapes_later(runtime: harness.Runtime) -> None:
    """Inputs that are resized."""
    delegate = runtime.load()
    model = builders.build_batch_matmul(left_shape=(2, 6, 8), right_shape=(2, 8, 10))
    computed, expected = runtime.interpreter(model, [delegate]), runtime.interpreter(model)
    for shapes in ([(3, 7, 16), (3, 16, 5)], [(1, 6, 8), (1, 8, 10)]):
        generator = np.random.default_rng(1)
        inputs = [values(generator, shape) for shape in shapes]
        for interpreter in (computed, expected):
            for detail, shape in zip(interpreter.get_input_details(), shapes, strict=True):
                interpreter.resize_tensor_input(detail["index"], shape)
            interpreter.allocate_tensors()
        harness.assert_equal(harness.run(computed, *inputs)[0], harness.run(expected, *inputs)[0])
    harness.assert_claimed(delegate)


@pytest.mark.parametrize("seed", range(6))
def test_fully_connected_of_computed_weights(runtime: harness.Runtime, seed: int) -> None:
    generator = np.random.default_rng(seed)
    for _ in range(2 if harness.SLOW else 8):
        rows, depth, out_c = (int(generator.choice(SIZES)) for _ in range(3))
        parameters = {
            "in_shape": (rows, depth) if generator.random() < 0.5 else (2, rows, depth),
            "out_c": out_c,
            "keep_num_dims": bool(generator.random() < 0.5),
            "activation": str(generator.choice(["NONE", "RELU", "RELU6", "RELU_N1_TO_1"])),
            "in_zero_point": int(generator.choice([-128, 0, 127, generator.integers(-128, 128)])),
            "filter_zero_point": int(generator.choice([0, -128, generator.integers(-128, 128)])),
            "seed": int(generator.integers(1000)),
            **({"bias": False} if generator.random() < 0.3 else {}),
        }
        model = builders.build_fully_connected(constant_filter=False, per_channel=False, **parameters)
        delegate = runtime.load(num_threads=int(generator.choice([1, 3])))
        computed, expected = runtime.interpreter(model, [delegate]), runtime.interpreter(model)
        for _ in range(2):
            inputs = [values(generator, shape) for shape in (parameters["in_shape"], (out_c, depth))]
            harness.assert_equal(harness.run(computed, *inputs)[0], harness.run(expected, *inputs)[0], str(parameters))
        harness.assert_claimed(delegate)
