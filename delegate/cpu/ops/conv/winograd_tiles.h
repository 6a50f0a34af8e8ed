// Cuts an output map into Winograd tiles (kernels/winograd.h): tiles of four outputs per dimension from the top left
// on, and smaller tiles of one to three outputs at the right and at the bottom.
//
// Tiles are numbered so that the tiles that have a given point have consecutive numbers. The order is: right, whole,
// bottom, corner.
//
//        +-------+---+        Whole tiles have all points. Right tiles lack some points across, bottom tiles some
//        |       |   |        points down, the corner tile both. So a point belongs to the tiles of area 1 alone,
//        |   1   | 0 |        of 0 and 1, of 1 and 2, or of all.
//        +-------+---+
//        |   2   | 3 |
//        +-------+---+
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct tvmq_tile_axis {
  size_t tile;   // outputs of a whole tile: 4, or TVMQ_WINOGRAD_NO_TAPS
  size_t whole;  // number of whole tiles
  size_t rest;   // outputs of the smaller tile after them; 0: there is none
};

enum { TVMQ_TILES_RIGHT, TVMQ_TILES_WHOLE, TVMQ_TILES_BOTTOM, TVMQ_TILES_CORNER, TVMQ_TILE_KINDS };

struct tvmq_tiles {
  struct tvmq_tile_axis h, w;
  size_t first[TVMQ_TILE_KINDS + 1];  // index of the first tile of each kind, and the total number of tiles
};

// Returns the tiles of `batch` maps of out_h x out_w outputs, for a filter of taps_h x taps_w.
struct tvmq_tiles tvmq_tiles(size_t batch, size_t out_h, size_t out_w, size_t taps_h, size_t taps_w);

static inline size_t tvmq_tiles_count(const struct tvmq_tiles *tiles) { return tiles->first[TVMQ_TILE_KINDS]; }

// Run: adjacent tiles of one kind.
struct tvmq_tile_run {
  size_t n;
  size_t tile_h, tile_w;
  size_t image, y, x;  // position of the first tile's first output
};

// Returns the run of tiles from `first` on, up to `end` at most.
struct tvmq_tile_run tvmq_tiles_run(const struct tvmq_tiles *tiles, size_t first, size_t end);

// Sets the range [*first, *end) of the tiles that have the point.
void tvmq_tiles_at(const struct tvmq_tiles *tiles, size_t point_h, size_t point_w, size_t *first, size_t *end);

// Returns the number of pairs of a tile and one of its points, which is the number of values per channel.
size_t tvmq_tiles_values(const struct tvmq_tiles *tiles);
