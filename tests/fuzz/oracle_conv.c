#include "oracle_conv.h"

#include <math.h>
#include <string.h>

#include "support/oracle.h"

int32_t oracle_out_size(enum tvmq_padding padding, int64_t in, int64_t filter, int64_t stride, int64_t dilation, int64_t *before) {
  const int64_t extent = (filter - 1) * dilation + 1;
  *before = 0;
  if (padding == TVMQ_PADDING_VALID) return extent > in ? 0 : (int32_t)((in - extent) / stride + 1);
  const int64_t out = (in + stride - 1) / stride, missing = (out - 1) * stride + extent - in;
  if (missing > 0) *before = missing / 2;
  return (int32_t)out;
}

// Input channel and filter element that output channel o meets at depth k of a tap.
static size_t input_channel(const struct tvmq_conv_desc *d, int32_t o, int32_t k) {
  if (d->depthwise) return (size_t)(o / d->depth_multiplier);
  const int32_t group_n = d->out_c / (d->in_c / d->filter_c);
  return (size_t)(o / group_n * d->filter_c + k);
}

static size_t filter_element(const struct tvmq_conv_desc *d, int32_t o, int32_t ky, int32_t kx, int32_t k) {
  if (d->depthwise) return ((size_t)ky * (size_t)d->filter_w + (size_t)kx) * (size_t)d->out_c + (size_t)o;
  return (((size_t)o * (size_t)d->filter_h + (size_t)ky) * (size_t)d->filter_w + (size_t)kx) * (size_t)d->filter_c + (size_t)k;
}

static int64_t sum(const struct tvmq_conv_desc *d, const void *in, int32_t image, int64_t y, int64_t x, int32_t o) {
  int64_t total = 0;
  for (int32_t ky = 0; ky < d->filter_h; ky++) {
    for (int32_t kx = 0; kx < d->filter_w; kx++) {
      const int64_t in_y = y + (int64_t)ky * d->dilation_h, in_x = x + (int64_t)kx * d->dilation_w;
      if (in_y < 0 || in_y >= d->in_h || in_x < 0 || in_x >= d->in_w) continue;
      const size_t pixel = (((size_t)image * (size_t)d->in_h + (size_t)in_y) * (size_t)d->in_w + (size_t)in_x) * (size_t)d->in_c;
      for (int32_t k = 0; k < (d->depthwise ? 1 : d->filter_c); k++) {
        const int32_t value = oracle_load(d->in_type, in, pixel + input_channel(d, o, k)) - d->in.zero_point;
        const int32_t weight = oracle_load(d->filter_type, d->filter, filter_element(d, o, ky, kx, k)) - d->filter_zero_point;
        total += (int64_t)value * weight;
      }
    }
  }
  return total;
}

static int64_t bias(const struct tvmq_conv_desc *d, int32_t o) {
  if (!d->bias) return 0;
  int64_t wide;
  int32_t narrow;
  if (d->bias_type == TVMQ_TYPE_S64) {
    memcpy(&wide, (const char *)d->bias + 8 * (size_t)o, sizeof wide);
    return wide;
  }
  memcpy(&narrow, (const char *)d->bias + 4 * (size_t)o, sizeof narrow);
  return narrow;
}

static void activation_range(const struct tvmq_conv_desc *d, int32_t *min, int32_t *max) {
  *min = d->out_type == TVMQ_TYPE_U8 ? 0 : d->out_type == TVMQ_TYPE_S8 ? INT8_MIN : INT16_MIN;
  *max = d->out_type == TVMQ_TYPE_U8 ? UINT8_MAX : d->out_type == TVMQ_TYPE_S8 ? INT8_MAX : INT16_MAX;
  static const struct {
    bool below, above;
    float lo, hi;
  } bounds[] = {
      [TVMQ_ACTIVATION_NONE] = {false, false, 0, 0},
      [TVMQ_ACTIVATION_RELU] = {true, false, 0, 0},
      [TVMQ_ACTIVATION_RELU6] = {true, true, 0, 6},
      [TVMQ_ACTIVATION_RELU_N1_TO_1] = {true, true, -1, 1},
  };
  const int64_t lo = (int64_t)d->out.zero_point + oracle_quantize_f32(bounds[d->activation].lo, d->out.scale);
  const int64_t hi = (int64_t)d->out.zero_point + oracle_quantize_f32(bounds[d->activation].hi, d->out.scale);
  if (bounds[d->activation].below && lo > *min) *min = (int32_t)lo;
  if (bounds[d->activation].above && hi < *max) *max = (int32_t)hi;
}

void oracle_store(enum tvmq_type type, void *tensor, size_t i, int32_t value) {
  if (type == TVMQ_TYPE_S16) {
    ((int16_t *)tensor)[i] = (int16_t)value;
  } else {
    ((uint8_t *)tensor)[i] = (uint8_t)value;
  }
}

struct oracle_stage oracle_stage(const struct tvmq_conv_desc *d, enum tvmq_rounding rounding, int32_t o) {
  const bool in_float32 = d->fully_connected ? d->n_filter_scales == 1 && d->scaling == TVMQ_SCALING_FIXED_POINT : d->in_type == TVMQ_TYPE_U8;
  const float filter_scale = d->filter_scales[d->n_filter_scales == 1 ? 0 : o];
  const float product = d->in.scale * filter_scale;
  const double scale = in_float32 ? (double)product : (double)d->in.scale * (double)filter_scale;
  struct oracle_stage stage = {
      .rounding = rounding,
      .wide = d->in_type == TVMQ_TYPE_S16 && (d->bias ? d->bias_type == TVMQ_TYPE_S64 : !d->fully_connected),
      .in_float64 = d->scaling == TVMQ_SCALING_FLOAT64 && rounding != TVMQ_ROUNDING_UPWARD,
      .real = scale / (double)d->out.scale,
      .bias = bias(d, o),
      .zero_point = d->out.zero_point,
  };
  oracle_fixed_point(stage.real, &stage.multiplier, &stage.shift);
  activation_range(d, &stage.min, &stage.max);
  return stage;
}

int32_t oracle_code(const struct oracle_stage *s, int64_t sum) {
  const int64_t acc = sum + s->bias;
  const int32_t value = s->in_float64 ? (int32_t)round((double)acc * s->real)
                        : s->wide     ? oracle_round_s64(acc, s->multiplier, s->shift)
                                      : oracle_round_s32(s->rounding, oracle_wrap(acc), s->multiplier, s->shift);
  int32_t code = oracle_wrap((int64_t)value + s->zero_point);
  code = code > s->max ? s->max : code;
  return code < s->min ? s->min : code;
}

void oracle_conv(const struct tvmq_conv_desc *d, enum tvmq_rounding rounding, const void *in, void *out) {
  int64_t top, left;
  const struct tvmq_border *b = &d->border;
  const int32_t out_h = oracle_out_size(d->padding, (int64_t)b->top + d->in_h + b->bottom, d->filter_h, d->stride_h, d->dilation_h, &top);
  const int32_t out_w = oracle_out_size(d->padding, (int64_t)b->left + d->in_w + b->right, d->filter_w, d->stride_w, d->dilation_w, &left);
  for (int32_t o = 0; o < d->out_c; o++) {
    const struct oracle_stage stage = oracle_stage(d, rounding, o);
    for (int32_t image = 0; image < d->batch; image++) {
      for (int32_t y = 0; y < out_h; y++) {
        for (int32_t x = 0; x < out_w; x++) {
          const int64_t total = sum(d, in, image, (int64_t)y * d->stride_h - top - b->top, (int64_t)x * d->stride_w - left - b->left, o);
          const size_t at = (((size_t)image * (size_t)out_h + (size_t)y) * (size_t)out_w + (size_t)x) * (size_t)d->out_c + (size_t)o;
          oracle_store(d->out_type, out, at, oracle_code(&stage, total));
        }
      }
    }
  }
}
