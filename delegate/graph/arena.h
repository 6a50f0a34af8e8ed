// Memory for the tensors between the nodes of a partition. The interpreter's own arena holds no tensor that only replaced nodes use.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// Memory that is taken from the step that writes it first to the one that reads it last. The caller sets size, first and last.
struct tvmq_arena_buffer {
  size_t size;         // bytes; 0: it needs no memory
  size_t first, last;  // steps, both included; first <= last
  size_t offset;       // the result: bytes from the beginning of the arena, a multiple of TVMQ_ALIGNMENT; untouched where size is 0
  // The planners' own:
  struct tvmq_arena_buffer *above;  // the placed buffer with the next larger offset
  bool placed;
  size_t pile;                    // the buffer's
  size_t half, middle, taken_to;  // of the pile with the buffer's number: half of the largest size, the offset of the middle, the last buffer's last step
};

// Gives each of the `n` buffers an offset, so that those that are taken at the same step do not overlap, and stores in *total how many bytes the arena must
// have: 0 if no buffer needs memory. The arena itself must begin at a multiple of TVMQ_ALIGNMENT, as what tvmq_alloc() returns does. Buffers may come in any
// order, and planning again with other sizes begins anew. False: the arena would exceed the address space, and neither offsets nor *total mean anything.
bool tvmq_arena_plan(struct tvmq_arena_buffer *buffers, size_t n, size_t *total);

// The same contract, for threads that share the rows of each tensor: the middles of tensors lie upon each other, so that what lies before them stays in one
// core's cache and what lies behind in another's. The arena may be larger. It is smallest for buffers in the order of their first steps.
bool tvmq_arena_plan_middles(struct tvmq_arena_buffer *buffers, size_t n, size_t *total);
