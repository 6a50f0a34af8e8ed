// Squared difference of two quantized tensors in AVX2 vectors.
#include "kernels/elements_x86.h"
#include "kernels/stage_x86.h"

#define ISA avx2

TVMQ_INLINE vec load(const uint8_t *p) { return _mm256_loadu_si256((const vec *)p); }
TVMQ_INLINE void store(uint8_t *p, vec x) { _mm256_storeu_si256((vec *)p, x); }
TVMQ_INLINE vec both(vec a, vec b) { return _mm256_and_si256(a, b); }
TVMQ_INLINE vec exclusive(vec a, vec b) { return _mm256_xor_si256(a, b); }
TVMQ_INLINE vec all_lanes(__m128i x) { return _mm256_broadcastsi128_si256(x); }
TVMQ_INLINE vec multiply_add(vec sum, vec a, vec b) { return _mm256_add_epi32(sum, _mm256_madd_epi16(a, b)); }

#include "kernels/square_x86.h"
