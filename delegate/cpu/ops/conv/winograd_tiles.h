// How an output map is cut into Winograd tiles (kernels/winograd.h): tiles of four outputs a direction from the top left on, and tiles of the one to three that
// are left over at the right and at the bottom.
//
// Tiles have numbers, such that those that have any one point are neighbours: what lies at the right, the whole ones, what lies at the bottom, the corner.
//
//        +-------+---+        whole tiles have all points; the right ones lack some across, those at the bottom some down, the corner both. So
//        |   1   | 0 |        a point has the tiles of 1 alone, of 0 and 1, of 1 and 2, or of all.
//        +-------+---+
//        |   2   | 3 |
//        +-------+---+
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct tvmq_tile_axis {
  size_t tile;   // of a whole tile: 4 outputs, or TVMQ_WINOGRAD_NO_TAPS
  size_t whole;  // how many
  size_t rest;   // outputs of the tile after them; 0: none
};

enum { TVMQ_TILES_RIGHT, TVMQ_TILES_WHOLE, TVMQ_TILES_BOTTOM, TVMQ_TILES_CORNER, TVMQ_TILE_KINDS };

struct tvmq_tiles {
  struct tvmq_tile_axis h, w;
  size_t first[TVMQ_TILE_KINDS + 1];  // number of the first tile of each kind, and the number of tiles
};

// A map of out_h x out_w outputs in each of `batch` images, under a filter of so many taps down and across.
struct tvmq_tiles tvmq_tiles(size_t batch, size_t out_h, size_t out_w, size_t taps_h, size_t taps_w);

static inline size_t tvmq_tiles_count(const struct tvmq_tiles *tiles) { return tiles->first[TVMQ_TILE_KINDS]; }

// Tiles of one kind that lie side by side.
struct tvmq_tile_run {
  size_t n;
  size_t tile_h, tile_w;
  size_t image, y, x;  // the first one's first output
};

// From tile `first` on, at most up to `end`.
struct tvmq_tile_run tvmq_tiles_run(const struct tvmq_tiles *tiles, size_t first, size_t end);

// The tiles [*first, *end) that have the point.
void tvmq_tiles_at(const struct tvmq_tiles *tiles, size_t point_h, size_t point_w, size_t *first, size_t *end);

// Pairs of a tile and a point that it has: how many values a channel has.
size_t tvmq_tiles_values(const struct tvmq_tiles *tiles);
