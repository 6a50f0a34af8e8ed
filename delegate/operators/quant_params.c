#include "operators/quant_params.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

#include "arithmetic/mul.h"
#include "base/arith.h"
#include "base/content.h"
#include "base/memo.h"
#include "exact/fit_product.h"

void tvmq_quantize_multiplier(double real, int32_t *multiplier, int32_t *shift) {
  *multiplier = 0;
  *shift = 0;
  uint64_t bits;
  memcpy(&bits, &real, sizeof bits);
  const int field = (int)(bits >> 52 & 0x7ff);
  if (field == 0 || field == 0x7ff) return;  // too small for fixed point, or not a finite number

  // Equals round(frexp(real) * 2^31), half away from zero, without two library calls.
  int exponent = field - 1022;
  int64_t mantissa = (int64_t)(((bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52) + (1 << 21)) >> 22;
  if (bits >> 63 != 0) mantissa = -mantissa;
  if (mantissa == INT64_C(1) << 31) {  // rounded up to 1.0: back into [0.5, 1)
    mantissa /= 2;
    exponent++;
  }
  if (exponent < -31) return;  // every product would be shifted out
  *multiplier = (int32_t)mantissa;
  *shift = exponent;
}

// Returns whether input scale * filter scale is computed in float32, as in the reference's oldest formula. The newer
// formulas, per channel and in float64, compute everything in double.
static bool has_float32_product(const struct tvmq_conv_desc *desc) {
  if (desc->fully_connected) return desc->scaling == TVMQ_SCALING_FIXED_POINT && desc->n_filter_scales == 1;
  return desc->filter_type == TVMQ_TYPE_U8;
}

double tvmq_conv_scale(const struct tvmq_conv_desc *desc, int32_t channel) {
  const float filter_scale = desc->filter_scales[desc->n_filter_scales > 1 ? channel : 0];
  const double product = has_float32_product(desc) ? (double)(desc->in.scale * filter_scale) : (double)desc->in.scale * (double)filter_scale;
  return product / (double)desc->out.scale;
}

// Returns the largest absolute value of element - zero point for a type.
static int64_t distance(enum tvmq_type type, int32_t zero_point) {
  const struct tvmq_range range = tvmq_type_range(type);
  return tvmq_max_s64((int64_t)zero_point - range.min, (int64_t)range.max - zero_point);
}

bool tvmq_conv_in_float64(const struct tvmq_conv_desc *desc) {
  return desc->fully_connected && desc->scaling == TVMQ_SCALING_FLOAT64 && desc->in_type == TVMQ_TYPE_S16;
}

int64_t tvmq_conv_bias(const struct tvmq_conv_desc *desc, size_t channel) {
  if (desc->bias == NULL) return 0;
  // Read bytewise, because the buffer in the model's file may not be aligned.
  const uint8_t *const bytes = desc->bias;
  int64_t wide;
  int32_t narrow;
  if (desc->bias_type == TVMQ_TYPE_S64) {
    memcpy(&wide, bytes + channel * sizeof wide, sizeof wide);
    return wide;
  }
  memcpy(&narrow, bytes + channel * sizeof narrow, sizeof narrow);
  return narrow;
}

// Returns a bound on the accumulators of `n` channels from `first`, for any weights.
static int64_t conv_bound(const struct tvmq_conv_desc *desc, int32_t first, int32_t n) {
  int64_t most = 0;
  for (int32_t i = first; i < first + n && desc->bias != NULL; i++) {
    const int64_t bias = tvmq_conv_bias(desc, (size_t)i);
    most = tvmq_max_s64(most, bias < 0 ? -bias : bias);
  }
  const int64_t product = distance(desc->in_type, desc->in.zero_point) * distance(desc->filter_type, desc->filter_zero_point);
  return most + (int64_t)desc->filter_h * desc->filter_w * desc->filter_c * product;
}

bool tvmq_conv_multiplier(const struct tvmq_conv_desc *desc, int32_t channel, int32_t *multiplier, int32_t *shift) {
  const double real = tvmq_conv_scale(desc, channel);
  const bool each = desc->n_filter_scales > 1, in_float64 = tvmq_conv_in_float64(desc);
  if (!in_float64) tvmq_quantize_multiplier(real, multiplier, shift);
  if (desc->scaling != TVMQ_SCALING_FLOAT64) return true;
  const int64_t bound = conv_bound(desc, each ? channel : 0, each ? 1 : desc->out_c);
  if (in_float64) {
    const struct tvmq_scale scale = tvmq_float64_scale(real);
    *multiplier = scale.multiplier;
    *shift = scale.shift;
    return (double)bound * real < 0x1p31 - 1;
  }
  int32_t min, max;
  tvmq_activation_range(desc->activation, desc->out_type, desc->out, &min, &max);
  return tvmq_fit_product(real, bound, min - desc->out.zero_point, max - desc->out.zero_point, multiplier, shift);
}

int32_t tvmq_conv_largest_scale(const struct tvmq_conv_desc *desc) {
  int32_t largest = 0;
  for (int32_t i = 1; i < desc->n_filter_scales; i++) largest = desc->filter_scales[i] > desc->filter_scales[largest] ? i : largest;
  return largest;
}

static struct tvmq_hasher hasher;
static void draw_hasher(void) {
  uint64_t seed[2];
  tvmq_process_seed(seed);
  tvmq_hasher_init(&hasher, seed);
}

// Everything on which the proof for a layer depends. `scales` is a hash of the filter's scales, `bound` holds for all
// accumulators.
struct layer {
  struct tvmq_key scales;
  int64_t bound;
  float in_scale, out_scale;
  int32_t min, max, n_scales, in_float32;
};

TVMQ_MEMO(nearest_layers, struct layer, bool, 1024);

static bool are_nearest(const struct tvmq_conv_desc *desc, const struct layer *layer) {
  bool nearest = true;
  for (int32_t i = 0; nearest && i < desc->n_filter_scales; i++) {
    const double real = tvmq_conv_scale(desc, i);
    struct tvmq_scale exact, first;
    tvmq_quantize_multiplier(real, &first.multiplier, &first.shift);
    exact = first;
    nearest = tvmq_fit_product(real, layer->bound, layer->min, layer->max, &exact.multiplier, &exact.shift) && exact.multiplier == first.multiplier;
  }
  return nearest;
}

bool tvmq_conv_nearest(const struct tvmq_conv_desc *desc) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  if (desc->scaling != TVMQ_SCALING_FLOAT64) return true;
  const int64_t bound = conv_bound(desc, 0, desc->out_c);
  if (tvmq_conv_in_float64(desc)) return (double)bound * tvmq_conv_scale(desc, tvmq_conv_largest_scale(desc)) < 0x1p31 - 1;
  pthread_once(&once, draw_hasher);
  struct layer layer = {.bound = bound, .in_scale = desc->in.scale, .out_scale = desc->out.scale, .n_scales = desc->n_filter_scales};
  layer.in_float32 = has_float32_product(desc);
  layer.scales = tvmq_content(&hasher, desc->filter_scales, (size_t)desc->n_filter_scales * sizeof *desc->filter_scales);
  tvmq_activation_range(desc->activation, desc->out_type, desc->out, &layer.min, &layer.max);
  layer.min -= desc->out.zero_point;
  layer.max -= desc->out.zero_point;
  bool nearest;
  if (tvmq_memo_find(&nearest_layers, &layer, &nearest)) return nearest;
  nearest = are_nearest(desc, &layer);
  tvmq_memo_keep(&nearest_layers, &layer, &nearest);
  return nearest;
}

// Returns the largest left shift with which the sum fits int32.
static int32_t add_left_shift(enum tvmq_type type) { return type == TVMQ_TYPE_S16 ? 15 : 20; }

// Computes the ratio of each input scale to a common scale, and returns the common scale. Products with powers of two
// are float32, so they overflow exactly as in the reference.
static double common_scale(const struct tvmq_binary_desc *desc, double ratios[2]) {
  const double common = (double)(2 * fmaxf(desc->in[0].scale, desc->in[1].scale));
  for (int i = 0; i < 2; i++) ratios[i] = (double)desc->in[i].scale / common;
  return common;
}

void tvmq_add_ratios(const struct tvmq_binary_desc *desc, double in[2], double *out) {
  *out = common_scale(desc, in) / (double)((float)(1 << add_left_shift(desc->type)) * desc->out.scale);
}

void tvmq_square_ratios(const struct tvmq_binary_desc *desc, double in[2], double *out) {
  const double common = common_scale(desc, in);
  *out = common * common / (double)((float)(1 << 2 * TVMQ_SQUARE_SHIFT) * desc->out.scale);
}

void tvmq_square_scales(const struct tvmq_binary_desc *desc, struct tvmq_scale in[2], struct tvmq_scale *out) {
  double in_ratios[2], out_ratio;
  tvmq_square_ratios(desc, in_ratios, &out_ratio);
  for (int i = 0; i < 2; i++) tvmq_quantize_multiplier(in_ratios[i], &in[i].multiplier, &in[i].shift);
  tvmq_quantize_multiplier(out_ratio, &out->multiplier, &out->shift);
}

void tvmq_add_scales(const struct tvmq_binary_desc *desc, int32_t *left_shift, struct tvmq_scale in[2], struct tvmq_scale *out) {
  double in_ratios[2], out_ratio;
  tvmq_add_ratios(desc, in_ratios, &out_ratio);
  *left_shift = add_left_shift(desc->type);
  for (int i = 0; i < 2; i++) tvmq_quantize_multiplier(in_ratios[i], &in[i].multiplier, &in[i].shift);
  tvmq_quantize_multiplier(out_ratio, &out->multiplier, &out->shift);
}

struct tvmq_scale tvmq_mul_scale(const struct tvmq_binary_desc *desc) {
  struct tvmq_scale scale;
  const float real = desc->in[0].scale * desc->in[1].scale / desc->out.scale;
  tvmq_quantize_multiplier((double)real, &scale.multiplier, &scale.shift);
  return scale;
}

void tvmq_prelu_scales(const struct tvmq_binary_desc *desc, struct tvmq_scale scale[2]) {
  const float reals[2] = {desc->in[0].scale / desc->out.scale, desc->in[0].scale * desc->in[1].scale / desc->out.scale};
  for (int i = 0; i < 2; i++) tvmq_quantize_multiplier((double)reals[i], &scale[i].multiplier, &scale[i].shift);
}

// Quantizes a real bound of an activation: rounds the float32 quotient half away from zero. Operators that ignore
// quantization may have any scale, so the quotient is limited to 2^40, beyond every type, before the addition.
static int64_t quantize(float real, struct tvmq_quant quant) {
  const float beyond = 0x1p40f, steps = roundf(real / quant.scale);
  return quant.zero_point + (int64_t)fmaxf(fminf(steps, beyond), -beyond);
}

bool tvmq_hybrid_has_one_scale(const struct tvmq_conv_desc *desc) {
  bool one = true;
  for (int32_t i = 1; one && i < desc->n_filter_scales; i++) one = desc->filter_scales[i] == desc->filter_scales[0];
  return one;
}

uint8_t tvmq_conv_acc_bytes(const struct tvmq_conv_desc *desc) {
  const bool wide = desc->depthwise || tvmq_conv_in_float64(desc) || (desc->bias != NULL && desc->bias_type == TVMQ_TYPE_S64);
  return desc->in_type == TVMQ_TYPE_S16 && wide ? 8 : 4;
}

struct tvmq_range tvmq_quantized_range(float low, float high, enum tvmq_type type, struct tvmq_quant out) {
  struct tvmq_range range = tvmq_type_range(type);
  if (isfinite(low)) range.min = (int32_t)tvmq_max_s64(quantize(low, out), range.min);
  if (isfinite(high)) range.max = (int32_t)tvmq_min_s64(quantize(high, out), range.max);
  return range;
}

struct tvmq_bounds tvmq_activation_bounds(enum tvmq_activation activation, float most) {
  switch (activation) {
    case TVMQ_ACTIVATION_RELU:
      return (struct tvmq_bounds){0, most};
    case TVMQ_ACTIVATION_RELU6:
      return (struct tvmq_bounds){0, 6};
    case TVMQ_ACTIVATION_RELU_N1_TO_1:
      return (struct tvmq_bounds){-1, 1};
    case TVMQ_ACTIVATION_NONE:
    case TVMQ_ACTIVATION_OTHER:
      break;
  }
  return (struct tvmq_bounds){-most, most};
}

void tvmq_activation_range(enum tvmq_activation activation, enum tvmq_type type, struct tvmq_quant out, int32_t *min, int32_t *max) {
  const struct tvmq_bounds bounds = tvmq_activation_bounds(activation, INFINITY);
  const struct tvmq_range range = tvmq_quantized_range(bounds.low, bounds.high, type, out);
  *min = range.min;
  *max = range.max;
}
