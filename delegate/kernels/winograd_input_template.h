// Body of the kernels that transform the inputs of Winograd tiles, in the compiler's vectors; a file includes it with
//   SYMBOL, LANES    name, and channels at a time
//
// Reads: LANES bytes of each pixel. The last vector of channels overlaps the one before; fewer channels than lanes are copied one by one.
// Columns are transformed first, each once for the two tiles that may share it, into memory that stays in the first level of cache; then each row of points.
// Registers: at most six inputs and six values, of one line at a time.
#include <string.h>

#include "inline.h"
#include "kernel.h"
#include "winograd.h"

typedef int16_t values __attribute__((vector_size(2 * LANES)));
typedef int8_t bytes __attribute__((vector_size(LANES)));

// d -> B d, both of them tile + 2 vectors (one without taps).
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

// One vector of channels of a line of tiles.
struct line {
  const struct tvmq_winograd_input_args *args;
  size_t first;                                               // channel
  values points[TVMQ_WINOGRAD_POINTS][TVMQ_WINOGRAD_POINTS];  // of a tile: [column][point down]
};

// `n` channels: LANES, which a compiler must see to be so, or all if they are fewer.
TVMQ_INLINE values load(const void *pixel, size_t n, bytes flip) {
  bytes b = {0};
  memcpy(&b, pixel, n);
  return __builtin_convertvector(b ^ flip, values);
}

// Columns [first, end) of the tile whose inputs begin at `pixels`.
TVMQ_INLINE void transform_columns(struct line *line, size_t n, const void *const *pixels, size_t first, size_t end, size_t tile_h) {
  const bytes flip = (bytes){0} + (int8_t)line->args->in_flip;
  for (size_t x = first; x < end; x++) {
    values d[TVMQ_WINOGRAD_POINTS];
    UNROLL for (size_t y = 0; y < tvmq_winograd_points(tile_h); y++) {
      d[y] = load((const char *)pixels[y * line->args->pixels_stride + x] + line->first, n, flip);
    }
    transform(d, line->points[x], tile_h);
  }
}

TVMQ_INLINE void transform_rows(const struct line *line, size_t n, int16_t *out, size_t tile_w) {
  const struct tvmq_winograd_input_args *args = line->args;
  const size_t n_points = tvmq_winograd_points(tile_w);
  for (size_t i = 0; i < tvmq_winograd_points(args->tile_h); i++) {
    values d[TVMQ_WINOGRAD_POINTS], v[TVMQ_WINOGRAD_POINTS];
    UNROLL for (size_t x = 0; x < n_points; x++) d[x] = line->points[x][i];
    transform(d, v, tile_w);
    int16_t *row = out + tvmq_winograd_point(args->tile_h, i) * tvmq_winograd_all_points(tile_w) * args->point_stride;
    UNROLL for (size_t j = 0; j < n_points; j++) memcpy(row + tvmq_winograd_point(tile_w, j) * args->point_stride, &v[j], n * sizeof(int16_t));
  }
}

TVMQ_INLINE void transform_line(const struct tvmq_winograd_input_args *args, size_t first, size_t n) {
  const size_t step = tvmq_winograd_outputs(args->tile_w), n_columns = tvmq_winograd_points(args->tile_w), shared = n_columns - step;
  struct line line;
  line.args = args;
  line.first = first;
  for (size_t i = 0; i < args->n_tiles; i++) {
    if (i > 0) memmove(line.points[0], line.points[step], shared * sizeof line.points[0]);
    TVMQ_FOR_TILE(args->tile_h, transform_columns, &line, n, args->pixels + i * step, i > 0 ? shared : 0, n_columns);
    TVMQ_FOR_TILE(args->tile_w, transform_rows, &line, n, args->values + i * args->tile_stride + first);
  }
}

void SYMBOL(const struct tvmq_winograd_input_args *args) {
  if (args->channels < LANES) {
    transform_line(args, 0, args->channels);
    return;
  }
  for (size_t c = 0; c < args->channels; c += LANES) transform_line(args, args->channels - c < LANES ? args->channels - LANES : c, LANES);
}
