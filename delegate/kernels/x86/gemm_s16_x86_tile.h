// Body of the 16x8 gemm kernels on x86; the includer defines
//   ROWS                           rows of a tile
//   multiply_add(acc, x, w)        adds the dot products of two int16 in each 32-bit lane, modulo 2^32
//
// Tile: ROWS x two vectors of channels. Reads: each row four bytes at a time, broadcast; one group of channels x 2
// weights of int16. k is a multiple of 2.
// Hazards: an int16 times an int8 is at most 2^22, so MOST_DEPTHS products fit int32 together with a row term (gemm.h).
// For an int64 bias, sums are multiplied in the output stage after every MOST_DEPTHS depths, and added up there.
#include <stdbool.h>
#include <string.h>

enum { VECTORS = 2, VECTOR_VALUES = sizeof(vec) / sizeof(int32_t), CHANNELS = VECTORS * VECTOR_VALUES, STEP = 2, MOST_DEPTHS = 510 };

// The arrays after the biases of a panel.
struct panel {
  const int16_t *weights;
  const int32_t *multiplier, *shift;
};

TVMQ_INLINE struct panel panel_after(const struct tvmq_gemm_args *args, size_t bias_bytes) {
  const int16_t *const weights = (const int16_t *)((const char *)args->panel + bias_bytes);
  const int32_t *const multiplier = (const int32_t *)(weights + args->n_taps * args->k * CHANNELS);
  return (struct panel){weights, multiplier, multiplier + CHANNELS};
}

// Adds the products of `n` depths of a tap, from depth `k` on.
TVMQ_INLINE void multiply(const void *const *rows, size_t k, size_t n, const int16_t *weights, vec acc[ROWS][VECTORS]) {
  const int16_t *x[ROWS];
  UNROLL for (int m = 0; m < ROWS; m++) x[m] = (const int16_t *)rows[m] + k;
  for (size_t i = 0; i < n; i += STEP, weights += STEP * CHANNELS) {
    const vec w0 = vec_load(weights), w1 = vec_load(weights + STEP * VECTOR_VALUES);
    UNROLL for (int m = 0; m < ROWS; m++) {
      int32_t pair;
      memcpy(&pair, x[m] + i, sizeof pair);
      const vec row = MM(set1_epi32)(pair);
      acc[m][0] = multiply_add(acc[m][0], row, w0);
      acc[m][1] = multiply_add(acc[m][1], row, w1);
    }
  }
}

TVMQ_INLINE void set_rows(const int32_t *terms, vec acc[ROWS][VECTORS]) {
  UNROLL for (int m = 0; m < ROWS; m++) { UNROLL for (int v = 0; v < VECTORS; v++) acc[m][v] = MM(set1_epi32)(terms[m]); }
}

// ---- int64 bias

typedef struct tvmq_s64_sum sums[ROWS][VECTORS];

// Output stage of int64 sums; in_float64 is a compile-time constant and selects the member.
struct wide_stage {
  bool in_float64;
  struct tvmq_s64_stage s64[VECTORS];
  struct tvmq_float64_stage float64[VECTORS];
};

TVMQ_INLINE struct wide_stage wide_stage_make(bool in_float64, const struct tvmq_stage *stage, const int64_t *bias, const struct panel *panel) {
  struct wide_stage wide = {.in_float64 = in_float64};
  UNROLL for (int v = 0, c = 0; v < VECTORS; v++, c += VECTOR_VALUES) {
    if (in_float64)
      wide.float64[v] = tvmq_float64_stage_make(bias + c, panel->multiplier + c, panel->shift + c);
    else
      wide.s64[v] = tvmq_s64_stage_make(stage, bias + c, panel->multiplier + c, panel->shift + c);
  }
  return wide;
}

TVMQ_INLINE struct tvmq_s64_sum first_sum(const struct wide_stage *wide, int v) {
  return wide->in_float64 ? wide->float64[v].first : tvmq_s64_first(&wide->s64[v]);
}

TVMQ_INLINE vec wide_value(const struct wide_stage *wide, const struct tvmq_stage *stage, int v, const struct tvmq_s64_sum *sum) {
  return wide->in_float64 ? tvmq_float64_value(stage, &wide->float64[v], sum) : tvmq_s64_value(&wide->s64[v], sum);
}

TVMQ_INLINE void add_parts(const struct wide_stage *wide, vec acc[ROWS][VECTORS], sums sum) {
  UNROLL for (int m = 0; m < ROWS; m++) {
    UNROLL for (int v = 0; v < VECTORS; v++) {
      if (wide->in_float64)
        tvmq_float64_add(acc[m][v], &sum[m][v]);
      else
        tvmq_s64_add(&wide->s64[v], acc[m][v], &sum[m][v]);
    }
  }
}

TVMQ_INLINE void gemm_wide(const struct tvmq_gemm_args *args, bool in_float64) {
  static const int32_t zeros[ROWS];
  const int64_t *const bias = args->panel;
  const struct panel panel = panel_after(args, CHANNELS * sizeof *bias);
  const struct tvmq_stage stage = *args->stage;
  const struct wide_stage wide = wide_stage_make(in_float64, &stage, bias, &panel);

  const void *const *rows = args->rows;
  char *out = args->out;
  for (size_t tile = 0; tile < args->row_tiles; tile++) {
    sums sum;
    vec acc[ROWS][VECTORS];
    UNROLL for (int m = 0; m < ROWS; m++) { UNROLL for (int v = 0; v < VECTORS; v++) sum[m][v] = first_sum(&wide, v); }
    set_rows(args->row_terms + tile * ROWS, acc);
    const int16_t *weights = panel.weights;
    size_t room = MOST_DEPTHS;  // depths whose products still fit int32
    for (size_t t = 0; t < args->n_taps; t++, rows += ROWS) {
      for (size_t k = 0, n; k < args->k; k += n, room -= n, weights += n * CHANNELS) {
        if (room == 0) {
          add_parts(&wide, acc, sum);
          set_rows(zeros, acc);
          room = MOST_DEPTHS;
        }
        n = args->k - k < room ? args->k - k : room;
        multiply(rows, k, n, weights, acc);
      }
    }
    add_parts(&wide, acc, sum);
    UNROLL for (int m = 0; m < ROWS; m++, out += args->out_stride) {
      vec_store(out, tvmq_pack_s16(&stage, wide_value(&wide, &stage, 0, &sum[m][0]), wide_value(&wide, &stage, 1, &sum[m][1])));
    }
  }
}

TVMQ_INLINE void gemm_s64(const struct tvmq_gemm_args *args) {
  if (args->stage->in_float64)
    gemm_wide(args, true);
  else
    gemm_wide(args, false);
}

// ---- int32 bias

TVMQ_INLINE void gemm_s32(const struct tvmq_gemm_args *args, enum tvmq_path path) {
  const int32_t *const bias = args->panel;
  const struct panel panel = panel_after(args, CHANNELS * sizeof *bias);
  const struct tvmq_stage stage = *args->stage;
  struct tvmq_short_stage short_stage[VECTORS];
  vec first[VECTORS];
  UNROLL for (int v = 0, c = 0; v < VECTORS; v++, c += VECTOR_VALUES) {
    first[v] = tvmq_short_bias(path, vec_load(bias + c));
    if (path != TVMQ_PATH_LONG) short_stage[v] = tvmq_short_stage_make(&stage, path, vec_load(panel.multiplier + c), vec_load(panel.shift + c));
  }

  const void *const *rows = args->rows;
  char *out = args->out;
  for (size_t tile = 0; tile < args->row_tiles; tile++) {
    vec acc[ROWS][VECTORS];
    set_rows(args->row_terms + tile * ROWS, acc);
    UNROLL for (int m = 0; m < ROWS; m++) { UNROLL for (int v = 0; v < VECTORS; v++) acc[m][v] = MM(add_epi32)(acc[m][v], first[v]); }
    const int16_t *weights = panel.weights;
    for (size_t t = 0; t < args->n_taps; t++, rows += ROWS, weights += args->k * CHANNELS) multiply(rows, 0, args->k, weights, acc);
    UNROLL for (int m = 0; m < ROWS; m++, out += args->out_stride) {
      vec value[VECTORS];
      UNROLL for (int v = 0, c = 0; v < VECTORS; v++, c += VECTOR_VALUES) {
        value[v] = path != TVMQ_PATH_LONG ? tvmq_short_rescale(&short_stage[v], path, acc[m][v])
                                          : tvmq_long_rescale(&stage, acc[m][v], vec_load(panel.multiplier + c), vec_load(panel.shift + c));
      }
      vec_store(out, tvmq_pack_s16(&stage, value[0], value[1]));
    }
  }
}
