#include "operators/subpixels.h"

#include "base/arith.h"

struct axis {
  int64_t in, out, filter, stride;
};

static const char *find(const struct axis *axis, enum tvmq_padding padding, struct tvmq_subpixels *found) {
  if (axis->in <= 0 || axis->out <= 0) return "height or width of input or output is not positive";
  if (axis->filter <= 0) return "filter height or width is not positive";
  if (axis->stride <= 0 || axis->stride > INT16_MAX) return "stride is not between 1 and 32767";  // TFLite's kernels keep it in int16, and the padding too
  const bool same = padding == TVMQ_PADDING_SAME;
  const int64_t in = (same ? axis->out + axis->stride - 1 : axis->out - axis->filter + axis->stride) / axis->stride;
  if (in != axis->in) return "input height or width does not match output_shape, filter, stride and padding";
  const int64_t pad = same ? tvmq_max_s64((in - 1) * axis->stride + axis->filter - axis->out, 0) / 2 : 0;
  if (pad > INT16_MAX) return "padding exceeds 32767";
  const int64_t first = pad / axis->stride, last = (axis->out - 1 + pad) / axis->stride, taps = (axis->filter - 1) / axis->stride + 1;
  if (last - first + taps > INT32_MAX) return "output height or width is too large";
  *found = (struct tvmq_subpixels){
      .phases = (int32_t)axis->stride,
      .taps = (int32_t)taps,
      .before = (int32_t)(taps - 1 - first),  // not negative, because the padding is less than half the filter
      .after = (int32_t)(last - (in - 1)),
      .out = (int32_t)(last - first + 1),
      .skipped = (int32_t)(pad - first * axis->stride),
  };
  return NULL;
}

const char *tvmq_find_subpixels(const struct tvmq_conv_desc *desc, struct tvmq_subpixels *h, struct tvmq_subpixels *w) {
  const struct axis vertical = {desc->in_h, desc->out_h, desc->filter_h, desc->stride_h};
  const struct axis horizontal = {desc->in_w, desc->out_w, desc->filter_w, desc->stride_w};
  const char *reason = find(&vertical, desc->padding, h);
  return reason != NULL ? reason : find(&horizontal, desc->padding, w);
}

size_t tvmq_part_subpixels(const struct tvmq_subpixels *axis, int32_t filter, int32_t stride, struct tvmq_subpixels parts[2]) {
  const int32_t complete = (int32_t)(filter - (int64_t)stride * (axis->taps - 1));
  parts[0] = parts[1] = *axis;
  if (axis->taps == 1 || complete == stride) return 1;
  parts[0].phases = parts[1].first = complete;
  parts[1].phases = stride - complete;
  parts[1].taps--;
  parts[1].before--;  // at least 1, because the padding is less than half the filter
  return 2;
}

struct tvmq_conv_desc tvmq_subpixel_phase(const struct tvmq_conv_desc *desc, const struct tvmq_subpixels *h, const struct tvmq_subpixels *w) {
  struct tvmq_conv_desc conv = *desc;
  conv.border = (struct tvmq_border){.top = h->before, .bottom = h->after, .left = w->before, .right = w->after, .value = desc->in.zero_point};
  conv.out_h = h->out;
  conv.out_w = w->out;
  conv.filter_h = h->taps;
  conv.filter_w = w->taps;
  conv.stride_h = conv.stride_w = 1;
  conv.padding = TVMQ_PADDING_VALID;
  return conv;
}
