// Row sums with vpsadbw, which adds eight absolute differences to zero.
//
// Reads: 32, then 16 and 8 bytes at a time, then single bytes.
#include <immintrin.h>

#include "kernels/kernel.h"

static inline __m256i add_sums(__m256i sums, __m256i bytes) { return _mm256_add_epi64(sums, _mm256_sad_epu8(bytes, _mm256_setzero_si256())); }

void tvmq_row_sums__avx2(const struct tvmq_row_sums_args *args) {
  const __m256i mask = _mm256_set1_epi8((char)args->mask);
  const __m128i half_mask = _mm256_castsi256_si128(mask);
  for (size_t m = 0; m < args->n; m++) {
    const void *const *row = args->rows + m / args->mr * args->n_taps * args->mr + m % args->mr;
    __m256i sums = _mm256_setzero_si256();
    uint32_t rest = 0;
    for (size_t t = 0; t < args->n_taps; t++) {
      const uint8_t *tap = row[t * args->mr];
      size_t k = 0;
      for (; k + 32 <= args->k; k += 32) sums = add_sums(sums, _mm256_xor_si256(_mm256_loadu_si256((const __m256i *)(tap + k)), mask));
      if (k + 16 <= args->k) {
        sums = add_sums(sums, _mm256_zextsi128_si256(_mm_xor_si128(_mm_loadu_si128((const __m128i *)(tap + k)), half_mask)));
        k += 16;
      }
      if (k + 8 <= args->k) {
        // The flip also changes the upper half, so only the low eight bytes are kept after it.
        sums = add_sums(sums, _mm256_zextsi128_si256(_mm_move_epi64(_mm_xor_si128(_mm_loadl_epi64((const __m128i *)(tap + k)), half_mask))));
        k += 8;
      }
      for (; k < args->k; k++) rest += tap[k] ^ args->mask;
    }
    const __m128i two = _mm_add_epi64(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
    const uint32_t sum = rest + (uint32_t)_mm_cvtsi128_si32(_mm_add_epi64(two, _mm_unpackhi_epi64(two, two)));
    args->terms[m] = (int32_t)((sum - (uint32_t)args->offset) * (uint32_t)args->factor);
  }
}
