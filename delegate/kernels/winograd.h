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

#include "arithmetic/stage.h"
#include "base/arith.h"
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

// ---- winograd: a convolution of 3 taps in a direction as a gemm for each point. Three families share the tiles' sums and values:
//
//   input    values[point][tile][c] = transform of the tile's pixels, int16
//   gemm     sums[point][tile][n]   = sum over c of values[point][tile][c] * weights[point][c][n], int32
//   output   out[tile's pixels][n]  = requantize(transform of the tile's sums + bias[n]), or that sum itself (TVMQ_SUMS)
//
// Tiles are `tile_h` x `tile_w` outputs; points count row by row of 6 x 6, of 6 where a direction has no taps.

// One call transforms n_tiles tiles that lie side by side: tile i's first input is column i * outputs of `pixels`, row 0. `channels` bytes of each pixel are
// read, at least nr, and as many values written for each tile at each of its points.
struct tvmq_winograd_input_args {
  const void *const *pixels;  // [inputs of tile_h][pixels_stride], to channel 0
  size_t pixels_stride;       // pointers between table rows
  size_t n_tiles, tile_h, tile_w;
  size_t channels;
  int16_t *values;                   // of tile 0 at point 0
  size_t tile_stride, point_stride;  // elements
  uint8_t in_flip;                   // xor on each input byte
};
typedef void (*tvmq_winograd_input_fn)(const struct tvmq_winograd_input_args *args);

// One call multiplies n_rows rows of values, a multiple of mr, by one panel's weights at one point: k / kr groups of nr x kr, as in a gemm panel.
struct tvmq_winograd_gemm_args {
  const int16_t *values;
  size_t values_stride;  // elements between rows
  size_t n_rows, k;      // k is a multiple of ku
  const int16_t *weights;
  int32_t *sums;  // [n_rows][nr]
};
typedef void (*tvmq_winograd_gemm_fn)(const struct tvmq_winograd_gemm_args *args);

// Rows that a kernel with tiles of up to `most` rows computes first of those that are left: no last tile is much smaller than the others.
static inline size_t tvmq_winograd_rows(size_t left, size_t most, size_t step) { return tvmq_round_up(tvmq_ceil_div(left, tvmq_ceil_div(left, most)), step); }

// One call finishes n channels of a panel, a multiple of nr, of n_tiles tiles that lie side by side. Sums are read at the points of the tile only.
struct tvmq_winograd_output_args {
  const int32_t *sums;               // of tile 0 at point 0
  size_t tile_stride, point_stride;  // elements
  size_t n_tiles, tile_h, tile_w;
  size_t n;
  const int32_t *bias, *multiplier, *shift;  // [n]
  void *out;                                 // of tile 0's first pixel
  size_t out_col_stride, out_row_stride;     // bytes
  const struct tvmq_stage *stage;
};
typedef void (*tvmq_winograd_output_fn)(const struct tvmq_winograd_output_args *args);
