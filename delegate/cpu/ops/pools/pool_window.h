// Position of a pooling's windows in the input.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arith.h"
#include "operators/geometry.h"

// One dimension of a window.
struct tvmq_window {
  size_t begin, end;  // inputs [begin, end)
  bool bordered;      // the window includes elements of the border
};

static inline struct tvmq_window tvmq_window_at(ptrdiff_t origin, int32_t filter, int32_t before, int32_t in, int32_t after) {
  const int64_t begin = tvmq_max_s64(origin, -(int64_t)before), end = tvmq_min_s64(origin + (int64_t)filter, (int64_t)in + after);
  const int64_t first = tvmq_min_s64(tvmq_max_s64(begin, 0), in);
  return (struct tvmq_window){(size_t)first, (size_t)tvmq_max_s64(tvmq_min_s64(end, in), first), begin < 0 || end > in};
}

static inline struct tvmq_window tvmq_window_row(const struct tvmq_pool_desc *d, const struct tvmq_geometry *geometry, size_t y) {
  return tvmq_window_at((ptrdiff_t)y * d->stride_h - geometry->pad_top, d->filter_h, d->border.top, d->in_h, d->border.bottom);
}

static inline struct tvmq_window tvmq_window_column(const struct tvmq_pool_desc *d, const struct tvmq_geometry *geometry, size_t x) {
  return tvmq_window_at((ptrdiff_t)x * d->stride_w - geometry->pad_left, d->filter_w, d->border.left, d->in_w, d->border.right);
}

// Returns the number of n > 0 windows of a line, including the windows in between that a stride leaves out.
static inline size_t tvmq_windows_between(size_t n, int32_t stride_w) { return (n - 1) * (size_t)stride_w + 1; }

static inline size_t tvmq_window_taps(struct tvmq_window window) { return window.end - window.begin; }

// Returns whether tvmq_op_line_pool computes the pooling.
bool tvmq_pools_by_lines(const struct tvmq_pool_desc *desc);
