// Body of the kernels that compute the outputs of Winograd tiles, in the compiler's vectors. The includer defines
//   LANES              channels per vector
//   struct finisher    constants of the output stage for LANES channels
//   PATH_SUMS          the path without output stage, which stores sums
// and afterwards make_finisher and finish for the other paths, and kernels that call finish_tiles.
//
// Columns of points are transformed first, into memory that stays in the first level of cache; then each row.
// Registers: at most six sums and four outputs, of one line at a time.
#include <string.h>

#include "base/inline.h"
#include "kernels/kernel.h"
#include "kernels/winograd.h"

typedef uint32_t sums __attribute__((vector_size(4 * LANES)));
typedef int32_t signed_sums __attribute__((vector_size(4 * LANES)));

// Returns the finisher of the channels from n on.
TVMQ_INLINE struct finisher make_finisher(const struct tvmq_winograd_output_args *args, size_t n, int path);
// Adds the bias, applies the output stage, and stores `count` <= 4 adjacent pixels.
TVMQ_INLINE void finish(const struct tvmq_winograd_output_args *args, const struct finisher *finisher, int path, const sums *acc, size_t count, uint8_t *out);

// Computes A m: tile + 2 sums (one without taps) to `tile` outputs (one).
TVMQ_INLINE void transform(const sums *m, sums *y, size_t tile) {
  if (tile == 4) {
    const sums p = m[1] + m[2], q = m[1] - m[2], r = m[3] + m[4], s = m[3] - m[4];
    y[0] = m[0] + (p << 2) + r;
    y[1] = (q << 1) + s;
    y[2] = p + r;
    y[3] = q + (s << 1) + m[5];
  } else if (tile == 3) {
    const sums p = 3 * m[1] + (m[3] << 1);
    y[0] = m[0] + 3 * (m[1] << 1) + ((m[2] + m[3]) << 1);
    y[1] = p - m[2];
    y[2] = p + m[2] + (m[3] << 1) + m[4];
  } else if (tile == 2) {
    y[0] = m[0] + m[1] + m[2];
    y[1] = m[1] - m[2] + m[3];
  } else if (tile == 1) {
    y[0] = m[0] + m[1] + m[2];
  } else {
    y[0] = m[0];
  }
}

struct half_done {
  sums rows[TVMQ_WINOGRAD_OUTPUTS][TVMQ_WINOGRAD_POINTS];  // [output down][point across]
};

// Transforms the columns of the tile whose sums at point 0 are `column`. All rows are multiplied up to the power of two
// of the first row, which is the greatest, so that one shift serves all rows.
TVMQ_INLINE void transform_columns(const int32_t *column, size_t tile_w, size_t point_stride, struct half_done *half, size_t tile_h) {
  const size_t row_stride = tvmq_winograd_all_points(tile_w) * point_stride;
  for (size_t j = 0; j < tvmq_winograd_points(tile_w); j++) {
    sums m[TVMQ_WINOGRAD_POINTS], y[TVMQ_WINOGRAD_OUTPUTS];
    UNROLL for (size_t i = 0; i < tvmq_winograd_points(tile_h); i++) memcpy(&m[i], column + tvmq_winograd_point(tile_h, i) * row_stride, sizeof m[i]);
    transform(m, y, tile_h);
    UNROLL for (size_t a = 0; a < tvmq_winograd_outputs(tile_h); a++) {
      half->rows[a][j] = y[a] << (tvmq_winograd_shift(tile_h, 0) - tvmq_winograd_shift(tile_h, a));
    }
    column += (tvmq_winograd_point(tile_w, j + 1) - j) * point_stride;
  }
}

// Adds the bias, and stores `count` adjacent pixels as sums.
TVMQ_INLINE void store_sums(const struct tvmq_winograd_output_args *args, sums bias, const sums *acc, size_t count, uint8_t *out) {
  UNROLL for (size_t i = 0; i < count; i++) {
    const sums sum = acc[i] + bias;
    memcpy(out + i * args->out_col_stride, &sum, sizeof sum);
  }
}

TVMQ_INLINE void finish_rows(const struct tvmq_winograd_output_args *args, const struct half_done *half, const struct finisher *finisher, sums bias, int path,
                             uint8_t *out, size_t tile_w) {
  const uint32_t inverse = tvmq_winograd_inverse(args->tile_h, tile_w);
  const int shift = tvmq_winograd_shift(args->tile_h, 0);
  for (size_t a = 0; a < tvmq_winograd_outputs(args->tile_h); a++, out += args->out_row_stride) {
    sums y[TVMQ_WINOGRAD_OUTPUTS];
    transform(half->rows[a], y, tile_w);
    UNROLL for (size_t b = 0; b < tvmq_winograd_outputs(tile_w); b++) y[b] = (sums)((signed_sums)(y[b] * inverse) >> (shift + tvmq_winograd_shift(tile_w, b)));
    if (path == PATH_SUMS)
      store_sums(args, bias, y, tvmq_winograd_outputs(tile_w), out);
    else
      finish(args, finisher, path, y, tvmq_winograd_outputs(tile_w), out);
  }
}

TVMQ_INLINE void finish_tiles(const struct tvmq_winograd_output_args *call, int path) {
  const struct tvmq_winograd_output_args copy = *call, *args = &copy;  // copied, because the compiler must assume that stores change *call
  const size_t step = tvmq_winograd_outputs(args->tile_w) * args->out_col_stride;
  for (size_t n = 0; n < args->n; n += LANES) {
    sums bias = {0};
    struct finisher finisher = {0};
    if (path == PATH_SUMS)
      memcpy(&bias, args->bias + n, sizeof bias);
    else
      finisher = make_finisher(args, n, path);
    for (size_t i = 0; i < args->n_tiles; i++) {
      struct half_done half;
      TVMQ_FOR_TILE(args->tile_h, transform_columns, args->sums + i * args->tile_stride + n, args->tile_w, args->point_stride, &half);
      TVMQ_FOR_TILE(args->tile_w, finish_rows, args, &half, &finisher, bias, path, (uint8_t *)args->out + i * step + n * tvmq_stored_bytes(args->stage));
    }
  }
}
