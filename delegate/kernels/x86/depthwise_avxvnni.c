// Depthwise on AVX-VNNI: four rows of bytes interleaved. vpdpbusd does not saturate; its first operand is unsigned (a_offset 128).
#include "kernels/x86/stage_x86.h"
#include "kernels/x86/vex.h"

typedef __m256i vector;
enum { LANES = 2, GROUP_ROWS = 4, LANE_CHANNELS = 16, WEIGHT_BYTES = 1, ACCUMULATORS = 8, WORDS = 2, WINDOW = 0 };

TVMQ_INLINE vector load_repeated(const void *p, int lanes) { return lanes == 2 ? _mm256_loadu_si256(p) : _mm256_broadcastsi128_si256(_mm_loadu_si128(p)); }

TVMQ_INLINE vector load_pixels(const void *const *pixel, size_t band_step, size_t offset, int lanes) {
  const char *p = (const char *)*pixel + offset;
  if (lanes == 2) return _mm256_loadu_si256((const __m256i *)p);
  const char *next = (const char *)pixel[band_step] + offset;
  return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)p)), _mm_loadu_si128((const __m128i *)next), 1);
}

TVMQ_INLINE vector flip_bytes(vector row, uint8_t flip) { return _mm256_xor_si256(row, _mm256_set1_epi8((int8_t)flip)); }

TVMQ_INLINE void interleave(const vector row[4], vector quad[4]) {
  const vector low01 = _mm256_unpacklo_epi8(row[0], row[1]), high01 = _mm256_unpackhi_epi8(row[0], row[1]);
  const vector low23 = _mm256_unpacklo_epi8(row[2], row[3]), high23 = _mm256_unpackhi_epi8(row[2], row[3]);
  quad[0] = _mm256_unpacklo_epi16(low01, low23);
  quad[1] = _mm256_unpackhi_epi16(low01, low23);
  quad[2] = _mm256_unpacklo_epi16(high01, high23);
  quad[3] = _mm256_unpackhi_epi16(high01, high23);
}

TVMQ_INLINE vector multiply_add(vector acc, vector x, vector w) {
  __asm__(TVMQ_VEX "vpdpbusd %2, %1, %0" : "+x"(acc) : "x"(x), "x"(w));
  return acc;
}

TVMQ_INLINE vector multiply_loaded(vector acc, vector x, vector w) { return multiply_add(acc, x, w); }

TVMQ_INLINE void store_bands(const struct tvmq_stage *stage, vector words[][WORDS], int out_rows, int lanes, uint8_t *out, size_t out_row_stride) {
  UNROLL for (int o = 0; o < out_rows; o++, out += out_row_stride) {
    const vector bytes = tvmq_pack_words(stage, words[o][0], words[o][1]);
    if (lanes == 2) {
      _mm256_storeu_si256((__m256i *)out, bytes);
    } else {
      _mm_storeu_si128((__m128i *)out, _mm256_castsi256_si128(bytes));
      _mm_storeu_si128((__m128i *)(out + (size_t)out_rows * out_row_stride), _mm256_extracti128_si256(bytes, 1));
    }
  }
}

// Stores sums. A lane has four channels of each vector.
TVMQ_INLINE void store_sums(const vector acc[4], int lanes, uint8_t *out, size_t band) {
  uint8_t *const second = out + (lanes == 2 ? 64 : band);
  UNROLL for (int v = 0; v < 4; v += 2) {
    _mm256_storeu_si256((__m256i *)(out + 16 * v), _mm256_permute2x128_si256(acc[v], acc[v + 1], 0x20));
    _mm256_storeu_si256((__m256i *)(second + 16 * v), _mm256_permute2x128_si256(acc[v], acc[v + 1], 0x31));
  }
}

#include "kernels/x86/depthwise_x86_tile.h"

DEPTHWISE(tvmq_depthwise_s8_1x32v4__avxvnni, 1, 2)
DEPTHWISE(tvmq_depthwise_s8_2x16v4__avxvnni, 1, 1)
DEPTHWISE(tvmq_depthwise_s8_2x32v4s1__avxvnni, 2, 2)
