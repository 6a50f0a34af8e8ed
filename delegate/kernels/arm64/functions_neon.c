// The C library's float32 functions and GELU in NEON vectors.
#include <arm_neon.h>

#define TVMQ_EXPS
#define TVMQ_FUSED
#define ISA neon
enum { LANES = 4, WIDTH = 2 };

#include "kernels/functions_template.h"

TVMQ_INLINE bool any(masks mask) { return (vgetq_lane_u64((uint64x2_t)mask, 0) | vgetq_lane_u64((uint64x2_t)mask, 1)) != 0; }
TVMQ_INLINE doubles widen(floats x, int half) { return (doubles)(half == 0 ? vcvt_f64_f32(vget_low_f32((float32x4_t)x)) : vcvt_high_f64_f32((float32x4_t)x)); }
TVMQ_INLINE floats narrow(doubles low, doubles high) { return (floats)vcvt_high_f32_f64(vcvt_f32_f64((float64x2_t)low), (float64x2_t)high); }
TVMQ_INLINE masks low_words(integers low, integers high) { return (masks)vuzp1q_s32((int32x4_t)low, (int32x4_t)high); }
TVMQ_INLINE uint32_t open_lanes(const words x[VECTORS], uint32_t bits, const floats magnitudes[VECTORS]) {
  static const uint16_t lanes[GROUP] = {1, 2, 4, 8, 16, 32, 64, 128};
  uint16x8_t closed[VECTORS];
  UNROLL for (int v = 0; v < VECTORS; v++) closed[v] = (uint16x8_t)((masks)((x[v] & bits) != 0) & (masks)(magnitudes[v] <= MOST));
  return vaddvq_u16(vbicq_u16(vld1q_u16(lanes), vuzp1q_u16(closed[0], closed[1])));
}
TVMQ_INLINE doubles fused(doubles a, doubles b, doubles c) { return (doubles)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b); }
TVMQ_INLINE floats multiply_add(floats a, floats b, floats c) { return (floats)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b); }
// The estimate and two steps of Newton's method.
TVMQ_INLINE floats reciprocal(floats x) {
  float32x4_t y = vrecpeq_f32((float32x4_t)x);
  y = vmulq_f32(y, vrecpsq_f32((float32x4_t)x, y));
  return (floats)vmulq_f32(y, vrecpsq_f32((float32x4_t)x, y));
}
