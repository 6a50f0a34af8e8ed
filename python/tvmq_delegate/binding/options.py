"""The delegate's options as types, for those who check theirs. The library has the list; a test holds this one against it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, TypedDict

if TYPE_CHECKING:
    from .library import Option

Machine = Literal[
    "none", "sapphire-rapids", "cascade-lake", "zen5", "zen4",
    "arm-out-of-order", "arm-in-order", "cortex-a53", "cortex-a55", "cortex-a72", "neoverse-n1", "neoverse-v1",
]  # fmt: skip

Threads = int | Literal["auto"]


class ToolOptions(TypedDict, total=False):
    """The options but num_threads, which is the interpreter's where a tool makes one. None leaves an option at its default."""

    cpu_affinity: str | None
    rounding: Literal["reference", "upward", "single"] | None
    fully_connected: Literal["auto", "fixed_point", "float64"] | None
    fast_math: Literal["auto", "off", "on"] | None
    hybrid: Literal["auto", "neon", "sse", "portable"] | None
    float32: Literal["auto", "library", "packets", "fused"] | None
    isa: Literal["auto", "c", "neon", "dotprod", "i8mm", "avx2", "avxvnni", "avx512vnni", "avx512vbmi", "amx"] | None
    tune: Literal["auto", "in_order", "out_of_order"] | None
    machine: str | None
    estimate: Machine | None
    winograd: Literal["auto", "on", "off"] | None
    winograd_megabytes: int | None
    memory_megabytes: int | None
    tuning_records: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None
    weight_cache: str | None
    constants: Literal["assume", "verify"] | None
    backend: Literal["cpu", "opencl"] | None
    opencl_library: str | None
    opencl_device: str | None
    opencl_verify: int | None
    profile: bool | None
    require_full_delegation: bool | None
    min_nodes_per_partition: int | None
    max_delegated_partitions: int | None
    log_severity: Literal["verbose", "info", "warning", "error", "silent"] | None


class LoadOptions(ToolOptions, total=False):
    """The options of load()."""

    num_threads: int | Literal["auto"] | None


def described() -> str:
    """A line for each option of load() with the values that it takes, for docstrings."""
    return "".join(f"      {name}: {getattr(kind, '__forward_arg__', kind)}\n" for name, kind in LoadOptions.__annotations__.items())


def option_values(option: Option) -> list[str]:
    """Lists the words that an option takes, with the kind of other values in capitals."""
    words = option.names.split("|") if option.names else []
    return words if option.kind == "name" else [option.kind.upper(), *words]


def interpreter_threads(value: object) -> int:
    """How many threads an interpreter has where the option num_threads has this value: one where it leaves the choice, for "auto" the most that the delegate
    uses. Raises ValueError, as load() does."""
    from . import ffi, library  # load() does without them

    option = next(option for option in library.options() if option.name == "num_threads")
    if value == option.names:
        return int(ffi.library()[1].tvmq_auto_threads())
    try:
        count = int(str(option.default_value if value is None else value))
        if not option.min <= count <= option.max:
            raise ValueError
    except ValueError:
        allowed = f"{option.names}, whole numbers from {option.min} to {option.max}"
        raise ValueError(f"tvmq-delegate: option num_threads cannot have the value {str(value)!r}; allowed: {allowed}") from None
    return max(1, count)


def asked_threads(value: object) -> Threads:
    """The same, but "auto" stays what it is: a tool leaves it to the delegate."""
    count = interpreter_threads(value)
    return "auto" if value == "auto" else count


def shared_threads(value: Threads) -> tuple[int, dict[str, Any]]:
    """The threads of an interpreter, and the option of the delegate in it, which otherwise goes by the interpreter. Raises as interpreter_threads()."""
    return interpreter_threads(value), {"num_threads": value} if value == "auto" else {}
