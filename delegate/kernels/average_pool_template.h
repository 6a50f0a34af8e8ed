// Body of the average-pooling kernels, in the compiler's vectors. Defines pool_s8(args), pool_u8 and pool_s16 for at
// least LANES channels. The includer defines
//   LANES, BLOCK         channels in a vector of int16; vectors that are computed together
//   WIDEN_S8, WIDEN_U8(in, i, n)   vector i of the bytes at `in`, as int16; the kernel may load n vectors with one
//                        instruction; load_bytes(p) loads one vector of bytes
//   ROUNDED_HIGH(x, y)   (x * y + 2^14) >> 15 of vectors of int16
//   MIN, MAX             of two vectors of int16
//   LOW, HIGH            the lower or upper half of a vector of int16, as a vector of int32
//   JOIN(low, high)      two vectors of int32, saturated to one vector of int16
//   RESCALE(r, n, sums)  rescales n vectors of int32 by struct tvmq_rescaled_sum, and adds the zero point
//
// Small windows of bytes slide: the kernel sums each column once, adds it to the window's sum, and later subtracts it.
// All other windows are summed one by one, bytes in int16 as long as the sums fit. The last block of channels overlaps
// the previous one. Channels that are fewer than a block are computed vector by vector.
#include <assert.h>
#include <string.h>

#include "kernels/kernel.h"

enum { STEP = 4, ROWS_IN_INT16 = 128 };

typedef int8_t bytes __attribute__((vector_size(LANES)));
typedef int16_t shorts __attribute__((vector_size(2 * LANES)));
typedef int32_t ints __attribute__((vector_size(2 * LANES)));
typedef float floats __attribute__((vector_size(2 * LANES)));

// Channels to compute: `vectors` contiguous vectors, starting at channel `first`.
struct channels {
  size_t first, vectors;
};

TVMQ_INLINE bytes load_bytes(const uint8_t *in) {
  bytes b;
  memcpy(&b, in, sizeof b);
  return b;
}

TVMQ_INLINE shorts load(const uint8_t *in, size_t i, size_t n, enum tvmq_type type) {
  (void)n;  // some instruction sets ignore it
  shorts s;
  if (type != TVMQ_TYPE_S16) return type == TVMQ_TYPE_U8 ? WIDEN_U8(in, i, n) : WIDEN_S8(in, i, n);
  memcpy(&s, in + i * sizeof s, sizeof s);
  return s;
}

TVMQ_INLINE void add_row(const uint8_t *in, size_t together, struct channels c, enum tvmq_type type, shorts *sums) {
  UNROLL for (size_t i = 0; i < c.vectors; i++) sums[i] += load(in, i, together, type);
}

// Sums the rows of a column. `few` and c.vectors are compile-time constants. With many rows, several rows are added per
// iteration, so that in-order cores have independent work during loads. Loads of several vectors need registers that
// few rows do not justify.
TVMQ_INLINE void add_rows(const uint8_t *in, size_t row_stride, size_t n_rows, bool few, struct channels c, enum tvmq_type type, shorts *sums) {
  const size_t together = few ? 1 : c.vectors;
  UNROLL for (size_t i = 0; i < c.vectors; i++) sums[i] = load(in, i, together, type);
  size_t y = 1;
  for (; !few && y + STEP <= n_rows; y += STEP) UNROLL for (size_t i = 0; i < STEP; i++) add_row(in += row_stride, together, c, type, sums);
  for (; y < n_rows; y++) add_row(in += row_stride, together, c, type, sums);
}

// Clamps and writes vector i.
TVMQ_INLINE void store(uint8_t *out, size_t i, shorts mean, int32_t min, int32_t max, enum tvmq_type type) {
  mean = MIN(MAX(mean, (shorts){0} + (int16_t)min), (shorts){0} + (int16_t)max);
  if (type == TVMQ_TYPE_S16) {
    memcpy(out + i * sizeof mean, &mean, sizeof mean);
  } else {
    const bytes b = __builtin_convertvector(mean, bytes);
    memcpy(out + i * sizeof b, &b, sizeof b);
  }
}

TVMQ_INLINE shorts narrow_mean(shorts sum, const struct tvmq_mean *mean, enum tvmq_type type) {
  const shorts t = sum + (int16_t)mean->bias + (sum < (int16_t)(mean->tie < 0 ? INT16_MIN : 0));
  return (ROUNDED_HIGH(t, (shorts){0} + mean->multiplier) >> mean->shift) - (int16_t)tvmq_mean_offset(type);
}

TVMQ_INLINE ints wide_mean(ints sum, const struct tvmq_mean *mean, enum tvmq_type type) {
  const ints t = sum + mean->bias + (sum < mean->tie), near = __builtin_convertvector(__builtin_convertvector(t, floats) * mean->inverse, ints);
  const ints rest = t - near * mean->taps;
  return near + (rest < 0) - (rest >= mean->taps) - tvmq_mean_offset(type);
}

// Columns of the input in a window: [begin, end).
struct window {
  size_t begin, end;
};

TVMQ_INLINE struct window window_at(const struct tvmq_pool_args *a, ptrdiff_t origin) {
  return (struct window){origin > 0 ? (size_t)origin : 0, tvmq_min((size_t)(origin + (ptrdiff_t)a->filter_w), a->n_cols)};
}

TVMQ_INLINE void slide(const struct tvmq_pool_args *a, struct channels c, size_t n_rows, enum tvmq_type type) {
  const size_t width = tvmq_min(a->filter_w, a->n_cols);
  const uint8_t *next = (const uint8_t *)a->in + c.first;
  uint8_t *out = (uint8_t *)a->out + c.first;
  shorts kept[TVMQ_MEAN_NARROW][BLOCK], sums[BLOCK];
  UNROLL for (size_t i = 0; i < c.vectors; i++) sums[i] = (shorts){0};
  size_t begin = 0, end = 0, oldest = 0, newest = 0;  // columns in the sums: [begin, end); their first and next slot in `kept`
  ptrdiff_t origin = -(ptrdiff_t)a->pad_left;
  for (const struct tvmq_pool_span *span = a->spans; span < a->spans + a->n_spans; span++) {
    const struct tvmq_mean mean = span->mean;
    const int32_t min = span->min;
    for (size_t x = 0; x < span->n_cols; x++) {
      const struct window window = window_at(a, origin);
      if (window.begin >= end) {
        next += (window.begin - end) * a->in_col_stride;
        begin = end = window.begin;
        oldest = newest = 0;
        UNROLL for (size_t i = 0; i < c.vectors; i++) sums[i] = (shorts){0};
      }
      for (; begin < window.begin; begin++) {
        UNROLL for (size_t i = 0; i < c.vectors; i++) sums[i] -= kept[oldest][i];
        oldest = oldest + 1 == width ? 0 : oldest + 1;
      }
      for (; end < window.end; end++) {
        shorts column[BLOCK];
        add_rows(next, a->in_row_stride, n_rows, true, c, type, column);
        UNROLL for (size_t i = 0; i < c.vectors; i++) {
          kept[newest][i] = column[i];
          sums[i] += column[i];
        }
        newest = newest + 1 == width ? 0 : newest + 1;
        next += a->in_col_stride;
      }
      UNROLL for (size_t i = 0; i < c.vectors; i++) store(out, i, narrow_mean(sums[i], &mean, type), min, a->max, type);
      out += a->out_col_stride;
      origin += (ptrdiff_t)a->stride_w;
    }
  }
}

TVMQ_INLINE void sum_each(const struct tvmq_pool_args *a, struct channels c, bool rescaled, enum tvmq_type type) {
  const size_t offset = c.first * tvmq_type_bytes(type), most = type == TVMQ_TYPE_S16 ? 1 : ROWS_IN_INT16;
  uint8_t *out = (uint8_t *)a->out + offset;
  ptrdiff_t origin = -(ptrdiff_t)a->pad_left;
  for (const struct tvmq_pool_span *span = a->spans; span < a->spans + a->n_spans; span++) {
    const struct tvmq_mean mean = span->mean;
    const int32_t min = span->min;
    for (size_t x = 0; x < span->n_cols; x++) {
      const struct window window = window_at(a, origin);
      ints low[BLOCK], high[BLOCK];
      UNROLL for (size_t i = 0; i < c.vectors; i++) low[i] = high[i] = (ints){0} + (rescaled ? a->rescaled->bias : 0);
      for (size_t y = 0; y < a->n_rows; y += most) {
        const uint8_t *in = (const uint8_t *)a->in + offset + y * a->in_row_stride + window.begin * a->in_col_stride;
        for (size_t column = window.begin; column < window.end; column++) {
          shorts sums[BLOCK];
          add_rows(in, a->in_row_stride, tvmq_min(a->n_rows - y, most), false, c, type, sums);
          UNROLL for (size_t i = 0; i < c.vectors; i++) {
            low[i] += LOW(sums[i]);
            high[i] += HIGH(sums[i]);
          }
          in += a->in_col_stride;
        }
      }
      if (rescaled) {
        RESCALE(a->rescaled, c.vectors, low);
        RESCALE(a->rescaled, c.vectors, high);
      }
      UNROLL for (size_t i = 0; i < c.vectors; i++) {
        const shorts value = rescaled ? JOIN(low[i], high[i]) : JOIN(wide_mean(low[i], &mean, type), wide_mean(high[i], &mean, type));
        store(out, i, value, min, a->max, type);
      }
      out += a->out_col_stride;
      origin += (ptrdiff_t)a->stride_w;
    }
  }
}

TVMQ_INLINE bool is_narrow(const struct tvmq_pool_args *a, enum tvmq_type type) {
  return a->rescaled == NULL && tvmq_mean_is_narrow(type, a->n_rows, tvmq_min(a->filter_w, a->n_cols));
}

TVMQ_INLINE void pool_channels(const struct tvmq_pool_args *a, struct channels c, bool rescaled, enum tvmq_type type) {
  if (rescaled)
    sum_each(a, c, true, type);
  else if (!is_narrow(a, type))
    sum_each(a, c, false, type);
  else if (a->n_rows == 3)  // the usual size of overlapping windows
    slide(a, c, 3, type);
  else
    slide(a, c, a->n_rows, type);
}

TVMQ_INLINE void pool(const struct tvmq_pool_args *args, bool rescaled, enum tvmq_type type) {
  const struct tvmq_pool_args a = *args;  // copied, because the compiler must assume that stores change *args
  const size_t n = a.channels, block = BLOCK * LANES;
  assert(n >= LANES);
  if (n >= block) {
    for (size_t i = 0; i < n; i += block) pool_channels(&a, (struct channels){tvmq_min(i, n - block), BLOCK}, rescaled, type);
  } else {
    for (size_t i = 0; i < n; i += LANES) pool_channels(&a, (struct channels){tvmq_min(i, n - LANES), 1}, rescaled, type);
  }
}

// Rescaled sums have a separate function: in a common function, compilers run out of registers for sums and means.
#define POOL(name, type)                                                                                               \
  static __attribute__((noinline)) void name##_rescaled(const struct tvmq_pool_args *args) { pool(args, true, type); } \
  TVMQ_INLINE void name(const struct tvmq_pool_args *args) {                                                           \
    if (args->rescaled)                                                                                                \
      name##_rescaled(args);                                                                                           \
    else                                                                                                               \
      pool(args, false, type);                                                                                         \
  }
POOL(pool_s8, TVMQ_TYPE_S8)
POOL(pool_u8, TVMQ_TYPE_U8)
POOL(pool_s16, TVMQ_TYPE_S16)
