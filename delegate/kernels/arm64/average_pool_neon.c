// Average pooling for Armv8.0.
#include "kernels/arm64/stage_neon.h"

#define LANES 8
#define BLOCK 4
#define WIDEN_S8(in, i, n) ((shorts)widen_s8(in, i, n))
#define WIDEN_U8(in, i, n) ((shorts)widen_u8(in, i, n))
#define ROUNDED_HIGH(x, y) ((shorts)vqrdmulhq_s16((int16x8_t)(x), (int16x8_t)(y)))
#define MIN(x, y) ((shorts)vminq_s16((int16x8_t)(x), (int16x8_t)(y)))
#define MAX(x, y) ((shorts)vmaxq_s16((int16x8_t)(x), (int16x8_t)(y)))
#define LOW(x) ((ints)vmovl_s16(vget_low_s16((int16x8_t)(x))))
#define HIGH(x) ((ints)vmovl_high_s16((int16x8_t)(x)))
#define JOIN(low, high) ((shorts)vqmovn_high_s32(vqmovn_s32((int32x4_t)(low)), (int32x4_t)(high)))
#define RESCALE(r, n, sums) rescale(r, n, (int32x4_t *)(sums))

// Widens int8; loads vectors in pairs if n allows.
TVMQ_INLINE int16x8_t widen_s8(const uint8_t *in, size_t i, size_t n) {
  if (n % 2 != 0) return vmovl_s8(vld1_s8((const int8_t *)in + LANES * i));
  const int8x16_t two = vld1q_s8((const int8_t *)in + LANES * (i - i % 2));
  return i % 2 == 0 ? vmovl_s8(vget_low_s8(two)) : vmovl_high_s8(two);
}

TVMQ_INLINE uint16x8_t widen_u8(const uint8_t *in, size_t i, size_t n) {
  if (n % 2 != 0) return vmovl_u8(vld1_u8(in + LANES * i));
  const uint8x16_t two = vld1q_u8(in + LANES * (i - i % 2));
  return i % 2 == 0 ? vmovl_u8(vget_low_u8(two)) : vmovl_high_u8(two);
}

// Rescales n vectors of sums; `path` is a compile-time constant.
TVMQ_INLINE void rescale_by(enum tvmq_neon_path path, const struct tvmq_rescaled_sum *r, size_t n, int32x4_t *sums) {
  const struct tvmq_stage stage = {.rounding = r->rounding, .zero_point = r->zero_point};
  const struct tvmq_neon_stage vectors = tvmq_neon_stage(path, &stage);
  const int32x4_t multiplier = vdupq_n_s32(r->multiplier), shift = vdupq_n_s32(r->shift);
  UNROLL for (size_t i = 0; i < n; i++) sums[i] = tvmq_neon_add_s32(tvmq_neon_rescale(path, &vectors, sums[i], multiplier, shift), vectors.zero_point);
}

TVMQ_INLINE void rescale(const struct tvmq_rescaled_sum *r, size_t n, int32x4_t *sums) {
  if (r->rounding == TVMQ_ROUNDING_SINGLE)
    rescale_by(TVMQ_NEON_SINGLE, r, n, sums);
  else if (r->rounding == TVMQ_ROUNDING_REFERENCE && r->shift < 0)
    rescale_by(TVMQ_NEON_S8_AWAY, r, n, sums);
  else
    rescale_by(TVMQ_NEON_DOUBLE, r, n, sums);
}

#include "kernels/average_pool_template.h"

void tvmq_average_pool_s8__neon(const struct tvmq_pool_args *args) { pool_s8(args); }
void tvmq_average_pool_u8__neon(const struct tvmq_pool_args *args) { pool_u8(args); }
void tvmq_average_pool_s16__neon(const struct tvmq_pool_args *args) { pool_s16(args); }
