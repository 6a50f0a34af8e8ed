"""Convolutions by Winograd, forced with winograd=on: bit for bit the reference kernels', wherever they are proven exact, and within the memory allowed."""

from __future__ import annotations

import builders
import cases
import harness
import numpy as np
from draws import Draw, randomly

import tvmq_delegate
from tvmq_delegate.binding import library

ISAS = [isa.name for isa in library.isas() if isa.available]


def algorithm(delegate: object) -> str:
    return next(node.algorithm for node in tvmq_delegate.report(delegate).nodes if node.claimed)


def layers(draw: Draw) -> dict:
    """Parameters of a convolution that Winograd can compute: outputs of every remainder by four, channels that are no multiple of anything."""
    filter_size = draw.choice([(3, 3), (3, 3), (3, 3), (1, 3), (3, 1), (5, 5), (1, 7), (7, 1), (2, 3), (4, 1)])
    dtype = draw.choice(["int8", "uint8"])
    low, high = (-128, 127) if dtype == "int8" else (0, 255)
    in_shape = (draw.integer(1, 3), draw.integer(7, 15), draw.integer(7, 30), draw.integer(8, 70))
    parameters = {
        "in_shape": in_shape,
        "out_c": draw.integer(1, 70),
        "filter_size": filter_size,
        "padding": draw.choice(["SAME", "VALID"]),
        "activation": draw.choice(["NONE", "RELU", "RELU6"]),
        "dtype": dtype,
        "in_zero_point": draw.integer(low, high),
        "out_zero_point": draw.integer(low, high),
        "seed": draw.generator_seed(),
    }
    if dtype == "uint8":
        parameters["filter_zero_point"] = draw.integer(0, 255)
    else:
        parameters["per_channel"] = draw.boolean()
    return parameters


def options(draw: Draw) -> dict:
    return {"winograd": "on", "isa": draw.choice(ISAS), "num_threads": draw.integer(1, 2)}


@randomly
def test_exact(runtime, draw):
    parameters = draw(layers)
    built = builders.build_conv(**parameters)
    delegate = runtime.load(**draw(options))
    delegated, reference = runtime.interpreter(built, [delegate]), runtime.interpreter(built)
    assert algorithm(delegate).startswith("winograd")
    generator = np.random.default_rng(parameters["seed"])
    for how in ("random", "extremes"):
        source = cases.values(generator, how, parameters["in_shape"], parameters["dtype"])
        harness.assert_equal(harness.run(delegated, source)[0], harness.run(reference, source)[0])


def test_inexact_is_direct(runtime):
    """One channel whose sums may leave the window is enough; at its very end all are taken."""
    weights = np.zeros((16, 3, 3, 256), np.int8)
    flat = weights.reshape(16, -1)
    flat[3, :2064] = 127
    flat[3, 2064] = 15  # 262143 in all
    assert np.abs(flat.astype(np.int64)).sum(axis=1).max() == 262143
    for last, expected in ((15, True), (16, True), (-16, True), (-17, False), (-128, False)):
        flat[3, 2064] = last
        delegate = runtime.load(winograd="on")
        runtime.interpreter(builders.build_conv(in_shape=(1, 8, 8, 256), filter=weights), [delegate])
        assert algorithm(delegate).startswith("winograd") == expected, last


def test_memory(runtime):
    """Transformed weights stay within the budget, and the report says so."""
    built = builders.build_conv(in_shape=(1, 16, 16, 128), out_c=128)  # 1.1 MiB when transformed
    limited = {"winograd": "on", "winograd_megabytes": 1}, {"winograd": "on", "memory_megabytes": 1}
    enough = {"winograd": "on"}, {"winograd": "on", "memory_megabytes": 3}
    for parameters, expected in (*((each, True) for each in enough), ({"winograd": "off"}, False), *((each, False) for each in limited)):
        delegate = runtime.load(**parameters)
        runtime.interpreter(built, [delegate])
        assert algorithm(delegate).startswith("winograd") == expected
        packed = next(node.packed_bytes for node in tvmq_delegate.report(delegate).nodes)
        assert (packed > 8 * 9 * 128 * 128) == expected
