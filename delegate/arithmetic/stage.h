// The output stage, and fixed-point rescaling: the one definition of what x * multiplier * 2^(shift - 31) is, in the three roundings that `enum tvmq_rounding`
// names, and for the int64 accumulators of 16x8. Every vector form equals these functions bit for bit.
//
// The multiplier is 0 or lies in [2^30, 2^31), so the doubling high multiply never meets the one product that saturates (-2^31 * -2^31).
// shift is in [-31, 30]; a positive one shifts left.
//
//   reference  a = x * 2^left mod 2^32;  h = floor((a * m + 2^30) / 2^31);  h / 2^right, ties away from zero         gemmlowp, TFLite's reference kernels
//   upward     the same a and h;         floor(h / 2^right + 1/2)                                                    sqrdmulh followed by srshl
//   single     floor((x * m + 2^(30 - shift)) / 2^(31 - shift)) mod 2^32                                             TVM's fixed_point_multiply, TFLite built
//                                                                                                                    with single rounding
#pragma once

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/inline.h"

enum tvmq_rounding { TVMQ_ROUNDING_REFERENCE, TVMQ_ROUNDING_UPWARD, TVMQ_ROUNDING_SINGLE };
#define TVMQ_ROUNDING_NAMES "reference|upward|single"  // in options and signatures

// Output stage: accumulator -> int8 (or int16). The multiplier and shift of each channel are in the panel. Comments on multipliers and shifts apply only to
// panels in fixed-point form (enum tvmq_form).
struct tvmq_stage {
  enum tvmq_rounding rounding;
  bool right_shifts;   // every shift of the op is <= -1: the short path of a vector epilogue
  bool headroom;       // proven: |accumulator| <= 2^30, every shift >= -22, and the zero point fits int8. So kernels may add the rounding
                       // term and the zero point before a right shift
  bool fits_int16;     // proven: before the clamp, every result fits int16, both as int8 and flipped to uint8; narrowing need not saturate
  uint8_t flip;        // xor on the stored byte: 0x80 for a uint8 output
  int32_t zero_point;  // of the output as int8 (or int16)
  int32_t min, max;    // clamp of the output as int8 (or int16), zero point included
  bool sums;           // no output stage: kernels store the int32 accumulators (TVMQ_SUMS) and ignore the members above
  bool in_float64;     // int64 accumulators only: multiplier and shift hold the lower and upper 32 bits of a float64 scale
  uint8_t unused[2];   // always 0: padding would be undefined, and plans are copied byte by byte (network/freeze.c)
};
_Static_assert(sizeof(struct tvmq_stage) == 4 * sizeof(int32_t) + 8, "tvmq_stage has no padding");
TVMQ_INLINE size_t tvmq_stored_bytes(const struct tvmq_stage *stage) { return stage->sums ? sizeof(int32_t) : 1; }  // only for kernels on 8-bit tensors

struct tvmq_scale {
  int32_t multiplier, shift;  // Q31, >0 left, <=0 right
};

// Arithmetic modulo 2^32, which signed C leaves undefined.
static inline int32_t tvmq_add_wrap(int32_t a, int32_t b) { return (int32_t)((uint32_t)a + (uint32_t)b); }
static inline int32_t tvmq_sub_wrap(int32_t a, int32_t b) { return (int32_t)((uint32_t)a - (uint32_t)b); }

// Doubling high multiply: round(x * 2^left * multiplier / 2^31), ties up.
static inline int32_t tvmq_high_multiply(int32_t x, int32_t multiplier, int32_t left) {
  const int32_t shifted = (int32_t)((uint32_t)x << left);
  return (int32_t)(((int64_t)shifted * multiplier + (INT64_C(1) << 30)) >> 31);
}

static inline int32_t tvmq_rescale_upward(int32_t x, int32_t multiplier, int32_t shift) {
  const int32_t left = shift > 0 ? shift : 0, right = left - shift;
  const int64_t half = (INT64_C(1) << right) >> 1;
  return (int32_t)((tvmq_high_multiply(x, multiplier, left) + half) >> right);
}

static inline int32_t tvmq_rescale_reference(int32_t x, int32_t multiplier, int32_t shift) {
  const int32_t left = shift > 0 ? shift : 0, right = left - shift;
  const int64_t half = (INT64_C(1) << right) >> 1;
  const int64_t high = tvmq_high_multiply(x, multiplier, left);
  // One less than half turns a negative tie down, that is away from zero; without a right shift there is no tie.
  return (int32_t)((high + half - (high < 0 && half != 0)) >> right);
}

static inline int32_t tvmq_rescale_single(int32_t x, int32_t multiplier, int32_t shift) {
  return (int32_t)(((int64_t)x * multiplier + (INT64_C(1) << (30 - shift))) >> (31 - shift));
}

static inline int32_t tvmq_rescale(enum tvmq_rounding rounding, int32_t x, int32_t multiplier, int32_t shift) {
  assert(multiplier >= 0 && shift >= -31 && shift <= 30);
  switch (rounding) {
    case TVMQ_ROUNDING_UPWARD:
      return tvmq_rescale_upward(x, multiplier, shift);
    case TVMQ_ROUNDING_SINGLE:
      return tvmq_rescale_single(x, multiplier, shift);
    case TVMQ_ROUNDING_REFERENCE:
    default:
      return tvmq_rescale_reference(x, multiplier, shift);
  }
}

// Rescales an int64 accumulator. The multiplier is first rounded to r of 15 bits, so that the product with a 48-bit accumulator fits int64. All rounding modes
// give the same result, rounded once: floor((x * r + 2^(14 - shift)) / 2^(15 - shift)) mod 2^32. |x| <= 2^47, shift in [-31, 14].
static inline int32_t tvmq_rescale_s64(int64_t x, int32_t multiplier, int32_t shift) {
  assert(multiplier >= 0 && shift >= -31 && shift <= 14);
  assert(x >= -(INT64_C(1) << 47) && x <= INT64_C(1) << 47);
  const int32_t reduced = multiplier < 0x7fff0000 ? (multiplier + (1 << 15)) >> 16 : 0x7fff;
  return (int32_t)((x * reduced + (INT64_C(1) << (14 - shift))) >> (15 - shift));
}

static inline int32_t tvmq_clamp(int32_t x, int32_t min, int32_t max) { return x < min ? min : x > max ? max : x; }

// Returns whether the scale is 1/2: the ratio of the larger input scale to twice itself (tvmq_add_ratios).
static inline bool tvmq_is_half(struct tvmq_scale scale) { return scale.multiplier == 1 << 30 && scale.shift == 0; }

// The output stage: accumulator -> element of the output tensor.
static inline int32_t tvmq_stage_s32(const struct tvmq_stage *stage, int32_t acc, int32_t multiplier, int32_t shift) {
  const int32_t value = tvmq_rescale(stage->rounding, acc, multiplier, shift);
  return tvmq_clamp(tvmq_add_wrap(value, stage->zero_point), stage->min, stage->max);
}

// The most channels of a panel.
enum { TVMQ_MAX_NR = 64 };

// Per-channel values that a panel carries besides the weights.
struct tvmq_channel_params {
  int64_t bias;  // folded
  int32_t multiplier, shift;
};

// Form of a panel: what its multipliers and shifts contain. Panels of one operator may have different forms.
enum tvmq_form {
  TVMQ_FORM_FIXED,  // fixed-point multipliers and shifts; every kernel accepts this form
  TVMQ_FORM_FLOAT,  // slope and intercept of a linear function in float32 (tvmq_float_value)
  TVMQ_FORM_FUSED   // a linear function in one fused multiply-add (tvmq_fused_value); needs tvmq_stage_ties_up() and no clamp
};

// Returns whether the clamp is narrower than the range of int8.
static inline bool tvmq_stage_clamps(const struct tvmq_stage *stage) { return stage->min > INT8_MIN || stage->max < INT8_MAX; }

// Returns whether ties go up, or rounding ties up would give the same outputs. Reference rounding differs only for negative ties, whose value is at most 0 with
// either rounding. If min >= zero_point (ReLU), such a value plus the zero point is at most `min`, and the clamp makes both outputs equal. Nothing wraps,
// because ties occur only with right shifts.
static inline bool tvmq_stage_ties_up(const struct tvmq_stage *stage) {
  return stage->rounding == TVMQ_ROUNDING_UPWARD || (stage->rounding == TVMQ_ROUNDING_REFERENCE && stage->min >= stage->zero_point);
}

// Returns whether the linear function of a panel in float form is odd in the accumulator.
//
// Float form (TVMQ_FLOAT_STAGE): a panel holds float32 bits: of -slope in place of each multiplier, of the intercept in
// place of each shift. Multipliers are never negative, so a negative one identifies the form. A result is
// slope * acc + intercept with one fused multiply-add, rounded to the nearest integer, ties to even.
// Odd: ties go away from zero, and the clamp keeps results below the zero point. The intercept, at least 0, takes the sign
// of acc, and the kernel adds the zero point afterwards.
// Not odd: the function includes the zero point. acc is relative to the accumulator whose output is 0.
static inline bool tvmq_stage_is_odd(const struct tvmq_stage *stage) { return stage->rounding == TVMQ_ROUNDING_REFERENCE && stage->min < stage->zero_point; }

static inline int32_t tvmq_float_value(float slope, float intercept, bool is_odd, int32_t acc) {
  const float x = (float)acc;
  return (int32_t)lrintf(fmaf(slope, x, is_odd ? copysignf(intercept, x) : intercept));
}

// Computes a result of a panel in fused form (TVMQ_FUSED_STAGE), before saturation. The panel holds the bits of -slope in place of each multiplier, and of an
// addend in place of each shift. The addend includes the zero point and the flip. The bits of each accumulator are those of a float32 number. The result is the
// lowest 16 bits of the fused multiply-add; kernels then saturate it to the output's type, whose range equals the clamp (exact/fused_line.h).
static inline int32_t tvmq_fused_value(float slope, float addend, int32_t acc) {
  float x;
  memcpy(&x, &acc, sizeof x);
  x = fmaf(slope, x, addend);
  memcpy(&acc, &x, sizeof acc);
  return (int16_t)acc;
}

// Stores a float64 scale in struct tvmq_scale: the lower 32 bits as multiplier, the upper 32 bits as shift.
static inline struct tvmq_scale tvmq_float64_scale(double real) {
  struct tvmq_scale scale;
  uint64_t bits;
  memcpy(&bits, &real, sizeof bits);
  scale.multiplier = (int32_t)(uint32_t)bits;
  scale.shift = (int32_t)(uint32_t)(bits >> 32);
  return scale;
}

// int64 accumulators: the product with a scale in float64, rounded half away from zero and saturated to int32. |x| < 2^51.
static inline int32_t tvmq_rescale_float64(int64_t x, int32_t multiplier, int32_t shift) {
  const uint64_t bits = (uint32_t)multiplier | (uint64_t)(uint32_t)shift << 32;
  double real;
  memcpy(&real, &bits, sizeof real);
  const double value = round((double)x * real);
  return value >= INT32_MAX ? INT32_MAX : value <= INT32_MIN ? INT32_MIN : (int32_t)value;
}

static inline int32_t tvmq_stage_s64(const struct tvmq_stage *stage, int64_t acc, int32_t multiplier, int32_t shift) {
  const int32_t value = (stage->in_float64 ? tvmq_rescale_float64 : tvmq_rescale_s64)(acc, multiplier, shift);
  return tvmq_clamp(tvmq_add_wrap(value, stage->zero_point), stage->min, stage->max);
}

// Rounds a float32 half away from zero to int32: affine quantization without the zero point. Values outside int32 give what the processor's conversion
// instruction gives, as in the reference. Arm saturates and converts NaN to 0; x86 gives -2^31.
static inline int32_t tvmq_round_f32(float value) {
  if (value >= -0x1p31f && value < 0x1p31f) {
    const int32_t truncated = (int32_t)value;
    const float rest = value - (float)truncated;  // exact: from 2^23 on value is whole
    return truncated + (rest >= 0.5f) - (rest <= -0.5f);
  }
#if defined(__aarch64__)
  return value >= 0 ? INT32_MAX : value < 0 ? INT32_MIN : 0;
#else
  return INT32_MIN;
#endif
}

static inline int32_t tvmq_quantize_f32(float x, float scale) { return tvmq_round_f32(x / scale); }
