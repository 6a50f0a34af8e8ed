// Depthwise on AVX2: pixels widened to int16, pairs of rows interleaved. pmaddwd adds two products of int16, which cannot overflow; the weights have the filter
// zero point subtracted.
#include <immintrin.h>
#include <stdint.h>

#include "inline.h"

#define GROUP_ROWS 2
#define LANE_CHANNELS 8
#define WEIGHT_BYTES 2

TVMQ_INLINE __m256i multiply_add(__m256i acc, __m256i x, __m256i w) { return _mm256_add_epi32(acc, _mm256_madd_epi16(x, w)); }

TVMQ_INLINE __m256i load_lanes(const void *pixel, const void *next, uint8_t flip, int lanes) {
  (void)next;
  (void)lanes;
  return _mm256_cvtepi8_epi16(_mm_xor_si128(_mm_loadu_si128(pixel), _mm_set1_epi8((int8_t)flip)));
}

TVMQ_INLINE void interleave(const __m256i row[2], __m256i pair[2]) {
  pair[0] = _mm256_unpacklo_epi16(row[0], row[1]);
  pair[1] = _mm256_unpackhi_epi16(row[0], row[1]);
}

#include "depthwise_avx2_tile.h"

DEPTHWISE(tvmq_depthwise_s8_1x16v2__avx2, 1, 2)
DEPTHWISE(tvmq_depthwise_s8_2x16v2s1__avx2, 2, 2)
