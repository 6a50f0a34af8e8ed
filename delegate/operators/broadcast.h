// Broadcasts two or three tensors of different shapes. Shapes are aligned at their last dimensions. A tensor repeats along each
// dimension in which it has size 1 or that it lacks.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/shape.h"

enum { TVMQ_BROADCAST_INPUTS = 3 };

struct tvmq_broadcast_input {
  bool repeats;                   // repeats along some dimension; otherwise element i of the input belongs to element i of the output
  size_t strides[TVMQ_MAX_RANK];  // in elements; 0 along dimensions in which the input repeats
};

// How inputs are broadcast. All zeros: they have the same shape.
struct tvmq_broadcast {
  int rank;                    // dimensions, last one innermost; adjacent ones are merged if the same inputs repeat
  size_t dims[TVMQ_MAX_RANK];  // of the output
  struct tvmq_broadcast_input in[TVMQ_BROADCAST_INPUTS];
};

// Computes the output's rank and dimensions, and how the `n_in` inputs repeat. Returns NULL, or why the shapes cannot be
// broadcast (static string). Dimensions must not be negative, and the number of elements of each shape must fit size_t.
const char *tvmq_broadcast_shapes(const struct tvmq_shape *in, int n_in, struct tvmq_shape *out, struct tvmq_broadcast *broadcast);

// Returns the element of an input for output element `at`, if the input has one element for each line (last dimension)
// of the output. Sets *lines to the number of output lines from there on whose elements are contiguous in the input.
// The first line may be a partial line.
size_t tvmq_broadcast_element(const struct tvmq_broadcast *broadcast, int input, size_t at, size_t *lines);

// Bytes after the end of a piece that tvmq_broadcast_read() may also write.
#define TVMQ_BROADCAST_MARGIN 64

// Buffer for a piece of one input in the layout of the output.
struct tvmq_broadcast_copy {
  void *data;    // room for a piece and the margin
  size_t n;      // number of elements that the next call may reuse; 0: none
  size_t begin;  // first element in the input; identifies the kept elements, which repeat one element or one line
};

// Returns the elements of one input for output elements [first, first + n); `bytes` is the size of an element:
// 1, 2, 4 or 8. Returns
// a pointer into the tensor if the elements are contiguous there, otherwise fills `copy` and returns its data. `copy`
// may still have the elements from the previous call.
const void *tvmq_broadcast_read(const struct tvmq_broadcast *broadcast, int input, const void *tensor, size_t bytes, size_t first, size_t n,
                                struct tvmq_broadcast_copy *copy);
