// Depthwise on AVX-512 VNNI: four rows of bytes interleaved. vpdpbusd does not saturate; its first operand is unsigned (a_offset 128).
#include "kernels/x86/stage_x86.h"

typedef __m512i vector;
enum { LANES = 4, GROUP_ROWS = 4, LANE_CHANNELS = 16, WEIGHT_BYTES = 1, ACCUMULATORS = 16, WORDS = 2, WINDOW = 1 };

TVMQ_INLINE vector load_repeated(const void *p, int lanes) {
  if (lanes == 4) return _mm512_loadu_si512(p);
  if (lanes == 2) return _mm512_broadcast_i64x4(_mm256_loadu_si256(p));
  return _mm512_broadcast_i32x4(_mm_loadu_si128(p));
}

TVMQ_INLINE vector load_pixels(const void *const *pixel, size_t band_step, size_t offset, int lanes) {
#define BAND(I) ((const char *)pixel[(I) * band_step] + offset)
  if (lanes == 4) return _mm512_loadu_si512(BAND(0));
  if (lanes == 2) {
    const vector low = _mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)BAND(0)));
    return _mm512_inserti64x4(low, _mm256_loadu_si256((const __m256i *)BAND(1)), 1);
  }
  vector all = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *)BAND(0)));
  all = _mm512_inserti32x4(all, _mm_loadu_si128((const __m128i *)BAND(1)), 1);
  all = _mm512_inserti32x4(all, _mm_loadu_si128((const __m128i *)BAND(2)), 2);
  return _mm512_inserti32x4(all, _mm_loadu_si128((const __m128i *)BAND(3)), 3);
#undef BAND
}

TVMQ_INLINE vector flip_bytes(vector row, uint8_t flip) { return _mm512_xor_si512(row, _mm512_set1_epi8((int8_t)flip)); }

TVMQ_INLINE void interleave(const vector row[4], vector quad[4]) {
  const vector low01 = _mm512_unpacklo_epi8(row[0], row[1]), high01 = _mm512_unpackhi_epi8(row[0], row[1]);
  const vector low23 = _mm512_unpacklo_epi8(row[2], row[3]), high23 = _mm512_unpackhi_epi8(row[2], row[3]);
  quad[0] = _mm512_unpacklo_epi16(low01, low23);
  quad[1] = _mm512_unpackhi_epi16(low01, low23);
  quad[2] = _mm512_unpacklo_epi16(high01, high23);
  quad[3] = _mm512_unpackhi_epi16(high01, high23);
}

TVMQ_INLINE vector multiply_add(vector acc, vector x, vector w) { return _mm512_dpbusd_epi32(acc, x, w); }

TVMQ_INLINE vector multiply_loaded(vector acc, vector x, vector w) {
  __asm__("vpdpbusd %2, %1, %0" : "+v"(acc) : "v"(x), "v"(w));
  return acc;
}

TVMQ_INLINE void store_bands(const struct tvmq_stage *stage, vector words[][WORDS], int out_rows, int lanes, uint8_t *out, size_t out_row_stride) {
  const size_t band = (size_t)out_rows * out_row_stride;
  UNROLL for (int o = 0; o < out_rows; o++, out += out_row_stride) {
    const vector bytes = tvmq_pack_words(stage, words[o][0], words[o][1]);
    if (lanes == 4) {
      _mm512_storeu_si512(out, bytes);
    } else if (lanes == 2) {
      _mm256_storeu_si256((__m256i *)out, _mm512_castsi512_si256(bytes));
      _mm256_storeu_si256((__m256i *)(out + band), _mm512_extracti64x4_epi64(bytes, 1));
    } else {
      _mm_storeu_si128((__m128i *)out, _mm512_castsi512_si128(bytes));
      _mm_storeu_si128((__m128i *)(out + band), _mm512_extracti32x4_epi32(bytes, 1));
      _mm_storeu_si128((__m128i *)(out + 2 * band), _mm512_extracti32x4_epi32(bytes, 2));
      _mm_storeu_si128((__m128i *)(out + 3 * band), _mm512_extracti32x4_epi32(bytes, 3));
    }
  }
}

// Stores sums. In each lane, the four vectors have four channels each; together these become a vector.
TVMQ_INLINE void store_sums(const vector acc[4], int lanes, uint8_t *out, size_t band) {
  const vector low01 = _mm512_shuffle_i32x4(acc[0], acc[1], 0x44), high01 = _mm512_shuffle_i32x4(acc[0], acc[1], 0xee);
  const vector low23 = _mm512_shuffle_i32x4(acc[2], acc[3], 0x44), high23 = _mm512_shuffle_i32x4(acc[2], acc[3], 0xee);
  const vector lane[4] = {_mm512_shuffle_i32x4(low01, low23, 0x88), _mm512_shuffle_i32x4(low01, low23, 0xdd), _mm512_shuffle_i32x4(high01, high23, 0x88),
                          _mm512_shuffle_i32x4(high01, high23, 0xdd)};
  UNROLL for (int i = 0; i < 4; i++) _mm512_storeu_si512(out + (size_t)(i / lanes) * band + (size_t)(i % lanes) * 64, lane[i]);
}

#include "kernels/x86/depthwise_x86_tile.h"

DEPTHWISE(tvmq_depthwise_s8_1x64v4__avx512vnni, 1, 4)
DEPTHWISE(tvmq_depthwise_s8_2x32v4__avx512vnni, 1, 2)
DEPTHWISE(tvmq_depthwise_s8_4x16v4__avx512vnni, 1, 1)
DEPTHWISE(tvmq_depthwise_s8_2x64v4s1__avx512vnni, 2, 4)
DEPTHWISE(tvmq_depthwise_s8_4x32v4s1__avx512vnni, 2, 2)
DEPTHWISE(tvmq_depthwise_s8_8x16v4s1__avx512vnni, 2, 1)
