"""Information about the library, and about a delegate: plain dataclasses with the fields of tvmq_delegate.h's structures. Needs cffi."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from . import ffi, loader
from .runtimes import Delegate
from .shown import Shown

_MEMORY_SHORT = -2  # what tvmq_force returns


@dataclass(frozen=True)
class Isa:
    """A set of instructions that the option `isa` may name; `available` on this CPU."""

    name: str
    available: bool


@dataclass(frozen=True)
class Cpu:
    """This CPU.

    isa: the greatest instruction set that it offers. count: processors that this process may use, by affinity and cgroup quota. in_order: all cores that it
    may use are known to execute instructions in the order of the program; what the option `tune` goes by unless it is given. identity: what tells CPUs of one
    name apart: vendor, family and model on x86, and features. unused: an instruction set that it offers and no kernel here uses, "" if there is none.
    """

    name: str
    isa: str
    count: int
    in_order: bool
    identity: str
    unused: str


@dataclass(frozen=True)
class Kernel:
    """One kernel variant of the library. isa: what it needs; `available` on this CPU. mr, nr: output pixels (depthwise: rows) and channels of a tile.

    packing: layout of the packed weights, "" without weights; kernels of equal packing read the same bytes.
    """

    name: str
    family: str
    isa: str
    packing: str
    available: bool
    mr: int
    nr: int


@dataclass(frozen=True)
class Machine:
    """A machine whose costs the library knows. isa: the greatest instruction set of such cores. text: as a machine file."""

    name: str
    isa: str
    in_order: bool
    text: str


@dataclass(frozen=True)
class Option:
    """An option of load(). kind: "bool", "int" (min to max, or the word in names), "name" (one of names, split by "|"), "path" or "cpus" ("4-7", "0+2")."""

    name: str
    kind: str
    names: str
    default_value: str
    help: str
    min: int
    max: int


@dataclass(frozen=True)
class Node:
    """One node of the graph and its fate.

    subgraph, node: as the interpreter numbers them. op: the builtin operator's name, or a custom operator's own. reason: why the node was left to the runtime,
    "" if claimed. What follows says something of claimed nodes only. partition: which delegate kernel runs it. macs: multiply-accumulates of one inference,
    padding included. packed_bytes: weights as the kernel reads them. scratch_bytes: what it uses of the scratch memory that all operators use in turn.
    folded_into: of a PAD or a function of single bytes that others do along with their own work, the first of them, else -1; it has no kernel and takes no
    time. forced: it runs as force() demanded; tuned: it runs as the option tuning_records has it; refusal: why it does not do what either or the option
    backend wants, and runs by default. cycles: estimated, on one thread.
    """

    subgraph: int
    node: int
    builtin_code: int
    op: str
    claimed: bool
    reason: str
    partition: int
    kernel: str
    algorithm: str
    packing: str
    macs: int
    packed_bytes: int
    scratch_bytes: int
    folded_into: int
    forced: bool
    refusal: str
    tuned: bool
    cycles: float

    @property
    def how(self) -> str:
        """How the node runs, or why the delegate does not run it: the kernel, the nodes that a PAD is folded into, the reason."""
        return self.kernel or self.algorithm if self.claimed else self.reason


@dataclass(frozen=True)
class Candidate:
    """One choice of how to compute a node; all give the same results.

    algorithm: such as "row table", "im2col", "winograd", "pixel table"; "plain" where only the kernel differs. flipped_copy: signed input is copied as unsigned
    for a kernel that wants it so. rows, panels: of a block of work, 0 without blocks. cycles: estimated, to be compared with those of the node's other
    candidates. runs: it is what the node runs as.
    """

    algorithm: str
    kernel: str
    flipped_copy: bool
    rows: int
    panels: int
    cycles: float
    runs: bool


@dataclass(frozen=True)
class Buffer:
    """A buffer in the arena of a partition: its bytes from offset on are taken from the beginning of first_node to the end of last_node."""

    subgraph: int
    partition: int
    first_node: int
    last_node: int
    offset: int
    bytes: int


@dataclass(frozen=True)
class Summary:
    """A delegate as a whole.

    subgraphs: that the interpreter has offered; nodes, claimed, partitions: of all of them. threads: that share an operator. error: the last one, or "".
    packed_bytes: weights; scratch_bytes: shared by all operators; arena_bytes: tensors between nodes. plans, packs: how often an operator has been planned, and
    weights have been packed. in_order: kernels are chosen for cores that execute in order. machine: whose costs decide. runtime: the runtime's build, ""
    where options say all of its kernels; the options after it: of these kernels, given or found, "auto": unknown.
    """

    subgraphs: int
    nodes: int
    claimed: int
    partitions: int
    threads: int
    isa: str
    rounding: str
    error: str
    packed_bytes: int
    scratch_bytes: int
    arena_bytes: int
    plans: int
    packs: int
    in_order: bool
    machine: str
    runtime: str
    fully_connected: str
    fast_math: str
    hybrid: str
    float32: str


@dataclass(frozen=True)
class Report(Shown):
    """A delegate's report on a model: every node in order of execution. Empty before an interpreter has taken the delegate."""

    summary: Summary
    nodes: tuple[Node, ...]


@dataclass(frozen=True)
class Timing:
    """Times of one claimed node in nanoseconds, one sample per inference; stddev over the samples themselves."""

    count: int
    first_ns: int
    last_ns: int
    min_ns: int
    max_ns: int
    total_ns: int
    mean_ns: float
    stddev_ns: float


@dataclass(frozen=True)
class NodeProfile:
    """A claimed node and its times."""

    node: Node
    timing: Timing


@dataclass(frozen=True)
class Span:
    """When a thread was at work, by time.monotonic_ns().

    thread: 0 is the one that runs the interpreter. task: part of the node's work that threads share; -1: the whole node.
    """

    subgraph: int
    node: int
    thread: int
    task: int
    start_ns: int
    end_ns: int


@dataclass(frozen=True)
class Peak:
    """The greatest speed that the machine allows a delegate's threads and instruction set.

    macs_per_second: of `kernel`, the fastest for int8 matrices, on data in the first-level cache. Bytes per second: cache: 256 KiB per thread, memory: 64 MiB.
    """

    kernel: str
    threads: int
    macs_per_second: float
    cache_bytes_per_second: float
    memory_bytes_per_second: float


def version() -> str:
    """Version of the library, "1.2.3"."""
    return ffi.string(ffi.library()[1].tvmq_version())


def cpu() -> Cpu:
    """The CPU that this process runs on."""
    return ffi.structure(Cpu, ffi.library()[1].tvmq_get_cpu())


def isas() -> list[Isa]:
    """The instruction sets that the option `isa` may name, from least to most."""
    return ffi.sequence(Isa, ffi.library()[1].tvmq_get_isa)


def kernels() -> list[Kernel]:
    """The kernels in the library, those that this CPU cannot run included."""
    return ffi.sequence(Kernel, ffi.library()[1].tvmq_get_kernel)


def kernels_checksum() -> str:
    """Equal where two libraries have the same kernels."""
    return ffi.string(ffi.library()[1].tvmq_kernels_checksum())


def machines() -> list[Machine]:
    """The machines that the option `estimate` may name, and `machine` beside files."""
    return ffi.sequence(Machine, ffi.library()[1].tvmq_get_machine)


def options() -> list[Option]:
    """The options of load()."""
    return ffi.sequence(Option, ffi.library()[1].tvmq_get_option)


def report(delegate: Delegate) -> Report:
    """Every node of the model that the delegate was given to, claimed or not, with the reason.

    Kernels, packing and sizes stand in it once the interpreter has allocated its tensors. Ask while no other thread runs the interpreter.

    Raises:
      TypeError: no Delegate object.
      ValueError: one of another library.
    """
    pointer = ffi.delegate_pointer(delegate)
    lib = ffi.library()[1]
    return Report(ffi.structure(Summary, lib.tvmq_get_delegate(pointer)), tuple(ffi.sequence(Node, lib.tvmq_get_node, pointer)))


def candidates(delegate: Delegate, index: int) -> list[Candidate]:
    """The choices of how to compute node `index` of report(), the fastest by estimate first; none where nothing can be chosen. Raises what report() raises."""
    return ffi.sequence(Candidate, ffi.library()[1].tvmq_get_candidate, ffi.delegate_pointer(delegate), index)


def signature(delegate: Delegate, index: int) -> str:
    """All that decides on the candidates of node `index` of report() and on their times, in words. Nodes of equal signatures are one task of the tuner.

    "" for nodes that leave no choice, and cannot be left to the runtime either. Raises what report() raises.
    """
    text = ffi.library()[1].tvmq_get_signature(ffi.delegate_pointer(delegate), index)
    return ffi.string(text) if text else ""


def estimates(delegate: Delegate, index: int) -> dict[tuple[str, str], float]:
    """The least estimated cycles of each algorithm and kernel among candidates(), without what else there is to say of them."""
    lib, pointer, place = ffi.library()[1], ffi.delegate_pointer(delegate), 0
    found: dict[tuple[Any, Any], float] = {}
    while candidate := lib.tvmq_get_candidate(pointer, index, place):
        found.setdefault((candidate.algorithm, candidate.kernel), candidate.cycles)  # pointers to strings that last, which cost less to compare
        place += 1
    return {(ffi.string(algorithm), ffi.string(kernel)): cycles for (algorithm, kernel), cycles in found.items()}


def force(delegate: Delegate, index: int, candidate: int | None) -> None:
    """Has node `index` of report() computed by one of its candidates from now on; None: by default again.

    Raises:
      TypeError: no Delegate object.
      ValueError: one of another library, or there is no such node or candidate.
      MemoryError: memory is short. Inferences fail until the interpreter has allocated its tensors again.
    """
    status = ffi.library()[1].tvmq_force(ffi.delegate_pointer(delegate), index, -1 if candidate is None else candidate)
    if status == _MEMORY_SHORT:
        raise MemoryError(f"node {index} cannot be planned anew: memory is short, and inferences fail until tensors are allocated again")
    if status != 0:
        raise ValueError(f"node {index} has no candidate {candidate}" if candidate is not None else f"node {index} is not one that can be forced")


def set_machine(delegate: Delegate, text: str) -> None:
    """Has candidates estimated, and nodes planned, for the machine that the text of a machine file describes.

    What runs stays as it is until nodes are planned again: by force(), or when the interpreter prepares them for other shapes.

    Raises:
      TypeError: no Delegate object.
      ValueError: one of another library, or the text is no machine file.
    """
    if ffi.library()[1].tvmq_set_machine(ffi.delegate_pointer(delegate), text.encode()) != 0:
        raise ValueError(report(delegate).summary.error)


def profile(delegate: Delegate, *, reset: bool = False) -> list[NodeProfile]:
    """The times of every claimed node that has run, in order of execution. The delegate must have been loaded with profile=True.

    Args:
      delegate: what load() returned.
      reset: begin afresh after reading, for example when warming up is over.

    Raises:
      TypeError: no Delegate object.
      ValueError: one of another library, or loaded without profile=True.
    """
    if delegate in loader.unprofiled:
        raise ValueError("the delegate keeps no times: load it with profile=True")
    pointer = ffi.delegate_pointer(delegate)
    lib = ffi.library()[1]
    timings = ffi.sequence(Timing, lib.tvmq_get_profile, pointer)
    times = [NodeProfile(node, timing) for node, timing in zip(report(delegate).nodes, timings, strict=True) if timing.count]
    if reset:
        lib.tvmq_reset_profile(pointer)
    return times


def least_ns(delegate: Delegate, indices: Iterable[int]) -> list[int]:
    """The least times of nodes of report() since the last reset_profile(), in nanoseconds; 0 for nodes that have not run."""
    pointer = ffi.delegate_pointer(delegate)
    get = ffi.library()[1].tvmq_get_profile
    return [int(get(pointer, index).min_ns) for index in indices]


def reset_profile(delegate: Delegate) -> None:
    """Forgets times and spans."""
    ffi.library()[1].tvmq_reset_profile(ffi.delegate_pointer(delegate))


def spans(delegate: Delegate) -> list[Span]:
    """When each claimed node ran, and when each thread worked on its tasks where several shared it; thread by thread, of each the last 4096 spans in order.

    Empty unless the delegate was loaded with profile=True. profile(reset=True) forgets them. Raises what report() raises.
    """
    return ffi.sequence(Span, ffi.library()[1].tvmq_get_span, ffi.delegate_pointer(delegate))


def buffers(delegate: Delegate) -> list[Buffer]:
    """Where the tensors between the nodes of each partition lie in the delegate's arena, and when. Raises what report() raises."""
    return ffi.sequence(Buffer, ffi.library()[1].tvmq_get_buffer, ffi.delegate_pointer(delegate))


def peak(delegate: Delegate) -> Peak:
    """Measures what the machine gives at best, on the delegate's threads and with its instruction set; takes a fifth of a second.

    Raises:
      TypeError: no Delegate object.
      ValueError: one of another library, or loaded with the option estimate, with which nothing runs.
      MemoryError: 64 MiB are not to be had.
    """
    if delegate in loader.estimating:
        raise ValueError("the delegate was loaded with the option estimate, with which nothing runs: there is no peak to measure")
    pointer = ffi.delegate_pointer(delegate)
    measured = ffi.library()[1].tvmq_measure_peak(pointer)
    if not measured:
        raise MemoryError("no memory to measure the machine's peak")
    return ffi.structure(Peak, measured)
