// Transposition in AVX2 vectors, whose two parts are rows of different blocks of the portable kernel.
#include <stddef.h>

#include "kernels/x86/vector_x86.h"

#define ISA avx2

TVMQ_INLINE vec load(const uint8_t *in, ptrdiff_t stride) {
  return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)in)), _mm_loadu_si128((const __m128i *)(in + stride)), 1);
}
TVMQ_INLINE void store(uint8_t *out, vec x) { vec_store(out, x); }
TVMQ_INLINE vec low_1(vec a, vec b) { return _mm256_unpacklo_epi8(a, b); }
TVMQ_INLINE vec low_2(vec a, vec b) { return _mm256_unpacklo_epi16(a, b); }
TVMQ_INLINE vec low_4(vec a, vec b) { return _mm256_unpacklo_epi32(a, b); }
TVMQ_INLINE vec low_8(vec a, vec b) { return _mm256_unpacklo_epi64(a, b); }
TVMQ_INLINE vec high_1(vec a, vec b) { return _mm256_unpackhi_epi8(a, b); }
TVMQ_INLINE vec high_2(vec a, vec b) { return _mm256_unpackhi_epi16(a, b); }
TVMQ_INLINE vec high_4(vec a, vec b) { return _mm256_unpackhi_epi32(a, b); }
TVMQ_INLINE vec high_8(vec a, vec b) { return _mm256_unpackhi_epi64(a, b); }

#include "kernels/kernel.h"

TVMQ_INLINE void transpose_small(const struct tvmq_transpose_args *args) { tvmq_transpose__c(args); }

#include "kernels/transpose_template.h"
