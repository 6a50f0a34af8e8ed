#include "packing/pack_winograd.h"

#include <assert.h>
#include <string.h>

#include "base/arith.h"

enum { TAPS = TVMQ_WINOGRAD_PIECE, POINTS = TVMQ_WINOGRAD_POINTS };

bool tvmq_winograd_exact(const struct tvmq_channel *channel, size_t taps_h, size_t taps_w) {
  const int64_t limit = INT64_C(1) << (31 - (taps_h > 1 ? 3 : 0) - (taps_w > 1 ? 3 : 0));
  const int64_t most = -INT8_MIN + (channel->zero_point < 0 ? -channel->zero_point : channel->zero_point);  // of a weight less the zero point
  if ((int64_t)(channel->n_taps * channel->n_depths) * most * -INT8_MIN < limit) return true;               // whatever the weights
  const struct tvmq_folded sums = tvmq_fold(channel, 0, 0, 0, INT8_MIN, INT8_MAX);
  return sums.lo >= -limit && sums.hi < limit;
}

// Channels at a time: loops over them become vectors. |w| <= 255 for a weight less its zero point, 7 * 7 * 255 at a point: everything fits int16.
enum { LANES = 16 };
typedef int16_t lanes[LANES];

// g -> G g: a weight for each point. `step` lies between the elements of either.
static void transform(const lanes *g, size_t n_points, lanes *u, size_t step) {
  if (n_points == 1) {
    memcpy(u, g, sizeof *u);
    return;
  }
  for (size_t j = 0; j < LANES; j++) {
    const int16_t a = g[0][j], b = g[step][j], c = g[2 * step][j];
    u[0][j] = (int16_t)(6 * a);
    u[step][j] = (int16_t)(a + c + b);
    u[2 * step][j] = (int16_t)(a + c - b);
    u[3 * step][j] = (int16_t)(a + 4 * c + 2 * b);
    u[4 * step][j] = (int16_t)(a + 4 * c - 2 * b);
    u[5 * step][j] = (int16_t)(6 * c);
  }
}

static int16_t weight(const struct tvmq_channel *channel, size_t tap, size_t depth) {
  return (int16_t)((int8_t)(channel->weights[tap * channel->tap_stride + depth * channel->depth_stride] ^ channel->flip) - channel->zero_point);
}

void tvmq_pack_winograd(const struct tvmq_layout *layout, const struct tvmq_channel *channels, const struct tvmq_channel_params *params, size_t n,
                        size_t taps_h, size_t taps_w, void *panel) {
  assert(0 < n && n <= layout->nr && channels->n_taps == taps_h * taps_w);
  const size_t nr = layout->nr, kr = layout->kr, points_h = tvmq_winograd_weight_points(taps_h), points_w = tvmq_winograd_weight_points(taps_w);
  const size_t n_depths = channels->n_depths, pieces_w = tvmq_winograd_pieces(taps_w), n_pieces = tvmq_winograd_pieces(taps_h) * pieces_w;
  const size_t k = tvmq_round_up(n_pieces * n_depths, layout->ku);
  struct tvmq_panel parts;
  const bool fits = tvmq_panel_layout(layout, points_h * points_w * k, &parts);
  assert(fits);
  (void)fits;
  uint8_t *bytes = memset(panel, 0, parts.size);
  for (size_t j = 0; j < n; j++) tvmq_pack_params(layout, &parts, j, &params[j], panel);
  int16_t *const weights = (int16_t *)(bytes + parts.weights);
  for (size_t d = 0; d < n_pieces * n_depths; d++) {
    const size_t piece = d / n_depths, first_h = piece / pieces_w * TAPS, first_w = piece % pieces_w * TAPS;
    for (size_t first = 0; first < n; first += LANES) {
      const size_t m = tvmq_min(n - first, LANES);
      lanes g[TAPS][TAPS] = {0}, half[POINTS][TAPS], u[POINTS];
      for (size_t y = 0; y < TAPS && first_h + y < taps_h; y++) {
        for (size_t x = 0; x < TAPS && first_w + x < taps_w; x++) {
          for (size_t j = 0; j < m; j++) g[y][x][j] = weight(&channels[first + j], (first_h + y) * taps_w + first_w + x, d % n_depths);
        }
      }
      for (size_t x = 0; x < TAPS; x++) transform(&g[0][x], points_h, &half[0][x], TAPS);
      int16_t *to = weights + d / kr * kr * nr + first * kr + d % kr;
      for (size_t y = 0; y < points_h; y++) {
        transform(half[y], points_w, u, 1);
        for (size_t x = 0; x < points_w; x++, to += k * nr) {
          for (size_t j = 0; j < m; j++) to[j * kr] = u[x][j];
        }
      }
    }
  }
}
