// The common part of SOFTMAX on AVX2 and AVX-512.
#pragma once

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#include "base/inline.h"

// Returns the maximum. phminposuw finds the minimum of eight int16; of complements this is the maximum. Bytes become
// int16 by taking the smaller of each two.
TVMQ_INLINE uint8_t greatest(const uint8_t *row, size_t n, uint8_t to_unsigned) {
  enum { BYTES = 16 };
  if (n < BYTES) {
    uint8_t most = 0;
    for (size_t i = 0; i < n; i++) most = (row[i] ^ to_unsigned) > most ? row[i] ^ to_unsigned : most;
    return most;
  }
  const __m128i flip = _mm_set1_epi8((char)~to_unsigned);
  __m128i least = _mm_xor_si128(_mm_loadu_si128((const __m128i *)(row + n - BYTES)), flip);
  for (size_t i = 0; i + BYTES < n; i += BYTES) least = _mm_min_epu8(least, _mm_xor_si128(_mm_loadu_si128((const __m128i *)(row + i)), flip));
  const __m128i words = _mm_min_epu8(least, _mm_srli_epi16(least, 8));
  return (uint8_t)~_mm_cvtsi128_si32(_mm_minpos_epu16(words));
}
