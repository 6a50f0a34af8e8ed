#include "pack_depthwise.h"

#include <assert.h>
#include <string.h>

static bool is_vertical(const struct tvmq_layout *layout) { return layout->out_rows != 0; }

static size_t row_groups(const struct tvmq_layout *layout, size_t filter_h) {
  const size_t rows = (size_t)(layout->out_rows - 1) * layout->row_step + filter_h;
  return (rows + layout->kr - 1) / layout->kr;
}

size_t tvmq_depthwise_planes(const struct tvmq_layout *layout, int32_t filter_zero_point) {
  if (!is_vertical(layout) || filter_zero_point == 0 || layout->weight_bytes == 2) return 1;
  // w - zw lies in [-255, 255]; two int8 terms reach -256 and 254, and 255 needs zw = -128.
  return filter_zero_point == INT8_MIN ? 3 : 2;
}

size_t tvmq_depthwise_depth(const struct tvmq_layout *layout, size_t filter_h, size_t filter_w, size_t n_planes) {
  if (!is_vertical(layout)) return filter_h * filter_w;
  return n_planes * filter_w * row_groups(layout, filter_h) * layout->out_rows * layout->kr;
}

static size_t position(const struct tvmq_layout *layout, size_t channel) {
  const size_t per_lane = layout->nr / layout->lanes, lane = channel / per_lane, v = channel % per_lane / 4, j = channel % 4;
  return (v * layout->lanes + lane) * 4 + j;
}

// As much of a weight as one plane holds.
static int32_t plane_term(const struct tvmq_layout *layout, int32_t x) {
  if (layout->weight_bytes == 2) return x;
  return x < INT8_MIN ? INT8_MIN : x > INT8_MAX ? INT8_MAX : x;
}

static void pack_vertical(const struct tvmq_layout *layout, const struct tvmq_channel *channel, size_t at, size_t filter_h, size_t filter_w, size_t n_planes,
                          void *out) {
  const size_t kr = layout->kr, out_rows = layout->out_rows, groups = row_groups(layout, filter_h);
  for (size_t ky = 0; ky < filter_h; ky++) {
    for (size_t kx = 0; kx < filter_w; kx++) {
      int32_t rest = (int8_t)(channel->weights[(ky * filter_w + kx) * channel->tap_stride] ^ channel->flip) - channel->zero_point;
      for (size_t plane = 0; plane < n_planes; plane++) {
        const int32_t term = plane_term(layout, rest);
        rest -= term;
        for (size_t o = 0; o < out_rows; o++) {
          const size_t row = o * layout->row_step + ky;
          const size_t group = ((plane * filter_w + kx) * groups + row / kr) * out_rows + o;
          const size_t i = (group * layout->nr + at) * kr + row % kr;
          if (layout->weight_bytes == 2) {
            ((int16_t *)out)[i] = (int16_t)term;
          } else {
            ((int8_t *)out)[i] = (int8_t)term;
          }
        }
      }
      assert(rest == 0);
    }
  }
}

void tvmq_pack_depthwise(const struct tvmq_layout *layout, const struct tvmq_channel *channels, const struct tvmq_channel_params *params, size_t n,
                         size_t filter_h, size_t filter_w, size_t n_planes, void *panel) {
  if (!is_vertical(layout)) {
    tvmq_pack_panel(layout, channels, params, n, panel);
    return;
  }
  struct tvmq_panel parts;
  const bool fits = tvmq_panel_layout(layout, tvmq_depthwise_depth(layout, filter_h, filter_w, n_planes), &parts);
  assert(fits);
  (void)fits;
  uint8_t *bytes = memset(panel, 0, parts.size);
  for (size_t c = 0; c < n; c++) {
    const size_t at = position(layout, c);
    tvmq_pack_params(layout, &parts, at, &params[c], panel);
    pack_vertical(layout, &channels[c], at, filter_h, filter_w, n_planes, bytes + parts.weights);
  }
}
