// int8 gemm of single rows and few channels for Armv8.0, without dot products.
#include "kernels/arm64/gemm_depth_neon.h"

TVMQ_INLINE int32x4_t add_singles(int32x4_t acc, int8x16_t x, int8x16_t w) {
  return vpadalq_s16(vpadalq_s16(acc, vmull_s8(vget_low_s8(x), vget_low_s8(w))), vmull_high_s8(x, w));
}

// Adds pairs of products; two products fit int16 unless a weight is -128.
TVMQ_INLINE int32x4_t add_pairs(int32x4_t acc, int8x16_t x, int8x16_t w) {
  return vpadalq_s16(acc, vmlal_high_s8(vmull_s8(vget_low_s8(x), vget_low_s8(w)), x, w));
}

GEMM_DEPTH(tvmq_gemm_s8_1x4c16__neon, add_singles)
GEMM_DEPTH(tvmq_gemm_s8_1x4c16p__neon, add_pairs)
