// AVX2's own part of the output stage (stage_x86.h). The long path takes the high product in 32-bit lanes and compares the
// bits that are shifted out with a half; single rounding stays in 64 bits.
#pragma once

#include "kernels/x86/stage_path.h"
#include "kernels/x86/vector_x86.h"

// Returns the upper halves of 64-bit lanes: of `even` in the even places, of `odd` in the odd places.
TVMQ_INLINE vec tvmq_high_halves(vec even, vec odd) { return vec_blend_odd(_mm256_srli_epi64(even, 32), odd); }

TVMQ_INLINE vec_f32 tvmq_with_sign(vec_f32 magnitude, vec_f32 x) { return _mm256_or_ps(_mm256_and_ps(x, _mm256_set1_ps(-0.0f)), magnitude); }

// Returns floor((p + 2^(30 - shift)) / 2^(31 - shift)) mod 2^32 of four products; only the low halves of the 64-bit
// lanes of `shift` count. AVX2 has no arithmetic shift of 64 bits: an offset makes the products positive, and the
// shifted offset is subtracted again.
TVMQ_INLINE vec tvmq_single_shift(vec product, vec shift) {
  const vec low = vec_all_s64(0xffffffff), one = vec_all_s64(1), lift = vec_all_s64(INT64_MIN);
  const vec s = _mm256_and_si256(_mm256_sub_epi32(_mm256_set1_epi32(31), shift), low);
  const vec half = _mm256_sllv_epi64(one, _mm256_sub_epi64(s, one));
  const vec lifted = _mm256_add_epi64(_mm256_add_epi64(product, half), lift);
  return _mm256_sub_epi64(_mm256_srlv_epi64(lifted, s), _mm256_srlv_epi64(lift, s));
}

// Returns the rescaled accumulators plus the zero point.
TVMQ_INLINE vec tvmq_long_rescale(const struct tvmq_stage *stage, vec acc, vec m, vec s) {
  const vec zero = _mm256_setzero_si256(), zero_point = _mm256_set1_epi32(stage->zero_point), odd_m = _mm256_srli_epi64(m, 32);
  if (stage->rounding == TVMQ_ROUNDING_SINGLE) {
    const vec even = tvmq_single_shift(_mm256_mul_epi32(acc, m), s);
    const vec odd = tvmq_single_shift(_mm256_mul_epi32(_mm256_srli_epi64(acc, 32), odd_m), _mm256_srli_epi64(s, 32));
    return _mm256_add_epi32(_mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xaa), zero_point);
  }
  const vec left = _mm256_max_epi32(s, zero), right = _mm256_sub_epi32(left, s), nudge = vec_all_s64(1 << 30);
  const vec x = _mm256_sllv_epi32(acc, left);
  const vec even = _mm256_add_epi64(_mm256_mul_epi32(x, m), nudge);
  const vec odd = _mm256_add_epi64(_mm256_mul_epi32(_mm256_srli_epi64(x, 32), odd_m), nudge);
  const vec high = _mm256_blend_epi32(_mm256_srli_epi64(even, 31), _mm256_slli_epi64(odd, 1), 0xaa);
  // The bits shifted out round up from a half on; with reference rounding, a negative value needs more than a half.
  const vec mask = _mm256_sub_epi32(_mm256_sllv_epi32(_mm256_set1_epi32(1), right), _mm256_set1_epi32(1));
  vec below_half = _mm256_srli_epi32(mask, 1);
  if (stage->rounding == TVMQ_ROUNDING_REFERENCE) below_half = _mm256_add_epi32(below_half, _mm256_srli_epi32(high, 31));
  const vec up = _mm256_cmpgt_epi32(_mm256_and_si256(high, mask), below_half);
  return _mm256_add_epi32(_mm256_sub_epi32(_mm256_srav_epi32(high, right), up), zero_point);
}

// Clamps int8 to the output's bytes. Values have been saturated to int8, whose range contains the clamp's.
TVMQ_INLINE vec tvmq_clamp_bytes(const struct tvmq_stage *stage, vec bytes) {
  const vec clamped = _mm256_min_epi8(_mm256_max_epi8(bytes, _mm256_set1_epi8((int8_t)stage->min)), _mm256_set1_epi8((int8_t)stage->max));
  return _mm256_xor_si256(clamped, _mm256_set1_epi8((int8_t)stage->flip));
}

// ---- int64 accumulators (16x8): AVX2 has no arithmetic shift of 64 bits, so an offset makes sums positive

#define TVMQ_LIFT_S64 INT64_MIN
TVMQ_INLINE vec tvmq_shift_s64(vec x, vec right) { return _mm256_srlv_epi64(x, right); }

// Returns x * y modulo 2^64; y is below 2^32.
TVMQ_INLINE vec tvmq_multiply_s64(vec x, vec y) {
  return _mm256_add_epi64(_mm256_mul_epu32(x, y), _mm256_slli_epi64(_mm256_mul_epu32(_mm256_srli_epi64(x, 32), y), 32));
}

// Loads two vectors, and separates the elements at even and at odd places.
TVMQ_INLINE void tvmq_load_apart_s64(const int64_t *p, vec *even, vec *odd) {
  const vec low = _mm256_permute4x64_epi64(vec_load(p), 0xd8), high = _mm256_permute4x64_epi64(vec_load(p + 4), 0xd8);
  *even = _mm256_permute2x128_si256(low, high, 0x20);
  *odd = _mm256_permute2x128_si256(low, high, 0x31);
}
