// Average pooling for Armv8.0.
#include "requant_neon.h"

#define LANES 8
#define BLOCK 4
#define WIDEN_S8(x) ((shorts)vmovl_s8((int8x8_t)(x)))
#define WIDEN_U8(x) ((shorts)vmovl_u8((uint8x8_t)(x)))
#define ROUNDED_HIGH(x, y) ((shorts)vqrdmulhq_s16((int16x8_t)(x), (int16x8_t)(y)))
#define MIN(x, y) ((shorts)vminq_s16((int16x8_t)(x), (int16x8_t)(y)))
#define MAX(x, y) ((shorts)vmaxq_s16((int16x8_t)(x), (int16x8_t)(y)))
#define LOW(x) ((ints)vmovl_s16(vget_low_s16((int16x8_t)(x))))
#define HIGH(x) ((ints)vmovl_high_s16((int16x8_t)(x)))
#define JOIN(low, high) ((shorts)vmovn_high_s32(vmovn_s32((int32x4_t)(low)), (int32x4_t)(high)))
#define RESCALE(r, sums) ((ints)rescale(r, (int32x4_t)(sums)))

TVMQ_INLINE int32x4_t rescale(const struct tvmq_rescaled_sum *r, int32x4_t sums) {
  const struct tvmq_stage stage = {.rounding = r->rounding, .zero_point = r->zero_point};
  const int32x4_t multiplier = vdupq_n_s32(r->multiplier), shift = vdupq_n_s32(r->shift);
  const struct tvmq_neon_stage vectors = tvmq_neon_stage(TVMQ_NEON_DOUBLE, &stage);
  const int32x4_t value = r->rounding == TVMQ_ROUNDING_SINGLE ? tvmq_neon_rescale(TVMQ_NEON_SINGLE, &vectors, sums, multiplier, shift)
                                                              : tvmq_neon_rescale(TVMQ_NEON_DOUBLE, &vectors, sums, multiplier, shift);
  return tvmq_neon_add_s32(value, vectors.zero_point);
}

#include "average_pool_template.h"

void tvmq_average_pool_s8__neon(const struct tvmq_pool_args *args) { pool(args, TVMQ_TYPE_S8); }
void tvmq_average_pool_u8__neon(const struct tvmq_pool_args *args) { pool(args, TVMQ_TYPE_U8); }
void tvmq_average_pool_s16__neon(const struct tvmq_pool_args *args) { pool(args, TVMQ_TYPE_S16); }
