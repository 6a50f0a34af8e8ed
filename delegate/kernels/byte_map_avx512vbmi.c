// Map of bytes by a table in AVX-512 vectors: vpermi2b looks up seven bits of a byte in either half of the table, and the highest bit chooses.
#define ISA avx512vbmi

#include "kernels/byte_map_avx512.h"

TVMQ_INLINE __m512i looked_up(const __m512i part[PARTS], __m512i x) {
  const __m512i low = _mm512_permutex2var_epi8(part[0], x, part[1]), high = _mm512_permutex2var_epi8(part[2], x, part[3]);
  return _mm512_mask_mov_epi8(low, _mm512_movepi8_mask(x), high);
}
