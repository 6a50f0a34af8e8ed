// Windows of pixels, of which the mean or the largest is taken.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "arithmetic/mean.h"
#include "arithmetic/rescaled_sum.h"

// ---- average_pool, max_pool: out[x][c] = clamp(mean, or largest, over the rows y and the columns x' of window x that lie in the input, of in[y][x'][c])
//
// One call computes one row of output pixels. The type is that of the variant's name; means are rounded as mean.h says, or are rescaled sums. Window x begins
// at column x * stride_w - pad_left. It has a column in the input, except those of max_pool: the largest of none is the type's smallest value.
struct tvmq_pool_span {
  size_t n_cols;          // output pixels side by side
  int32_t min;            // of each of them, at least
  struct tvmq_mean mean;  // average_pool: of as many taps in the input as the windows of each of them have
};

struct tvmq_pool_args {
  const void *in;                       // column 0 of the windows' first row in the input
  size_t in_row_stride, in_col_stride;  // bytes
  size_t n_rows, n_cols;                // of the windows in the input, >= 1; of the input, which max_pool may find without columns
  size_t channels;                      // at least nr
  size_t filter_w, stride_w, pad_left;
  const struct tvmq_pool_span *spans;  // all output pixels
  size_t n_spans;
  const struct tvmq_rescaled_sum *rescaled;  // average_pool: of all of them, and no span's mean is looked at; NULL: they are means
  int32_t max;                               // of all of them, at most: also where that is less than a span's min
  void *out;
  size_t out_col_stride;  // bytes
};
typedef void (*tvmq_pool_fn)(const struct tvmq_pool_args *args);

// Columns that max_pool keeps from one window to the next: all that they share, if those are not too many, else none.
enum { TVMQ_POOL_MOST_KEPT = 16 };
static inline size_t tvmq_pool_kept(size_t filter_w, size_t stride_w) {
  return filter_w > stride_w && filter_w - stride_w <= TVMQ_POOL_MOST_KEPT ? filter_w - stride_w : 0;
}
