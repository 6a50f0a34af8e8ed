// Hybrid convolutions, sixteen elements at a time, so that in-order cores have independent work; the remaining elements
// one by one.
//
// Conversions to integers (fcvtas) round half away from zero, saturate, and convert NaN to 0.
#include <arm_neon.h>

#include "base/inline.h"
#include "kernels/arm64/stage_neon.h"
#include "kernels/kernel.h"

enum { VECTORS = 4, LANES = 4 * VECTORS };

// ---- float_range

void tvmq_float_range__neon(const struct tvmq_float_range_args *args) {
  const float *in = args->in;
  float32x4_t low[VECTORS], high[VECTORS];
  UNROLL for (int v = 0; v < VECTORS; v++) low[v] = vdupq_n_f32(*args->low), high[v] = vdupq_n_f32(*args->high);
  size_t left = args->n;
  for (; left >= LANES; left -= LANES, in += LANES) {
    UNROLL for (int v = 0; v < VECTORS; v++) {
      const float32x4_t x = vld1q_f32(in + 4 * v);
      low[v] = vminnmq_f32(low[v], x);
      high[v] = vmaxnmq_f32(high[v], x);
    }
  }
  for (; left > 0; left--, in++) {
    const float32x4_t x = vld1q_dup_f32(in);
    low[0] = vminnmq_f32(low[0], x);
    high[0] = vmaxnmq_f32(high[0], x);
  }
  *args->low = vminnmvq_f32(vminnmq_f32(vminnmq_f32(low[0], low[1]), vminnmq_f32(low[2], low[3])));
  *args->high = vmaxnmvq_f32(vmaxnmq_f32(vmaxnmq_f32(high[0], high[1]), vmaxnmq_f32(high[2], high[3])));
}

// ---- float_quantize

// Returns four quantized values as int32. Sums of a product and a zero point may saturate, because later narrowing to
// int16 saturates earlier.
TVMQ_INLINE int32x4_t steps_of(enum tvmq_float_rounding rounding, float32x4_t x, float inverse, float32x4_t zero_point) {
  const float32x4_t product = vmulq_n_f32(x, inverse);
  if (rounding == TVMQ_FLOAT_ROUNDING_OF_THE_SUM) return vcvtaq_s32_f32(vaddq_f32(zero_point, product));
  if (rounding == TVMQ_FLOAT_ROUNDING_AWAY) return vcvtaq_s32_f32(product);
  const float32x4_t half = vbslq_f32(vdupq_n_u32(UINT32_C(1) << 31), product, vdupq_n_f32(0.5f));
  return vcvtq_s32_f32(vaddq_f32(product, half));
}

TVMQ_INLINE int8x16_t sixteen_steps(const struct tvmq_float_quantize_args *args, enum tvmq_float_rounding rounding, const float32x4_t x[VECTORS]) {
  const float32x4_t zero_point = vdupq_n_f32((float)args->zero_point);
  // Saturating to int16 first gives the same int8: an int16 plus a zero point of int8 is beyond int8 if the int32 is.
  const int16x8_t behind = vdupq_n_s16(rounding == TVMQ_FLOAT_ROUNDING_OF_THE_SUM ? 0 : (int16_t)args->zero_point);
  int32x4_t steps[VECTORS];
  UNROLL for (int v = 0; v < VECTORS; v++) steps[v] = steps_of(rounding, x[v], args->inverse, zero_point);
  const int16x8_t low = vqaddq_s16(vqmovn_high_s32(vqmovn_s32(steps[0]), steps[1]), behind);
  const int16x8_t high = vqaddq_s16(vqmovn_high_s32(vqmovn_s32(steps[2]), steps[3]), behind);
  return vmaxq_s8(vqmovn_high_s16(vqmovn_s16(low), high), vdupq_n_s8((int8_t)args->min));
}

TVMQ_INLINE void make_steps(enum tvmq_float_rounding rounding, const struct tvmq_float_quantize_args *args) {
  const float *in = args->in;
  int8_t *out = args->out;
  size_t left = args->n;
  for (; left >= LANES; left -= LANES, in += LANES, out += LANES) {
    const float32x4_t x[VECTORS] = {vld1q_f32(in), vld1q_f32(in + 4), vld1q_f32(in + 8), vld1q_f32(in + 12)};
    vst1q_s8(out, sixteen_steps(args, rounding, x));
  }
  for (; left > 0; left--, in++, out++) {
    const float32x4_t one = vld1q_dup_f32(in), x[VECTORS] = {one, one, one, one};
    vst1q_lane_s8(out, sixteen_steps(args, rounding, x), 0);
  }
}

void tvmq_float_quantize__neon(const struct tvmq_float_quantize_args *call) {
  const struct tvmq_float_quantize_args args = *call;  // copied, because the compiler must assume that stores change the original
  if (args.rounding == TVMQ_FLOAT_ROUNDING_OF_THE_SUM)
    make_steps(TVMQ_FLOAT_ROUNDING_OF_THE_SUM, &args);
  else if (args.rounding == TVMQ_FLOAT_ROUNDING_AWAY)
    make_steps(TVMQ_FLOAT_ROUNDING_AWAY, &args);
  else
    make_steps(TVMQ_FLOAT_ROUNDING_HALF, &args);
}

// ---- float_dequantize

// Constants of four channels.
struct channels {
  int32x4_t minus;  // zero point * sum of the weights
  float32x4_t factor, bias;
};

enum { ROWS = 8 };

TVMQ_INLINE struct channels channels_of(enum tvmq_real_form form, const struct tvmq_float_scale *scale, int32x4_t weight_sum, float32x4_t weight_scale,
                                        float32x4_t bias) {
  const float32x4_t factor = form == TVMQ_REAL_IN_TURN ? weight_scale : vmulq_n_f32(weight_scale, scale->scale);
  return (struct channels){vmulq_n_s32(weight_sum, scale->zero_point), factor, bias};
}

// Returns the results. NaN stays NaN, and -0 stays -0, which fmax would treat as less than +0.
TVMQ_INLINE float32x4_t result_of(const struct tvmq_float_dequantize_args *args, enum tvmq_real_form form, float scale, bool cuts_at_zero, int32x4_t sum,
                                  const struct channels *c) {
  const float32x4_t real = vcvtq_f32_s32(vsubq_s32(sum, c->minus)), min = vdupq_n_f32(args->min);
  float32x4_t value;
  if (form == TVMQ_REAL_IN_TURN)
    value = vaddq_f32(vmulq_n_f32(vmulq_f32(real, c->factor), scale), c->bias);
  else if (form == TVMQ_REAL_BY_BOTH)
    value = vaddq_f32(vmulq_f32(real, c->factor), c->bias);
  else
    value = vfmaq_f32(c->bias, real, c->factor);
  value = cuts_at_zero ? vbslq_f32(vcltq_f32(value, min), min, value) : vmaxq_f32(value, min);
  return vminq_f32(value, vdupq_n_f32(args->max));
}

// Computes sixteen channels of `rows` rows that share a scale, with the constants of the channels in registers. Loads
// everything before storing, because the compiler must assume that stores change later loads.
TVMQ_INLINE void finish_sixteen(enum tvmq_real_form form, bool cuts_at_zero, const struct tvmq_float_dequantize_args *args,
                                const struct tvmq_float_scale *scale, size_t first, char *row, size_t rows) {
  const float real_scale = scale->scale;
  struct channels channels[VECTORS];
  UNROLL for (size_t v = 0; v < VECTORS; v++) {
    const size_t i = first + 4 * v;
    channels[v] = channels_of(form, scale, vld1q_s32(args->weight_sums + i), vld1q_f32(args->weight_scales + i), vld1q_f32(args->bias + i));
  }
  // The output has a register of its own. In a common one, a load would wait for the address of the store before it.
  char *out = row;
  __asm__("" : "+r"(out));
  for (size_t m = 0; m < rows; m++, row += args->stride * sizeof(float), out += args->stride * sizeof(float)) {
    int32x4_t sums[VECTORS];
    float32x4_t results[VECTORS];
    UNROLL for (size_t v = 0; v < VECTORS; v++) sums[v] = vld1q_s32((const int32_t *)row + 4 * v);
    UNROLL for (size_t v = 0; v < VECTORS; v++) results[v] = result_of(args, form, real_scale, cuts_at_zero, sums[v], &channels[v]);
    UNROLL for (size_t v = 0; v < VECTORS; v++) vst1q_f32((float *)out + 4 * v, results[v]);
  }
}

TVMQ_INLINE void finish_one(enum tvmq_real_form form, const struct tvmq_float_dequantize_args *args, const struct tvmq_float_scale *scale, size_t n, char *at,
                            size_t rows) {
  const float real_scale = scale->scale;
  const struct channels one =
      channels_of(form, scale, vld1q_dup_s32(args->weight_sums + n), vld1q_dup_f32(args->weight_scales + n), vld1q_dup_f32(args->bias + n));
  for (size_t m = 0; m < rows; m++, at += args->stride * sizeof(float))
    vst1q_lane_f32((float *)at, result_of(args, form, real_scale, true, vld1q_dup_s32((const int32_t *)at), &one), 0);
}

// Computes few rows at a time: with many rows, sixteen channels would be spread over as many pages.
TVMQ_INLINE void finish(enum tvmq_real_form form, const struct tvmq_float_dequantize_args *args) {
  const size_t most = args->scale_step == 0 ? ROWS : 1;
  const struct tvmq_float_scale *scale = args->scales;
  char *row = args->sums;
  for (size_t left = args->rows, rows; left > 0; left -= rows, row += rows * args->stride * sizeof(float), scale += args->scale_step) {
    rows = left < most ? left : most;
    size_t n = 0;
    for (; n + LANES <= args->channels; n += LANES) {
      if (args->min == 0)
        finish_sixteen(form, true, args, scale, n, row + n * sizeof(float), rows);
      else
        finish_sixteen(form, false, args, scale, n, row + n * sizeof(float), rows);
    }
    for (; n < args->channels; n++) finish_one(form, args, scale, n, row + n * sizeof(float), rows);
  }
}

void tvmq_float_dequantize__neon(const struct tvmq_float_dequantize_args *call) {
  const struct tvmq_float_dequantize_args args = *call;
  if (args.form == TVMQ_REAL_IN_TURN)
    finish(TVMQ_REAL_IN_TURN, &args);
  else if (args.form == TVMQ_REAL_BY_BOTH)
    finish(TVMQ_REAL_BY_BOTH, &args);
  else
    finish(TVMQ_REAL_FUSED, &args);
}
