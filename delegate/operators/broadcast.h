// Two tensors of other shapes taken element by element: aligned at their last dimensions, each repeats along those in which it has one element or none.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/shape.h"

struct tvmq_broadcast_input {
  bool repeats;                   // some dimension; else its elements are the output's, one by one
  size_t strides[TVMQ_MAX_RANK];  // elements; 0 where it repeats
};

// All zeros: two tensors of one shape.
struct tvmq_broadcast {
  int rank;                    // dimensions, those merged along which the same inputs repeat; the last is that of neighbours
  size_t dims[TVMQ_MAX_RANK];  // of the output
  struct tvmq_broadcast_input in[2];
};

// Computes the output's rank and dimensions, and how the inputs are repeated. NULL, or why they cannot be. The dimensions are not negative, and either shape's
// elements fit size_t.
const char *tvmq_broadcast_shapes(const struct tvmq_shape in[2], struct tvmq_shape *out, struct tvmq_broadcast *broadcast);

// The element of an input that the output's element `at` is computed from, where the input has one element for each line. Sets *lines to the lines of the
// output from there on, the first perhaps a part, whose elements follow each other in the input.
size_t tvmq_broadcast_element(const struct tvmq_broadcast *broadcast, int input, size_t at, size_t *lines);

// Bytes behind the room for a piece that laying it out may write, too.
#define TVMQ_BROADCAST_MARGIN 64

// Elements of one input that have been laid out as the output has them, one piece after the other.
struct tvmq_broadcast_copy {
  void *data;    // room for a piece, and the margin
  size_t n;      // elements there that may be read again; 0: none
  size_t begin;  // the input's element that they begin with: only one element, or one line, again and again is kept, so that this names it
};

// Elements [first, first + n) of one input, of `bytes` bytes each and counted as the output's: in place where they are neighbours there, else in `copy`, which
// may hold them from the call before.
const void *tvmq_broadcast_read(const struct tvmq_broadcast *broadcast, int input, const void *tensor, size_t bytes, size_t first, size_t n,
                                struct tvmq_broadcast_copy *copy);
