// The output stage (stage.h) in AVX2 vectors: eight int32 accumulators of eight channels at a time.
//
// The short path is that of stage_avx512.h, which explains it: ten operations per eight values. The line of a panel in float form: three, or five. The long
// path, for every other stage and rounding, takes the high product in 32-bit lanes and shifts it by comparing what is shifted out with half; single rounding
// stays in 64 bits.
#pragma once

#include <immintrin.h>
#include <stdint.h>

#include "kernels/stage_path.h"

// The constants of eight channels on every path but the long one: twice the multiplier and C, for even and odd lanes, and the shift; or the line.
struct tvmq_short_stage {
  __m256i even_multiplier, odd_multiplier, even_c, odd_c, right;
  __m256 slope, intercept;
};

TVMQ_INLINE __m256i tvmq_short_constant(const struct tvmq_stage *stage, enum tvmq_path path, __m256i doubled, __m256i right) {
  // `doubled` and `right` hold eight 32-bit lanes of which the even ones are used.
  const __m256i low = _mm256_set1_epi64x(0xffffffff), one = _mm256_set1_epi64x(1);
  const __m256i s = _mm256_and_si256(right, low);
  __m256i high = _mm256_sub_epi64(_mm256_sllv_epi64(one, _mm256_sub_epi64(s, one)), path == TVMQ_PATH_UPWARD ? _mm256_set1_epi64x(0) : one);
  high = _mm256_add_epi64(high, _mm256_sllv_epi64(_mm256_set1_epi64x(stage->zero_point), s));
  const __m256i c = _mm256_add_epi64(_mm256_slli_epi64(high, 32), _mm256_set1_epi64x(INT64_C(1) << 31));
  return _mm256_sub_epi64(c, _mm256_slli_epi64(_mm256_and_si256(doubled, low), 31));
}

TVMQ_INLINE struct tvmq_short_stage tvmq_short_stage_make(const struct tvmq_stage *stage, enum tvmq_path path, __m256i multiplier, __m256i shift) {
  struct tvmq_short_stage s = {0};
  if (path == TVMQ_PATH_SUMS) return s;
  if (path == TVMQ_PATH_FLOAT || path == TVMQ_PATH_FLOAT_ODD) {
    s.slope = _mm256_castsi256_ps(_mm256_xor_si256(multiplier, _mm256_set1_epi32(INT32_MIN)));
    s.intercept = _mm256_castsi256_ps(shift);
    return s;
  }
  s.even_multiplier = _mm256_slli_epi32(multiplier, 1);
  s.odd_multiplier = _mm256_srli_epi64(s.even_multiplier, 32);
  // Channels that pad the panel have shift 0; what becomes of them is dropped, but the constant wants a shift of at least 1.
  s.right = _mm256_max_epi32(_mm256_sub_epi32(_mm256_setzero_si256(), shift), _mm256_set1_epi32(1));
  s.even_c = tvmq_short_constant(stage, path, s.even_multiplier, s.right);
  s.odd_c = tvmq_short_constant(stage, path, s.odd_multiplier, _mm256_srli_epi64(s.right, 32));
  return s;
}

// Bias -> what the path's accumulator begins with: the short one makes it u.
TVMQ_INLINE __m256i tvmq_short_bias(enum tvmq_path path, __m256i bias) {
  return path == TVMQ_PATH_SHORT || path == TVMQ_PATH_UPWARD ? _mm256_xor_si256(bias, _mm256_set1_epi32(INT32_MIN)) : bias;
}

TVMQ_INLINE __m256i tvmq_float_rescale(const struct tvmq_short_stage *s, enum tvmq_path path, __m256i acc) {
  const __m256 x = _mm256_cvtepi32_ps(acc);
  if (path == TVMQ_PATH_FLOAT) return _mm256_cvtps_epi32(_mm256_fmadd_ps(x, s->slope, s->intercept));
  const __m256 sign = _mm256_set1_ps(-0.0f);
  const __m256 intercept = _mm256_or_ps(_mm256_and_ps(x, sign), s->intercept);
  return _mm256_cvtps_epi32(_mm256_fmadd_ps(x, s->slope, intercept));
}

// Accumulator, in the short path u = accumulator + 2^31 -> rescaled value + zero point; TVMQ_PATH_FLOAT_ODD leaves the zero point to the packing.
TVMQ_INLINE __m256i tvmq_short_rescale(const struct tvmq_short_stage *s, enum tvmq_path path, __m256i u) {
  if (path == TVMQ_PATH_SUMS) return u;
  if (path == TVMQ_PATH_FLOAT || path == TVMQ_PATH_FLOAT_ODD) return tvmq_float_rescale(s, path, u);
  const __m256i even = _mm256_add_epi64(_mm256_mul_epu32(u, s->even_multiplier), s->even_c);
  const __m256i odd = _mm256_add_epi64(_mm256_mul_epu32(_mm256_srli_epi64(u, 32), s->odd_multiplier), s->odd_c);
  __m256i high = _mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xaa);
  if (path == TVMQ_PATH_SHORT) high = _mm256_add_epi32(high, _mm256_srli_epi32(u, 31));
  return _mm256_srav_epi32(high, s->right);
}

// floor((p + 2^(30 - shift)) / 2^(31 - shift)) mod 2^32 of four products; `shift` holds 64-bit lanes of which the low halves count. AVX2 has no arithmetic
// shift of 64 bits: the products are lifted above zero and the shifted lift is taken off again.
TVMQ_INLINE __m256i tvmq_single_shift(__m256i product, __m256i shift) {
  const __m256i low = _mm256_set1_epi64x(0xffffffff), one = _mm256_set1_epi64x(1), lift = _mm256_set1_epi64x(INT64_MIN);
  const __m256i s = _mm256_and_si256(_mm256_sub_epi32(_mm256_set1_epi32(31), shift), low);
  const __m256i half = _mm256_sllv_epi64(one, _mm256_sub_epi64(s, one));
  const __m256i lifted = _mm256_add_epi64(_mm256_add_epi64(product, half), lift);
  return _mm256_sub_epi64(_mm256_srlv_epi64(lifted, s), _mm256_srlv_epi64(lift, s));
}

// Accumulator -> rescaled value + zero point.
TVMQ_INLINE __m256i tvmq_long_rescale(const struct tvmq_stage *stage, __m256i acc, __m256i m, __m256i s) {
  const __m256i zero = _mm256_setzero_si256(), zero_point = _mm256_set1_epi32(stage->zero_point), odd_m = _mm256_srli_epi64(m, 32);
  if (stage->rounding == TVMQ_ROUNDING_SINGLE) {
    const __m256i even = tvmq_single_shift(_mm256_mul_epi32(acc, m), s);
    const __m256i odd = tvmq_single_shift(_mm256_mul_epi32(_mm256_srli_epi64(acc, 32), odd_m), _mm256_srli_epi64(s, 32));
    return _mm256_add_epi32(_mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xaa), zero_point);
  }
  const __m256i left = _mm256_max_epi32(s, zero), right = _mm256_sub_epi32(left, s), nudge = _mm256_set1_epi64x(1 << 30);
  const __m256i x = _mm256_sllv_epi32(acc, left);
  const __m256i even = _mm256_add_epi64(_mm256_mul_epi32(x, m), nudge);
  const __m256i odd = _mm256_add_epi64(_mm256_mul_epi32(_mm256_srli_epi64(x, 32), odd_m), nudge);
  const __m256i high = _mm256_blend_epi32(_mm256_srli_epi64(even, 31), _mm256_slli_epi64(odd, 1), 0xaa);
  // Bits shifted out round up from half on; reference rounding wants more than half where the value is negative.
  const __m256i mask = _mm256_sub_epi32(_mm256_sllv_epi32(_mm256_set1_epi32(1), right), _mm256_set1_epi32(1));
  __m256i below_half = _mm256_srli_epi32(mask, 1);
  if (stage->rounding == TVMQ_ROUNDING_REFERENCE) below_half = _mm256_add_epi32(below_half, _mm256_srli_epi32(high, 31));
  const __m256i up = _mm256_cmpgt_epi32(_mm256_and_si256(high, mask), below_half);
  return _mm256_add_epi32(_mm256_sub_epi32(_mm256_srav_epi32(high, right), up), zero_point);
}

// Bytes of int8 -> clamped bytes of the output. Values saturate on the way to int8, whose range contains the clamp's.
TVMQ_INLINE __m256i tvmq_clamp_bytes(const struct tvmq_stage *stage, __m256i bytes) {
  const __m256i clamped = _mm256_min_epi8(_mm256_max_epi8(bytes, _mm256_set1_epi8((int8_t)stage->min)), _mm256_set1_epi8((int8_t)stage->max));
  return _mm256_xor_si256(clamped, _mm256_set1_epi8((int8_t)stage->flip));
}

// 2 x 8 values -> int16 within each 128-bit lane, zero point included.
TVMQ_INLINE __m256i tvmq_pack_pair(const struct tvmq_stage *stage, enum tvmq_path path, __m256i a, __m256i b) {
  const __m256i values = _mm256_packs_epi32(a, b);
  return path == TVMQ_PATH_FLOAT_ODD ? _mm256_adds_epi16(values, _mm256_set1_epi16((int16_t)stage->zero_point)) : values;
}

// 2 x 16 int16 of tvmq_pack_pair() -> 32 clamped bytes, within each 128-bit lane.
TVMQ_INLINE __m256i tvmq_pack_words(const struct tvmq_stage *stage, __m256i a, __m256i b) { return tvmq_clamp_bytes(stage, _mm256_packs_epi16(a, b)); }

// 4 x 8 values of the path -> 32 clamped bytes: within each 128-bit lane the lane's four values of value[0], then of value[1], [2] and [3].
TVMQ_INLINE __m256i tvmq_pack_lanes(const struct tvmq_stage *stage, enum tvmq_path path, const __m256i value[4]) {
  return tvmq_pack_words(stage, tvmq_pack_pair(stage, path, value[0], value[1]), tvmq_pack_pair(stage, path, value[2], value[3]));
}

// ---- int64 accumulators (16x8)
//
// Up to its shift tvmq_rescale_s64() is linear, and what it shifts fits 64 bits: products of the parts that make up the accumulator, each of them an int32, are
// added up modulo 2^64. r is the multiplier rounded to 15 bits; even and odd lanes are apart throughout.

// Constants of eight channels: r, C = bias * r + 2^(14 - shift) + 2^63, the shift to the right, and what the 2^63 comes to behind it less the zero point.
struct tvmq_s64_stage {
  __m256i even_multiplier, odd_multiplier, even_c, odd_c, even_right, odd_right, lift;
};

struct tvmq_s64_sum {
  __m256i even, odd;
};

TVMQ_INLINE __m256i tvmq_s64_join(__m256i even, __m256i odd) { return _mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xaa); }

// `multiplier` is r in 64-bit lanes.
TVMQ_INLINE __m256i tvmq_s64_constant(__m256i bias, __m256i multiplier, __m256i right) {
  const __m256i product =
      _mm256_add_epi64(_mm256_mul_epu32(bias, multiplier), _mm256_slli_epi64(_mm256_mul_epu32(_mm256_srli_epi64(bias, 32), multiplier), 32));
  const __m256i one = _mm256_set1_epi64x(1), half = _mm256_sllv_epi64(one, _mm256_sub_epi64(right, one));
  return _mm256_add_epi64(_mm256_add_epi64(product, half), _mm256_set1_epi64x(INT64_MIN));
}

TVMQ_INLINE struct tvmq_s64_stage tvmq_s64_stage_make(const struct tvmq_stage *stage, const int64_t bias[8], const int32_t multiplier[8],
                                                      const int32_t shift[8]) {
  const __m256i low = _mm256_set1_epi64x(0xffffffff), lift = _mm256_set1_epi64x(INT64_MIN);
  const __m256i m = _mm256_srli_epi32(_mm256_add_epi32(_mm256_loadu_si256((const __m256i *)multiplier), _mm256_set1_epi32(1 << 15)), 16);
  const __m256i reduced = _mm256_min_epi32(m, _mm256_set1_epi32(0x7fff));
  const __m256i right = _mm256_sub_epi32(_mm256_set1_epi32(15), _mm256_loadu_si256((const __m256i *)shift));
  const __m256i b0 = _mm256_permute4x64_epi64(_mm256_loadu_si256((const __m256i *)bias), 0xd8);
  const __m256i b1 = _mm256_permute4x64_epi64(_mm256_loadu_si256((const __m256i *)(bias + 4)), 0xd8);
  struct tvmq_s64_stage s;
  s.even_multiplier = _mm256_and_si256(reduced, low);
  s.odd_multiplier = _mm256_srli_epi64(reduced, 32);
  s.even_right = _mm256_and_si256(right, low);
  s.odd_right = _mm256_srli_epi64(right, 32);
  s.even_c = tvmq_s64_constant(_mm256_permute2x128_si256(b0, b1, 0x20), s.even_multiplier, s.even_right);
  s.odd_c = tvmq_s64_constant(_mm256_permute2x128_si256(b0, b1, 0x31), s.odd_multiplier, s.odd_right);
  s.lift = _mm256_sub_epi32(tvmq_s64_join(_mm256_srlv_epi64(lift, s.even_right), _mm256_srlv_epi64(lift, s.odd_right)), _mm256_set1_epi32(stage->zero_point));
  return s;
}

TVMQ_INLINE struct tvmq_s64_sum tvmq_s64_first(const struct tvmq_s64_stage *s) { return (struct tvmq_s64_sum){s->even_c, s->odd_c}; }

TVMQ_INLINE void tvmq_s64_add(const struct tvmq_s64_stage *s, __m256i part, struct tvmq_s64_sum *sum) {
  sum->even = _mm256_add_epi64(sum->even, _mm256_mul_epi32(part, s->even_multiplier));
  sum->odd = _mm256_add_epi64(sum->odd, _mm256_mul_epi32(_mm256_srli_epi64(part, 32), s->odd_multiplier));
}

// Rescaled value + zero point.
TVMQ_INLINE __m256i tvmq_s64_value(const struct tvmq_s64_stage *s, const struct tvmq_s64_sum *sum) {
  return _mm256_sub_epi32(tvmq_s64_join(_mm256_srlv_epi64(sum->even, s->even_right), _mm256_srlv_epi64(sum->odd, s->odd_right)), s->lift);
}

// 2 x 8 values, zero point included -> 16 clamped int16: within each 128-bit lane the lane's four values of a, then of b.
TVMQ_INLINE __m256i tvmq_pack_lanes_s16(const struct tvmq_stage *stage, __m256i a, __m256i b) {
  const __m256i values = _mm256_packs_epi32(a, b);
  return _mm256_min_epi16(_mm256_max_epi16(values, _mm256_set1_epi16((int16_t)stage->min)), _mm256_set1_epi16((int16_t)stage->max));
}

// The same in the order of a's eight values, then b's.
TVMQ_INLINE __m256i tvmq_pack_s16(const struct tvmq_stage *stage, __m256i a, __m256i b) {
  return _mm256_permute4x64_epi64(tvmq_pack_lanes_s16(stage, a, b), 0xd8);
}
