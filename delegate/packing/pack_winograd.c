#include "pack_winograd.h"

#include <assert.h>
#include <string.h>

enum { TAPS = 3, POINTS = 6 };

bool tvmq_winograd_exact(const struct tvmq_channel *channel) {
  const struct tvmq_folded sums = tvmq_fold(channel, 0, 0, 0, INT8_MIN, INT8_MAX);
  const int64_t limit = INT64_C(1) << (channel->n_taps == TAPS * TAPS ? 31 - 6 : 31 - 3);
  return sums.lo >= -limit && sums.hi < limit;
}

// g -> G g: a weight for each point. `step` lies between the elements of either.
static void transform(const int32_t *g, size_t taps, int32_t *u, size_t step) {
  if (taps != TAPS) {
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

void tvmq_pack_winograd(const struct tvmq_layout *layout, const struct tvmq_channel *channels, const struct tvmq_channel_params *params, size_t n,
                        void *panel) {
  assert(0 < n && n <= layout->nr && (channels->n_taps == TAPS * TAPS || channels->n_taps == TAPS));
  const size_t nr = layout->nr, kr = layout->kr, k = (channels->n_depths + layout->ku - 1) / layout->ku * layout->ku;
  const size_t lines = channels->n_taps / TAPS, point_lines = lines == TAPS ? POINTS : 1;  // three taps or six points each
  struct tvmq_panel parts;
  const bool fits = tvmq_panel_layout(layout, point_lines * POINTS * k, &parts);
  assert(fits);
  (void)fits;
  uint8_t *bytes = memset(panel, 0, parts.size);
  for (size_t j = 0; j < n; j++) tvmq_pack_params(layout, &parts, j, &params[j], panel);
  int16_t *const weights = (int16_t *)(bytes + parts.weights);
  for (size_t d = 0; d < channels->n_depths; d++) {
    for (size_t j = 0; j < n; j++) {
      const struct tvmq_channel *channel = &channels[j];
      int32_t g[TAPS][TAPS], half[POINTS][TAPS], u[POINTS][POINTS];
      for (size_t t = 0; t < channel->n_taps; t++) {
        const uint8_t stored = channel->weights[t * channel->tap_stride + d * channel->depth_stride];
        g[t / TAPS][t % TAPS] = (int8_t)(stored ^ channel->flip) - channel->zero_point;
      }
      for (size_t x = 0; x < TAPS; x++) transform(&g[0][x], lines, &half[0][x], TAPS);
      int16_t *to = weights + d / kr * kr * nr + j * kr + d % kr;
      for (size_t y = 0; y < point_lines; y++) {
        transform(half[y], TAPS, u[y], 1);
        for (size_t x = 0; x < POINTS; x++, to += k * nr) *to = (int16_t)u[y][x];
      }
    }
  }
}
