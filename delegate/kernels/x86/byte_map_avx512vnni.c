// Map of bytes by a table in AVX-512 vectors, without instructions that permute bytes.
//
// A word holds the results of two bytes that differ in bit 6. vpermi2w looks up one of 64 words by bits 0 to 5 of a
// byte, in two halves of the table; bit 7 selects the half. Bytes at even and at odd places are looked up separately;
// for odd places, the bytes of the table's words are swapped. So the result is in a byte's own place if bit 6 is clear,
// and in its neighbour's place if bit 6 is set.
#include <immintrin.h>
#include <stdint.h>

#include "base/inline.h"

#define ISA avx512vnni

enum { PARTS = 4, HALF = 128, PART = 32 };

struct parts {
  __m512i even[PARTS], odd[PARTS];
};

TVMQ_INLINE struct parts parts_of(const uint8_t *table) {
  struct parts parts;
  UNROLL for (int p = 0; p < PARTS; p++) {
    const uint8_t *const first = table + p / 2 * HALF + p % 2 * PART;
    const __m512i clear = _mm512_cvtepu8_epi16(_mm256_loadu_si256((const __m256i *)first));
    const __m512i set = _mm512_cvtepu8_epi16(_mm256_loadu_si256((const __m256i *)(first + HALF / 2)));
    parts.even[p] = _mm512_or_si512(clear, _mm512_slli_epi16(set, 8));
    parts.odd[p] = _mm512_or_si512(_mm512_slli_epi16(clear, 8), set);
  }
  return parts;
}

TVMQ_INLINE __m512i words(const __m512i part[PARTS], __m512i index, __mmask32 in_high_half) {
  const __m512i low = _mm512_permutex2var_epi16(part[0], index, part[1]), high = _mm512_permutex2var_epi16(part[2], index, part[3]);
  return _mm512_mask_mov_epi16(low, in_high_half, high);
}

TVMQ_INLINE __m512i looked_up(const struct parts *parts, __m512i x) {
  enum { CHOOSE = 0xca };  // first ? second : third
  const __m512i low_byte = _mm512_set1_epi16(UINT8_MAX);
  const __m512i swap = _mm512_broadcast_i32x4(_mm_setr_epi8(1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14));
  const __m512i even = words(parts->even, x, _mm512_test_epi16_mask(x, _mm512_set1_epi16(1 << 7)));
  const __m512i odd = words(parts->odd, _mm512_srli_epi16(x, 8), _mm512_movepi16_mask(x));
  const __m512i clear = _mm512_ternarylogic_epi32(low_byte, even, odd, CHOOSE);
  const __m512i set = _mm512_ternarylogic_epi32(low_byte, odd, even, CHOOSE);
  return _mm512_mask_shuffle_epi8(clear, _mm512_test_epi8_mask(x, _mm512_set1_epi8(1 << 6)), set, swap);
}

#include "kernels/x86/byte_map_avx512.h"
