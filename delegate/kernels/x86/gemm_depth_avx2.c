// GEMM of single rows and few channels on AVX2: bytes become int16 as they are loaded. pmaddwd adds two products, which cannot overflow.
#include <immintrin.h>

#include "base/inline.h"

enum { ACCUMULATORS = 4, STEP = 16, ROUND = 2 };  // more steps per round would spill
typedef __m256i vec_sums;

TVMQ_INLINE __m128i load_step(const void *p) { return _mm_loadu_si128(p); }

TVMQ_INLINE void add_step(__m256i *acc, int step, const int8_t *x, const int8_t *w, __m128i flip) {
  (void)step;
  const __m256i row = _mm256_cvtepi8_epi16(_mm_xor_si128(load_step(x), flip));
  UNROLL for (int c = 0; c < 4; c++) acc[c] = _mm256_add_epi32(acc[c], _mm256_madd_epi16(row, _mm256_cvtepi8_epi16(load_step(w + STEP * c))));
}

TVMQ_INLINE void fold_round(const __m256i *acc, __m256i *low, __m256i *high) {
  __m128i sums[4];
  UNROLL for (int c = 0; c < 4; c++) sums[c] = _mm_add_epi32(_mm256_castsi256_si128(acc[c]), _mm256_extracti128_si256(acc[c], 1));
  *low = _mm256_set_m128i(sums[1], sums[0]);
  *high = _mm256_set_m128i(sums[3], sums[2]);
}

#include "kernels/x86/gemm_depth_x86_tile.h"

GEMM_DEPTH(tvmq_gemm_s8_1x4c16__avx2)
