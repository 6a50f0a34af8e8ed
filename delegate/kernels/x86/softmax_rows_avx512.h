// SOFTMAX of bytes in AVX-512 vectors. The includer defines ISA and the look-up of exps.
#pragma once

#include "kernels/x86/softmax_x86.h"

enum { LANES = 16 };

#include "kernels/softmax_template.h"

TVMQ_INLINE lanes high_product(lanes a, lanes b) {
  const __m512i x = (__m512i)a, y = (__m512i)b, half = _mm512_set1_epi64(1 << 30);
  const __m512i even = _mm512_add_epi64(_mm512_mul_epi32(x, y), half);
  const __m512i odd = _mm512_add_epi64(_mm512_mul_epi32(_mm512_srli_epi64(x, 32), _mm512_srli_epi64(y, 32)), half);
  return (lanes)_mm512_mask_mov_epi32(_mm512_srli_epi64(even, 31), 0xaaaa, _mm512_slli_epi64(odd, 1));
}

TVMQ_INLINE int32_t total(lanes x) { return _mm512_reduce_add_epi32((__m512i)x); }

// Computes both roundings at once, because the floor of a floor is a single floor.
TVMQ_INLINE void outputs(const int32_t *exps, int32_t r, int32_t shift, uint8_t flip, uint8_t *out) {
  const __m512i rs = _mm512_set1_epi64(r), half = _mm512_set1_epi64((1 << 30) + (INT64_C(1) << (30 + shift))), x = _mm512_load_si512(exps);
  const __m128i by = _mm_cvtsi32_si128(31 + shift);
  const __m512i even = _mm512_srl_epi64(_mm512_add_epi64(_mm512_mul_epu32(x, rs), half), by);
  const __m512i odd = _mm512_srl_epi64(_mm512_add_epi64(_mm512_mul_epu32(_mm512_srli_epi64(x, 32), rs), half), by);
  const __m128i bytes = _mm512_cvtusepi32_epi8(_mm512_or_si512(even, _mm512_slli_epi64(odd, 32)));
  _mm_storeu_si128((__m128i *)out, _mm_xor_si128(bytes, _mm_set1_epi8((char)flip)));
}
