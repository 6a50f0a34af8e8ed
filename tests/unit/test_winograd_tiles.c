// Maps cut into Winograd tiles: every output is in one tile, and the tiles that have a point are neighbours.
#include <string.h>

#include "cpu/ops/conv/winograd_tiles.h"
#include "kernels/winograd.h"
#include "unit.h"

enum { MAX_OUT = 14, MAX_BATCH = 2, MAX_TILES = MAX_BATCH * MAX_OUT * MAX_OUT };

static bool has(size_t tile, size_t point) {
  // Points 0, 1, -1, 2, -2 and infinity: tiles of 1 have 0, 1 and infinity, and of one output more the next.
  return tile == TVMQ_WINOGRAD_NO_TAPS ? point == 0 : point <= tile || point == 5;
}

static void check_map(size_t batch, size_t out_h, size_t out_w, size_t taps_h, size_t taps_w, size_t block) {
  const struct tvmq_tiles tiles = tvmq_tiles(batch, out_h, out_w, taps_h, taps_w);
  const size_t n = tvmq_tiles_count(&tiles);
  static struct tvmq_tile_run of[MAX_TILES];
  static size_t covered[MAX_BATCH][MAX_OUT][MAX_OUT];
  memset(covered, 0, sizeof covered);
  size_t values = 0;
  for (size_t first = 0; first < n; first += block) {
    const size_t end = first + block < n ? first + block : n;
    for (size_t t = first; t < end;) {
      const struct tvmq_tile_run run = tvmq_tiles_run(&tiles, t, end);
      CHECK(run.n >= 1 && run.n <= end - t, "%zu tiles from %zu", run.n, t);
      const size_t rows = tvmq_winograd_outputs(run.tile_h), columns = tvmq_winograd_outputs(run.tile_w);
      CHECK(run.image < batch && run.y + rows <= out_h && run.x + run.n * columns <= out_w, "tiles at %zu overhang", t);
      for (size_t i = 0; i < rows * run.n * columns; i++) covered[run.image][run.y + i / (run.n * columns)][run.x + i % (run.n * columns)]++;
      for (size_t i = 0; i < run.n; i++) of[t + i] = run;
      values += run.n * tvmq_winograd_points(run.tile_h) * tvmq_winograd_points(run.tile_w);
      t += run.n;
    }
  }
  for (size_t i = 0; i < batch * out_h * out_w; i++) {
    const size_t times = covered[i / out_w / out_h][i / out_w % out_h][i % out_w];
    CHECK(times == 1, "%zu x %zu x %zu: output %zu is in %zu tiles", batch, out_h, out_w, i, times);
  }
  CHECK(tvmq_tiles_values(&tiles) == values, "%zu values, not %zu", tvmq_tiles_values(&tiles), values);
  for (size_t p = 0; p < 36; p++) {
    const size_t point_h = taps_h == 3 ? p / 6 : 0, point_w = taps_w == 3 ? p % 6 : 0;
    size_t first, end;
    tvmq_tiles_at(&tiles, point_h, point_w, &first, &end);
    for (size_t t = 0; t < n; t++) {
      const bool wanted = has(of[t].tile_h, point_h) && has(of[t].tile_w, point_w);
      CHECK((first <= t && t < end) == wanted, "%zu x %zu: tile %zu and point %zu %zu", out_h, out_w, t, point_h, point_w);
    }
  }
}

int main(void) {
  static const size_t taps[][2] = {{3, 3}, {1, 3}, {3, 1}};
  for (size_t out_h = 1; out_h <= MAX_OUT; out_h++) {
    for (size_t out_w = 1; out_w <= MAX_OUT; out_w++) {
      for (size_t i = 0; i < 3; i++) check_map(1 + out_w % MAX_BATCH, out_h, out_w, taps[i][0], taps[i][1], 1 + (out_h * 5 + out_w) % 11);
    }
  }
  return unit_report();
}
