// Hybrid convolutions: float32 activations that are quantized to int8 as they come, and int32 sums that become float32. Every operation rounds for itself, but
// where a fused one is named: these files are compiled without contraction (meson.build).
#pragma once

#include <stddef.h>
#include <stdint.h>

// ---- float_range: low and high, which hold numbers already, become the least and the greatest of these and of in[0..n)
struct tvmq_float_range_args {
  const float *in;
  size_t n;
  float *low, *high;
};
typedef void (*tvmq_float_range_fn)(const struct tvmq_float_range_args *args);

// ---- float_quantize: out[i] = clamp(round(in[i] * inverse) + zero_point, min, 127)
//
// How round() rounds, which differs between runtimes; half away from zero is exact, the sum of a half and truncation is off next to it.
enum tvmq_float_rounding {
  TVMQ_FLOAT_ROUNDING_AWAY,       // zero_point + the product, rounded half away from zero
  TVMQ_FLOAT_ROUNDING_HALF,       // zero_point + the product, to which a half was added away from zero, rounded, and then truncated
  TVMQ_FLOAT_ROUNDING_OF_THE_SUM  // zero_point + the product in float32, rounded half away from zero
};

struct tvmq_float_quantize_args {
  const float *in;
  int8_t *out;
  size_t n;
  enum tvmq_float_rounding rounding;
  float inverse;
  int32_t zero_point, min;
};
typedef void (*tvmq_float_quantize_fn)(const struct tvmq_float_quantize_args *args);

// ---- float_dequantize: results[m][n] = clamp(real value of (sums[m][n] - zero_point * weight_sums[n]) + bias[n]), in place of the sums
//
// The real value of the accumulator a, as float32: scale is the row's, w[n] the channel's.
enum tvmq_real_form {
  TVMQ_REAL_IN_TURN,  // (a * w) * scale + bias
  TVMQ_REAL_BY_BOTH,  // a * (w * scale) + bias
  TVMQ_REAL_FUSED     // the same, a * and + bias rounded once
};

struct tvmq_float_dequantize_args {
  void *sums;           // int32, then float32
  size_t rows, stride;  // elements from a row to the next
  size_t channels;
  const int32_t *weight_sums;
  const float *weight_scales, *bias;  // [channels]
  int32_t zero_point;
  float scale;
  enum tvmq_real_form form;
  float min, max;
};
typedef void (*tvmq_float_dequantize_fn)(const struct tvmq_float_dequantize_args *args);
