// GEMM of single rows and few channels on AVX-VNNI, whose vectors have two channels: rows of unsigned bytes (a_offset 128). vpdpbusd does not saturate.
#include <immintrin.h>

#include "base/inline.h"
#include "kernels/x86/vex.h"

enum { ACCUMULATORS = 8, STEP = 16, ROUND = 4 };
typedef __m256i vec_sums;

TVMQ_INLINE void dot(__m256i *acc, __m256i x, __m256i w) { __asm__(TVMQ_VEX "vpdpbusd %2, %1, %0" : "+x"(*acc) : "x"(x), "x"(w)); }

TVMQ_INLINE void add_step(__m256i *acc, int step, const int8_t *x, const int8_t *w, __m128i flip) {
  const __m256i row = _mm256_broadcastsi128_si256(_mm_xor_si128(_mm_loadu_si128((const __m128i *)x), flip));
  UNROLL for (int i = 0; i < 2; i++) dot(&acc[2 * step + i], row, _mm256_loadu_si256((const __m256i *)(w + 2 * STEP * i)));
}

TVMQ_INLINE void fold_round(const __m256i *acc, __m256i *low, __m256i *high) {
  *low = _mm256_add_epi32(_mm256_add_epi32(acc[0], acc[2]), _mm256_add_epi32(acc[4], acc[6]));
  *high = _mm256_add_epi32(_mm256_add_epi32(acc[1], acc[3]), _mm256_add_epi32(acc[5], acc[7]));
}

#include "kernels/x86/gemm_depth_x86_tile.h"

GEMM_DEPTH(tvmq_gemm_s8_1x4c16__avxvnni)
