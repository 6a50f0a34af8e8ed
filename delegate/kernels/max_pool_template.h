// Body of the max-pooling kernels: pool(args, type), for channels of at least VECTOR bytes. The includer defines
//   VECTOR, BLOCK        bytes per vector; vectors that are computed together
//   vec                  the type of a vector
//   splat(x, type)       a vector with x in every element
//   larger, smaller(x, y, type)
//
// The kernel keeps the columns that a window shares with the next one, so that it reads each column once. The last
// vector of a pixel overlaps the previous one.
#include <assert.h>
#include <string.h>

#include "kernels/kernel.h"

// Part of a pixel that is computed at once: `vectors` contiguous vectors, from byte `offset` on.
struct part {
  size_t offset, vectors;  // offset in bytes
};

TVMQ_INLINE vec load(const uint8_t *in) {
  vec x;
  memcpy(&x, in, sizeof x);
  return x;
}

// Computes the maximum of a column; outside the input, the type's minimum.
TVMQ_INLINE void largest_of_column(const struct tvmq_pool_args *a, ptrdiff_t column, struct part p, size_t n_rows, enum tvmq_type type, vec *largest) {
  if (column < 0 || column >= (ptrdiff_t)a->n_cols) {
    UNROLL for (size_t i = 0; i < p.vectors; i++) largest[i] = splat(tvmq_type_range(type).min, type);
    return;
  }
  const uint8_t *in = (const uint8_t *)a->in + p.offset + (size_t)column * a->in_col_stride;
  UNROLL for (size_t i = 0; i < p.vectors; i++) largest[i] = load(in + i * VECTOR);
  for (size_t y = 1; y < n_rows; y++) {
    in += a->in_row_stride;
    UNROLL for (size_t i = 0; i < p.vectors; i++) largest[i] = larger(largest[i], load(in + i * VECTOR), type);
  }
}

TVMQ_INLINE void pool_part(const struct tvmq_pool_args *a, struct part p, size_t n_rows, size_t n_kept, enum tvmq_type type) {
  vec kept[TVMQ_POOL_MOST_KEPT][BLOCK];
  uint8_t *out = (uint8_t *)a->out + p.offset;
  const vec max = splat(a->max, type);
  const ptrdiff_t width = (ptrdiff_t)a->filter_w, n_cols = (ptrdiff_t)a->n_cols;
  ptrdiff_t origin = -(ptrdiff_t)a->pad_left;
  for (size_t k = 0; k < n_kept; k++) largest_of_column(a, origin + (ptrdiff_t)k, p, n_rows, type, kept[k]);
  for (const struct tvmq_pool_span *span = a->spans; span < a->spans + a->n_spans; span++) {
    const vec min = splat(span->min, type);
    for (size_t x = 0; x < span->n_cols; x++) {
      vec largest[BLOCK], column[BLOCK];
      UNROLL for (size_t i = 0; i < p.vectors; i++) largest[i] = min;
      for (size_t k = 0; k < n_kept; k++) {
        UNROLL for (size_t i = 0; i < p.vectors; i++) largest[i] = larger(largest[i], kept[k][i], type);
      }
      // Columns outside the input are computed only if they are kept for later windows.
      const ptrdiff_t next = origin + (ptrdiff_t)n_kept, end = origin + width;
      for (ptrdiff_t c = n_kept > 0 || next > 0 ? next : 0; c < end && (n_kept > 0 || c < n_cols); c++) {
        largest_of_column(a, c, p, n_rows, type, column);
        UNROLL for (size_t i = 0; i < p.vectors; i++) largest[i] = larger(largest[i], column[i], type);
        for (size_t k = 0; k + 1 < n_kept; k++) {
          UNROLL for (size_t i = 0; i < p.vectors; i++) kept[k][i] = kept[k + 1][i];
        }
        UNROLL for (size_t i = 0; i < p.vectors; i++) kept[n_kept > 0 ? n_kept - 1 : 0][i] = column[i];
      }
      UNROLL for (size_t i = 0; i < p.vectors; i++) {
        const vec clamped = smaller(largest[i], max, type);
        memcpy(out + i * VECTOR, &clamped, sizeof clamped);
      }
      out += a->out_col_stride;
      origin += (ptrdiff_t)a->stride_w;
    }
  }
}

// Pools with the usual window sizes as compile-time constants.
TVMQ_INLINE void pool_windows(const struct tvmq_pool_args *a, struct part p, enum tvmq_type type) {
  const size_t n_kept = tvmq_pool_kept(a->filter_w, a->stride_w);
  if (a->n_rows == 3 && n_kept == 1)
    pool_part(a, p, 3, 1, type);
  else if (a->n_rows == 3 && n_kept == 2)
    pool_part(a, p, 3, 2, type);
  else if (a->n_rows == 3 && n_kept == 0)
    pool_part(a, p, 3, 0, type);
  else if (a->n_rows == 2 && n_kept == 0)
    pool_part(a, p, 2, 0, type);
  else if (n_kept == 0)
    pool_part(a, p, a->n_rows, 0, type);
  else
    pool_part(a, p, a->n_rows, n_kept, type);
}

TVMQ_INLINE void pool(const struct tvmq_pool_args *args, enum tvmq_type type) {
  const struct tvmq_pool_args a = *args;  // copied, because the compiler must assume that stores change *args
  const size_t n = a.channels * tvmq_type_bytes(type);
  assert(n >= VECTOR);
  size_t at = 0;
  for (; n - at >= BLOCK * VECTOR; at += BLOCK * VECTOR) pool_windows(&a, (struct part){at, BLOCK}, type);
  for (; at < n; at += VECTOR) pool_windows(&a, (struct part){tvmq_min(at, n - VECTOR), 1}, type);
}
