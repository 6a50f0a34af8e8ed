"""A shard of the attack on speed: layers drawn from those of public networks and varied, timed in stock LiteRT and with the delegate.

    python -m attacker.speed --seed 7 --shapes 100 [--isa avx2] [--threads 2] [--found slow.jsonl]      # run in tools/

A layer that is slower than stock by more than 5 % and 100 ns, and still is when it is timed for longer, is simplified as far as the same kernel loses about as
much. Both are printed with the kernel, and added to the file of what was found. Figures, not tests: the exit code says only whether all could be measured.
"""

from __future__ import annotations

import argparse
import copy
import dataclasses
import json
import math
import os
import pathlib
import random
import statistics
from collections.abc import Iterator

import ai_edge_litert.interpreter as litert

from attacker import layers, peer
from attacker.layers import Layer
from tvmq_delegate import report
from tvmq_delegate.models import surgery
from tvmq_delegate.sessions import Contender, inputs

SLOWER, SLOWER_US = 1.05, 0.1  # both are exceeded by a layer that counts as slower
FAR_SLOWER = 0.8
SAME_LOSS = 1.1  # a simpler layer may be less slow by that factor than the one that was drawn
LOOK_SECS, PROOF_SECS, SLICE_SECS = 0.01, 0.15, 0.005  # of each contender
MOST_MACS, MOST_ELEMENTS = 2 * 10**8, 2**22  # a run takes milliseconds
EXTREMES = (1, 2, 3, 5, 8, 10, 16, 17, 24, 32, 49, 58, 64, 100, 128, 150, 256, 300, 625, 1024, 4096, 7104)
SHAPES = ("in_shape", "shape")  # parameters that are shapes of inputs
STRIDES = ("stride",)


@dataclasses.dataclass(frozen=True)
class Timed:
    """Microseconds of an inference, minima; how the delegate runs it."""

    stock: float
    tvmq: float
    algorithm: str
    kernel: str

    @property
    def ratio(self) -> float:
        return self.stock / self.tvmq

    @property
    def cause(self) -> tuple[str, str]:
        return self.algorithm, self.kernel

    @property
    def slower(self) -> bool:
        return self.tvmq > SLOWER * self.stock and self.tvmq > self.stock + SLOWER_US


# ---- what is drawn


def consistent(layer: Layer, before: Layer) -> Layer:
    """The second shape of a pair follows the first one if that has changed, except where it was 1 along an axis."""
    parameters = layer.parameters
    if "other_shape" in parameters and parameters["shape"] != before.parameters["shape"]:
        shape, other, old = parameters["shape"], parameters["other_shape"], before.parameters["shape"]
        offset = len(shape) - len(other)
        parameters["other_shape"] = [shape[offset + i] if n == old[offset + i] and n == before.parameters["other_shape"][i] else n for i, n in enumerate(other)]
    if layer.build == "transpose_conv":
        parameters.pop("size", None)
    return layer


def changed(layer: Layer, name: str, index: int | None, value: object) -> Layer:
    """The layer with another value of a parameter, or of one of its elements."""
    parameters = copy.deepcopy(layer.parameters)
    if index is None:
        parameters[name] = value
    else:
        parameters[name][index] = value
    return consistent(Layer(layer.build, parameters), layer)


def places(layer: Layer) -> list[tuple[str, int | None]]:
    """The sizes that may vary: each a parameter and an index in it. Those along which groups, axes or several inputs hang together stay."""
    found: list[tuple[str, int | None]] = []
    for name in (*SHAPES, *STRIDES, "filter_size", "size"):
        found += [(name, i) for i in range(len(layer.parameters.get(name, ())))]
    if layer.parameters.get("groups", 1) > 1:
        found = [place for place in found if place != ("in_shape", 3)]
    if "out_c" in layer.parameters and layer.parameters.get("groups", 1) == 1:
        found.append(("out_c", None))
    return found


def value_at(layer: Layer, place: tuple[str, int | None]) -> int:
    name, index = place
    return int(layer.parameters[name] if index is None else layer.parameters[name][index])


def varied(draw: random.Random, layer: Layer) -> Layer:
    """Half of all layers are as they were counted; in the others one or two sizes are near, far, or 1, or the second input is broadcast along other axes."""
    if draw.random() < 0.5:
        return layer
    if "other_shape" in layer.parameters and draw.random() < 0.5:
        return changed(layer, "other_shape", None, [draw.choice((1, n)) for n in layer.parameters["shape"]])
    for place in draw.sample(places(layer), min(len(places(layer)), draw.choice((1, 1, 2)))):
        n, small = value_at(layer, place), place[0] in (*STRIDES, "filter_size")
        value = draw.choice((1, 2, 3, 5)) if small else draw.choice((n + 1, max(1, n - 1), max(1, n // 2), 2 * n, draw.choice(EXTREMES), 1))
        layer = changed(layer, *place, value)
    return layer


def drawn(draw: random.Random, counted: list[tuple[int, int, Layer]]) -> Layer:
    """Layers are as likely as the number of networks that have them, so that a network of a thousand equal nodes does not fill a shard."""
    return varied(draw, draw.choices([layer for _, _, layer in counted], [networks for _, networks, _ in counted])[0])


def simpler(layer: Layer) -> Iterator[Layer]:
    """Layers with one thing less, the boldest first."""
    for name, plain in {"activation": "NONE", "padding": "VALID", "dtype": "int8", "dilation": [1, 1]}.items():
        if layer.parameters.get(name, plain) != plain:
            yield changed(layer, name, None, plain)
    for place in places(layer):
        n = value_at(layer, place)
        below = 1 << max(n - 1, 1).bit_length() - 1
        for value in dict.fromkeys((1, n // 4, n // 2, below)):
            if 0 < value < n:
                yield changed(layer, *place, value)


# ---- how it is timed


class Unfit(Exception):
    """A layer that is not measured; its text says why."""


def model(layer: Layer) -> bytes:
    try:
        source = layer.model()
        (op,) = surgery.ops(source)
    except (ValueError, ArithmeticError, IndexError, TypeError) as error:
        raise Unfit("parameters do not fit together") from error
    sizes = [math.prod(tensor.shape) for tensor in (*op.inputs, *op.outputs) if tensor]
    if op.macs > MOST_MACS or max(sizes) > MOST_ELEMENTS or min(sizes) == 0:
        raise Unfit("too large, or empty")
    return source


def time(layer: Layer, seconds: float, isa: str, threads: int) -> Timed:
    source = model(layer)
    try:
        sessions = [Contender(name, options=options).open(source, litert, num_threads=threads) for name, options in (("stock", {}), ("tvmq", {"isa": isa}))]
        (sample,) = inputs.random(inputs.describe(source, litert))
        values = sample.load()
        for session in sessions:
            session.run(values)
    except (RuntimeError, ValueError) as error:
        raise Unfit("the runtime refuses it") from error
    (node,) = report(sessions[1].delegate).nodes
    if not node.claimed:
        raise Unfit("left to the runtime")
    stock, tvmq = (min(runs) for runs in peer.alternate(sessions, seconds, min(seconds, SLICE_SECS)))
    return Timed(stock, tvmq, node.algorithm, node.kernel)


def looked_at(layer: Layer, isa: str, threads: int) -> Timed:
    """Looks, and looks longer at what seems slower."""
    found = time(layer, LOOK_SECS, isa, threads)
    return time(layer, PROOF_SECS, isa, threads) if found.slower else found


def simplest(layer: Layer, timed: Timed, isa: str, threads: int) -> tuple[Layer, Timed]:
    """The layer, simplified one thing after the other as long as the same kernel loses about as much."""
    for candidate in simpler(layer):
        try:
            found = looked_at(candidate, isa, threads)
        except Unfit:
            continue
        if found.slower and found.cause == timed.cause and found.ratio < SAME_LOSS * timed.ratio:
            return simplest(candidate, timed, isa, threads)
    return layer, time(layer, PROOF_SECS, isa, threads)


def finding(layer: Layer, timed: Timed, **more: object) -> dict[str, object]:
    about = {"stock_us": round(timed.stock, 2), "tvmq_us": round(timed.tvmq, 2), "ratio": round(timed.ratio, 2)}
    return {"build": layer.build, "algorithm": timed.algorithm, "kernel": timed.kernel, **about, "parameters": layer.parameters, **more}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--shapes", type=int, default=100)
    parser.add_argument("--isa", default="auto", choices=("auto", *peer.HELD))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--found", type=pathlib.Path, help="a file to which a line of JSON is added for each layer that is slower, and for its simplest form")
    options = parser.parse_args()
    if options.isa != "auto":
        peer.hold(options.isa)
    if options.threads == 1:
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    draw, counted = random.Random(options.seed), layers.read()
    ratios, slow, far = [], 0, 0
    unfit: dict[str, int] = {}
    for _ in range(options.shapes):
        layer = drawn(draw, counted)
        try:
            timed = looked_at(layer, options.isa, options.threads)
        except Unfit as reason:
            unfit[str(reason)] = unfit.get(str(reason), 0) + 1
            continue
        ratios.append(timed.ratio)
        if not timed.slower:
            continue
        slow, far = slow + 1, far + (timed.ratio < FAR_SLOWER)
        lines = [finding(layer, timed, seed=options.seed)]
        plain, again = simplest(layer, timed, options.isa, options.threads)
        if plain != layer and again.slower:
            lines.append(finding(plain, again, simplest=True))
        for line in lines:
            figures = f"{line['ratio']:5} {line['stock_us']:9} {line['tvmq_us']:9} {line['algorithm']:12} {line['kernel']:36}"
            print(figures, line["build"], line["parameters"], flush=True)
        if options.found:
            with options.found.open("a", encoding="utf-8") as stream:
                stream.writelines(json.dumps(line) + "\n" for line in lines)
    for reason, n in sorted(unfit.items()):
        print(f"layers not timed, {reason}: {n}")
    print(f"layers compared in speed: {len(ratios)}")
    print(f"layers slower than stock by 5 % and 100 ns: {slow}")
    print(f"layers below 0.8 of stock's speed: {far}")
    print(f"geometric mean of ratios, in thousandths: {round(1000 * statistics.geometric_mean(ratios or [1.0]))}")


if __name__ == "__main__":
    main()
