// int8 gemm of single rows and few channels by dot products.
#include "kernels/arm64/gemm_depth_neon.h"

TVMQ_INLINE int32x4_t add_dots(int32x4_t acc, int8x16_t x, int8x16_t w) { return vdotq_s32(acc, x, w); }

GEMM_DEPTH(tvmq_gemm_s8_1x4c16__dotprod, add_dots)
