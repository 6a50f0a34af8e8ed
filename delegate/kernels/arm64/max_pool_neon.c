// Max pooling for Armv8.0.
#include <arm_neon.h>

#include "kernels/kernel.h"

#define VECTOR 16
#define BLOCK 4
typedef int8x16_t vec;

#define WORDS vreinterpretq_s16_s8
#define BYTES vreinterpretq_u8_s8

TVMQ_INLINE vec splat(int32_t x, enum tvmq_type type) { return type == TVMQ_TYPE_S16 ? vreinterpretq_s8_s16(vdupq_n_s16((int16_t)x)) : vdupq_n_s8((int8_t)x); }

TVMQ_INLINE vec larger(vec x, vec y, enum tvmq_type type) {
  if (type == TVMQ_TYPE_S16) return vreinterpretq_s8_s16(vmaxq_s16(WORDS(x), WORDS(y)));
  return type == TVMQ_TYPE_U8 ? vreinterpretq_s8_u8(vmaxq_u8(BYTES(x), BYTES(y))) : vmaxq_s8(x, y);
}

TVMQ_INLINE vec smaller(vec x, vec y, enum tvmq_type type) {
  if (type == TVMQ_TYPE_S16) return vreinterpretq_s8_s16(vminq_s16(WORDS(x), WORDS(y)));
  return type == TVMQ_TYPE_U8 ? vreinterpretq_s8_u8(vminq_u8(BYTES(x), BYTES(y))) : vminq_s8(x, y);
}

#include "kernels/max_pool_template.h"

void tvmq_max_pool_s8__neon(const struct tvmq_pool_args *args) { pool(args, TVMQ_TYPE_S8); }
void tvmq_max_pool_u8__neon(const struct tvmq_pool_args *args) { pool(args, TVMQ_TYPE_U8); }
void tvmq_max_pool_s16__neon(const struct tvmq_pool_args *args) { pool(args, TVMQ_TYPE_S16); }
