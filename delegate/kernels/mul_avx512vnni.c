// Product of two quantized tensors in AVX-512 vectors.
#include "kernels/elements_x86.h"
#include "kernels/stage_x86.h"

#define ISA avx512vnni
#define BYTE_PRODUCTS

TVMQ_INLINE vec load(const uint8_t *p) { return _mm512_loadu_si512(p); }
TVMQ_INLINE void store(uint8_t *p, vec x) { _mm512_storeu_si512(p, x); }
TVMQ_INLINE vec both(vec a, vec b) { return _mm512_and_si512(a, b); }
TVMQ_INLINE vec exclusive(vec a, vec b) { return _mm512_xor_si512(a, b); }
TVMQ_INLINE vec all_lanes(__m128i x) { return _mm512_broadcast_i32x4(x); }
TVMQ_INLINE vec multiply_add(vec sum, vec a, vec b) { return _mm512_dpwssd_epi32(sum, a, b); }
TVMQ_INLINE vec multiply_add_bytes(vec sum, vec a, vec b) { return _mm512_dpbusd_epi32(sum, a, b); }

#include "kernels/mul_x86.h"
