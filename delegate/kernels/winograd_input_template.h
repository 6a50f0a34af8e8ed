// Body of the kernels that transform the inputs of Winograd tiles, in the compiler's vectors. The includer defines
//   SYMBOL, LANES    name, and channels per vector
//   WIDEN(x)         optional: converts a vector of int8 to int16 better than the compiler's own conversion
//
// Reads: LANES bytes of each pixel. The last vector of channels overlaps the previous one.
// Columns are transformed first, into memory that stays in the first level of cache; then each row.
// Registers: at most six inputs and six values, of one line at a time.
#include <assert.h>
#include <string.h>

#include "base/inline.h"
#include "kernels/kernel.h"
#include "kernels/winograd.h"

typedef int16_t values __attribute__((vector_size(2 * LANES)));
typedef int8_t bytes __attribute__((vector_size(LANES)));

#if !defined(WIDEN)
#define WIDEN(x) __builtin_convertvector(x, values)
#endif

// Computes B d. Both vectors have tile + 2 elements (one without taps).
TVMQ_INLINE void transform(const values *d, values *v, size_t tile) {
  if (tile == 4) {
    const values a = (d[2] << 2) - d[4], b = (d[1] << 2) - d[3], c = d[4] - d[2], e = (d[3] - d[1]) << 1;
    v[0] = ((d[0] - d[2]) << 2) + c;
    v[1] = a + b;
    v[2] = a - b;
    v[3] = c + e;
    v[4] = c - e;
    v[5] = d[5] - d[3] - (e << 1);
  } else if (tile == 3) {
    const values a = d[3] - d[1];
    v[0] = ((d[0] - d[2]) << 1) + a;
    v[1] = d[1] + d[2] - a;
    v[2] = 3 * (d[2] - d[1]) - a;
    v[3] = a;
    v[4] = d[4] - d[2] - (a << 1);
  } else if (tile == 2) {
    v[0] = d[0] - d[2];
    v[1] = 3 * (d[1] + d[2]);
    v[2] = 3 * (d[2] - d[1]);
    v[3] = d[3] - d[1];
  } else if (tile == 1) {
    v[0] = d[0] - d[1];
    v[1] = 6 * d[1];
    v[2] = d[2] - d[1];
  } else {
    v[0] = d[0];
  }
}

// GROUP: tiles whose columns are transformed together, so that a column shared by two tiles is transformed once.
enum { GROUP = 4, COLUMNS = GROUP * TVMQ_WINOGRAD_OUTPUTS + TVMQ_WINOGRAD_POINTS - TVMQ_WINOGRAD_OUTPUTS };

typedef values row[COLUMNS];

TVMQ_INLINE values load(const void *pixel, bytes flip) {
  bytes b;
  memcpy(&b, pixel, sizeof b);
  return WIDEN(b ^ flip);
}

// Transforms LANES channels, from `first` on, of n_columns columns.
TVMQ_INLINE void transform_columns(const void *const *pixels, size_t pixels_stride, size_t n_columns, size_t first, bytes flip, row *rows, size_t tile_h) {
  for (size_t x = 0; x < n_columns; x++, pixels++) {
    values d[TVMQ_WINOGRAD_POINTS], v[TVMQ_WINOGRAD_POINTS];
    UNROLL for (size_t y = 0; y < tvmq_winograd_points(tile_h); y++) d[y] = load((const char *)pixels[y * pixels_stride] + first, flip);
    transform(d, v, tile_h);
    UNROLL for (size_t i = 0; i < tvmq_winograd_points(tile_h); i++) rows[i][x] = v[i];
  }
}

// Transforms the rows of the tile whose first column is x.
TVMQ_INLINE void transform_rows(const row *rows, size_t x, size_t tile_h, int16_t *out, size_t point_stride, size_t tile_w) {
  const size_t row_stride = tvmq_winograd_all_points(tile_w) * point_stride;
  for (size_t i = 0; i < tvmq_winograd_points(tile_h); i++) {
    values v[TVMQ_WINOGRAD_POINTS];
    transform(rows[i] + x, v, tile_w);
    UNROLL for (size_t j = 0; j < tvmq_winograd_points(tile_w); j++) memcpy(out + tvmq_winograd_point(tile_w, j) * point_stride, &v[j], sizeof v[j]);
    out += (tvmq_winograd_point(tile_h, i + 1) - i) * row_stride;
  }
}

// Transforms LANES channels of a group of tiles.
TVMQ_INLINE void transform_group(const struct tvmq_winograd_input_args *args, size_t tile, size_t first) {
  const size_t step = tvmq_winograd_outputs(args->tile_w), n_tiles = args->n_tiles - tile < GROUP ? args->n_tiles - tile : GROUP;
  const size_t n_columns = n_tiles * step + tvmq_winograd_points(args->tile_w) - step;
  const bytes flip = (bytes){0} + (int8_t)args->in_flip;
  row rows[TVMQ_WINOGRAD_POINTS];
  TVMQ_FOR_TILE(args->tile_h, transform_columns, args->pixels + tile * step, args->pixels_stride, n_columns, first, flip, rows);
  for (size_t i = 0; i < n_tiles; i++)
    TVMQ_FOR_TILE(args->tile_w, transform_rows, rows, i * step, args->tile_h, args->values + (tile + i) * args->tile_stride + first, args->point_stride);
}

void SYMBOL(const struct tvmq_winograd_input_args *args) {
  const struct tvmq_winograd_input_args copy = *args;  // copied, because the compiler must assume that stores change *args
  assert(copy.channels >= LANES);
  for (size_t tile = 0; tile < copy.n_tiles; tile += GROUP) {
    for (size_t c = 0; c < copy.channels; c += LANES) transform_group(&copy, tile, copy.channels - c < LANES ? copy.channels - LANES : c);
  }
}
