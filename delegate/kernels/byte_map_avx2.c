// Map of bytes by a table in AVX2 vectors.
//
// vpshufb looks up a byte's low four bits, or gives 0 where the byte's highest bit is set, in sixteen parts of sixteen bytes. Half a table takes an index of
// seven bits, from which 16 is subtracted before each next part: the parts up to the index's own see an index that is not negative yet. All of them are met, so
// each part is stored as what it differs by from the one before, and xor leaves the index's own. The two halves share the indices.
//
// Registers: indices, values of both halves of two vectors, 16, and the parts as they come from memory.
#include <immintrin.h>
#include <string.h>

#include "kernels/inline.h"
#include "kernels/kernel.h"

enum { BYTES = 64, VECTORS = 2, PARTS = 8, PART = 16 };

struct parts {
  __m256i low[PARTS], high[PARTS];
};

TVMQ_INLINE __m256i part_of(const uint8_t *table) { return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)table)); }

TVMQ_INLINE struct parts parts_of(const uint8_t *table) {
  struct parts parts = {{part_of(table)}, {part_of(table + PARTS * PART)}};
  UNROLL for (int p = 1; p < PARTS; p++) {
    parts.low[p] = _mm256_xor_si256(part_of(table + PART * p), part_of(table + PART * (p - 1)));
    parts.high[p] = _mm256_xor_si256(part_of(table + PART * (PARTS + p)), part_of(table + PART * (PARTS + p - 1)));
  }
  return parts;
}

TVMQ_INLINE void look_up(const struct parts *parts, const uint8_t *in, uint8_t *out) {
  const __m256i part = _mm256_set1_epi8(PART);
  __m256i byte[VECTORS], index[VECTORS], low[VECTORS], high[VECTORS];
  UNROLL for (int v = 0; v < VECTORS; v++) {
    byte[v] = _mm256_loadu_si256((const __m256i *)in + v);
    index[v] = _mm256_and_si256(byte[v], _mm256_set1_epi8(INT8_MAX));
    low[v] = _mm256_shuffle_epi8(parts->low[0], index[v]);
    high[v] = _mm256_shuffle_epi8(parts->high[0], index[v]);
  }
  UNROLL for (int p = 1; p < PARTS; p++) {
    UNROLL for (int v = 0; v < VECTORS; v++) {
      index[v] = _mm256_sub_epi8(index[v], part);
      low[v] = _mm256_xor_si256(low[v], _mm256_shuffle_epi8(parts->low[p], index[v]));
      high[v] = _mm256_xor_si256(high[v], _mm256_shuffle_epi8(parts->high[p], index[v]));
      __asm__("" : "+x"(index[v]), "+x"(low[v]), "+x"(high[v]));  // compilers would compute all indices first, for which there are no registers
    }
  }
  UNROLL for (int v = 0; v < VECTORS; v++) _mm256_storeu_si256((__m256i *)out + v, _mm256_blendv_epi8(low[v], high[v], byte[v]));
}

// The last bytes are looked up before all others and stored behind them, since the tensors may be one.
void tvmq_byte_map__avx2(const struct tvmq_byte_map_args *args) {
  const uint8_t *const in = args->in;
  uint8_t *const out = args->out;
  const size_t n = args->n;
  if (n < BYTES) {
    tvmq_byte_map__c(args);
    return;
  }
  const struct parts parts = parts_of(args->table);
  uint8_t last[BYTES];
  if (n % BYTES != 0) look_up(&parts, in + n - BYTES, last);
  for (size_t i = 0; i + BYTES <= n; i += BYTES) look_up(&parts, in + i, out + i);
  if (n % BYTES != 0) memcpy(out + n - BYTES, last, BYTES);
}
