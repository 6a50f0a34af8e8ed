// Poolings: the mean or the maximum of windows of pixels.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "arithmetic/mean.h"
#include "arithmetic/rescaled_sum.h"

// ---- average_pool, max_pool: out[x][c] = clamp(mean or maximum of in[y][x'][c] over the part of window x in the input)
//
// One call computes one row of output pixels. The variant's name gives the type. Means are rounded as in mean.h, or are
// rescaled sums. Window x begins at column x * stride_w - pad_left. Every window has a column in the input, except in
// max_pool: the maximum of an empty window is the type's minimum.
struct tvmq_pool_span {
  size_t n_cols;          // number of adjacent output pixels
  int32_t min;            // lower clamp of these pixels
  struct tvmq_mean mean;  // average_pool: mean over the taps that each window has in the input
};

struct tvmq_pool_args {
  const void *in;                       // column 0 of the input row in which the windows begin
  size_t in_row_stride, in_col_stride;  // bytes
  size_t n_rows, n_cols;                // rows of a window in the input, >= 1; columns of the input, which may be 0 for max_pool
  size_t channels;                      // at least nr
  size_t filter_w, stride_w, pad_left;
  const struct tvmq_pool_span *spans;  // spans of all output pixels, in order
  size_t n_spans;
  const struct tvmq_rescaled_sum *rescaled;  // average_pool: rescaling of all sums; spans' means are ignored. NULL: means
  int32_t max;                               // upper clamp of all pixels; wins if it is less than a span's min
  void *out;
  size_t out_col_stride;  // bytes
};
typedef void (*tvmq_pool_fn)(const struct tvmq_pool_args *args);

// Returns the number of columns that max_pool keeps from one window to the next: all common columns, or 0 if there are
// more than TVMQ_POOL_MOST_KEPT.
enum { TVMQ_POOL_MOST_KEPT = 16 };
static inline size_t tvmq_pool_kept(size_t filter_w, size_t stride_w) {
  return filter_w > stride_w && filter_w - stride_w <= TVMQ_POOL_MOST_KEPT ? filter_w - stride_w : 0;
}
