// Memory for the tensors between the nodes of a partition. The interpreter's own arena holds no tensor that only replaced nodes use.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/scratch.h"

// The arena. All partitions of a delegate share it, because only one of them runs at a time. It is released with the last
// of them.
struct tvmq_arena {
  struct tvmq_scratch scratch;
  size_t n_partitions;
};

// Buffer, in use from the step that first writes it to the step that last reads it. The caller sets size, first and
// last.
struct tvmq_arena_buffer {
  size_t size;         // bytes; 0: needs no memory
  size_t first, last;  // steps, both included; first <= last
  size_t offset;       // result: bytes from the start of the arena, a multiple of TVMQ_ALIGNMENT; unchanged if size is 0
  size_t n_tensors;    // used only while tensors are placed: outputs of needed steps that lie in the buffer
  // Used by the planners only:
  struct tvmq_arena_buffer *above;  // while buffers are sorted: the next smaller; then the placed buffer with the next larger offset
  size_t pile;                      // number of the buffer's pile
  size_t half, middle, taken_to;    // of the pile with this buffer's number: half of its largest size, offset of its middle, last step in use
};

// Gives each of the `n` buffers an offset, so that buffers in use at the same step do not overlap. Sets *total to the
// bytes of the arena; 0 if no buffer needs memory. The arena must begin at a multiple of TVMQ_ALIGNMENT, as memory from
// tvmq_alloc() does. Buffers may be in any order, and may be planned again with other sizes. Returns false if the arena
// would exceed the address space; offsets and *total are then undefined.
bool tvmq_arena_plan(struct tvmq_arena_buffer *buffers, size_t n, size_t *total);

// Has the same contract, for threads that share the rows of each tensor. The middles of tensors coincide, so the first
// halves stay in one core's cache and the second halves in another core's cache. The arena may be larger. It is
// smallest for buffers in the order of their first steps.
bool tvmq_arena_plan_middles(struct tvmq_arena_buffer *buffers, size_t n, size_t *total);
