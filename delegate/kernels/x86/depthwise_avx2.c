// Depthwise on AVX2: pixels widened to int16, pairs of rows interleaved. pmaddwd adds two products of int16, which cannot overflow; the weights have the filter
// zero point subtracted.
#include "kernels/x86/stage_x86.h"

typedef __m256i vector;
enum { LANES = 2, GROUP_ROWS = 2, LANE_CHANNELS = 8, WEIGHT_BYTES = 2, ACCUMULATORS = 8, WORDS = 1, WINDOW = 0 };

TVMQ_INLINE vector load_repeated(const void *p, int lanes) {
  (void)lanes;
  return _mm256_loadu_si256(p);
}

TVMQ_INLINE vector load_pixels(const void *const *pixel, size_t band_step, size_t offset, int lanes) {
  (void)band_step;
  (void)lanes;
  return _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)((const char *)*pixel + offset)));
}

// Flips bits 7 to 15, because the sign extension changes with the sign.
TVMQ_INLINE vector flip_bytes(vector row, uint8_t flip) { return _mm256_xor_si256(row, _mm256_set1_epi16((int8_t)flip)); }

TVMQ_INLINE void interleave(const vector row[2], vector pair[2]) {
  pair[0] = _mm256_unpacklo_epi16(row[0], row[1]);
  pair[1] = _mm256_unpackhi_epi16(row[0], row[1]);
}

// Uses assembly: with intrinsics, compilers add the products in another order, which needs more registers than exist.
TVMQ_INLINE vector multiply_add(vector acc, vector x, vector w) {
  vector product;
  __asm__("vpmaddwd %3, %2, %1\n\tvpaddd %1, %0, %0" : "+x"(acc), "=&x"(product) : "x"(x), "x"(w));
  return acc;
}

TVMQ_INLINE vector multiply_loaded(vector acc, vector x, vector w) { return multiply_add(acc, x, w); }

// Stores one or two output rows. Two rows fill a vector: each lane has 8 channels of the first row, then of the second.
TVMQ_INLINE void store_bands(const struct tvmq_stage *stage, vector words[][WORDS], int out_rows, int lanes, uint8_t *out, size_t out_row_stride) {
  (void)lanes;
  const int second = out_rows - 1;
  const vector bytes = _mm256_permute4x64_epi64(tvmq_pack_words(stage, words[0][0], words[second][0]), 0xd8);
  _mm_storeu_si128((__m128i *)out, _mm256_castsi256_si128(bytes));
  if (second) _mm_storeu_si128((__m128i *)(out + out_row_stride), _mm256_extracti128_si256(bytes, 1));
}

TVMQ_INLINE void store_sums(const vector acc[2], int lanes, uint8_t *out, size_t band) {
  (void)lanes;
  (void)band;
  _mm256_storeu_si256((__m256i *)out, _mm256_permute2x128_si256(acc[0], acc[1], 0x20));
  _mm256_storeu_si256((__m256i *)(out + 32), _mm256_permute2x128_si256(acc[0], acc[1], 0x31));
}

#include "kernels/x86/depthwise_x86_tile.h"

DEPTHWISE(tvmq_depthwise_s8_1x16v2__avx2, 1, 2)
DEPTHWISE(tvmq_depthwise_s8_2x16v2s1__avx2, 2, 2)
