// Sum or difference of two quantized tensors in AVX-512 vectors.
//
// Along a plane, bytes of both tensors become pairs of int16, 256 a and 256 b, which vpdpwssd multiplies by the high parts of the multipliers. vpdpbusd sees
// four bytes, 0, a, 0, b, and multiplies a and b by the low parts. Packing undoes the order that unpacking makes.
#include "kernels/elements_avx512.h"
#include "kernels/stage_avx512.h"

#define ISA avx512vnni
enum { BLOCK = 64 };

// ---- bytes along a plane

struct plane {
  vec high, low, bias, shift;
  vec min, max;
  vec exception_in[TVMQ_PLANE_MAX_EXCEPTIONS][2], exception_value[TVMQ_PLANE_MAX_EXCEPTIONS];
};

TVMQ_INLINE vec pairs(int32_t a, int32_t b) { return _mm512_set1_epi32((int32_t)((uint32_t)b << 16 | (uint16_t)a)); }

TVMQ_INLINE struct plane plane_of(const struct tvmq_add_args *args) {
  const struct tvmq_plane *p = &args->plane;
  struct plane plane = {
      .high = pairs(p->multiplier[0] >> 8, p->multiplier[1] >> 8),
      .low = pairs((p->multiplier[0] & UINT8_MAX) << 8, (p->multiplier[1] & UINT8_MAX) << 8),
      .bias = _mm512_set1_epi32(p->bias),
      .shift = _mm512_set1_epi32(p->shift),
      .min = _mm512_set1_epi8((int8_t)args->min),
      .max = _mm512_set1_epi8((int8_t)args->max),
  };
  for (int e = 0; e < TVMQ_PLANE_MAX_EXCEPTIONS; e++) {
    const struct tvmq_plane_exception *exception = tvmq_plane_exception(p, e);
    for (int i = 0; i < 2; i++) plane.exception_in[e][i] = _mm512_set1_epi8(exception->in[i]);
    plane.exception_value[e] = _mm512_set1_epi8(exception->value);
  }
  return plane;
}

// Pairs of 256 a and 256 b -> values.
TVMQ_INLINE vec plane_values(const struct plane *p, vec pair) {
  const vec sum = _mm512_dpbusd_epi32(_mm512_dpwssd_epi32(p->bias, pair, p->high), p->low, pair);
  return _mm512_srav_epi32(sum, p->shift);
}

TVMQ_INLINE void plane_block(const struct plane *p, int n_exceptions, uint8_t flip, const uint8_t *in0, const uint8_t *in1, uint8_t *out) {
  const vec zero = _mm512_setzero_si512(), flips = _mm512_set1_epi8((char)flip);
  const vec a = _mm512_xor_si512(_mm512_loadu_si512(in0), flips), b = _mm512_xor_si512(_mm512_loadu_si512(in1), flips);
  const vec low = _mm512_unpacklo_epi8(a, b), high = _mm512_unpackhi_epi8(a, b);
  const vec value0 = plane_values(p, _mm512_unpacklo_epi8(zero, low)), value1 = plane_values(p, _mm512_unpackhi_epi8(zero, low));
  const vec value2 = plane_values(p, _mm512_unpacklo_epi8(zero, high)), value3 = plane_values(p, _mm512_unpackhi_epi8(zero, high));
  vec bytes = _mm512_packs_epi16(_mm512_packs_epi32(value0, value1), _mm512_packs_epi32(value2, value3));
  bytes = _mm512_min_epi8(_mm512_max_epi8(bytes, p->min), p->max);
  UNROLL for (int e = 0; e < n_exceptions; e++) {
    const __mmask64 met = _mm512_mask_cmpeq_epi8_mask(_mm512_cmpeq_epi8_mask(a, p->exception_in[e][0]), b, p->exception_in[e][1]);
    bytes = _mm512_mask_mov_epi8(bytes, met, p->exception_value[e]);
  }
  _mm512_storeu_si512(out, _mm512_xor_si512(bytes, flips));
}

// ---- all others

TVMQ_INLINE vec all(int32_t x) { return _mm512_set1_epi32(x); }
TVMQ_INLINE vec add(vec a, vec b) { return _mm512_add_epi32(a, b); }
TVMQ_INLINE vec sub(vec a, vec b) { return _mm512_sub_epi32(a, b); }
TVMQ_INLINE vec exclusive(vec a, vec b) { return _mm512_xor_si512(a, b); }
TVMQ_INLINE vec left(vec x, unsigned n) { return _mm512_slli_epi32(x, n); }
TVMQ_INLINE vec right(vec x, unsigned n) { return _mm512_srai_epi32(x, n); }
TVMQ_INLINE vec clamped(vec x, vec min, vec max) { return _mm512_min_epi32(_mm512_max_epi32(x, min), max); }

#include "kernels/add_x86.h"
