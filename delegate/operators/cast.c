#include "operators/cast.h"

#define CONVERT(from, to)                                                                           \
  static void from##_as_##to(const void *restrict in, void *restrict out, size_t first, size_t n) { \
    const from *const x = (const from *)in + first;                                                 \
    to *const y = (to *)out + first;                                                                \
    for (size_t i = 0; i < n; i++) y[i] = (to)x[i];                                                 \
  }
#define CONVERT_FROM(from) \
  CONVERT(from, uint8_t)   \
  CONVERT(from, int16_t)   \
  CONVERT(from, int32_t)   \
  CONVERT(from, int64_t)   \
  CONVERT(from, float)
CONVERT_FROM(int8_t)
CONVERT_FROM(uint8_t)
CONVERT_FROM(int16_t)
CONVERT_FROM(int32_t)
CONVERT_FROM(int64_t)

// Conversions to int8 use those to uint8, because the low bits are the same.
#define ROW(from)                                                                                                 \
  {[TVMQ_TYPE_S8] = from##_as_uint8_t,  [TVMQ_TYPE_U8] = from##_as_uint8_t,  [TVMQ_TYPE_S16] = from##_as_int16_t, \
   [TVMQ_TYPE_S32] = from##_as_int32_t, [TVMQ_TYPE_S64] = from##_as_int64_t, [TVMQ_TYPE_F32] = from##_as_float}
static void (*const conversions[][TVMQ_TYPE_F32 + 1])(const void *restrict in, void *restrict out, size_t first, size_t n) = {
    [TVMQ_TYPE_S8] = ROW(int8_t), [TVMQ_TYPE_U8] = ROW(uint8_t), [TVMQ_TYPE_S16] = ROW(int16_t), [TVMQ_TYPE_S32] = ROW(int32_t), [TVMQ_TYPE_S64] = ROW(int64_t),
};

void tvmq_cast(const struct tvmq_cast_desc *desc, const void *in, void *out, size_t first, size_t n) {
  conversions[desc->in_type][desc->out_type](in, out, first, n);
}
