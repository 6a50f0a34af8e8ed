// Depthwise on AVX-VNNI: four rows of bytes interleaved. vpdpbusd does not saturate; its first operand is unsigned (a_offset 128).
#include <immintrin.h>
#include <stdint.h>

#include "inline.h"

#define GROUP_ROWS 4
#define LANE_CHANNELS 16
#define WEIGHT_BYTES 1

TVMQ_INLINE __m256i multiply_add(__m256i acc, __m256i x, __m256i w) { return _mm256_dpbusd_avx_epi32(acc, x, w); }

TVMQ_INLINE __m256i load_lanes(const void *pixel, const void *next, uint8_t flip, int lanes) {
  __m256i channels = lanes == 2 ? _mm256_loadu_si256(pixel) : _mm256_castsi128_si256(_mm_loadu_si128(pixel));
  if (lanes == 1) channels = _mm256_inserti128_si256(channels, _mm_loadu_si128(next), 1);
  return _mm256_xor_si256(channels, _mm256_set1_epi8((int8_t)flip));
}

TVMQ_INLINE void interleave(const __m256i row[4], __m256i quad[4]) {
  const __m256i low01 = _mm256_unpacklo_epi8(row[0], row[1]), high01 = _mm256_unpackhi_epi8(row[0], row[1]);
  const __m256i low23 = _mm256_unpacklo_epi8(row[2], row[3]), high23 = _mm256_unpackhi_epi8(row[2], row[3]);
  quad[0] = _mm256_unpacklo_epi16(low01, low23);
  quad[1] = _mm256_unpackhi_epi16(low01, low23);
  quad[2] = _mm256_unpacklo_epi16(high01, high23);
  quad[3] = _mm256_unpackhi_epi16(high01, high23);
}

#include "depthwise_avx2_tile.h"

DEPTHWISE(tvmq_depthwise_s8_1x32v4__avxvnni, 1, 2)
DEPTHWISE(tvmq_depthwise_s8_2x16v4__avxvnni, 1, 1)
DEPTHWISE(tvmq_depthwise_s8_2x32v4s1__avxvnni, 2, 2)
DEPTHWISE(tvmq_depthwise_s8_4x16v4s1__avxvnni, 2, 1)
DEPTHWISE(tvmq_depthwise_s8_2x32v4s2__avxvnni, 2, 2)
DEPTHWISE(tvmq_depthwise_s8_4x16v4s2__avxvnni, 2, 1)
