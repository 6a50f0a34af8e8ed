#include "operators/geometry.h"

// One axis of the image. TFLite computes sizes in int. A size whose intermediate values exceed int32 is undefined in
// TFLite and is refused here.
struct axis {
  int64_t in, before, after, filter, stride, dilation;  // before, after: border pixels on both sides of the input
};

static const char *axis_geometry(const struct axis *axis, enum tvmq_padding padding, int32_t *out, int32_t *pad_before) {
  if (axis->in <= 0) return "input height or width is not positive";
  if (axis->before < 0 || axis->after < 0) return "the border is negative";
  if (axis->filter <= 0) return "filter height or width is not positive";
  if (axis->stride <= 0) return "stride is not positive";
  if (axis->dilation <= 0) return "dilation is not positive";

  // All members are below 2^31, so int64 holds all following products and sums.
  const int64_t effective = (axis->filter - 1) * axis->dilation + 1;
  if (effective > INT32_MAX) return "dilated filter is larger than 2^31 - 1";
  const int64_t in = axis->before + axis->in + axis->after;
  if (in + axis->stride > INT32_MAX) return "stride is too large: input size + stride exceeds 2^31 - 1";

  if (padding == TVMQ_PADDING_VALID) {
    if (effective > in) return "VALID padding and a dilated filter larger than the input: no output";
    *out = (int32_t)((in - effective) / axis->stride + 1);
    *pad_before = (int32_t)axis->before;
    return NULL;
  }

  const int64_t n = (in + axis->stride - 1) / axis->stride;
  const int64_t span = (n - 1) * axis->stride + effective;  // input positions from the first tap to the last
  if (span > INT32_MAX) return "padded input is larger than 2^31 - 1";
  *out = (int32_t)n;
  *pad_before = (int32_t)(axis->before + (span > in ? (span - in) / 2 : 0));  // an odd number of pixels puts one more after the input
  return NULL;
}

static const char *both_axes(const struct axis *vertical, const struct axis *horizontal, enum tvmq_padding padding, struct tvmq_geometry *geometry) {
  if (padding != TVMQ_PADDING_SAME && padding != TVMQ_PADDING_VALID) return "padding is neither SAME nor VALID";
  struct tvmq_geometry result;
  const char *reason = axis_geometry(vertical, padding, &result.out_h, &result.pad_top);
  if (reason == NULL) reason = axis_geometry(horizontal, padding, &result.out_w, &result.pad_left);
  if (reason == NULL) *geometry = result;
  return reason;
}

static struct axis conv_h(const struct tvmq_conv_desc *desc) {
  return (struct axis){desc->in_h, desc->border.top, desc->border.bottom, desc->filter_h, desc->stride_h, desc->dilation_h};
}
static struct axis conv_w(const struct tvmq_conv_desc *desc) {
  return (struct axis){desc->in_w, desc->border.left, desc->border.right, desc->filter_w, desc->stride_w, desc->dilation_w};
}
static struct axis pool_h(const struct tvmq_pool_desc *desc) {
  return (struct axis){desc->in_h, desc->border.top, desc->border.bottom, desc->filter_h, desc->stride_h, 1};
}
static struct axis pool_w(const struct tvmq_pool_desc *desc) {
  return (struct axis){desc->in_w, desc->border.left, desc->border.right, desc->filter_w, desc->stride_w, 1};
}

const char *tvmq_geometry(const struct tvmq_conv_desc *desc, struct tvmq_geometry *geometry) {
  const struct axis vertical = conv_h(desc), horizontal = conv_w(desc);
  return both_axes(&vertical, &horizontal, desc->padding, geometry);
}

const char *tvmq_pool_geometry(const struct tvmq_pool_desc *desc, struct tvmq_geometry *geometry) {
  const struct axis vertical = pool_h(desc), horizontal = pool_w(desc);
  return both_axes(&vertical, &horizontal, desc->padding, geometry);
}

// Computes the output size of an axis. If the axis has no valid geometry, uses TFLite's formula, which rounds towards
// zero; results from `least` to 0 become 0.
static const char *out_size(struct axis axis, enum tvmq_padding padding, int64_t least, int32_t *out) {
  int32_t pad_before;
  const char *reason = axis_geometry(&axis, padding, out, &pad_before);
  if (reason == NULL) return NULL;
  const int64_t in = axis.before + axis.in + axis.after;
  if (axis.in < 0 || axis.before < 0 || axis.after < 0 || axis.filter <= 0 || axis.stride <= 0 || axis.dilation <= 0 || in + axis.stride > INT32_MAX)
    return reason;
  const int64_t effective = padding == TVMQ_PADDING_VALID ? (axis.filter - 1) * axis.dilation + 1 : 1;
  const int64_t n = (in + axis.stride - effective) / axis.stride;
  if (effective > INT32_MAX || n > 0 || n < least) return reason;
  *out = 0;
  return NULL;
}

const char *tvmq_conv_out_size(const struct tvmq_conv_desc *desc, int32_t *out_h, int32_t *out_w) {
  const char *reason = out_size(conv_h(desc), desc->padding, 0, out_h);
  return reason != NULL ? reason : out_size(conv_w(desc), desc->padding, 0, out_w);
}

const char *tvmq_pool_out_size(const struct tvmq_pool_desc *desc, int32_t *out_h, int32_t *out_w) {
  const char *reason = out_size(pool_h(desc), desc->padding, INT32_MIN, out_h);
  if (reason == NULL) reason = out_size(pool_w(desc), desc->padding, INT32_MIN, out_w);
  int32_t not_negative;
  // If the width is negative, LiteRT 2.3 also makes the height 0.
  if (reason == NULL && out_size(pool_w(desc), desc->padding, 0, &not_negative) != NULL) *out_h = 0;
  return reason;
}

static size_t gcd(size_t a, size_t b) { return b == 0 ? a : gcd(b, a % b); }

struct tvmq_axis tvmq_axis(int32_t in, int32_t out, int32_t filter, int32_t stride, int32_t dilation, int32_t pad) {
  struct tvmq_axis a = {.in = (size_t)in, .out = (size_t)out, .filter = (size_t)filter, .pad = (size_t)pad, .step = (size_t)stride};
  a.dilation = filter == 1 ? 1 : (size_t)dilation;
  const size_t common = gcd(a.step, a.dilation);
  // There are at most as many phases as outputs. With one output per phase, no stride is used.
  a.phases = a.dilation / common < a.out ? a.dilation / common : a.out;
  a.stride = a.step / common;
  return a;
}
