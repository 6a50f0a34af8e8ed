// Memory for the tensors between the nodes of a partition. The interpreter's own arena holds no tensor that only replaced nodes use.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// A tensor that is written by step `first` and last read by step `last`.
struct tvmq_arena_buffer {
  size_t size;  // 0: needs no memory
  size_t first, last;
  size_t offset;  // result, a multiple of TVMQ_ALIGNMENT
  // While planning, the one or the other:
  struct tvmq_arena_buffer *above;  // the placed buffer with the next larger offset
  bool placed;
  size_t pile;                    // the buffer's
  size_t half, middle, taken_to;  // of the pile with the buffer's number: half of the largest size, the offset of the middle, the last buffer's last step
};

// Gives every buffer an offset, so that buffers that live at the same step do not overlap, and *total the size of the arena. False: a size does not fit.
bool tvmq_arena_plan(struct tvmq_arena_buffer *buffers, size_t n, size_t *total);

// The same for threads that share the rows of each tensor, of buffers in the order of their first steps: the middles of tensors lie upon each other, so that
// what lies before them stays in one core's cache and what lies behind in another's. The arena may be larger.
bool tvmq_arena_plan_middles(struct tvmq_arena_buffer *buffers, size_t n, size_t *total);
