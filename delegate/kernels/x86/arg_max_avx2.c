// ARG_MAX of contiguous bytes on x86, in vectors of 128 bits: the instruction for the minimum of eight int16 has no
// wider form.
#include <immintrin.h>
#include <stdint.h>

#include "base/inline.h"

#define ISA avx2

typedef __m128i vec;

TVMQ_INLINE vec every(uint8_t x) { return _mm_set1_epi8((char)x); }
TVMQ_INLINE vec load(const uint8_t *p) { return _mm_loadu_si128((const vec *)p); }
TVMQ_INLINE vec exclusive(vec a, vec b) { return _mm_xor_si128(a, b); }
TVMQ_INLINE vec equal(vec a, vec b) { return _mm_cmpeq_epi8(a, b); }
TVMQ_INLINE vec either(vec a, vec b) { return _mm_or_si128(a, _mm_xor_si128(b, every(0xff))); }
TVMQ_INLINE vec plus(vec a, vec b) { return _mm_add_epi8(a, b); }
TVMQ_INLINE vec lesser(vec a, vec b) { return _mm_min_epu8(a, b); }
TVMQ_INLINE uint8_t least(vec x) { return (uint8_t)_mm_cvtsi128_si32(_mm_minpos_epu16(_mm_min_epu8(x, _mm_srli_epi16(x, 8)))); }

#include "kernels/arg_max_template.h"
