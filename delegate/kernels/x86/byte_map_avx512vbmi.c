// Map of bytes by a table in AVX-512 vectors: vpermi2b looks up seven bits of a byte in either half of the table, and the highest bit chooses.
#include <immintrin.h>
#include <stdint.h>

#include "base/inline.h"

#define ISA avx512vbmi

enum { PARTS = 4, PART = 64 };

struct parts {
  __m512i part[PARTS];
};

TVMQ_INLINE struct parts parts_of(const uint8_t *table) {
  struct parts parts;
  UNROLL for (int p = 0; p < PARTS; p++) parts.part[p] = _mm512_loadu_si512(table + PART * p);
  return parts;
}

TVMQ_INLINE __m512i looked_up(const struct parts *parts, __m512i x) {
  const __m512i *const part = parts->part;
  const __m512i low = _mm512_permutex2var_epi8(part[0], x, part[1]), high = _mm512_permutex2var_epi8(part[2], x, part[3]);
  return _mm512_mask_mov_epi8(low, _mm512_movepi8_mask(x), high);
}

#include "kernels/x86/byte_map_avx512.h"
