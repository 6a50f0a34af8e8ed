// The output stage (stage.h) in AVX-512 or AVX2 vectors (vector_x86.h). A vector holds int32 accumulators, one per
// channel.
//
// Short path, for stages with headroom (stage.h). Let a be the accumulator, m the multiplier, s >= 1 the right shift
// and z the zero point. The accumulator is kept as the unsigned u = a + 2^31; this is free, because the bias includes
// 2^31. One 64-bit multiply-add then gives both roundings and the zero point:
//
//   T = 2 m u + C,   C = 2^31 + ((2^(s-1) - 1 + z 2^s) << 32) - 2 m 2^31
//   T >> 32 = floor((a m + 2^30) / 2^31) + 2^(s-1) - 1 + z 2^s
//
// Adding 1 if a >= 0, which is the top bit of u, before the arithmetic shift by s makes ties go away from zero. (A
// negative a whose high product rounds up to zero is not a tie.) Upward rounding always adds the 1, as part of C.
//
// A panel in float form (stage.h) needs a conversion, a fused multiply-add and a conversion back, for any stage, and
// two more operations if ties go away from zero. Every other stage needs the long path of its instruction set
// (stage_avx2.h, stage_avx512.h).
#pragma once

#include <stdint.h>

#include "kernels/x86/stage_path.h"
#include "kernels/x86/vector_x86.h"

#if VECTOR_BITS == 512
#include "kernels/x86/stage_avx512.h"
#else
#include "kernels/x86/stage_avx2.h"
#endif

// Constants of a vector's channels on every path except the long one. Fixed point: twice the multiplier and C, for even
// and odd lanes, and the shift. Float form: slope and intercept.
struct tvmq_short_stage {
  vec even_multiplier, odd_multiplier, even_c, odd_c, right;
  vec_f32 slope, intercept;
};

TVMQ_INLINE vec tvmq_short_constant(const struct tvmq_stage *stage, enum tvmq_path path, vec doubled, vec right) {
  // Only the even 32-bit lanes of `doubled` and `right` are used.
  const vec low = vec_all_s64(0xffffffff), one = vec_all_s64(1);
  const vec s = vec_and(right, low);
  vec high = MM(sub_epi64)(MM(sllv_epi64)(one, MM(sub_epi64)(s, one)), path == TVMQ_PATH_UPWARD ? vec_all_s64(0) : one);
  high = MM(add_epi64)(high, MM(sllv_epi64)(vec_all_s64(stage->zero_point), s));
  const vec c = MM(add_epi64)(MM(slli_epi64)(high, 32), vec_all_s64(INT64_C(1) << 31));
  return MM(sub_epi64)(c, MM(slli_epi64)(vec_and(doubled, low), 31));
}

TVMQ_INLINE struct tvmq_short_stage tvmq_short_stage_make(const struct tvmq_stage *stage, enum tvmq_path path, vec multiplier, vec shift) {
  struct tvmq_short_stage s = {0};
  if (path == TVMQ_PATH_SUMS) return s;
  if (path == TVMQ_PATH_FLOAT || path == TVMQ_PATH_FLOAT_ODD) {
    s.slope = vec_as_f32(vec_xor(multiplier, MM(set1_epi32)(INT32_MIN)));
    s.intercept = vec_as_f32(shift);
    return s;
  }
  s.even_multiplier = MM(slli_epi32)(multiplier, 1);
  s.odd_multiplier = MM(srli_epi64)(s.even_multiplier, 32);
  // Channels that pad the panel have shift 0. Their results are dropped, but the constant requires a shift of at least
  // 1.
  s.right = MM(max_epi32)(MM(sub_epi32)((vec){0}, shift), MM(set1_epi32)(1));
  s.even_c = tvmq_short_constant(stage, path, s.even_multiplier, s.right);
  s.odd_c = tvmq_short_constant(stage, path, s.odd_multiplier, MM(srli_epi64)(s.right, 32));
  return s;
}

// Converts the bias to the initial value of the path's accumulator; on the short path that is u.
TVMQ_INLINE vec tvmq_short_bias(enum tvmq_path path, vec bias) {
  return path == TVMQ_PATH_SHORT || path == TVMQ_PATH_UPWARD ? vec_xor(bias, MM(set1_epi32)(INT32_MIN)) : bias;
}

TVMQ_INLINE vec tvmq_float_rescale(const struct tvmq_short_stage *s, enum tvmq_path path, vec acc) {
  const vec_f32 x = MM(cvtepi32_ps)(acc);
  return MM(cvtps_epi32)(MM(fmadd_ps)(x, s->slope, path == TVMQ_PATH_FLOAT ? s->intercept : tvmq_with_sign(s->intercept, x)));
}

// Returns the rescaled accumulators plus the zero point. On the short path `u` is accumulator + 2^31.
// TVMQ_PATH_FLOAT_ODD adds the zero point later, when packing.
TVMQ_INLINE vec tvmq_short_rescale(const struct tvmq_short_stage *s, enum tvmq_path path, vec u) {
  if (path == TVMQ_PATH_SUMS) return u;
  if (path == TVMQ_PATH_FLOAT || path == TVMQ_PATH_FLOAT_ODD) return tvmq_float_rescale(s, path, u);
  const vec even = MM(add_epi64)(MM(mul_epu32)(u, s->even_multiplier), s->even_c);
  const vec odd = MM(add_epi64)(MM(mul_epu32)(MM(srli_epi64)(u, 32), s->odd_multiplier), s->odd_c);
  vec high = tvmq_high_halves(even, odd);
  if (path == TVMQ_PATH_SHORT) high = MM(add_epi32)(high, MM(srli_epi32)(u, 31));
  return MM(srav_epi32)(high, s->right);
}

// Packs 2 vectors of values to int16, within each 128-bit lane, zero point included.
TVMQ_INLINE vec tvmq_pack_pair(const struct tvmq_stage *stage, enum tvmq_path path, vec a, vec b) {
  const vec values = MM(packs_epi32)(a, b);
  return path == TVMQ_PATH_FLOAT_ODD ? MM(adds_epi16)(values, MM(set1_epi16)((int16_t)stage->zero_point)) : values;
}

// Packs 2 vectors of tvmq_pack_pair() to clamped bytes, within each 128-bit lane.
TVMQ_INLINE vec tvmq_pack_words(const struct tvmq_stage *stage, vec a, vec b) { return tvmq_clamp_bytes(stage, MM(packs_epi16)(a, b)); }

// Packs 4 vectors of the path's values to clamped bytes. Each 128-bit lane has its four values of value[0], then of
// value[1], [2] and [3].
TVMQ_INLINE vec tvmq_pack_lanes(const struct tvmq_stage *stage, enum tvmq_path path, const vec value[4]) {
  return tvmq_pack_words(stage, tvmq_pack_pair(stage, path, value[0], value[1]), tvmq_pack_pair(stage, path, value[2], value[3]));
}

// ---- int64 accumulators (16x8)
//
// tvmq_rescale_s64() is linear before its shift, and the shifted value fits 64 bits. The accumulator is a sum of int32
// parts. So the products of the parts are added up modulo 2^64. r is the multiplier rounded to 15 bits. Even and odd
// lanes are always separate.

// Constants of a vector's channels: r; C = bias * r + 2^(14 - shift) + TVMQ_LIFT_S64; the shift to the right; and the
// zero point minus the shifted TVMQ_LIFT_S64.
struct tvmq_s64_stage {
  vec even_multiplier, odd_multiplier, even_c, odd_c, even_right, odd_right, offset;
};

struct tvmq_s64_sum {
  vec even, odd;
};

TVMQ_INLINE vec tvmq_s64_shift(const struct tvmq_s64_stage *s, vec even, vec odd) {
  return vec_blend_odd(tvmq_shift_s64(even, s->even_right), MM(slli_epi64)(tvmq_shift_s64(odd, s->odd_right), 32));
}

// Returns C; `multiplier` is r in 64-bit lanes.
TVMQ_INLINE vec tvmq_s64_constant(vec bias, vec multiplier, vec right) {
  const vec one = vec_all_s64(1), half = MM(sllv_epi64)(one, MM(sub_epi64)(right, one));
  return MM(add_epi64)(MM(add_epi64)(tvmq_multiply_s64(bias, multiplier), half), vec_all_s64(TVMQ_LIFT_S64));
}

TVMQ_INLINE struct tvmq_s64_stage tvmq_s64_stage_make(const struct tvmq_stage *stage, const int64_t *bias, const int32_t *multiplier, const int32_t *shift) {
  const vec low = vec_all_s64(0xffffffff), lift = vec_all_s64(TVMQ_LIFT_S64);
  const vec m = MM(srli_epi32)(MM(add_epi32)(vec_load(multiplier), MM(set1_epi32)(1 << 15)), 16);
  const vec reduced = MM(min_epi32)(m, MM(set1_epi32)(0x7fff));
  const vec right = MM(sub_epi32)(MM(set1_epi32)(15), vec_load(shift));
  vec even_bias, odd_bias;
  tvmq_load_apart_s64(bias, &even_bias, &odd_bias);
  struct tvmq_s64_stage s;
  s.even_multiplier = vec_and(reduced, low);
  s.odd_multiplier = MM(srli_epi64)(reduced, 32);
  s.even_right = vec_and(right, low);
  s.odd_right = MM(srli_epi64)(right, 32);
  s.even_c = tvmq_s64_constant(even_bias, s.even_multiplier, s.even_right);
  s.odd_c = tvmq_s64_constant(odd_bias, s.odd_multiplier, s.odd_right);
  s.offset = MM(sub_epi32)(MM(set1_epi32)(stage->zero_point), tvmq_s64_shift(&s, lift, lift));
  return s;
}

TVMQ_INLINE struct tvmq_s64_sum tvmq_s64_first(const struct tvmq_s64_stage *s) { return (struct tvmq_s64_sum){s->even_c, s->odd_c}; }

TVMQ_INLINE void tvmq_s64_add(const struct tvmq_s64_stage *s, vec part, struct tvmq_s64_sum *sum) {
  sum->even = MM(add_epi64)(sum->even, MM(mul_epi32)(part, s->even_multiplier));
  sum->odd = MM(add_epi64)(sum->odd, MM(mul_epi32)(MM(srli_epi64)(part, 32), s->odd_multiplier));
}

// Returns the rescaled sums plus the zero point.
TVMQ_INLINE vec tvmq_s64_value(const struct tvmq_s64_stage *s, const struct tvmq_s64_sum *sum) {
  return MM(add_epi32)(tvmq_s64_shift(s, sum->even, sum->odd), s->offset);
}

// Float64 scales, whose halves a panel holds in place of multipliers and shifts, and biases, of even and odd channels.
struct tvmq_float64_stage {
  vec_f64 even, odd;
  struct tvmq_s64_sum first;
};

TVMQ_INLINE struct tvmq_float64_stage tvmq_float64_stage_make(const int64_t *bias, const int32_t *multiplier, const int32_t *shift) {
  const vec lower = vec_load(multiplier), upper = vec_load(shift);
  struct tvmq_float64_stage s;
  tvmq_load_apart_s64(bias, &s.first.even, &s.first.odd);
  s.even = vec_as_f64(vec_blend_odd(lower, MM(slli_epi64)(upper, 32)));
  s.odd = vec_as_f64(vec_blend_odd(MM(srli_epi64)(lower, 32), upper));
  return s;
}

TVMQ_INLINE void tvmq_float64_add(vec part, struct tvmq_s64_sum *sum) {
  const vec one = vec_all_s64(1);
  sum->even = MM(add_epi64)(sum->even, MM(mul_epi32)(part, one));
  sum->odd = MM(add_epi64)(sum->odd, MM(mul_epi32)(MM(srli_epi64)(part, 32), one));
}

// Multiplies sums of less than 2^51 by their scales. Returns the nearest integers between min and max, ties away from
// zero, in the lower halves of 64 bits. Adding the largest number below a half rounds correctly: a value below a half
// does not reach the next integer.
TVMQ_INLINE vec tvmq_float64_scaled(const struct tvmq_stage *stage, vec sum, vec_f64 scale) {
  const vec_f64 magic = MM(set1_pd)(0x1.8p52), half = MM(set1_pd)(0x1.fffffffffffffp-2), sign = MM(set1_pd)(-0.0);
  const vec_f64 acc = MM(sub_pd)(vec_as_f64(MM(add_epi64)(sum, vec_of_f64(magic))), magic);
  const vec_f64 value = MM(max_pd)(MM(min_pd)(MM(mul_pd)(acc, scale), MM(set1_pd)(stage->max)), MM(set1_pd)(stage->min));
  const vec_f64 away = vec_as_f64(vec_or(vec_and(vec_of_f64(value), vec_of_f64(sign)), vec_of_f64(half)));
  return vec_of_f64(MM(add_pd)(vec_truncate_f64(MM(add_pd)(value, away)), magic));
}

// Returns the values of a vector's channels. Zero points are 0.
TVMQ_INLINE vec tvmq_float64_value(const struct tvmq_stage *stage, const struct tvmq_float64_stage *s, const struct tvmq_s64_sum *sum) {
  return vec_blend_odd(tvmq_float64_scaled(stage, sum->even, s->even), MM(slli_epi64)(tvmq_float64_scaled(stage, sum->odd, s->odd), 32));
}

// Packs 2 vectors of values, zero point included, to clamped int16. Each 128-bit lane has its four values of a, then of
// b.
TVMQ_INLINE vec tvmq_pack_lanes_s16(const struct tvmq_stage *stage, vec a, vec b) {
  const vec values = MM(packs_epi32)(a, b);
  return MM(min_epi16)(MM(max_epi16)(values, MM(set1_epi16)((int16_t)stage->min)), MM(set1_epi16)((int16_t)stage->max));
}

// The same, but all values of a, then all values of b.
TVMQ_INLINE vec tvmq_pack_s16(const struct tvmq_stage *stage, vec a, vec b) { return vec_in_order_s16(tvmq_pack_lanes_s16(stage, a, b)); }
