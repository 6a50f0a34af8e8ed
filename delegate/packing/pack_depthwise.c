#include "packing/pack_depthwise.h"

#include <assert.h>
#include <string.h>

static bool is_vertical(const struct tvmq_layout *layout) { return layout->out_rows != 0; }

static int32_t clamp_int8(int32_t x) { return x < INT8_MIN ? INT8_MIN : x > INT8_MAX ? INT8_MAX : x; }

// Returns the term that the second plane holds for every weight. A difference w - zw minus this term is w, or w + 1.
static int32_t second_plane(int32_t filter_zero_point) { return clamp_int8(-filter_zero_point); }

static bool fits_int8(int32_t lo, int32_t hi) { return lo >= INT8_MIN && hi <= INT8_MAX; }

// Returns the number of planes for differences w - zw from `lo` to `hi`.
static size_t planes(const struct tvmq_layout *layout, int32_t filter_zero_point, int32_t lo, int32_t hi) {
  if (layout->weight_bytes == 2) return 1;
  if (!is_vertical(layout)) return lo > INT8_MIN && hi <= INT8_MAX;  // some kernels do not support -128
  const int32_t term = second_plane(filter_zero_point);
  return fits_int8(lo, hi) ? 1 : fits_int8(lo - term, hi - term) ? 2 : 3;
}

size_t tvmq_depthwise_planes_of(const struct tvmq_layout *layout, const struct tvmq_channel *channels, size_t n) {
  if (channels->zero_point == 0) return 1;
  int32_t lo = 0, hi = 0;
  for (size_t c = 0; c < n; c++) {
    for (size_t t = 0; t < channels[c].n_taps; t++) {
      const int32_t d = (int8_t)(channels[c].weights[t * channels[c].tap_stride] ^ channels[c].flip) - channels[c].zero_point;
      lo = d < lo ? d : lo;
      hi = d > hi ? d : hi;
    }
  }
  return planes(layout, channels[0].zero_point, lo, hi);
}

static size_t position(const struct tvmq_layout *layout, size_t channel) {
  const size_t per_lane = layout->nr / layout->lanes, lane = channel / per_lane, v = channel % per_lane / 4, j = channel % 4;
  return (v * layout->lanes + lane) * 4 + j;
}

// Returns the weight in one plane. The weights of all planes add up to the difference.
static int32_t in_plane(int32_t difference, int32_t second, size_t n_planes, size_t plane) {
  if (n_planes == 1) return difference;
  const int32_t rest = difference - second, fitting = clamp_int8(rest);
  return plane == 0 ? fitting : plane == 1 ? second : rest - fitting;
}

// Packs the weights of one tap, plane and output row, whose group begins at `out`: one weight for each channel, at the
// channel's place.
static void pack_weights(const struct tvmq_layout *layout, const struct tvmq_channel *channels, const size_t *places, size_t n, size_t tap, size_t n_planes,
                         size_t plane, void *out) {
  const size_t stride = channels->tap_stride * tap;
  const bool wide = layout->weight_bytes == 2;
  const int32_t zero_point = channels->zero_point, second = second_plane(zero_point);
  const uint8_t flip = channels->flip;
  for (size_t c = 0; c < n; c++) {
    const int32_t difference = (int8_t)(channels[c].weights[stride] ^ flip) - zero_point;
    if (wide)
      ((int16_t *)out)[places[c]] = (int16_t)difference;
    else
      ((int8_t *)out)[places[c]] = (int8_t)in_plane(difference, second, n_planes, plane);
  }
}

// Packs the weights of a vertical panel. All channels belong to one filter.
static void pack_vertical(const struct tvmq_layout *layout, const struct tvmq_channel *channels, const size_t *places, size_t n, size_t filter_h,
                          size_t filter_w, size_t n_planes, uint8_t *out) {
  const size_t kr = layout->kr, out_rows = layout->out_rows, groups = tvmq_row_groups(layout, filter_h);
  for (size_t plane = 0; plane < n_planes; plane++) {
    for (size_t ky = 0; ky < filter_h; ky++) {
      for (size_t o = 0; o < out_rows; o++) {
        const size_t row = o * layout->row_step + ky;
        for (size_t kx = 0; kx < filter_w; kx++) {
          const size_t group = ((plane * filter_w + kx) * groups + row / kr) * out_rows + o;
          pack_weights(layout, channels, places, n, ky * filter_w + kx, n_planes, plane, out + (group * layout->nr * kr + row % kr) * layout->weight_bytes);
        }
      }
    }
  }
}

size_t tvmq_pack_depthwise(const struct tvmq_layout *layout, const struct tvmq_channel *channels, const struct tvmq_channel_params *params, size_t n,
                           size_t filter_h, size_t filter_w, size_t n_planes, void *panel) {
  struct tvmq_panel parts;
  const bool fits = tvmq_panel_layout(layout, tvmq_depthwise_depth(layout, filter_h, filter_w, n_planes), &parts);
  assert(fits && n <= TVMQ_MAX_NR);
  (void)fits;
  uint8_t *bytes = panel;
  if (!is_vertical(layout)) {
    tvmq_pack_panel(layout, channels, params, n, panel);
    if (n_planes == 0 || layout->weight_bytes == 2) return parts.size;
    for (size_t t = 0; t < filter_h * filter_w; t++) {
      for (size_t c = 0; c < n; c++) bytes[parts.weights + t * layout->nr + c] -= (uint8_t)channels[c].zero_point;
    }
    return parts.size;
  }
  memset(panel, 0, parts.size);
  size_t places[TVMQ_MAX_NR];
  for (size_t c = 0; c < n; c++) {
    const size_t at = position(layout, c);
    tvmq_pack_params(layout, &parts, at, &params[c], panel);
    places[c] = at * layout->kr;
  }
  pack_vertical(layout, channels, places, n, filter_h, filter_w, n_planes, bytes + parts.weights);
  return parts.size;
}
