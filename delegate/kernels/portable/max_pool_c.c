// Portable max pooling. Channels that are fewer than a vector are computed one by one.
#include "kernels/kernel.h"

#define VECTOR 16
#define BLOCK 1
typedef int8_t vec __attribute__((vector_size(VECTOR)));
typedef uint8_t unsigned_bytes __attribute__((vector_size(VECTOR)));
typedef int16_t shorts __attribute__((vector_size(VECTOR)));

TVMQ_INLINE vec splat(int32_t x, enum tvmq_type type) { return type == TVMQ_TYPE_S16 ? (vec)((shorts){0} + (int16_t)x) : (vec){0} + (int8_t)x; }

// Returns all ones in the elements where x is larger than y.
TVMQ_INLINE vec is_larger(vec x, vec y, enum tvmq_type type) {
  if (type == TVMQ_TYPE_S16) return (vec)((shorts)x > (shorts)y);
  return type == TVMQ_TYPE_U8 ? (vec)((unsigned_bytes)x > (unsigned_bytes)y) : (vec)(x > y);
}

TVMQ_INLINE vec larger(vec x, vec y, enum tvmq_type type) {
  const vec mask = is_larger(x, y, type);
  return (x & mask) | (y & ~mask);
}

TVMQ_INLINE vec smaller(vec x, vec y, enum tvmq_type type) {
  const vec mask = is_larger(x, y, type);
  return (y & mask) | (x & ~mask);
}

#include "kernels/max_pool_template.h"

TVMQ_INLINE int32_t load_one(const uint8_t *in, enum tvmq_type type) {
  return type == TVMQ_TYPE_S16 ? *(const int16_t *)(const void *)in : type == TVMQ_TYPE_U8 ? *in : (int8_t)*in;
}

TVMQ_INLINE void pool_one(const struct tvmq_pool_args *a, size_t offset, enum tvmq_type type) {
  uint8_t *out = (uint8_t *)a->out + offset;
  const ptrdiff_t n_cols = (ptrdiff_t)a->n_cols;
  ptrdiff_t origin = -(ptrdiff_t)a->pad_left;
  for (const struct tvmq_pool_span *span = a->spans; span < a->spans + a->n_spans; span++) {
    for (size_t x = 0; x < span->n_cols; x++) {
      int32_t largest = span->min;
      for (ptrdiff_t c = origin > 0 ? origin : 0; c < origin + (ptrdiff_t)a->filter_w && c < n_cols; c++) {
        const uint8_t *in = (const uint8_t *)a->in + (size_t)c * a->in_col_stride + offset;
        for (size_t y = 0; y < a->n_rows; y++, in += a->in_row_stride) {
          const int32_t value = load_one(in, type);
          largest = value > largest ? value : largest;
        }
      }
      largest = largest > a->max ? a->max : largest;
      memcpy(out, &largest, tvmq_type_bytes(type));
      out += a->out_col_stride;
      origin += (ptrdiff_t)a->stride_w;
    }
  }
}

TVMQ_INLINE void pool_any(const struct tvmq_pool_args *args, enum tvmq_type type) {
  const struct tvmq_pool_args a = *args;
  const size_t element = tvmq_type_bytes(type);
  if (a.channels * element >= VECTOR)
    pool(&a, type);
  else
    for (size_t c = 0; c < a.channels; c++) pool_one(&a, c * element, type);
}

void tvmq_max_pool_s8__c(const struct tvmq_pool_args *args) { pool_any(args, TVMQ_TYPE_S8); }
void tvmq_max_pool_u8__c(const struct tvmq_pool_args *args) { pool_any(args, TVMQ_TYPE_U8); }
void tvmq_max_pool_s16__c(const struct tvmq_pool_args *args) { pool_any(args, TVMQ_TYPE_S16); }
