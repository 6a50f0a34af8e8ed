#include "cpu/ops/conv/winograd_tiles.h"

#include "base/arith.h"
#include "kernels/winograd.h"

static struct tvmq_tile_axis axis(size_t out, size_t taps) {
  if (taps == 1) return (struct tvmq_tile_axis){.tile = TVMQ_WINOGRAD_NO_TAPS, .whole = out};
  return (struct tvmq_tile_axis){.tile = TVMQ_WINOGRAD_OUTPUTS, .whole = out / TVMQ_WINOGRAD_OUTPUTS, .rest = out % TVMQ_WINOGRAD_OUTPUTS};
}

static bool is_bottom(size_t kind) { return kind == TVMQ_TILES_BOTTOM || kind == TVMQ_TILES_CORNER; }
static bool is_right(size_t kind) { return kind == TVMQ_TILES_RIGHT || kind == TVMQ_TILES_CORNER; }

static size_t count(const struct tvmq_tile_axis *axis, bool rest) { return !rest ? axis->whole : axis->rest != 0; }
static size_t tile_of(const struct tvmq_tile_axis *axis, bool rest) { return rest ? axis->rest : axis->tile; }

struct tvmq_tiles tvmq_tiles(size_t batch, size_t out_h, size_t out_w, size_t taps_h, size_t taps_w) {
  struct tvmq_tiles tiles = {.h = axis(out_h, taps_h), .w = axis(out_w, taps_w)};
  for (size_t kind = 0; kind < TVMQ_TILE_KINDS; kind++)
    tiles.first[kind + 1] = tiles.first[kind] + batch * count(&tiles.h, is_bottom(kind)) * count(&tiles.w, is_right(kind));
  return tiles;
}

struct tvmq_tile_run tvmq_tiles_run(const struct tvmq_tiles *tiles, size_t first, size_t end) {
  size_t kind = 0;
  while (first >= tiles->first[kind + 1]) kind++;
  const bool bottom = is_bottom(kind), right = is_right(kind);
  const size_t rows = count(&tiles->h, bottom), columns = count(&tiles->w, right);
  const size_t line = (first - tiles->first[kind]) / columns, column = (first - tiles->first[kind]) % columns;
  return (struct tvmq_tile_run){
      .n = tvmq_min(columns - column, end - first),
      .tile_h = tile_of(&tiles->h, bottom),
      .tile_w = tile_of(&tiles->w, right),
      .image = line / rows,
      .y = (bottom ? tiles->h.whole : line % rows) * tvmq_winograd_outputs(tiles->h.tile),
      .x = (right ? tiles->w.whole : column) * tvmq_winograd_outputs(tiles->w.tile),
  };
}

static bool has_point(size_t tile, size_t point) {
  for (size_t i = 0; i < tvmq_winograd_points(tile); i++) {
    if (tvmq_winograd_point(tile, i) == point) return true;
  }
  return false;
}

void tvmq_tiles_at(const struct tvmq_tiles *tiles, size_t point_h, size_t point_w, size_t *first, size_t *end) {
  const bool down = tiles->h.rest == 0 || has_point(tiles->h.rest, point_h), across = tiles->w.rest == 0 || has_point(tiles->w.rest, point_w);
  *first = tiles->first[across ? TVMQ_TILES_RIGHT : TVMQ_TILES_WHOLE];
  *end = tiles->first[!down ? TVMQ_TILES_BOTTOM : across ? TVMQ_TILE_KINDS : TVMQ_TILES_CORNER];
}

size_t tvmq_tiles_values(const struct tvmq_tiles *tiles) {
  size_t values = 0;
  for (size_t kind = 0; kind < TVMQ_TILE_KINDS; kind++) {
    const size_t points = tvmq_winograd_points(tile_of(&tiles->h, is_bottom(kind))) * tvmq_winograd_points(tile_of(&tiles->w, is_right(kind)));
    values += (tiles->first[kind + 1] - tiles->first[kind]) * points;
  }
  return values;
}
