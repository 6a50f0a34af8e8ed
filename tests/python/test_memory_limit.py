"""The option memory_megabytes on networks: weights and arenas stay below it, what is left says why, and what is taken is exact."""

from __future__ import annotations

from typing import Any

import harness
import pytest

import tvmq_delegate
from tvmq_delegate.binding import library
from tvmq_delegate.models import ModelBuilder, zoo
from tvmq_delegate.models.flatbuffer import read, write

MIB = 1 << 20


def held(runtime: harness.Runtime, source: bytes, **options: Any) -> tvmq_delegate.Report:
    """The report of a delegate, made while its interpreter lives."""
    delegate = runtime.load(**options)
    interpreter = runtime.interpreter(source, [delegate])
    report = tvmq_delegate.report(delegate)
    del interpreter
    return report


@pytest.mark.parametrize("network", ["mobilenet_v2_0.35_96", "resnet18"])
def test_every_limit(runtime: harness.Runtime, network: str) -> None:
    source, claimed = zoo.load(network), []
    for limit in (0, 64, 13, 4, 2, 1):
        report = held(runtime, source, memory_megabytes=limit)
        claimed.append(report.summary.claimed)
        assert not limit or report.summary.packed_bytes + report.summary.arena_bytes <= limit * MIB
        left = [node for node in report.nodes if not node.claimed]
        assert all("memory_megabytes" in node.reason for node in left if node.op == "CONV_2D")
    assert claimed[0] == len(report.nodes) and claimed[-1] < claimed[0]


def test_a_limit_is_met_by_what_is_left(runtime: harness.Runtime) -> None:
    """Winograd goes first, so that all nodes are taken with less memory than by default."""
    source = zoo.load("resnet18")
    default, plain = held(runtime, source).summary, held(runtime, source, winograd="off").summary
    if plain.packed_bytes == default.packed_bytes:
        pytest.skip("no node of the network is computed by Winograd here")
    limit = -(-(plain.packed_bytes + plain.arena_bytes) // MIB)
    limited = held(runtime, source, memory_megabytes=limit).summary
    assert limited.claimed == default.claimed and limited.packed_bytes + limited.arena_bytes <= limit * MIB < default.packed_bytes


def test_narrow_packings_come_before_nodes(runtime: harness.Runtime) -> None:
    """Kernels for AVX2 mostly read weights of two bytes. In bytes all nodes are taken with less memory, exactly, and only as many are narrow as need be."""
    if not any(isa.name == "avx2" and isa.available for isa in library.isas()):
        pytest.skip("this CPU has no AVX2")
    source = zoo.load("mobilenet_v2")
    default = held(runtime, source, isa="avx2")
    widths = []
    for limit in range(-(-(default.summary.packed_bytes + default.summary.arena_bytes) // MIB), 0, -1):
        limited = held(runtime, source, isa="avx2", memory_megabytes=limit)
        assert limited.summary.packed_bytes + limited.summary.arena_bytes <= limit * MIB
        if limited.summary.claimed < default.summary.claimed:
            break
        widths.append(sum(node.packing.startswith("s16") for node in limited.nodes if node.op == "CONV_2D"))
    assert len(widths) >= 3 and widths == sorted(widths, reverse=True) and 0 < widths[1] < widths[0]
    found = tvmq_delegate.diff(source, runtime=runtime.name, isa="avx2", memory_megabytes=limit + 1, num_threads=2)
    assert found.passed and found.taken == found.nodes


def test_what_is_taken_is_exact(runtime: harness.Runtime) -> None:
    found = tvmq_delegate.diff(zoo.load("mobilenet_v2_0.35_96"), runtime=runtime.name, memory_megabytes=1, samples=None, per_op=True, num_threads=2)
    assert found.passed and 0 < found.taken < found.nodes


def test_full_delegation_says_why(runtime: harness.Runtime) -> None:
    with pytest.raises(RuntimeError, match="memory_megabytes"):
        runtime.interpreter(zoo.load("mobilenet_v2_0.35_96"), [runtime.load(memory_megabytes=1, require_full_delegation=True)])


def pools(size: int) -> bytes:
    """Two poolings of size x size pixels, with a tensor of 16 channels between them."""
    builder = ModelBuilder()
    tensors = [builder.add_tensor(name, (1, size, size, 16), "int8", scale=0.1) for name in ("input", "between", "output")]
    for source, result in zip(tensors, tensors[1:]):
        builder.add_op("MAX_POOL_2D", [source], [result], padding="SAME", stride_w=1, stride_h=1, filter_width=3, filter_height=3)
    return builder.build(tensors[:1], tensors[2:])


def test_graphs_that_are_given_up_leave_no_arena(runtime: harness.Runtime) -> None:
    """The second graph needs 4 MiB between its nodes, the first one 64 KiB."""
    root = read(memoryview(pools(64)))
    root.subgraphs = (*root.subgraphs, *read(memoryview(pools(512))).subgraphs)
    report = held(runtime, write(root), memory_megabytes=1)
    assert [node.claimed for node in report.nodes] == [True, True, False, False]
    assert 0 < report.summary.arena_bytes <= MIB
