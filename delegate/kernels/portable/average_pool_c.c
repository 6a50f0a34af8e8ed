// Portable average pooling. Channels that are fewer than a vector are computed one by one.
#include <stdint.h>
#include <string.h>

#include "arithmetic/stage.h"
#include "kernels/kernel.h"

#define LANES 8
#define BLOCK 1
#define WIDEN_S8(in, i, n) __builtin_convertvector(load_bytes((in) + LANES * (i)), shorts)
#define WIDEN_U8(in, i, n) (WIDEN_S8(in, i, n) & UINT8_MAX)
#define ROUNDED_HIGH(x, y) join(rounded_high(LOW(x), LOW(y)), rounded_high(HIGH(x), HIGH(y)))
#define MIN(x, y) select_lanes((x) < (y), x, y)
#define MAX(x, y) select_lanes((x) > (y), x, y)
#define LOW(x) half_of(x, 0)
#define HIGH(x) half_of(x, 1)
#define JOIN(low, high) join(saturate(low), saturate(high))
#define RESCALE(r, n, sums) rescale(r, n, sums)

typedef int16_t int16s __attribute__((vector_size(2 * LANES)));
typedef int16_t half_int16s __attribute__((vector_size(LANES)));
typedef int32_t int32s __attribute__((vector_size(2 * LANES)));

TVMQ_INLINE int32s rounded_high(int32s x, int32s y) { return (x * y + (1 << 14)) >> 15; }

TVMQ_INLINE int16s select_lanes(int16s mask, int16s yes, int16s no) { return (yes & mask) | (no & ~mask); }

TVMQ_INLINE int32s half_of(int16s x, int i) {
  half_int16s halves[2];
  memcpy(halves, &x, sizeof x);
  return __builtin_convertvector(halves[i], int32s);
}

TVMQ_INLINE int16s join(int32s low, int32s high) {
  const half_int16s halves[2] = {__builtin_convertvector(low, half_int16s), __builtin_convertvector(high, half_int16s)};
  int16s x;
  memcpy(&x, halves, sizeof x);
  return x;
}

TVMQ_INLINE int32s select_wide(int32s mask, int32s yes, int32s no) { return (yes & mask) | (no & ~mask); }

TVMQ_INLINE int32s saturate(int32s x) {
  const int32s raised = select_wide(x < INT16_MIN, (int32s){0} + INT16_MIN, x);
  return select_wide(raised > INT16_MAX, (int32s){0} + INT16_MAX, raised);
}

TVMQ_INLINE void rescale(const struct tvmq_rescaled_sum *r, size_t n, int32s *sums) {
  for (size_t i = 0; i < n; i++) {
    // The sums already include the bias.
    for (size_t lane = 0; lane < LANES / 2; lane++)
      sums[i][lane] = tvmq_add_wrap(tvmq_rescale(r->rounding, sums[i][lane], r->multiplier, r->shift), r->zero_point);
  }
}

#include "kernels/average_pool_template.h"

TVMQ_INLINE int32_t load_one(const uint8_t *in, enum tvmq_type type) {
  return type == TVMQ_TYPE_S16 ? *(const int16_t *)(const void *)in : type == TVMQ_TYPE_U8 ? *in : (int8_t)*in;
}

TVMQ_INLINE int32_t add_column(const struct tvmq_pool_args *a, size_t column, size_t offset, enum tvmq_type type) {
  const uint8_t *in = (const uint8_t *)a->in + column * a->in_col_stride + offset;
  int32_t sum = 0;
  for (size_t y = 0; y < a->n_rows; y++, in += a->in_row_stride) sum += load_one(in, type);
  return sum;
}

TVMQ_INLINE void pool_one(const struct tvmq_pool_args *a, size_t offset, bool narrow, enum tvmq_type type) {
  uint8_t *out = (uint8_t *)a->out + offset;
  ptrdiff_t origin = -(ptrdiff_t)a->pad_left;
  struct window summed = {0, 0};
  int32_t sum = 0;
  for (const struct tvmq_pool_span *span = a->spans; span < a->spans + a->n_spans; span++) {
    for (size_t x = 0; x < span->n_cols; x++) {
      const struct window window = window_at(a, origin);
      if (window.begin >= summed.end) {
        summed.begin = summed.end = window.begin;
        sum = 0;
      }
      for (; summed.begin < window.begin; summed.begin++) sum -= add_column(a, summed.begin, offset, type);
      for (; summed.end < window.end; summed.end++) sum += add_column(a, summed.end, offset, type);
      const int32_t value = a->rescaled ? tvmq_rescaled(a->rescaled, sum)
                            : narrow    ? tvmq_mean_narrow(&span->mean, sum, type)
                                        : tvmq_mean_wide(&span->mean, sum, type);
      const int32_t raised = value < span->min ? span->min : value, mean = raised > a->max ? a->max : raised;
      memcpy(out, &mean, tvmq_type_bytes(type));
      out += a->out_col_stride;
      origin += (ptrdiff_t)a->stride_w;
    }
  }
}

TVMQ_INLINE bool pool_few(const struct tvmq_pool_args *args, enum tvmq_type type) {
  if (args->channels >= LANES) return false;
  const struct tvmq_pool_args a = *args;
  for (size_t c = 0; c < a.channels; c++) pool_one(&a, c * tvmq_type_bytes(type), is_narrow(&a, type), type);
  return true;
}

void tvmq_average_pool_s8__c(const struct tvmq_pool_args *args) {
  if (!pool_few(args, TVMQ_TYPE_S8)) pool_s8(args);
}

void tvmq_average_pool_u8__c(const struct tvmq_pool_args *args) {
  if (!pool_few(args, TVMQ_TYPE_U8)) pool_u8(args);
}

void tvmq_average_pool_s16__c(const struct tvmq_pool_args *args) {
  if (!pool_few(args, TVMQ_TYPE_S16)) pool_s16(args);
}
