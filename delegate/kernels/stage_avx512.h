// The output stage (stage.h) in AVX-512 vectors: sixteen int32 accumulators of sixteen channels at a time.
//
// Short path, for stages with headroom (stage.h). Let a be the accumulator, m the multiplier, s >= 1 the right shift and z the zero point. The accumulator is
// kept as the unsigned u = a + 2^31, which costs nothing because the bias is. One 64-bit multiply-add then gives both roundings and the zero point:
//
//   T = 2 m u + C,   C = 2^31 + ((2^(s-1) - 1 + z 2^s) << 32) - 2 m 2^31
//   T >> 32 = floor((a m + 2^30) / 2^31) + 2^(s-1) - 1 + z 2^s
//
// One more added where a >= 0, which is the top bit of u, and an arithmetic shift by s, ties go away from zero. (A negative a whose high product rounds
// up to zero is not a tie.) Upward rounding adds the one everywhere, that is to C.
//
// A panel in float form (stage.h) is a conversion, a fused multiply-add and a conversion back, whatever the stage. Every other stage takes the long path, all
// in 64 bits.
#pragma once

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/stage_path.h"

// The constants of sixteen channels on every path but the long one: twice the multiplier and C, for even and odd lanes, and the shift; or the line.
struct tvmq_short_stage {
  __m512i even_multiplier, odd_multiplier, even_c, odd_c, right;
  __m512 slope, intercept;
};

TVMQ_INLINE __m512i tvmq_short_constant(const struct tvmq_stage *stage, enum tvmq_path path, __m512i doubled, __m512i right) {
  // `doubled` and `right` hold sixteen 32-bit lanes of which the even ones are used.
  const __m512i low = _mm512_set1_epi64(0xffffffff), one = _mm512_set1_epi64(1);
  const __m512i s = _mm512_and_si512(right, low);
  __m512i high = _mm512_sub_epi64(_mm512_sllv_epi64(one, _mm512_sub_epi64(s, one)), path == TVMQ_PATH_UPWARD ? _mm512_set1_epi64(0) : one);
  high = _mm512_add_epi64(high, _mm512_sllv_epi64(_mm512_set1_epi64(stage->zero_point), s));
  const __m512i c = _mm512_add_epi64(_mm512_slli_epi64(high, 32), _mm512_set1_epi64(INT64_C(1) << 31));
  return _mm512_sub_epi64(c, _mm512_slli_epi64(_mm512_and_si512(doubled, low), 31));
}

TVMQ_INLINE struct tvmq_short_stage tvmq_short_stage_make(const struct tvmq_stage *stage, enum tvmq_path path, __m512i multiplier, __m512i shift) {
  struct tvmq_short_stage s = {0};
  if (path == TVMQ_PATH_SUMS) return s;
  if (path == TVMQ_PATH_FLOAT || path == TVMQ_PATH_FLOAT_ODD) {
    s.slope = _mm512_castsi512_ps(_mm512_xor_si512(multiplier, _mm512_set1_epi32(INT32_MIN)));
    s.intercept = _mm512_castsi512_ps(shift);
    return s;
  }
  s.even_multiplier = _mm512_slli_epi32(multiplier, 1);
  s.odd_multiplier = _mm512_srli_epi64(s.even_multiplier, 32);
  // Channels that pad the panel have shift 0; what becomes of them is dropped, but the constant wants a shift of at least 1.
  s.right = _mm512_max_epi32(_mm512_sub_epi32(_mm512_setzero_si512(), shift), _mm512_set1_epi32(1));
  s.even_c = tvmq_short_constant(stage, path, s.even_multiplier, s.right);
  s.odd_c = tvmq_short_constant(stage, path, s.odd_multiplier, _mm512_srli_epi64(s.right, 32));
  return s;
}

// Bias -> what the path's accumulator begins with: the short one makes it u.
TVMQ_INLINE __m512i tvmq_short_bias(enum tvmq_path path, __m512i bias) {
  return path == TVMQ_PATH_SHORT || path == TVMQ_PATH_UPWARD ? _mm512_xor_si512(bias, _mm512_set1_epi32(INT32_MIN)) : bias;
}

TVMQ_INLINE __m512i tvmq_float_rescale(const struct tvmq_short_stage *s, enum tvmq_path path, __m512i acc) {
  enum { AND_OR = 0xea };  // first & second | third
  const __m512 x = _mm512_cvtepi32_ps(acc);
  if (path == TVMQ_PATH_FLOAT) return _mm512_cvtps_epi32(_mm512_fmadd_ps(x, s->slope, s->intercept));
  const __m512i sign = _mm512_set1_epi32(INT32_MIN);
  const __m512 intercept = _mm512_castsi512_ps(_mm512_ternarylogic_epi32(sign, _mm512_castps_si512(x), _mm512_castps_si512(s->intercept), AND_OR));
  return _mm512_cvtps_epi32(_mm512_fmadd_ps(x, s->slope, intercept));
}

// Accumulator, in the short path u = accumulator + 2^31 -> rescaled value + zero point; TVMQ_PATH_FLOAT_ODD leaves the zero point to the packing.
TVMQ_INLINE __m512i tvmq_short_rescale(const struct tvmq_short_stage *s, enum tvmq_path path, __m512i u) {
  if (path == TVMQ_PATH_SUMS) return u;
  if (path == TVMQ_PATH_FLOAT || path == TVMQ_PATH_FLOAT_ODD) return tvmq_float_rescale(s, path, u);
  const __m512i high_halves = _mm512_set_epi32(31, 15, 29, 13, 27, 11, 25, 9, 23, 7, 21, 5, 19, 3, 17, 1);
  const __m512i even = _mm512_add_epi64(_mm512_mul_epu32(u, s->even_multiplier), s->even_c);
  const __m512i odd = _mm512_add_epi64(_mm512_mul_epu32(_mm512_srli_epi64(u, 32), s->odd_multiplier), s->odd_c);
  __m512i high = _mm512_permutex2var_epi32(even, high_halves, odd);
  if (path == TVMQ_PATH_SHORT) high = _mm512_add_epi32(high, _mm512_srli_epi32(u, 31));
  return _mm512_srav_epi32(high, s->right);
}

// Ones of 64 bits that a compiler makes where they are used: if it kept the constants of the long path ready in registers, a tile's accumulators would find
// none.
TVMQ_INLINE __m512i tvmq_ones_here(void) {
  int64_t one = 1;
  __asm__ volatile("" : "+r"(one));
  return _mm512_set1_epi64(one);
}

// Eight products in 64 bits; `left` and `right` >= 0 are 64-bit lanes, one of them 0.
TVMQ_INLINE __m512i tvmq_long_rescale_half(enum tvmq_rounding rounding, __m512i acc, __m512i multiplier, __m512i left, __m512i right) {
  const __m512i one = tvmq_ones_here();
  if (rounding == TVMQ_ROUNDING_SINGLE) {
    const __m512i s = _mm512_sub_epi64(_mm512_add_epi64(_mm512_set1_epi64(31), right), left);
    const __m512i half = _mm512_sllv_epi64(one, _mm512_sub_epi64(s, one));
    return _mm512_srav_epi64(_mm512_add_epi64(_mm512_mul_epi32(acc, multiplier), half), s);
  }
  // The shift to the left wraps in 32 bits; the multiplication reads the low half of each lane, signed.
  const __m512i product = _mm512_mul_epi32(_mm512_sllv_epi64(acc, left), multiplier);
  const __m512i high = _mm512_srai_epi64(_mm512_add_epi64(product, _mm512_slli_epi64(one, 30)), 31);
  __m512i nudge = _mm512_srli_epi64(_mm512_sllv_epi64(one, right), 1);
  if (rounding == TVMQ_ROUNDING_REFERENCE) {
    const __mmask8 shifts = _mm512_test_epi64_mask(right, right);
    nudge = _mm512_mask_add_epi64(nudge, shifts, nudge, _mm512_srai_epi64(high, 63));
  }
  return _mm512_srav_epi64(_mm512_add_epi64(high, nudge), right);
}

// Accumulator -> rescaled value + zero point.
TVMQ_INLINE __m512i tvmq_long_rescale(const struct tvmq_stage *stage, __m512i acc, __m512i m, __m512i s) {
  const __m512i zero = _mm512_setzero_si512(), low = _mm512_set1_epi64(0xffffffff);
  const __m512i left = _mm512_max_epi32(s, zero), right = _mm512_max_epi32(_mm512_sub_epi32(zero, s), zero);
  const __m512i even = tvmq_long_rescale_half(stage->rounding, acc, m, _mm512_and_si512(left, low), _mm512_and_si512(right, low));
  const __m512i odd =
      tvmq_long_rescale_half(stage->rounding, _mm512_srli_epi64(acc, 32), _mm512_srli_epi64(m, 32), _mm512_srli_epi64(left, 32), _mm512_srli_epi64(right, 32));
  return _mm512_add_epi32(_mm512_mask_blend_epi32(0xaaaa, even, _mm512_slli_epi64(odd, 32)), _mm512_set1_epi32(stage->zero_point));
}

// 2 x 16 values -> int16 within each 128-bit lane, zero point included.
TVMQ_INLINE __m512i tvmq_pack_pair(const struct tvmq_stage *stage, enum tvmq_path path, __m512i a, __m512i b) {
  const __m512i values = _mm512_packs_epi32(a, b);
  return path == TVMQ_PATH_FLOAT_ODD ? _mm512_adds_epi16(values, _mm512_set1_epi16((int16_t)stage->zero_point)) : values;
}

// 2 x 32 int16 of tvmq_pack_pair() -> 64 clamped bytes, within each 128-bit lane. Values saturate on the way to int8, whose range contains the clamp's.
TVMQ_INLINE __m512i tvmq_pack_words(const struct tvmq_stage *stage, __m512i a, __m512i b) {
  const __m512i bytes = _mm512_packs_epi16(a, b);
  if (stage->min == INT8_MIN && stage->max == INT8_MAX && stage->flip == 0) return bytes;  // every time, or never
  const __m512i clamped = _mm512_min_epi8(_mm512_max_epi8(bytes, _mm512_set1_epi8((int8_t)stage->min)), _mm512_set1_epi8((int8_t)stage->max));
  return _mm512_xor_si512(clamped, _mm512_set1_epi8((int8_t)stage->flip));
}

// 4 x 16 values of the path -> 64 clamped bytes: within each 128-bit lane the lane's four values of value[0], then of value[1], [2] and [3].
TVMQ_INLINE __m512i tvmq_pack_lanes(const struct tvmq_stage *stage, enum tvmq_path path, const __m512i value[4]) {
  return tvmq_pack_words(stage, tvmq_pack_pair(stage, path, value[0], value[1]), tvmq_pack_pair(stage, path, value[2], value[3]));
}

// Packs as tvmq_pack_lanes() does, but all sixteen bytes of value[0] first, then those of value[1], and so on.
TVMQ_INLINE __m512i tvmq_pack_rows(const struct tvmq_stage *stage, enum tvmq_path path, const __m512i value[4]) {
  return _mm512_permutexvar_epi32(_mm512_set_epi32(15, 11, 7, 3, 14, 10, 6, 2, 13, 9, 5, 1, 12, 8, 4, 0), tvmq_pack_lanes(stage, path, value));
}

// Stores 4 x 16 values as 4 / nv rows of 16 * nv bytes, sums as rows of four times as many.
TVMQ_INLINE void tvmq_store_at(const struct tvmq_stage *stage, enum tvmq_path path, const __m512i value[4], int nv, uint8_t *const rows[4]) {
  if (path == TVMQ_PATH_SUMS) {
    UNROLL for (int i = 0; i < 4; i++) _mm512_storeu_si512(rows[i / nv] + (size_t)(i % nv) * 64, value[i]);
    return;
  }
  const __m512i bytes = tvmq_pack_rows(stage, path, value);
  if (nv == 4) {
    _mm512_storeu_si512(rows[0], bytes);
  } else if (nv == 2) {
    _mm256_storeu_si256((__m256i *)rows[0], _mm512_castsi512_si256(bytes));
    _mm256_storeu_si256((__m256i *)rows[1], _mm512_extracti64x4_epi64(bytes, 1));
  } else {
    _mm_storeu_si128((__m128i *)rows[0], _mm512_castsi512_si128(bytes));
    _mm_storeu_si128((__m128i *)rows[1], _mm512_extracti32x4_epi32(bytes, 1));
    _mm_storeu_si128((__m128i *)rows[2], _mm512_extracti32x4_epi32(bytes, 2));
    _mm_storeu_si128((__m128i *)rows[3], _mm512_extracti32x4_epi32(bytes, 3));
  }
}

// The first n channels of a panel, a bit each; n is at least 1.
TVMQ_INLINE __mmask64 tvmq_first_channels(size_t n) { return UINT64_MAX >> (64 - n); }

// As tvmq_store_at(), but rows lie out_stride bytes apart, and only the channels whose bits are set are stored.
TVMQ_INLINE void tvmq_store_channels(const struct tvmq_stage *stage, enum tvmq_path path, const __m512i value[4], int nv, __mmask64 channels, uint8_t *out,
                                     size_t out_stride) {
  if (path == TVMQ_PATH_SUMS) {
    UNROLL for (int i = 0; i < 4; i++)
        _mm512_mask_storeu_epi32(out + (size_t)(i / nv) * out_stride + (size_t)(i % nv) * 64, (__mmask16)(channels >> (i % nv * 16)), value[i]);
    return;
  }
  const __m512i bytes = tvmq_pack_rows(stage, path, value);
  if (nv == 4) {
    _mm512_mask_storeu_epi8(out, channels, bytes);
  } else if (nv == 2) {
    _mm256_mask_storeu_epi8(out, (__mmask32)channels, _mm512_castsi512_si256(bytes));
    _mm256_mask_storeu_epi8(out + out_stride, (__mmask32)channels, _mm512_extracti64x4_epi64(bytes, 1));
  } else {
    _mm_mask_storeu_epi8(out, (__mmask16)channels, _mm512_castsi512_si128(bytes));
    _mm_mask_storeu_epi8(out + out_stride, (__mmask16)channels, _mm512_extracti32x4_epi32(bytes, 1));
    _mm_mask_storeu_epi8(out + 2 * out_stride, (__mmask16)channels, _mm512_extracti32x4_epi32(bytes, 2));
    _mm_mask_storeu_epi8(out + 3 * out_stride, (__mmask16)channels, _mm512_extracti32x4_epi32(bytes, 3));
  }
}

// ---- int64 accumulators (16x8): as in stage_avx2.h, with arithmetic shifts of 64 bits instead of a constant that lifts sums above zero

// The constants of sixteen channels: r, C = bias * r + 2^(14 - shift), and the shift to the right.
struct tvmq_s64_stage {
  __m512i even_multiplier, odd_multiplier, even_c, odd_c, even_right, odd_right, zero_point;
};

struct tvmq_s64_sum {
  __m512i even, odd;
};

TVMQ_INLINE __m512i tvmq_s64_constant(__m512i bias, __m512i multiplier, __m512i right) {
  const __m512i one = _mm512_set1_epi64(1);
  return _mm512_add_epi64(_mm512_mullo_epi64(bias, multiplier), _mm512_sllv_epi64(one, _mm512_sub_epi64(right, one)));
}

TVMQ_INLINE struct tvmq_s64_stage tvmq_s64_stage_make(const struct tvmq_stage *stage, const int64_t bias[16], const int32_t multiplier[16],
                                                      const int32_t shift[16]) {
  const __m512i low = _mm512_set1_epi64(0xffffffff);
  const __m512i evens = _mm512_set_epi64(14, 12, 10, 8, 6, 4, 2, 0), odds = _mm512_set_epi64(15, 13, 11, 9, 7, 5, 3, 1);
  const __m512i m = _mm512_srli_epi32(_mm512_add_epi32(_mm512_loadu_si512(multiplier), _mm512_set1_epi32(1 << 15)), 16);
  const __m512i reduced = _mm512_min_epi32(m, _mm512_set1_epi32(0x7fff));
  const __m512i right = _mm512_sub_epi32(_mm512_set1_epi32(15), _mm512_loadu_si512(shift));
  const __m512i b0 = _mm512_loadu_si512(bias), b1 = _mm512_loadu_si512(bias + 8);
  struct tvmq_s64_stage s;
  s.even_multiplier = _mm512_and_si512(reduced, low);
  s.odd_multiplier = _mm512_srli_epi64(reduced, 32);
  s.even_right = _mm512_and_si512(right, low);
  s.odd_right = _mm512_srli_epi64(right, 32);
  s.even_c = tvmq_s64_constant(_mm512_permutex2var_epi64(b0, evens, b1), s.even_multiplier, s.even_right);
  s.odd_c = tvmq_s64_constant(_mm512_permutex2var_epi64(b0, odds, b1), s.odd_multiplier, s.odd_right);
  s.zero_point = _mm512_set1_epi32(stage->zero_point);
  return s;
}

TVMQ_INLINE struct tvmq_s64_sum tvmq_s64_first(const struct tvmq_s64_stage *s) { return (struct tvmq_s64_sum){s->even_c, s->odd_c}; }

TVMQ_INLINE void tvmq_s64_add(const struct tvmq_s64_stage *s, __m512i part, struct tvmq_s64_sum *sum) {
  sum->even = _mm512_add_epi64(sum->even, _mm512_mul_epi32(part, s->even_multiplier));
  sum->odd = _mm512_add_epi64(sum->odd, _mm512_mul_epi32(_mm512_srli_epi64(part, 32), s->odd_multiplier));
}

// Rescaled value + zero point.
TVMQ_INLINE __m512i tvmq_s64_value(const struct tvmq_s64_stage *s, const struct tvmq_s64_sum *sum) {
  const __m512i even = _mm512_srav_epi64(sum->even, s->even_right), odd = _mm512_srav_epi64(sum->odd, s->odd_right);
  return _mm512_add_epi32(_mm512_mask_blend_epi32(0xaaaa, even, _mm512_slli_epi64(odd, 32)), s->zero_point);
}

// 2 x 16 values, zero point included -> 32 clamped int16: within each 128-bit lane the lane's four values of a, then of b.
TVMQ_INLINE __m512i tvmq_pack_lanes_s16(const struct tvmq_stage *stage, __m512i a, __m512i b) {
  const __m512i values = _mm512_packs_epi32(a, b);
  return _mm512_min_epi16(_mm512_max_epi16(values, _mm512_set1_epi16((int16_t)stage->min)), _mm512_set1_epi16((int16_t)stage->max));
}

// The same in the order of a's sixteen values, then b's.
TVMQ_INLINE __m512i tvmq_pack_s16(const struct tvmq_stage *stage, __m512i a, __m512i b) {
  return _mm512_permutexvar_epi64(_mm512_set_epi64(7, 5, 3, 1, 6, 4, 2, 0), tvmq_pack_lanes_s16(stage, a, b));
}
