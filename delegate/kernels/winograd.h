// Exact integer Winograd convolution: 3 taps in a direction, m = 1 to 4 outputs from m + 2 inputs, on m + 2 points.
//
//   y = 1/f . A [ (G g) * (B d) ]       d inputs, g weights, * point by point; the same again along the other direction of a two-dimensional tile
//
// G is scaled row by row, so that U = G g and V = B d are whole and fit int16; the outputs come out times f, which is 3 times a power of two:
//
//   point      0        1        -1        2        -2        inf
//   G       6 0 0    1 1 1    1 -1 1    1 2 4    1 -2 4    0 0 6         |U| <= 7 max |g| a direction; |V| <= 10 max |d|
//   A (4)     1        4         4        1         1         0         f = 24
//             0        2        -2        1        -1         0         f = 12
//             0        1         1        1         1         0         f = 6
//             0        1        -1        2        -2         1         f = 6
//
// Fewer outputs take a subset of the same points, and so the same U: 3 leave out -2, 2 also 2, 1 also -1. That is how the last tile of a line ends.
//
// Everything is computed modulo 2^32. What comes out at output (a, b) is f_a f_b y; its odd factor is undone by multiplying with the inverse of 3 (9) modulo
// 2^32, the power of two by an arithmetic shift. That gives y if |f_a f_b y| / 9 fits int32, which pack_winograd.h proves for any input.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "packing/layout.h"

// One direction of a tile: its number of outputs, 1 to 4, or TVMQ_WINOGRAD_NO_TAPS: the filter has a single tap in that direction, which is left alone.
enum { TVMQ_WINOGRAD_NO_TAPS, TVMQ_WINOGRAD_OUTPUTS = 4 };

static inline size_t tvmq_winograd_outputs(size_t tile) { return tile == TVMQ_WINOGRAD_NO_TAPS ? 1 : tile; }

// Points of a tile, and as many inputs.
static inline size_t tvmq_winograd_points(size_t tile) { return tile == TVMQ_WINOGRAD_NO_TAPS ? 1 : tile + 2; }

// Which point of the six the tile's point `i` is.
static inline size_t tvmq_winograd_point(size_t tile, size_t i) { return tile != TVMQ_WINOGRAD_NO_TAPS && i == tile + 1 ? TVMQ_WINOGRAD_POINTS - 1 : i; }

// Points that weights have in that direction, whatever the tile.
static inline size_t tvmq_winograd_all_points(size_t tile) { return tile == TVMQ_WINOGRAD_NO_TAPS ? 1 : TVMQ_WINOGRAD_POINTS; }

// The power of two in f.
static inline int tvmq_winograd_shift(size_t tile, size_t output) {
  return tile == TVMQ_WINOGRAD_NO_TAPS ? 0 : tile == 4 && output == 0 ? 3 : (tile >= 3 && output + 3 == tile) || (tile == 4 && output == 1) ? 2 : 1;
}

// The inverse of its odd factor modulo 2^32, of both directions together.
static inline uint32_t tvmq_winograd_inverse(size_t tile_h, size_t tile_w) {
  return (tile_h == TVMQ_WINOGRAD_NO_TAPS ? 1 : 0xaaaaaaab) * (tile_w == TVMQ_WINOGRAD_NO_TAPS ? 1 : 0xaaaaaaab);
}

// body(..., tile) with a constant tile.
#define TVMQ_FOR_TILE(tile, body, ...)            \
  do {                                            \
    switch (tile) {                               \
      case TVMQ_WINOGRAD_NO_TAPS:                 \
        body(__VA_ARGS__, TVMQ_WINOGRAD_NO_TAPS); \
        break;                                    \
      case 1:                                     \
        body(__VA_ARGS__, 1);                     \
        break;                                    \
      case 2:                                     \
        body(__VA_ARGS__, 2);                     \
        break;                                    \
      case 3:                                     \
        body(__VA_ARGS__, 3);                     \
        break;                                    \
      default:                                    \
        body(__VA_ARGS__, 4);                     \
        break;                                    \
    }                                             \
  } while (0)
