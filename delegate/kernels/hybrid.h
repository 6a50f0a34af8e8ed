// Hybrid convolutions: float32 activations are quantized to int8 at run time, and int32 sums are converted to float32.
// Every operation is rounded separately unless a fused one is named: these files are compiled without contraction
// (meson.build).
#pragma once

#include <stddef.h>
#include <stdint.h>

// real = scale * (step - zero_point); step = round(real * inverse) + zero_point.
struct tvmq_float_scale {
  float scale, inverse;
  int32_t zero_point;
};

// ---- float_range: extends the range [*low, *high] to contain in[0..n). Both must be initialized.
struct tvmq_float_range_args {
  const float *in;
  size_t n;
  float *low, *high;
};
typedef void (*tvmq_float_range_fn)(const struct tvmq_float_range_args *args);

// ---- float_quantize: out[i] = clamp(round(in[i] * inverse) + zero_point, min, 127)
//
// How round() rounds; the runtimes differ. AWAY is correct for every value. HALF is wrong for the number just below one
// half.
enum tvmq_float_rounding {
  TVMQ_FLOAT_ROUNDING_AWAY,       // zero_point + the product, rounded half away from zero
  TVMQ_FLOAT_ROUNDING_HALF,       // zero_point + trunc(product + 0.5 with the product's sign); the sum is rounded to float32 before truncation
  TVMQ_FLOAT_ROUNDING_OF_THE_SUM  // zero_point + product, added in float32, then rounded half away from zero
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

// ---- float_dequantize: results[m][n] = clamp(real value of (sums[m][n] - zero_point * weight_sums[n]) + bias[n])
//
// Results overwrite the sums. Row m has the scale and the zero point of scales[m * scale_step].
//
// Formula of the result from the accumulator a, in float32. scale: the scale of the row; w: weight_scales[n].
enum tvmq_real_form {
  TVMQ_REAL_IN_TURN,  // (a * w) * scale + bias
  TVMQ_REAL_BY_BOTH,  // a * (w * scale) + bias
  TVMQ_REAL_FUSED     // a * (w * scale) + bias with a fused multiply-add
};

struct tvmq_float_dequantize_args {
  void *sums;           // int32 before the call, float32 after it
  size_t rows, stride;  // stride: elements from a row to the next
  size_t channels;
  const int32_t *weight_sums;
  const float *weight_scales, *bias;  // [channels]
  const struct tvmq_float_scale *scales;
  size_t scale_step;  // 0: all rows share a scale; 1: each row has its own
  enum tvmq_real_form form;
  float min, max;
};
typedef void (*tvmq_float_dequantize_fn)(const struct tvmq_float_dequantize_args *args);
