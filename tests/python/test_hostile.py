"""Malformed and hostile models: the delegate crashes on none that the runtime survives alone, and what runs gives the reference's answer."""

from __future__ import annotations

import collections
import functools
import json
import os
import pathlib
import random
import subprocess
from collections.abc import Callable, Iterator

import builders
import damage
import harness
import moves
import numpy as np
import pytest
from padded import padded
from test_chains import hard_swish_of_three, silu

from tvmq_delegate import models
from tvmq_delegate.models import zoo

PER_MODEL = int(os.environ.get("TVMQ_HOSTILE_COUNT") or (6 if harness.SLOW else 12))
SEED = int(os.environ.get("TVMQ_HOSTILE_SEED", "1"))

# No PADV2: tflite-runtime 2.14 leaves its output unwritten, without an error, where the value is quantized otherwise than the output.
MODELS = {
    "conv": lambda: builders.build_conv(in_shape=(1, 6, 6, 8), out_c=8),
    "depthwise": lambda: builders.build_depthwise(in_shape=(1, 6, 6, 8), depth_multiplier=2),
    "uint8": lambda: builders.build_conv(in_shape=(2, 6, 6, 8), out_c=8, dtype="uint8", stride=(2, 2), padding="VALID"),
    "16x8": lambda: builders.build_conv(in_shape=(1, 6, 6, 8), out_c=8, dtype="int16"),
    "hybrid conv": lambda: builders.build_conv(in_shape=(2, 6, 6, 8), out_c=8, dtype="float32", filter_dtype="int8"),
    "hybrid fully connected": lambda: builders.build_fully_connected(in_shape=(3, 20), out_c=9, dtype="float32", filter_dtype="int8", per_channel=False),
    "transpose conv": lambda: builders.build_transpose_conv(in_shape=(2, 4, 5, 8), size=(8, 10)),
    "pad": lambda: padded(builders.build_depthwise(in_shape=(1, 9, 9, 8), stride=(2, 2), padding="VALID"), [(0, 0), (0, 1), (1, 2), (0, 0)]),
    "max pool": lambda: builders.build_max_pool(in_shape=(2, 7, 6, 20), stride=(1, 2)),
    "average pool": lambda: builders.build_average_pool(in_shape=(2, 7, 6, 20), stride=(2, 1)),
    "concatenation": lambda: builders.build_concatenation(shapes=[(1, 6, 6, 8), (1, 6, 6, 3), (1, 6, 6, 5)]),
    "fully connected": lambda: builders.build_fully_connected(in_shape=(2, 3, 20), out_c=9, keep_num_dims=True, per_channel=False),
    "fully connected of inputs": lambda: builders.build_fully_connected(in_shape=(3, 20), out_c=9, constant_filter=False, per_channel=False),
    "resize_bilinear": lambda: builders.build_resize_bilinear(),
    "mean": lambda: builders.build_reduce(in_shape=(2, 7, 6, 20), keep_dims=True),
    "sum": lambda: builders.build_reduce(operator="SUM", in_shape=(2, 3, 4, 5), axes=(0, 2), dtype="uint8"),
    "reduce max": lambda: builders.build_reduce(operator="REDUCE_MAX", in_shape=(2, 3, 4, 5), axes=(1, 3), in_scale=0.5, out_scale=0.5, out_zero_point=3),
    "softmax": lambda: builders.build_softmax(in_shape=(2, 3, 20)),
    "softmax int16": lambda: builders.build_softmax(in_shape=(3, 20), dtype="int16"),
    "arg max": lambda: builders.build_arg_max(),
    "reshape": lambda: builders.build_reshape(in_shape=(2, 6, 6, 8), shape=(2, -1, 4)),
    "add": lambda: builders.build_binary(shape=(1, 6, 6, 8), activation="RELU6"),
    "add int16": lambda: builders.build_binary(shape=(1, 6, 6, 8), dtype="int16"),
    "mul": lambda: builders.build_binary(operator="MUL", shape=(1, 6, 6, 8), other_shape=(1, 1, 1, 8), dtype="uint8"),
    "sub": lambda: builders.build_binary(operator="SUB", shape=(1, 6, 6, 8)),
    "maximum": lambda: builders.build_binary(operator="MAXIMUM", shape=(1, 6, 6, 8), other_shape=(6, 1)),
    "prelu": lambda: builders.build_binary(operator="PRELU", shape=(1, 6, 6, 8), other_shape=(1, 1, 8), other=np.full((1, 1, 8), 5, np.int8)),
    "squared difference": lambda: builders.build_binary(operator="SQUARED_DIFFERENCE", shape=(1, 6, 6, 8), other_shape=(1, 1, 1, 8)),
    "rsqrt": lambda: builders.build_unary(operator="RSQRT", shape=(1, 6, 6, 8), in_zero_point=-128),
    "rsqrt of float32": lambda: builders.build_unary(operator="RSQRT", shape=(1, 6, 6, 8), dtype="float32"),
    "div": lambda: builders.build_binary(operator="DIV", shape=(1, 6, 6, 8), other_shape=(1, 1, 1, 8), dtype="float32", activation="RELU6"),
    "logistic": lambda: builders.build_unary(operator="LOGISTIC", shape=(1, 6, 6, 8)),
    "hard swish": lambda: builders.build_unary(operator="HARD_SWISH", shape=(1, 6, 6, 8), dtype="uint8"),
    "batch matmul": lambda: builders.build_batch_matmul(left_shape=(2, 6, 8), right_shape=(2, 8, 10)),
    "leaky relu": lambda: builders.build_unary(operator="LEAKY_RELU", shape=(1, 6, 6, 8), dtype="int16", alpha=0.3),
    "relu6": lambda: builders.build_unary(operator="RELU6", shape=(1, 6, 6, 8)),
    "gelu": lambda: builders.build_unary(operator="GELU", shape=(1, 6, 6, 8), approximate=True),
    "cast": lambda: builders.build_unary(operator="CAST", dtype="uint8", out_dtype="int32", shape=(1, 6, 6, 8)),
    "dequantize": lambda: builders.build_unary(operator="DEQUANTIZE", out_dtype="float32", shape=(1, 6, 6, 8)),
    "quantize": lambda: builders.build_quantize(in_dtype="uint8", out_dtype="int8"),
    **{name.lower(): functools.partial(moves.example, name) for name in moves.MOVES if name != "PADV2"},
    "hard swish of three": hard_swish_of_three,
    "silu": silu,
    "network": lambda: zoo.load("mobilenet_v2_0.25_32_uint8_io"),
}


@pytest.fixture(scope="session")
def outcomes(runtime: harness.Runtime) -> Iterator[Callable[..., list[dict]]]:
    """Outcomes of models, with the delegate or without, from hostile.py: a process that forks for them with the runtime imported."""
    environment = {**os.environ, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":allocator_may_return_null=1"}
    command = [*harness.PYTHON, str(pathlib.Path(__file__).with_name("hostile.py")), runtime.name]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment) as process:

        def ask(with_delegate: bool, paths: list[pathlib.Path], *, together: bool = False, fill: int = 0) -> list[dict]:
            job = {"with_delegate": with_delegate, "paths": [*map(str, paths)], "together": together, "fill": fill}
            print(json.dumps(job), file=process.stdin, flush=True)
            lines = [process.stdout.readline() for _ in paths]
            assert all(lines), "hostile.py itself has died"
            return [*map(json.loads, lines)]

        yield ask
        process.stdin.close()


def alike(a: dict, b: dict) -> bool:
    return a["outcome"] == b["outcome"] and a.get("digest") == b.get("digest")


def points_behind_its_end(path: pathlib.Path) -> bool:
    try:
        models.ops(path.read_bytes())
    except models.ModelError as error:
        return "lie outside the file" in str(error)
    return False


def depends_on_memory(outcomes: Callable[..., list[dict]], path: pathlib.Path) -> bool:
    """Whether what the runtime alone gives depends on what its memory is filled with before."""
    (one,), *others = (outcomes(False, [path], fill=fill) for fill in (1, 60, 128, 254))  # far apart: functions of a byte saturate
    return not all(alike(one, other) for (other,) in others)


def verdict(outcomes: Callable[..., list[dict]], path: pathlib.Path, alone: dict, delegated: dict) -> str | None:
    """How the outcome with the delegate is judged against that without; None: it has done harm."""
    if alike(alone, delegated):
        return delegated["outcome"]
    if alone["outcome"] == "died":
        return "died without the delegate only"
    if alone["outcome"] != "ran" and delegated["outcome"] != "died":
        return "refused or too slow, ran with the delegate"
    # A runtime that does not verify its files reads past their end, and what it finds there differs from run to run.
    if delegated["outcome"] in ("died", "refused") and not delegated["offered"]:
        return f"{delegated['outcome']} before the runtime came to the delegate"
    runtimes_own = delegated["outcome"] in ("ran", "refused") and not delegated.get("claimed") and "tvmq-delegate" not in delegated.get("why", "")
    if runtimes_own and points_behind_its_end(path):
        return "nothing claimed, and decided by what lies behind the file"
    if delegated["outcome"] in ("ran", "refused") and depends_on_memory(outcomes, path):
        return "depending, without the delegate, on what memory held before"
    repeated = outcomes(False, [path] * 30)
    if any(alike(again, delegated) for again in repeated) or not all(alike(again, alone) for again in repeated):
        return "changing from run to run without the delegate"
    # Shapes that lie come to light when the runtime computes them, which is after nodes are claimed: an error that says so.
    if delegated["outcome"] == "refused" and "tvmq-delegate: node" in delegated["why"]:
        return "refused by a claimed node whose shape in the file was a lie"
    return None


@pytest.mark.parametrize("harm", damage.DAMAGES, ids=lambda harm: harm.__name__)
@pytest.mark.parametrize("name", MODELS)
def test_hostile(outcomes, name, harm, tmp_path):
    rng = random.Random(f"{SEED} {name} {harm.__name__}")
    content = MODELS[name]()
    paths = [tmp_path / f"{i}.tflite" for i in range(PER_MODEL)]
    for path in paths:
        path.write_bytes(harm(content, rng))
    seen = collections.Counter()
    for path, alone, delegated in zip(paths, outcomes(False, paths, together=True), outcomes(True, paths, together=True), strict=True):
        if not alike(alone, delegated):  # because of one before it, maybe
            (alone,), (delegated,) = (outcomes(with_delegate, [path]) for with_delegate in (False, True))
        judged = verdict(outcomes, path, alone, delegated)
        assert judged, f"{path} (TVMQ_HOSTILE_SEED={SEED}): {alone} without the delegate, {delegated} with it"
        seen[judged] += 1
        seen["ran, nodes claimed"] += delegated.get("claimed", 0)
    for outcome, n in seen.items():
        harness.counts[f"hostile models: {outcome}"] += n
