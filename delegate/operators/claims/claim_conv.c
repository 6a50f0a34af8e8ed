// CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED.
#include <math.h>
#include <string.h>

#include "operators/claims/claim.h"
#include "operators/claims/claim_rules.h"
#include "operators/geometry.h"
#include "operators/operator.h"
#include "operators/quant_params.h"

static const char *filter_type(const struct tvmq_conv_desc *desc) {
  if (desc->filter_type == TVMQ_TYPE_S4) return "int4 weights are not supported";
  if (desc->in_type == TVMQ_TYPE_U8) return desc->filter_type == TVMQ_TYPE_U8 ? NULL : "weights are not uint8";
  return desc->filter_type == TVMQ_TYPE_S8 ? NULL : "weights are not int8";
}

static const char *constants(const struct tvmq_conv_desc *desc) {
  if (desc->filter == NULL) return "weights are not constant";
  return desc->dynamic_bias ? "bias is not constant" : NULL;
}

static const char *scaling(const struct tvmq_conv_desc *desc) {
  if (!desc->fully_connected) return NULL;
  return desc->scaling == TVMQ_SCALING_UNKNOWN ? UNKNOWN_SCALING : NULL;
}

// Checks the type of the bias. For 16x8, the type determines the width of the accumulator and so the rounding. Without
// a bias, the width in the reference's CONV_2D is undefined.
static const char *bias_type(const struct tvmq_conv_desc *desc) {
  const bool wide = desc->in_type == TVMQ_TYPE_S16;
  if (desc->bias == NULL) return wide && !desc->depthwise && !desc->fully_connected ? "16x8 convolution without bias is not supported" : NULL;
  if (!wide) return desc->bias_type == TVMQ_TYPE_S32 ? NULL : "bias is not int32";
  if (tvmq_conv_in_float64(desc) && desc->bias_type == TVMQ_TYPE_S32) return "the reference takes an int32 bias of 16x8 for int64";
  if (desc->depthwise) return desc->bias_type == TVMQ_TYPE_S64 ? NULL : "bias of a 16x8 depthwise convolution is not int64";
  return desc->bias_type == TVMQ_TYPE_S32 || desc->bias_type == TVMQ_TYPE_S64 ? NULL : "bias is neither int32 nor int64";
}

static const char *channels(const struct tvmq_conv_desc *desc) {
  if (desc->batch <= 0) return "batch is not positive";
  if (desc->in_c <= 0 || desc->out_c <= 0) return "number of channels is not positive";
  if (desc->depthwise) {
    if (desc->depth_multiplier <= 0) return "depth_multiplier is not positive";
    if (desc->filter_c != 1) return "the depthwise filter does not have exactly one input channel";
    return (int64_t)desc->in_c * desc->depth_multiplier == desc->out_c ? NULL : "output channels are not input channels x depth_multiplier";
  }
  if (desc->filter_c <= 0) return "weights have no input channels";
  if (desc->in_c % desc->filter_c != 0) return "input channels are not a multiple of the weights' input channels";
  return desc->out_c % (desc->in_c / desc->filter_c) == 0 ? NULL : "output channels are not a multiple of the number of groups";
}

static const char *geometry(const struct tvmq_conv_desc *desc) {
  struct tvmq_geometry geometry;
  const char *reason = tvmq_geometry(desc, &geometry);
  if (reason != NULL) return reason;
  if (geometry.out_h != desc->out_h || geometry.out_w != desc->out_w) return "height or width of the output tensor does not match the convolution";

  // TFLite's kernels store these values in int16. The border is not part of TFLite's padding.
  const int32_t pad_top = geometry.pad_top - desc->border.top, pad_left = geometry.pad_left - desc->border.left;
  const int32_t narrow[] = {desc->stride_h, desc->stride_w, desc->dilation_h, desc->dilation_w, pad_top, pad_left, desc->depth_multiplier};
  for (size_t i = 0; i < sizeof narrow / sizeof narrow[0]; i++) {
    if (narrow[i] > INT16_MAX) return "stride, dilation, padding or depth_multiplier exceeds 32767";
  }
  return NULL;
}

static const char *sizes(const struct tvmq_conv_desc *desc) {
  const struct tvmq_border *border = &desc->border;
  // Sums fit int32, because geometry() has checked them.
  const int32_t in_h = border->top + desc->in_h + border->bottom, in_w = border->left + desc->in_w + border->right;
  if (too_many(desc->batch, in_h, in_w, desc->in_c)) return "input has more than 2^31 - 1 elements";
  if (too_many(desc->batch, desc->out_h, desc->out_w, desc->out_c)) return "output has more than 2^31 - 1 elements";
  const int32_t depth = desc->depthwise ? 1 : desc->filter_c;
  return too_many(desc->out_c, desc->filter_h, desc->filter_w, depth) ? "weights have more than 2^31 - 1 elements" : NULL;
}

static const char *zero_points(const struct tvmq_conv_desc *desc) {
  if (desc->in_type == TVMQ_TYPE_S16 && (desc->in.zero_point != 0 || desc->out.zero_point != 0)) return "int16 with a zero point other than 0";
  if (!fits_type(desc->filter_zero_point, desc->filter_type)) return "zero point of the weights is out of range for their type";
  // The runtimes refuse such a CONV_2D. They run such a DEPTHWISE_CONV_2D as if the zero point were 0, which
  // contradicts the model.
  return desc->filter_type == TVMQ_TYPE_S8 && desc->filter_zero_point != 0 ? "int8 weights with a zero point other than 0" : NULL;
}

static const char *filter_scales(const struct tvmq_conv_desc *desc) {
  if (desc->filter_scales == NULL || desc->n_filter_scales <= 0) return "weights have no scale";
  if (desc->n_filter_scales != 1 && desc->n_filter_scales != desc->out_c) return "number of weight scales is neither 1 nor the number of output channels";
  if (desc->n_filter_scales != 1 && desc->filter_type == TVMQ_TYPE_U8) return "uint8 weights with per-channel scales are not supported";
  for (int32_t i = 0; i < desc->n_filter_scales; i++) {
    if (!good_scale(desc->filter_scales[i])) return "a weight scale is not positive and finite";
  }
  return NULL;
}

// Refuses int64 accumulators that may exceed 48 bits: the reference rescales them in 64 bits and is undefined beyond 48
// bits. (An int32 accumulator simply wraps.)
static const char *wide_bounds(const struct tvmq_conv_desc *desc) {
  if (tvmq_conv_acc_bytes(desc) == 4) return NULL;
  const int64_t taps = (int64_t)desc->filter_h * desc->filter_w * (desc->depthwise ? 1 : desc->filter_c);
  const int64_t room = (INT64_C(1) << 47) - taps * -INT16_MIN * -INT8_MIN;
  bool fits = room > 0;
  for (int32_t i = 0; fits && desc->bias != NULL && i < desc->out_c; i++) {
    const int64_t bias = tvmq_conv_bias(desc, (size_t)i);
    fits = bias > -room && bias < room;
  }
  return fits ? NULL : "16x8 accumulator may exceed 48 bits";
}

// Checks the multipliers of all channels, or only the one of the largest scale if a multiplier cannot fail otherwise.
static const char *multipliers(const struct tvmq_conv_desc *desc) {
  static const char too_large[] = "input scale x weight scale / output scale is too large";
  const bool in_float32 = desc->in_type == TVMQ_TYPE_U8 || desc->fully_connected, in_float64 = tvmq_conv_in_float64(desc);
  if (in_float32 && !isfinite(desc->in.scale * desc->filter_scales[0])) return "input scale x weight scale overflows float32";
  const int32_t max_shift = tvmq_conv_acc_bytes(desc) == 8 ? MAX_SHIFT_64 : MAX_SHIFT_32;
  const bool is_each = !tvmq_conv_nearest(desc);
  const int32_t first = is_each ? 0 : tvmq_conv_largest_scale(desc), end = is_each ? desc->n_filter_scales : first + 1;
  for (int32_t i = first; i < end; i++) {
    int32_t multiplier, shift;
    const bool found = tvmq_conv_multiplier(desc, i, &multiplier, &shift);
    if (in_float64 && !found) return too_large;
    if (!found) return "no fixed-point multiplier reproduces the reference's float64 scaling";
    if (!in_float64 && shift > max_shift) return too_large;
  }
  return NULL;
}

// ---- hybrid: float32 activations, integer weights

static const char *hybrid_types(const struct tvmq_conv_desc *desc) {
  if (desc->filter_type != TVMQ_TYPE_S8) return "hybrid: weights are not int8";
  if (desc->out_type != TVMQ_TYPE_F32) return "hybrid: the output is not float32";
  if (desc->bias == NULL) return desc->depthwise || desc->fully_connected ? NULL : "hybrid: convolution without bias is not supported";
  return desc->bias_type == TVMQ_TYPE_F32 ? NULL : "hybrid: bias is not float32";
}

static const char *hybrid_form(const struct tvmq_conv_desc *desc) {
  const bool known = desc->hybrid != TVMQ_HYBRID_UNKNOWN;
  return known ? NULL : "hybrid: the runtime's arithmetic is unknown: see the option hybrid";
}

// Refuses a hybrid FULLY_CONNECTED that was described as an image: each of its pixels has its own scale.
static const char *hybrid_rows(const struct tvmq_conv_desc *desc) {
  const bool window = desc->filter_h != 1 || desc->filter_w != 1 || desc->stride_h != 1 || desc->stride_w != 1 || desc->batch != 1 || desc->in_h != 1;
  return desc->fully_connected && window ? "hybrid: FULLY_CONNECTED of images is not supported" : NULL;
}

// Refuses shapes whose rounding depends on the number of rows. On processors with dot products, the runtime computes
// several rows together, without fused multiply-add. Above a size that depends on the version, it uses fused
// multiply-add again. A single row is refused too: after a resize there may be several rows, and the node can no longer
// be returned to the runtime.
static const char *hybrid_rows_together(const struct tvmq_conv_desc *desc) {
  enum { DEPTHS = 16 };
  const bool may = desc->fully_connected && desc->hybrid == TVMQ_HYBRID_NEON && desc->dot_products;
  return may && desc->in_c % DEPTHS == 0 && desc->out_c % 2 == 0 ? "hybrid: with dot products, the runtime's rounding depends on the number of rows" : NULL;
}

// Refuses padding that needs too much memory. Padding is stored around the bytes of each image, the border included,
// because a PAD's output would include the border too. A dilated filter may reach so far beyond a small image that the
// padded image does not fit in memory.
static const char *hybrid_padding(const struct tvmq_conv_desc *desc) {
  enum { MOST_BYTES = 1 << 20, MOST_TIMES = 16 };  // limit: MOST_BYTES + MOST_TIMES * bytes of the input
  struct tvmq_geometry g;
  const char *reason = tvmq_geometry(desc, &g);
  if (reason != NULL) return reason;
  const struct tvmq_border *border = &desc->border;
  const double pixel = (double)desc->batch * desc->in_c;
  const double bytes = ((double)border->top + desc->in_h + border->bottom) * ((double)border->left + desc->in_w + border->right) * pixel;
  const int64_t bottom = tvmq_pad_behind(desc->in_h, g.pad_top, g.out_h, desc->filter_h, desc->stride_h, desc->dilation_h);
  const int64_t right = tvmq_pad_behind(desc->in_w, g.pad_left, g.out_w, desc->filter_w, desc->stride_w, desc->dilation_w);
  const double height = (double)(bottom + g.pad_top + desc->in_h), width = (double)(right + g.pad_left + desc->in_w);
  return height * width * pixel <= MOST_BYTES + MOST_TIMES * bytes ? NULL : "hybrid: padding is much larger than the input";
}

static const char *hybrid_groups(const struct tvmq_conv_desc *desc) {
  return !desc->depthwise && desc->filter_c != desc->in_c ? "hybrid: grouped convolution is not supported" : NULL;
}

// Checks the number of scales. Depthwise kernels read one scale per channel. Portable kernels ignore per-channel scales
// that are all equal or belong to FULLY_CONNECTED.
static const char *hybrid_scales(const struct tvmq_conv_desc *desc) {
  if (desc->depthwise) return desc->n_filter_scales == desc->out_c ? NULL : "hybrid: DEPTHWISE_CONV_2D needs per-channel scales";
  const bool lost = desc->hybrid == TVMQ_HYBRID_PORTABLE && desc->n_filter_scales > 1 && (desc->fully_connected || tvmq_hybrid_has_one_scale(desc));
  return lost ? "hybrid: the runtime's kernels ignore these per-channel scales" : NULL;
}

// Refuses weights of -128: the runtime's kernels add two products in int16, which overflows with such weights.
static const char *hybrid_weights(const struct tvmq_conv_desc *desc) {
  const size_t n = (size_t)desc->out_c * (size_t)desc->filter_h * (size_t)desc->filter_w * (size_t)(desc->depthwise ? 1 : desc->filter_c);
  return memchr(desc->filter, (uint8_t)INT8_MIN, n) != NULL ? "hybrid: a weight is -128" : NULL;
}

static const char *claim_hybrid(const struct tvmq_conv_desc *desc) {
  return hybrid_types(desc) ?: constants(desc) ?: hybrid_form(desc) ?: activation_rule(desc->activation) ?: channels(desc) ?: geometry(desc) ?: sizes(desc)
             ?: zero_points(desc) ?: filter_scales(desc) ?: hybrid_rows(desc) ?: hybrid_rows_together(desc) ?: hybrid_groups(desc) ?: hybrid_scales(desc)
             ?: hybrid_padding(desc) ?: hybrid_weights(desc);
}

const char *tvmq_claim_conv(const struct tvmq_conv_desc *desc) {
  if (is_hybrid(desc->in_type, desc->filter_type)) return claim_hybrid(desc);
  return type_rule(desc->in_type) ?: same_type_rule(desc->in_type, desc->out_type) ?: filter_type(desc) ?: constants(desc) ?: scaling(desc)
             ?: bias_type(desc) ?: activation_rule(desc->activation) ?: channels(desc) ?: geometry(desc) ?: sizes(desc) ?: wide_bounds(desc)
             ?: in_quant_rule(desc->in, desc->in_type) ?: out_quant_rule(desc->out, desc->out_type) ?: zero_points(desc) ?: filter_scales(desc)
             ?: activation_range_rule(desc->activation, desc->out) ?: multipliers(desc);
}

static const char *claim(const union tvmq_desc *desc) { return tvmq_claim_conv(&desc->conv); }

static bool set_border(union tvmq_desc *options, const struct tvmq_pad_desc *pad) {
  if (pad->border.value != pad->zero_point) return false;
  options->conv.border = pad->border;
  return true;
}

enum tvmq_turning tvmq_turn_conv(union tvmq_desc *desc, bool in, bool out) {
  if (in) tvmq_turn_tensor(&desc->conv.in_type, &desc->conv.in.zero_point);
  if (out) tvmq_turn_tensor(&desc->conv.out_type, &desc->conv.out.zero_point);
  return TVMQ_TURNS_EACH;
}

#define CONV .claim = claim, .claim_fast_math = tvmq_claim_fast_math_conv, .turn = tvmq_turn_conv

const struct tvmq_operator tvmq_operator_conv = {CONV, .set_border = set_border};
const struct tvmq_operator tvmq_operator_depthwise = {CONV, .set_border = set_border};
const struct tvmq_operator tvmq_operator_fully_connected = {CONV};  // no border: its rows are not adjacent pixels
