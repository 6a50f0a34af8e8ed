"""Random choices forced upon all nodes of a network change no byte, whatever the instruction set."""

from __future__ import annotations

import os
import random

import harness
import pytest

import tvmq_delegate
from tvmq_delegate.binding import library
from tvmq_delegate.models import zoo

ASSIGNMENTS = int(os.environ.get("TVMQ_ASSIGNMENTS", "4"))  # drawn for each instruction set


@pytest.mark.parametrize("isa", [isa.name for isa in library.isas() if isa.available])
def test_random_assignments_change_nothing(runtime: harness.Runtime, isa: str) -> None:
    source = zoo.mobilenet_v1(width=0.25, resolution=32, classes=7)
    delegate = runtime.load(isa=isa)
    interpreter, reference = runtime.interpreter(source, [delegate]), runtime.interpreter(source)
    inputs = harness.random_inputs(reference, 1)
    (wanted,) = harness.run(reference, *inputs)
    numbers = {index: len(tvmq_delegate.candidates(delegate, index)) for index in range(len(tvmq_delegate.report(delegate).nodes))}
    draw = random.Random(isa)
    assert sum(n > 1 for n in numbers.values()) > 20
    for _ in range(ASSIGNMENTS):
        for index, n in numbers.items():
            if n:
                tvmq_delegate.force(delegate, index, draw.randrange(n))
        harness.assert_equal(harness.run(interpreter, *inputs)[0], wanted, isa)
    harness.counts["random assignments"] += ASSIGNMENTS
