// A network in a library of its own (`tvmq compile`): its plan as data, and the functions that run it. The plan was made
// when the library was built; here nothing is chosen, proven, packed or allocated.
//
// The image of a plan is the blocks that planning made, one after the other, beginning with struct tvmq_compiled. It is
// written to the caller's arena, and its pointers are set there. Constants, mostly packed weights, stay where they are.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "cpu/ops/op.h"

struct tvmq_compiled_pass {
  const struct tvmq_implementation *implementation;
  const struct tvmq_op *op;
  size_t n_tasks;
  struct tvmq_pass pass;
};

// A place in the arguments of a step that gets the address of an input or output of the network.
struct tvmq_compiled_slot {
  const void **address;
  size_t tensor;  // inputs, then outputs
  size_t offset;  // bytes from the start of the tensor
};

struct tvmq_compiled {
  size_t n_passes, n_slots;
  struct tvmq_compiled_pass *passes;
  struct tvmq_compiled_slot *slots;
  const char *_Atomic failure;  // why the inference failed (static string); NULL: it did not
};

// A pointer in the image: the word at byte `at` is an offset from a base.
struct tvmq_compiled_pointer {
  uint32_t at, base;
};
enum { TVMQ_BASE_ARENA, TVMQ_BASE_CONSTANTS, TVMQ_BASE_SYMBOLS };  // from TVMQ_BASE_SYMBOLS on: the symbols

// Everything that is generated for a network and an instruction set.
struct tvmq_compiled_data {
  const uint32_t *present, *words;  // the image, as in struct tvmq_frozen_network
  size_t image_bytes, arena_bytes;
  const void *constants;
  const struct tvmq_compiled_pointer *pointers;
  size_t n_pointers;
  const void *const *symbols;
  size_t n_inputs;
  uint32_t cpu;  // enum tvmq_cpu_bits: features that the kernels need
};

// The library's API as NAME.h documents it. `plans`: of the same network, the best first; the first one that the processor can run is taken.
enum { TVMQ_COMPILED_OK, TVMQ_COMPILED_UNALIGNED, TVMQ_COMPILED_CPU, TVMQ_COMPILED_FAILED };
int tvmq_compiled_init(const struct tvmq_compiled_data *const *plans, size_t n, void *arena);
int tvmq_compiled_run(const struct tvmq_compiled_data *data, void *arena, const void *const *inputs, void *const *outputs);
