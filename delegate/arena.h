// Memory for the tensors between the nodes of a partition. The interpreter's own arena holds no tensor that only replaced nodes use.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// A tensor that is written by step `first` and last read by step `last`.
struct tvmq_arena_buffer {
  size_t size;  // 0: needs no memory
  size_t first, last;
  size_t offset;                    // result, a multiple of TVMQ_PANEL_ALIGNMENT
  struct tvmq_arena_buffer *above;  // the placed buffer with the next larger offset
  bool placed;
};

// Gives every buffer an offset, so that buffers that live at the same step do not overlap, and *total the size of the arena. False: a size does not fit.
bool tvmq_arena_plan(struct tvmq_arena_buffer *buffers, size_t n, size_t *total);
