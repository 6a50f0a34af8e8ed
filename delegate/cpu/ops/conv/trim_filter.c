#include "cpu/ops/conv/trim_filter.h"

#include <string.h>

#include "base/memory.h"

// One dimension of a convolution; tvmq_geometry() has checked the sizes.
struct axis {
  int64_t in, out, stride, dilation, pad;
};

// Returns whether a tap reads the input for any output. The first output at which the tap is not before the input decides,
// because later outputs move the tap further on.
static bool meets_input(const struct axis *a, int64_t tap) {
  const int64_t at = tap * a->dilation - a->pad;
  const int64_t output = at < 0 ? (-at + a->stride - 1) / a->stride : 0;
  return output < a->out && at + output * a->stride < a->in;
}

// Returns the number of taps removed in front. Keeps one tap if none reads the input. Keeps a tap in front if removing
// it would make the padding negative.
static int32_t trim_axis(const struct axis *a, int32_t *filter, int32_t *pad) {
  int32_t first = 0, end = *filter;
  while (end > 1 && !meets_input(a, end - 1)) end--;
  while (first + 1 < end && !meets_input(a, first) && a->pad - (first + 1) * a->dilation >= 0) first++;
  *filter = end - first;
  *pad -= (int32_t)(first * a->dilation);
  return first;
}

struct tvmq_trim tvmq_trim(struct tvmq_conv_desc *d, struct tvmq_geometry *g) {
  const struct axis h = {d->in_h, g->out_h, d->stride_h, d->dilation_h, g->pad_top}, w = {d->in_w, g->out_w, d->stride_w, d->dilation_w, g->pad_left};
  struct tvmq_trim trim = {.filter_h = d->filter_h, .filter_w = d->filter_w};
  trim.top = trim_axis(&h, &d->filter_h, &g->pad_top);
  trim.left = trim_axis(&w, &d->filter_w, &g->pad_left);
  return trim;
}

const uint8_t *tvmq_trimmed_filter(const struct tvmq_trim *trim, const struct tvmq_conv_desc *d, bool transposed, uint8_t **copy) {
  *copy = NULL;
  if (!transposed && trim->filter_h == d->filter_h && trim->filter_w == d->filter_w) return d->filter;
  // Smaller than the whole filter, which is in memory, so nothing overflows.
  const size_t n_filters = d->depthwise ? 1 : (size_t)d->out_c, tap_bytes = (size_t)(d->depthwise ? d->out_c : d->filter_c);
  const size_t n_rows = (size_t)d->filter_h, n_cols = (size_t)d->filter_w, row_bytes = (size_t)trim->filter_w * tap_bytes;
  const uint8_t *from = (const uint8_t *)d->filter + (size_t)trim->top * row_bytes + (size_t)trim->left * tap_bytes;
  *copy = tvmq_alloc(n_filters * n_rows * n_cols * tap_bytes);
  if (!*copy) return NULL;
  uint8_t *to = *copy;
  for (size_t i = 0; i < n_filters; i++, from += (size_t)trim->filter_h * row_bytes, to += n_rows * n_cols * tap_bytes) {
    for (size_t y = 0; y < n_rows; y++) {
      for (size_t x = 0; x < n_cols; x++) {
        const size_t at = transposed ? x * n_rows + y : y * n_cols + x;
        memcpy(to + at * tap_bytes, from + y * row_bytes + x * tap_bytes, tap_bytes);
      }
    }
  }
  return *copy;
}
