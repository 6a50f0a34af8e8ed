// Maximum and minimum of two tensors in AVX2 vectors.
#include <immintrin.h>
#include <stdint.h>

#include "kernels/inline.h"

#define ISA avx2

typedef __m256i vec;

TVMQ_INLINE vec every(uint8_t x) { return _mm256_set1_epi8((char)x); }
TVMQ_INLINE vec load(const uint8_t *p) { return _mm256_loadu_si256((const vec *)p); }
TVMQ_INLINE void store(uint8_t *p, vec x) { _mm256_storeu_si256((vec *)p, x); }
TVMQ_INLINE vec exclusive(vec a, vec b) { return _mm256_xor_si256(a, b); }
TVMQ_INLINE vec greater_s8(vec a, vec b) { return _mm256_max_epi8(a, b); }
TVMQ_INLINE vec greater_s16(vec a, vec b) { return _mm256_max_epi16(a, b); }

#include "kernels/maximum_template.h"
