// Hybrid convolutions: plain C, vectorized by the compiler.
#include <math.h>
#include <string.h>

#include "base/inline.h"
#include "kernels/kernel.h"

enum { LANES = 64 };

// Compares in explicit lanes, because compilers do not reorder a chain of comparisons.
void tvmq_float_range__c(const struct tvmq_float_range_args *args) {
  const float *in = args->in;
  float low[LANES], high[LANES];
  for (size_t l = 0; l < LANES; l++) {
    low[l] = *args->low;
    high[l] = *args->high;
  }
  size_t i = 0;
  for (; i + LANES <= args->n; i += LANES) {
    for (size_t l = 0; l < LANES; l++) {
      low[l] = in[i + l] < low[l] ? in[i + l] : low[l];
      high[l] = in[i + l] > high[l] ? in[i + l] : high[l];
    }
  }
  for (; i < args->n; i++) {
    low[0] = in[i] < low[0] ? in[i] : low[0];
    high[0] = in[i] > high[0] ? in[i] : high[0];
  }
  for (size_t l = 1; l < LANES; l++) {
    low[0] = low[l] < low[0] ? low[l] : low[0];
    high[0] = high[l] > high[0] ? high[l] : high[0];
  }
  *args->low = low[0];
  *args->high = high[0];
}

// Quantizes with out = trunc(before + product + half) + behind, `half` taking the sign of the steps. With the largest
// float32 below 0.5 as `half`, truncation rounds half away from zero. With 0.5 itself, the number just below 0.5 would
// round up. Integers round to themselves, so clamping before rounding gives the same result.
TVMQ_INLINE void round_steps(const struct tvmq_float_quantize_args *args, float half, float before, int32_t behind) {
  const float *restrict in = args->in;
  int8_t *restrict out = args->out;
  const float inverse = args->inverse, min = (float)(args->min - behind), max = (float)(INT8_MAX - behind);
  const size_t n = args->n;
  for (size_t i = 0; i < n; i++) {
    float steps = before + in[i] * inverse;
    steps = steps < max ? steps : max;  // NaN becomes max, too
    steps = steps > min ? steps : min;
    out[i] = (int8_t)((int32_t)(steps + copysignf(half, steps)) + behind);
  }
}

void tvmq_float_quantize__c(const struct tvmq_float_quantize_args *args) {
  const float below_half = 0x1.fffffep-2f;
  if (args->rounding == TVMQ_FLOAT_ROUNDING_OF_THE_SUM)
    round_steps(args, below_half, (float)args->zero_point, 0);
  else
    round_steps(args, args->rounding == TVMQ_FLOAT_ROUNDING_HALF ? 0.5f : below_half, -0.0f, args->zero_point);
}

TVMQ_INLINE void finish_row(const struct tvmq_float_dequantize_args *args, const struct tvmq_float_scale *row_scale, char *row, enum tvmq_real_form form) {
  const int32_t *restrict weight_sums = args->weight_sums;
  const float *restrict weight_scales = args->weight_scales, *restrict bias = args->bias;
  const uint32_t zero_point = (uint32_t)row_scale->zero_point;
  const float scale = row_scale->scale, min = args->min, max = args->max;
  const size_t channels = args->channels;
  for (size_t n = 0; n < channels; n++) {
    uint32_t sum;
    memcpy(&sum, row + n * sizeof sum, sizeof sum);
    const float real = (float)(int32_t)(sum - zero_point * (uint32_t)weight_sums[n]);
    float value = form == TVMQ_REAL_IN_TURN   ? real * weight_scales[n] * scale + bias[n]
                  : form == TVMQ_REAL_BY_BOTH ? real * (weight_scales[n] * scale) + bias[n]
                                              : fmaf(real, weight_scales[n] * scale, bias[n]);
    value = value < min ? min : value;
    value = value > max ? max : value;
    memcpy(row + n * sizeof value, &value, sizeof value);
  }
}

void tvmq_float_dequantize__c(const struct tvmq_float_dequantize_args *call) {
  const struct tvmq_float_dequantize_args args = *call;  // copied, because the compiler must assume that stores change *call
  const struct tvmq_float_scale *scale = args.scales;
  char *row = args.sums;
  for (size_t m = 0; m < args.rows; m++, row += args.stride * sizeof(float), scale += args.scale_step) {
    if (args.form == TVMQ_REAL_IN_TURN)
      finish_row(&args, scale, row, TVMQ_REAL_IN_TURN);
    else if (args.form == TVMQ_REAL_BY_BOTH)
      finish_row(&args, scale, row, TVMQ_REAL_BY_BOTH);
    else
      finish_row(&args, scale, row, TVMQ_REAL_FUSED);
  }
}
