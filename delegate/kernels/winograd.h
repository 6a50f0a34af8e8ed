// Exact integer Winograd convolution: 3 taps per dimension, m = 1 to 4 outputs from m + 2 inputs, on m + 2 points.
//
//   y = 1/f . A [ (G g) * (B d) ]       d: inputs, g: weights, *: point by point; two-dimensional tiles: again along
//                                       the other dimension
//
// The rows of G are scaled so that U = G g and V = B d are integers and fit int16. The outputs are multiplied by f,
// which is 3 times a power of two:
//
//   point      0        1        -1        2        -2        inf
//   G       6 0 0    1 1 1    1 -1 1    1 2 4    1 -2 4    0 0 6         per dimension: |U| <= 7 max |g|, |V| <= 10 max |d|
//   A (4)     1        4         4        1         1         0         f = 24
//             0        2        -2        1        -1         0         f = 12
//             0        1         1        1         1         0         f = 6
//             0        1        -1        2        -2         1         f = 6
//
// Tiles of fewer outputs use a subset of the same points, and so the same U. 3 outputs omit the point -2, 2 outputs
// also 2, 1 output also -1. The last tile of a line has fewer outputs.
//
// Everything is computed modulo 2^32. Output (a, b) is first f_a f_b y. Multiplying by the inverse of 3 (or 9) modulo
// 2^32 removes the odd factor, and an arithmetic shift the power of two. The result is y if |f_a f_b y| / 9 fits int32,
// which pack_winograd.h proves for all inputs.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "arithmetic/stage.h"
#include "base/arith.h"
#include "packing/layout.h"

// One dimension of a tile: its number of outputs, 1 to 4, or TVMQ_WINOGRAD_NO_TAPS if the filter has a single tap in
// this dimension, which is not transformed.
enum { TVMQ_WINOGRAD_NO_TAPS, TVMQ_WINOGRAD_OUTPUTS = 4 };

static inline size_t tvmq_winograd_outputs(size_t tile) { return tile == TVMQ_WINOGRAD_NO_TAPS ? 1 : tile; }

// Returns the number of points of a tile, which equals its number of inputs.
static inline size_t tvmq_winograd_points(size_t tile) { return tile == TVMQ_WINOGRAD_NO_TAPS ? 1 : tile + 2; }

// Returns which of the six points is point `i` of the tile.
static inline size_t tvmq_winograd_point(size_t tile, size_t i) { return tile != TVMQ_WINOGRAD_NO_TAPS && i == tile + 1 ? TVMQ_WINOGRAD_POINTS - 1 : i; }

// Returns the number of points of the weights, regardless of the tile.
static inline size_t tvmq_winograd_all_points(size_t tile) { return tile == TVMQ_WINOGRAD_NO_TAPS ? 1 : TVMQ_WINOGRAD_POINTS; }

// Returns the exponent of the power of two in f.
static inline int tvmq_winograd_shift(size_t tile, size_t output) {
  return tile == TVMQ_WINOGRAD_NO_TAPS ? 0 : tile == 4 && output == 0 ? 3 : (tile >= 3 && output + 3 == tile) || (tile == 4 && output == 1) ? 2 : 1;
}

// Returns the inverse modulo 2^32 of the odd factor of f, for both dimensions together.
static inline uint32_t tvmq_winograd_inverse(size_t tile_h, size_t tile_w) {
  return (tile_h == TVMQ_WINOGRAD_NO_TAPS ? 1 : 0xaaaaaaab) * (tile_w == TVMQ_WINOGRAD_NO_TAPS ? 1 : 0xaaaaaaab);
}

// Calls body(..., tile) with a compile-time constant tile.
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

// ---- winograd: a convolution of 3 taps per dimension as one gemm per point. Three families work on shared arrays of
// values and sums:
//
//   input    values[point][tile][c] = transform of the tile's pixels, int16
//   gemm     sums[point][tile][n]   = sum over c of values[point][tile][c] * weights[point][c][n], int32
//   output   out[tile's pixels][n]  = requantize(transform of the tile's sums + bias[n]), or that sum itself (TVMQ_SUMS)
//
// Tiles have `tile_h` x `tile_w` outputs. Points are numbered row by row: 6 x 6, or 6 if a dimension has no taps.

// One call transforms n_tiles adjacent tiles. Tile i's first input is column i * outputs, row 0, of `pixels`. The
// kernel reads `channels` >= nr bytes of each pixel, and writes as many values for each point of each tile.
struct tvmq_winograd_input_args {
  const void *const *pixels;  // [inputs of tile_h][pixels_stride]: pointers to channel 0
  size_t pixels_stride;       // pointers from a table row to the next
  size_t n_tiles, tile_h, tile_w;
  size_t channels;
  int16_t *values;                   // address for tile 0 at point 0
  size_t tile_stride, point_stride;  // elements
  uint8_t in_flip;                   // xor on each input byte
};
typedef void (*tvmq_winograd_input_fn)(const struct tvmq_winograd_input_args *args);

// One call multiplies n_rows rows of values, a multiple of mr, by one panel's weights at one point. Weights are k / kr
// groups of nr x kr, as in a gemm panel.
struct tvmq_winograd_gemm_args {
  const int16_t *values;
  size_t values_stride;  // elements between rows
  size_t n_rows, k;      // k is a multiple of ku
  const int16_t *weights;
  int32_t *sums;  // [n_rows][nr]
};
typedef void (*tvmq_winograd_gemm_fn)(const struct tvmq_winograd_gemm_args *args);

// Returns the rows of the next tile, at most `most`, for `left` remaining rows. No last tile is much smaller than the
// others.
static inline size_t tvmq_winograd_rows(size_t left, size_t most, size_t step) { return tvmq_round_up(tvmq_ceil_div(left, tvmq_ceil_div(left, most)), step); }

// One call computes the outputs of n channels of a panel, a multiple of nr, for n_tiles adjacent tiles. It reads sums
// only at the points of the tile.
struct tvmq_winograd_output_args {
  const int32_t *sums;               // address for tile 0 at point 0
  size_t tile_stride, point_stride;  // elements
  size_t n_tiles, tile_h, tile_w;
  size_t n;
  const int32_t *bias, *multiplier, *shift;  // [n]
  void *out;                                 // output of tile 0's first pixel
  size_t out_col_stride, out_row_stride;     // bytes
  const struct tvmq_stage *stage;
};
typedef void (*tvmq_winograd_output_fn)(const struct tvmq_winograd_output_args *args);
