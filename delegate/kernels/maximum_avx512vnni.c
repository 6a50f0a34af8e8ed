// Maximum and minimum of two tensors in AVX-512 vectors.
#include <immintrin.h>
#include <stdint.h>

#include "kernels/inline.h"

#define ISA avx512vnni

typedef __m512i vec;

TVMQ_INLINE vec every(uint8_t x) { return _mm512_set1_epi8((char)x); }
TVMQ_INLINE vec load(const uint8_t *p) { return _mm512_loadu_si512(p); }
TVMQ_INLINE void store(uint8_t *p, vec x) { _mm512_storeu_si512(p, x); }
TVMQ_INLINE vec exclusive(vec a, vec b) { return _mm512_xor_si512(a, b); }
TVMQ_INLINE vec greater_s8(vec a, vec b) { return _mm512_max_epi8(a, b); }
TVMQ_INLINE vec greater_s16(vec a, vec b) { return _mm512_max_epi16(a, b); }

#include "kernels/maximum_template.h"
