// Map of bytes by a table in AVX-512 vectors, without instructions that permute bytes.
//
// Two bytes of the table are a word, of which vpermi2w looks up one in 64: bits 1 to 6 of a byte are the index, in two halves of the table between which bit 7
// chooses. Bytes at even and at odd places are looked up apart. Bit 0 chooses between the bytes of a word.
#define ISA avx512vnni

#include "kernels/byte_map_avx512.h"

// The words that hold what the bytes become whose bits 1 to 6 are the low bits of `index`.
TVMQ_INLINE __m512i words(const __m512i part[PARTS], __m512i index, __mmask32 in_high_half) {
  const __m512i low = _mm512_permutex2var_epi16(part[0], index, part[1]), high = _mm512_permutex2var_epi16(part[2], index, part[3]);
  return _mm512_mask_mov_epi16(low, in_high_half, high);
}

TVMQ_INLINE __m512i looked_up(const __m512i part[PARTS], __m512i x) {
  enum { CHOOSE = 0xca };  // first ? second : third
  const __m512i low_byte = _mm512_set1_epi16(UINT8_MAX);
  const __m512i even = words(part, _mm512_srli_epi16(x, 1), _mm512_movepi16_mask(_mm512_slli_epi16(x, 8)));
  const __m512i odd = words(part, _mm512_srli_epi16(x, 9), _mm512_movepi16_mask(x));
  const __m512i first = _mm512_ternarylogic_epi32(low_byte, even, _mm512_slli_epi16(odd, 8), CHOOSE);
  const __m512i second = _mm512_ternarylogic_epi32(low_byte, _mm512_srli_epi16(even, 8), odd, CHOOSE);
  return _mm512_mask_mov_epi8(first, _mm512_movepi8_mask(_mm512_slli_epi16(x, 7)), second);
}
