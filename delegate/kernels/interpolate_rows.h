// Interpolates between columns, which makes the rows of sums: plain C, vectorized by the compiler. If the channels are
// no multiple of ROW_BLOCK, the last block ends with the pixel and computes some sums again.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/arith.h"
#include "base/inline.h"
#include "kernels/kernel.h"

enum { ROW_BLOCK = 16 };

typedef void (*make_row_fn)(const struct tvmq_interpolate_args *args, const void *in, int32_t *row);

#define MAKE_ROW(TYPE)                                                                                                                          \
  TVMQ_INLINE void make_some_##TYPE(const TYPE *first, const TYPE *second, const int32_t weights[2], size_t n, int32_t *restrict row) {         \
    for (size_t c = 0; c < n; c++) row[c] = first[c] * weights[0] + second[c] * weights[1];                                                     \
  }                                                                                                                                             \
  static void make_##TYPE(const struct tvmq_interpolate_args *args, const void *in, int32_t *row) {                                             \
    const size_t channels = args->channels;                                                                                                     \
    const bool whole = channels < ROW_BLOCK || channels % ROW_BLOCK == 0;                                                                       \
    const struct tvmq_between *const end = args->columns + args->n_columns;                                                                     \
    for (const struct tvmq_between *x = args->columns; x < end; x++, row += channels) {                                                         \
      const TYPE *const first = (const TYPE *)in + (size_t)x->at[0] * channels, *const second = (const TYPE *)in + (size_t)x->at[1] * channels; \
      const int32_t weights[2] = {x->weights[0], x->weights[1]};                                                                                \
      if (whole) make_some_##TYPE(first, second, weights, channels, row);                                                                       \
      for (size_t c = 0; c < channels && !whole; c += ROW_BLOCK) {                                                                              \
        const size_t at = tvmq_min(c, channels - ROW_BLOCK);                                                                                    \
        make_some_##TYPE(first + at, second + at, weights, ROW_BLOCK, row + at);                                                                \
      }                                                                                                                                         \
    }                                                                                                                                           \
  }

TVMQ_INLINE void make_rows(const struct tvmq_interpolate_args *args, make_row_fn make) {
  for (int r = 0; r < 2; r++) {
    if (args->in[r] != NULL) make(args, args->in[r], args->rows[r]);
  }
}
