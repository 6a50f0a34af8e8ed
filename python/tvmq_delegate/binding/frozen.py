"""The plan of a network as data that depends on no address: tvmq_network_freeze() of tvmq_network.h. Needs cffi."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from . import ffi, loader


@dataclass(frozen=True)
class Frozen:
    """The plan of a network.

    present, words: the image of the plan, which is written to the beginning of an arena of arena_bytes: a bit for each of its words of 32 bits, and those that
    are not 0. pointers: (at, base) of the image's pointers, which are offsets from a base: 0: the arena; 1: the constants; 2 + i: symbols[i]. cpu: the features
    that the kernels need, as bits.
    """

    present: bytes
    words: bytes
    image_bytes: int
    arena_bytes: int
    constants: bytes
    pointers: list[tuple[int, int]]
    symbols: list[str]
    cpu: int


def freeze(model: bytes, options: Mapping[str, object]) -> Frozen:
    """Plans a model, for one thread. options: those of Network.

    Raises:
      RuntimeError: the model is malformed or not supported, nodes cannot be computed, or the plan has something that cannot be compiled.
      ValueError: an option is unknown or has a value that it cannot have.
      FileNotFoundError, IsADirectoryError: there is no such file of tuning_records.
    """
    binding, lib = ffi.library()
    found = ffi.with_options(lib.tvmq_network_freeze, binding.from_buffer(model), len(model), options=loader.spelled(options))
    try:
        return Frozen(
            present=bytes(binding.buffer(found.present, (found.image_bytes + 127) // 128 * 4)),
            words=bytes(binding.buffer(found.words, found.n_words * 4)),
            image_bytes=found.image_bytes,
            arena_bytes=found.arena_bytes,
            constants=bytes(binding.buffer(found.constants, found.constants_bytes)),
            pointers=[(found.pointers[i].at, found.pointers[i].base) for i in range(found.n_pointers)],
            symbols=[ffi.string(found.symbols[i]) for i in range(found.n_symbols)],
            cpu=found.cpu,
        )
    finally:
        lib.tvmq_frozen_release(found)
