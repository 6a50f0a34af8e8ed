#include "pack_winograd.h"

#include <assert.h>
#include <string.h>

enum { TAPS = TVMQ_WINOGRAD_PIECE, POINTS = 6 };

bool tvmq_winograd_exact(const struct tvmq_channel *channel, size_t taps_h, size_t taps_w) {
  const struct tvmq_folded sums = tvmq_fold(channel, 0, 0, 0, INT8_MIN, INT8_MAX);
  const int64_t limit = INT64_C(1) << (31 - (taps_h > 1 ? 3 : 0) - (taps_w > 1 ? 3 : 0));
  return sums.lo >= -limit && sums.hi < limit;
}

// g -> G g: a weight for each point. `step` lies between the elements of either.
static void transform(const int32_t *g, size_t n_points, int32_t *u, size_t step) {
  if (n_points == 1) {
    u[0] = g[0];
    return;
  }
  const int32_t a = g[0], b = g[step], c = g[2 * step];
  u[0] = 6 * a;
  u[step] = a + c + b;
  u[2 * step] = a + c - b;
  u[3 * step] = a + 4 * c + 2 * b;
  u[4 * step] = a + 4 * c - 2 * b;
  u[5 * step] = 6 * c;
}

static int32_t weight(const struct tvmq_channel *channel, size_t tap, size_t depth) {
  return (int8_t)(channel->weights[tap * channel->tap_stride + depth * channel->depth_stride] ^ channel->flip) - channel->zero_point;
}

void tvmq_pack_winograd(const struct tvmq_layout *layout, const struct tvmq_channel *channels, const struct tvmq_channel_params *params, size_t n,
                        size_t taps_h, size_t taps_w, void *panel) {
  assert(0 < n && n <= layout->nr && channels->n_taps == taps_h * taps_w);
  const size_t nr = layout->nr, kr = layout->kr, points_h = tvmq_winograd_weight_points(taps_h), points_w = tvmq_winograd_weight_points(taps_w);
  const size_t n_depths = channels->n_depths, pieces_w = tvmq_winograd_pieces(taps_w), n_pieces = tvmq_winograd_pieces(taps_h) * pieces_w;
  const size_t k = (n_pieces * n_depths + layout->ku - 1) / layout->ku * layout->ku;
  struct tvmq_panel parts;
  const bool fits = tvmq_panel_layout(layout, points_h * points_w * k, &parts);
  assert(fits);
  (void)fits;
  uint8_t *bytes = memset(panel, 0, parts.size);
  for (size_t j = 0; j < n; j++) tvmq_pack_params(layout, &parts, j, &params[j], panel);
  int16_t *const weights = (int16_t *)(bytes + parts.weights);
  for (size_t d = 0; d < n_pieces * n_depths; d++) {
    const size_t piece = d / n_depths, first_h = piece / pieces_w * TAPS, first_w = piece % pieces_w * TAPS;
    for (size_t j = 0; j < n; j++) {
      int32_t g[TAPS][TAPS] = {0}, half[POINTS][TAPS], u[POINTS];
      for (size_t y = 0; y < TAPS && first_h + y < taps_h; y++) {
        for (size_t x = 0; x < TAPS && first_w + x < taps_w; x++) g[y][x] = weight(&channels[j], (first_h + y) * taps_w + first_w + x, d % n_depths);
      }
      for (size_t x = 0; x < TAPS; x++) transform(&g[0][x], points_h, &half[0][x], TAPS);
      int16_t *to = weights + d / kr * kr * nr + j * kr + d % kr;
      for (size_t y = 0; y < points_h; y++) {
        transform(half[y], points_w, u, 1);
        for (size_t x = 0; x < points_w; x++, to += k * nr) *to = (int16_t)u[x];
      }
    }
  }
}
