// AVX-512's own part of the output stage (stage_x86.h). The long path computes in 64 bits.
#pragma once

#include "kernels/x86/stage_path.h"
#include "kernels/x86/vector_x86.h"

TVMQ_INLINE vec tvmq_high_halves(vec even, vec odd) {
  return _mm512_permutex2var_epi32(even, _mm512_set_epi32(31, 15, 29, 13, 27, 11, 25, 9, 23, 7, 21, 5, 19, 3, 17, 1), odd);
}

TVMQ_INLINE vec_f32 tvmq_with_sign(vec_f32 magnitude, vec_f32 x) {
  enum { AND_OR = 0xea };  // first & second | third
  const vec sign = _mm512_set1_epi32(INT32_MIN);
  return _mm512_castsi512_ps(_mm512_ternarylogic_epi32(sign, _mm512_castps_si512(x), _mm512_castps_si512(magnitude), AND_OR));
}

// Returns 64-bit ones that the compiler must create at each use. If it kept the constants of the long path in
// registers, the accumulators of a tile would not fit.
TVMQ_INLINE vec tvmq_ones_here(void) {
  int64_t one = 1;
  __asm__ volatile("" : "+r"(one));
  return _mm512_set1_epi64(one);
}

// Rescales eight accumulators with 64-bit products. `left` and `right` >= 0 are 64-bit lanes, one of which is 0.
TVMQ_INLINE vec tvmq_long_rescale_half(enum tvmq_rounding rounding, vec acc, vec multiplier, vec left, vec right) {
  const vec one = tvmq_ones_here();
  if (rounding == TVMQ_ROUNDING_SINGLE) {
    const vec s = _mm512_sub_epi64(_mm512_add_epi64(_mm512_set1_epi64(31), right), left);
    const vec half = _mm512_sllv_epi64(one, _mm512_sub_epi64(s, one));
    return _mm512_srav_epi64(_mm512_add_epi64(_mm512_mul_epi32(acc, multiplier), half), s);
  }
  // The shift to the left wraps in 32 bits, because the multiplication reads the signed low half of each lane.
  const vec product = _mm512_mul_epi32(_mm512_sllv_epi64(acc, left), multiplier);
  const vec high = _mm512_srai_epi64(_mm512_add_epi64(product, _mm512_slli_epi64(one, 30)), 31);
  vec nudge = _mm512_srli_epi64(_mm512_sllv_epi64(one, right), 1);
  if (rounding == TVMQ_ROUNDING_REFERENCE) {
    const __mmask8 shifts = _mm512_test_epi64_mask(right, right);
    nudge = _mm512_mask_add_epi64(nudge, shifts, nudge, _mm512_srai_epi64(high, 63));
  }
  return _mm512_srav_epi64(_mm512_add_epi64(high, nudge), right);
}

// Returns the rescaled accumulators plus the zero point.
TVMQ_INLINE vec tvmq_long_rescale(const struct tvmq_stage *stage, vec acc, vec m, vec s) {
  const vec zero = _mm512_setzero_si512(), low = _mm512_set1_epi64(0xffffffff);
  const vec left = _mm512_max_epi32(s, zero), right = _mm512_max_epi32(_mm512_sub_epi32(zero, s), zero);
  const vec even = tvmq_long_rescale_half(stage->rounding, acc, m, _mm512_and_si512(left, low), _mm512_and_si512(right, low));
  const vec odd =
      tvmq_long_rescale_half(stage->rounding, _mm512_srli_epi64(acc, 32), _mm512_srli_epi64(m, 32), _mm512_srli_epi64(left, 32), _mm512_srli_epi64(right, 32));
  return _mm512_add_epi32(vec_blend_odd(even, _mm512_slli_epi64(odd, 32)), _mm512_set1_epi32(stage->zero_point));
}

// Clamps int8 to the output's bytes. Values have been saturated to int8, whose range contains the clamp's.
TVMQ_INLINE vec tvmq_clamp_bytes(const struct tvmq_stage *stage, vec bytes) {
  // Predictable: the same in every call.
  if (stage->min == INT8_MIN && stage->max == INT8_MAX && stage->flip == 0) return bytes;
  const vec clamped = _mm512_min_epi8(_mm512_max_epi8(bytes, _mm512_set1_epi8((int8_t)stage->min)), _mm512_set1_epi8((int8_t)stage->max));
  return _mm512_xor_si512(clamped, _mm512_set1_epi8((int8_t)stage->flip));
}

// ---- int64 accumulators (16x8)

#define TVMQ_LIFT_S64 0
TVMQ_INLINE vec tvmq_shift_s64(vec x, vec right) { return _mm512_srav_epi64(x, right); }
TVMQ_INLINE vec tvmq_multiply_s64(vec x, vec y) { return _mm512_mullo_epi64(x, y); }

TVMQ_INLINE void tvmq_load_apart_s64(const int64_t *p, vec *even, vec *odd) {
  const vec low = vec_load(p), high = vec_load(p + 8);
  *even = _mm512_permutex2var_epi64(low, _mm512_set_epi64(14, 12, 10, 8, 6, 4, 2, 0), high);
  *odd = _mm512_permutex2var_epi64(low, _mm512_set_epi64(15, 13, 11, 9, 7, 5, 3, 1), high);
}
