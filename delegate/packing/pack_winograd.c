#include "packing/pack_winograd.h"

#include <assert.h>
#include <string.h>

#include "base/arith.h"

enum { TAPS = TVMQ_WINOGRAD_PIECE, POINTS = TVMQ_WINOGRAD_POINTS };

bool tvmq_winograd_exact(const struct tvmq_channel *channel, size_t taps_h, size_t taps_w) {
  const int64_t limit = INT64_C(1) << (31 - (taps_h > 1 ? 3 : 0) - (taps_w > 1 ? 3 : 0));
  // Largest |weight - zero point|. If sums of `most` are within the limit, sums are exact for any weights.
  const int64_t most = -INT8_MIN + (channel->zero_point < 0 ? -channel->zero_point : channel->zero_point);
  if ((int64_t)(channel->n_taps * channel->n_depths) * most * -INT8_MIN < limit) return true;
  const struct tvmq_folded sums = tvmq_fold(channel, 0, 0, 0, INT8_MIN, INT8_MAX);
  return sums.lo >= -limit && sums.hi < limit;
}

// |weight - zero point| <= 255, and at most 7 * 7 * 255 at a point, so everything fits int16. Compilers vectorize loops
// over LANES numbers, which fill a cache line.
enum { LANES = 32 };
typedef int16_t lanes[LANES];

// Computes G g: a weight for each point, stored `step` elements of `u` apart.
static inline void transform(const lanes *g, size_t n_points, lanes *u, size_t step) {
  if (n_points == 1) {
    memcpy(u, g, sizeof *u);
    return;
  }
  for (size_t j = 0; j < LANES; j++) {
    const int16_t a = g[0][j], b = g[1][j], c = g[2][j];
    u[0][j] = (int16_t)(6 * a);
    u[step][j] = (int16_t)(a + c + b);
    u[2 * step][j] = (int16_t)(a + c - b);
    u[3 * step][j] = (int16_t)(a + 4 * c + 2 * b);
    u[4 * step][j] = (int16_t)(a + 4 * c - 2 * b);
    u[5 * step][j] = (int16_t)(6 * c);
  }
}

// State of filling a panel.
struct filling {
  const struct tvmq_layout *layout;
  const struct tvmq_channel *channels;
  size_t n;
  size_t taps_h, taps_w, points_h, points_w;
  size_t depths;  // depths of all pieces
  size_t padded;  // `depths` rounded up to a multiple of ku
  int16_t *points;
};

// Depths of a block. A block is packed and transformed for all channels before the next block, so it stays in cache.
// The size equals that of a gemm panel's block.
enum { DEPTHS = 128 };

static size_t taps_of(size_t points) { return points == 1 ? 1 : TAPS; }

static int16_t *point_at(const struct filling *f, size_t point, size_t depth) { return f->points + (point * f->padded + depth) * f->layout->nr; }

// Widens the weights of depths [first, first + n) at tap (y, x) of their pieces to int16. Absent taps, depths and
// channels give 0.
static void widen(const struct filling *f, size_t j, size_t y, size_t x, size_t first, size_t n, int16_t to[DEPTHS]) {
  const struct tvmq_channel *channel = &f->channels[j];
  const size_t end = j < f->n ? tvmq_min(first + n, f->depths) : first, pieces_w = tvmq_winograd_pieces(f->taps_w);
  for (size_t d = first, run; d < end; d += run, to += run, n -= run) {
    const size_t piece = d / channel->n_depths, depth = d % channel->n_depths;
    const size_t tap_h = piece / pieces_w * TAPS + y, tap_w = piece % pieces_w * TAPS + x;
    run = tvmq_min(channel->n_depths - depth, end - d);
    if (tap_h >= f->taps_h || tap_w >= f->taps_w) {
      memset(to, 0, run * sizeof *to);
      continue;
    }
    const uint8_t *weights = channel->weights + (tap_h * f->taps_w + tap_w) * channel->tap_stride + depth, flip = channel->flip;
    const int32_t zero_point = channel->zero_point;
    for (size_t i = 0; i < run; i++) to[i] = (int16_t)((int8_t)(weights[i] ^ flip) - zero_point);
  }
  if (n > 0) memset(to, 0, n * sizeof *to);
}

// Packs the weights of a tap for `n` depths of all channels, at the place of a point's weights.
static void pack_tap(const struct filling *f, size_t y, size_t x, size_t first, size_t n) {
  static const uint8_t no_flip[TVMQ_PACKED_CHANNELS] = {0};
  int16_t wide[TVMQ_PACKED_CHANNELS][DEPTHS];
  const uint8_t *const from[TVMQ_PACKED_CHANNELS] = {(uint8_t *)wide[0], (uint8_t *)wide[1], (uint8_t *)wide[2], (uint8_t *)wide[3]};
  int16_t *to = point_at(f, y * taps_of(f->points_w) + x, first);
  for (size_t j = 0; j < f->layout->nr; j += TVMQ_PACKED_CHANNELS) {
    for (size_t i = 0; i < TVMQ_PACKED_CHANNELS; i++) widen(f, j + i, y, x, first, n, wide[i]);
    tvmq_pack_words(f->layout, from, no_flip, n, (uint8_t *)(to + j * f->layout->kr));
  }
}

// Copies `n` numbers, LANES except at the end. Copies of constant size need no function call.
static inline void copy_lanes(int16_t *to, const int16_t *from, size_t n) {
  if (n == LANES)
    memcpy(to, from, sizeof(lanes));
  else
    memcpy(to, from, n * sizeof *to);
}

// Computes the weights of all points from the weights of the taps, which lie at the places of the first points. Not
// inlined, because small stacks cannot hold its arrays together with the arrays of pack_tap().
static __attribute__((noinline)) void transform_taps(const struct filling *f, size_t first, size_t n) {
  const size_t all = n * f->layout->nr, step = f->padded * f->layout->nr, points_h = f->points_h, points_w = f->points_w;
  const size_t taps_h = taps_of(points_h), taps_w = taps_of(points_w);
  lanes g[TAPS] = {{0}}, half[POINTS][TAPS], u[POINTS];
  for (size_t at = 0; at < all; at += LANES) {
    const size_t some = tvmq_min(all - at, LANES);
    int16_t *const points = point_at(f, 0, first) + at;
    for (size_t x = 0; x < taps_w; x++) {
      for (size_t y = 0; y < taps_h; y++) copy_lanes(g[y], points + (y * taps_w + x) * step, some);
      transform(g, points_h, &half[0][x], TAPS);
    }
    for (size_t y = 0; y < points_h; y++) {
      transform(half[y], points_w, u, 1);
      for (size_t x = 0; x < points_w; x++) {
        int16_t *to = points + (y * points_w + x) * step;
        __builtin_prefetch((const void *)((uintptr_t)to + sizeof(lanes)), 1);  // too many streams for hardware prefetching
        copy_lanes(to, u[x], some);
      }
    }
  }
}

void tvmq_pack_winograd(const struct tvmq_layout *layout, const struct tvmq_channel *channels, const struct tvmq_channel_params *params, size_t n,
                        size_t taps_h, size_t taps_w, void *panel) {
  assert(0 < n && n <= layout->nr && channels->n_taps == taps_h * taps_w && channels->depth_stride == 1);
  const size_t depths = tvmq_winograd_pieces(taps_h) * tvmq_winograd_pieces(taps_w) * channels->n_depths;
  struct filling f = {
      .layout = layout,
      .channels = channels,
      .n = n,
      .taps_h = taps_h,
      .taps_w = taps_w,
      .points_h = tvmq_winograd_weight_points(taps_h),
      .points_w = tvmq_winograd_weight_points(taps_w),
      .depths = depths,
      .padded = tvmq_round_up(depths, layout->ku),
  };
  struct tvmq_panel parts;
  const bool fits = tvmq_panel_layout(layout, f.points_h * f.points_w * f.padded, &parts);
  assert(fits);
  (void)fits;
  uint8_t *bytes = panel;
  memset(bytes, 0, parts.weights);
  memset(bytes + parts.multiplier, 0, parts.size - parts.multiplier);
  for (size_t j = 0; j < n; j++) tvmq_pack_params(layout, &parts, j, &params[j], panel);
  f.points = (int16_t *)(bytes + parts.weights);
  for (size_t first = 0; first < f.padded; first += DEPTHS) {
    const size_t some = tvmq_min(f.padded - first, DEPTHS);
    for (size_t y = 0; y < taps_of(f.points_h); y++) {
      for (size_t x = 0; x < taps_of(f.points_w); x++) pack_tap(&f, y, x, first, some);
    }
    transform_taps(&f, first, some);
  }
}
