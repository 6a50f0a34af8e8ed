// GEMM of single rows on AVX2. Weights are widened to int16 as they are loaded, which halves the traffic compared with
// int16 weights. pmaddwd adds two products, which cannot overflow.
#include <string.h>

#include "kernels/x86/stage_x86.h"

enum { STEP = 2 };

TVMQ_INLINE __m256i operand(const void *x, __m256i flip) {
  int16_t two;
  memcpy(&two, x, sizeof two);
  return _mm256_cvtepi8_epi16(_mm_xor_si128(_mm_set1_epi16(two), _mm256_castsi256_si128(flip)));
}

TVMQ_INLINE __m256i load_weights(const void *p) { return _mm256_cvtepi8_epi16(_mm_loadu_si128(p)); }

TVMQ_INLINE __m256i multiply_add(__m256i acc, __m256i x, __m256i w) { return _mm256_add_epi32(acc, _mm256_madd_epi16(x, w)); }

#include "kernels/x86/gemm_row_avx2_tile.h"

GEMM_ROW(tvmq_gemm_s8_1x16c2__avx2, 2, 2)
GEMM_ROW(tvmq_gemm_s8_1x32c2__avx2, 4, 1)
