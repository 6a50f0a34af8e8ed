// Winograd transforms and the gemms between them. Inputs are compared with the tables' matrices, gemms with dot products; outputs with plain convolutions,
// whose weights and inputs are taken to the points by the tables.
#include <stdio.h>
#include <string.h>

#include "base/arith.h"
#include "bench.h"
#include "layer.h"
#include "support/oracle.h"
#include "winograd_tables.h"

enum { MAX_TILES = 3, MAX_CHANNELS = 100, MAX_INPUTS = 4 * MAX_TILES + 2, POINTS = TABLE_POINTS * TABLE_POINTS };

// ---- input

// B d B^T at one point, modulo 2^32.
static int32_t input_at(const struct table *h, const struct table *w, size_t point, int32_t d[TABLE_POINTS][TABLE_POINTS]) {
  const int32_t *down = h->b[point / table_points(w)], *across = w->b[point % table_points(w)];
  uint32_t sum = 0;
  for (size_t y = 0; y < h->inputs; y++) {
    for (size_t x = 0; x < w->inputs; x++) sum += (uint32_t)(down[y] * across[x]) * (uint32_t)d[y][x];
  }
  return (int32_t)sum;
}

static void check_input_tiles(const struct tvmq_variant *variant, size_t tile_h, size_t tile_w, size_t channels) {
  static struct guard pool, table, values;
  static uint8_t background[1 << 17];
  if (!pool.first) {
    pool = guard_create(LAYER_POOL, MAX_CHANNELS, GUARD_READ_ONLY);
    table = guard_create(1, 6 * (MAX_INPUTS + 8) * sizeof(void *), GUARD_READ_ONLY);
    values = guard_create(1, sizeof background, GUARD_READ_WRITE);
    check_random_bytes(background, sizeof background);
  }
  const struct table *h = &tables[tile_h], *w = &tables[tile_w];
  const enum guard_side side = check_one_in(2) ? GUARD_START : GUARD_END;
  const size_t n_tiles = 1 + check_below(MAX_TILES), columns = (n_tiles - 1) * w->outputs + w->inputs, stride = columns + check_below(8);
  const size_t n_points = table_points(h) * table_points(w), n_pointers = (h->inputs - 1) * stride + columns;
  const void **pixels = guard_at(&table, 0, n_pointers * sizeof *pixels, side), **written = guard_writable(&table, pixels);
  const uint32_t extreme = check_below(3);
  for (size_t i = 0; i < LAYER_POOL; i++) {
    uint8_t *pixel = guard_writable(&pool, guard_at(&pool, i, channels, side));
    check_random_bytes(pixel, channels);
    for (size_t c = 0; extreme == 1 && c < channels; c++) pixel[c] = check_one_in(2) ? 0x80 : 0x7f;
  }
  for (size_t i = 0; i < n_pointers; i++) written[i] = guard_at(&pool, check_below(LAYER_POOL), channels, side);

  struct tvmq_winograd_input_args args = {
      .pixels = pixels,
      .pixels_stride = stride,
      .n_tiles = n_tiles,
      .tile_h = tile_h,
      .tile_w = tile_w,
      .channels = channels,
      .tile_stride = channels + (check_one_in(2) ? 0 : check_below(40)),
      .in_flip = check_one_in(2) ? 0x80 : 0,
  };
  args.point_stride = args.tile_stride * n_tiles + check_below(40);
  const size_t bytes = ((n_points - 1) * args.point_stride + (n_tiles - 1) * args.tile_stride + channels) * sizeof(int16_t);
  args.values = guard_at(&values, 0, bytes, side);
  uint8_t *slot = guard_slot(&values, 0);
  memcpy(slot, background, sizeof background);
  check_case("tiles %zu of %zu x %zu, channels %zu, pixels_stride %zu, strides %zu %zu, flip %#x", n_tiles, tile_h, tile_w, channels, stride, args.tile_stride,
             args.point_stride, args.in_flip);
  CHECK_CALL(variant->fn.winograd_input, &args);

  static uint8_t expected[sizeof background];
  memcpy(expected, background, sizeof background);
  for (size_t p = 0; p < n_points; p++) {
    if (!table_has(h, p / table_points(w)) || !table_has(w, p % table_points(w))) continue;
    for (size_t i = 0; i < n_tiles; i++) {
      for (size_t c = 0; c < channels; c++) {
        int32_t d[TABLE_POINTS][TABLE_POINTS];
        for (size_t y = 0; y < h->inputs; y++) {
          for (size_t x = 0; x < w->inputs; x++) d[y][x] = (int8_t)(((const uint8_t *)pixels[y * stride + i * w->outputs + x])[c] ^ args.in_flip);
        }
        const int16_t *value = args.values + p * args.point_stride + i * args.tile_stride + c, wanted = (int16_t)input_at(h, w, p, d);
        if (*value != wanted) check_fail("tile %zu, point %zu, channel %zu: got %d, want %d", i, p, c, *value, wanted);
        memcpy(expected + ((const uint8_t *)value - slot), &wanted, sizeof wanted);
      }
    }
  }
  if (memcmp(slot, expected, sizeof expected) != 0) check_fail("something that is no value was written");
}

static void check_input(const struct tvmq_variant *variant) {
  const size_t lanes = variant->layout.nr;
  for (size_t tile_h = 0; tile_h < N_TABLES; tile_h++) {
    for (size_t tile_w = 0; tile_w < N_TABLES; tile_w++) {
      for (size_t i = 0; i < (check_quick ? 4 : 24); i++) check_input_tiles(variant, tile_h, tile_w, (size_t)check_between((int64_t)lanes, MAX_CHANNELS));
      check_input_tiles(variant, tile_h, tile_w, lanes);
      check_input_tiles(variant, tile_h, tile_w, tvmq_min(2 * lanes + 1, MAX_CHANNELS));
    }
  }
}

// ---- gemm

enum { MAX_ROWS = 48, MAX_K = 300 };

static void check_gemm_rows(const struct tvmq_variant *variant, size_t n_rows, size_t k, bool extreme) {
  static struct guard values, weights, sums;
  static uint8_t background[1 << 14];
  if (!values.first) {
    values = guard_create(1, MAX_ROWS * (MAX_K + 40) * sizeof(int16_t), GUARD_READ_ONLY);
    weights = guard_create(1, MAX_K * 64 * sizeof(int16_t), GUARD_READ_ONLY);
    sums = guard_create(1, sizeof background, GUARD_READ_WRITE);
    check_random_bytes(background, sizeof background);
  }
  const enum guard_side side = check_one_in(2) ? GUARD_START : GUARD_END;
  const size_t nr = variant->layout.nr, kr = variant->layout.kr;
  struct tvmq_winograd_gemm_args args = {.values_stride = k + (check_one_in(2) ? 0 : 2 * check_below(20)), .n_rows = n_rows, .k = k};
  args.values = guard_at(&values, 0, ((n_rows - 1) * args.values_stride + k) * sizeof(int16_t), side);
  // Weights lie 64-byte aligned in their panel.
  const size_t weight_bytes = (k * nr * sizeof(int16_t) + 63) / 64 * 64;
  args.weights = guard_at(&weights, 0, weight_bytes, side);
  args.sums = guard_at(&sums, 0, n_rows * nr * sizeof(int32_t), side);
  // Operands reach the most that the transforms give; extremes all of one sign leave int32.
  int16_t *v = guard_writable(&values, args.values), *u = guard_writable(&weights, args.weights);
  for (size_t m = 0; m < n_rows; m++) {
    for (size_t i = 0; i < k; i++) v[m * args.values_stride + i] = (int16_t)(extreme ? (m % 2 ? -12800 : 12800) : check_between(-12800, 12800));
  }
  for (size_t i = 0; i < k * nr; i++) u[i] = (int16_t)(extreme ? 12495 : check_between(-12495, 12495));

  uint8_t *slot = guard_slot(&sums, 0);
  memcpy(slot, background, sizeof background);
  check_case("rows %zu, k %zu, values_stride %zu%s", n_rows, k, args.values_stride, extreme ? ", extreme" : "");
  CHECK_CALL(variant->fn.winograd_gemm, &args);
  for (size_t m = 0; m < n_rows; m++) {
    for (size_t n = 0; n < nr; n++) {
      int32_t x[MAX_K], w[MAX_K];
      for (size_t i = 0; i < k; i++) {
        x[i] = args.values[m * args.values_stride + i];
        w[i] = args.weights[i / kr * kr * nr + n * kr + i % kr];
      }
      const int32_t wanted = oracle_wrap(oracle_dot(x, w, k)), got = args.sums[m * nr + n];
      if (got != wanted) check_fail("row %zu, channel %zu: got %d, want %d", m, n, got, wanted);
    }
  }
  const size_t at = (size_t)((uint8_t *)args.sums - slot);
  memcpy(slot + at, background + at, n_rows * nr * sizeof(int32_t));
  if (memcmp(slot, background, sizeof background) != 0) check_fail("bytes outside the sums were written");
}

static void check_gemm_point(const struct tvmq_variant *variant) {
  const size_t mr = variant->mr, ku = variant->layout.ku;
  for (size_t rows = mr; rows <= MAX_ROWS; rows += mr) {
    for (size_t k = ku; k <= 4 * ku; k += ku) check_gemm_rows(variant, rows, k, check_one_in(4));
    check_gemm_rows(variant, rows, (1 + check_below((uint32_t)(MAX_K / ku))) * ku, false);
    check_gemm_rows(variant, rows, MAX_K / ku * ku, true);
  }
}

// ---- output

static int64_t conv(const int32_t g[3][3], int32_t d[TABLE_POINTS][TABLE_POINTS], size_t taps_h, size_t taps_w, size_t y, size_t x) {
  int64_t sum = 0;
  for (size_t i = 0; i < taps_h; i++) {
    for (size_t j = 0; j < taps_w; j++) sum += (int64_t)g[i][j] * d[y + i][x + j];
  }
  return sum;
}

// G g G^T at one point.
static int32_t weight_at(const struct table *h, const struct table *w, size_t point, const int32_t g[3][3]) {
  int32_t sum = 0;
  for (size_t i = 0; i < (h->inputs > 1 ? 3 : 1); i++) {
    for (size_t j = 0; j < (w->inputs > 1 ? 3 : 1); j++)
      sum += (h->inputs > 1 ? table_g[point / table_points(w)][i] : 1) * (w->inputs > 1 ? table_g[point % table_points(w)][j] : 1) * g[i][j];
  }
  return sum;
}

static void check_output_tiles(const struct tvmq_variant *variant, size_t tile_h, size_t tile_w) {
  enum { MAX_N = 64, DEPTHS = 4 };
  static struct guard points, params;
  if (!points.first) {
    points = guard_create(1, POINTS * MAX_TILES * (MAX_N + 40) * sizeof(int32_t), GUARD_READ_ONLY);
    params = guard_create(3, MAX_N * sizeof(int32_t), GUARD_READ_ONLY);
  }
  const struct table *h = &tables[tile_h], *w = &tables[tile_w];
  const enum guard_side side = check_one_in(2) ? GUARD_START : GUARD_END;
  struct tvmq_variant whole = *variant;  // all blocks of channels of the call at once
  const size_t most = MAX_N / variant->layout.nr, blocks = 1 + check_below(most < 3 ? (uint32_t)most : 3), n = blocks * variant->layout.nr;
  whole.layout.nr = (uint8_t)n;
  whole.layout.acc_bytes = 4;
  const size_t n_tiles = 1 + check_below(MAX_TILES), n_points = table_points(h) * table_points(w);
  const size_t taps_h = h->inputs > 1 ? 3 : 1, taps_w = w->inputs > 1 ? 3 : 1;

  struct layer layer;
  layer_draw(&layer, &whole, n, 1, 1, true);
  layer.n_rows = h->outputs;
  layer.n_cols = n_tiles * w->outputs;
  layer.col_stride = (n + (check_one_in(2) ? 0 : check_below(40))) * layer.stored;
  layer.row_stride = layer.n_cols * layer.col_stride + (check_one_in(2) ? 0 : check_below(40)) * layer.stored;
  const size_t tile_stride = n + (check_one_in(2) ? 0 : check_below(40)), point_stride = n_tiles * tile_stride;
  const int32_t *sums = guard_at(&points, 0, n_points * point_stride * sizeof(int32_t), side);
  int32_t *written = guard_writable(&points, sums);
  // Sums of a few large products; small ones, so that scales near one do not saturate; and, by one more product, all that is exact up to its ends.
  const int32_t largest = check_one_in(3) ? 3 : check_one_in(2) ? 127 : 2000;
  const size_t n_products = DEPTHS + check_one_in(3);
  const int64_t end = INT64_C(1) << (h->inputs > 1 && w->inputs > 1 ? 25 : 28);
  for (size_t i = 0; i < n_tiles; i++) {
    for (size_t c = 0; c < n; c++) {
      int64_t total[4][4] = {0};
      uint32_t at[POINTS] = {0};
      for (size_t k = 0; k < n_products; k++) {
        int32_t g[3][3], d[TABLE_POINTS][TABLE_POINTS];
        for (size_t j = 0; j < 9; j++) g[j / 3][j % 3] = (int32_t)check_between(-largest, largest);
        for (size_t j = 0; j < POINTS; j++) d[j / TABLE_POINTS][j % TABLE_POINTS] = (int32_t)check_between(-largest / 4, largest / 4);
        if (k == DEPTHS) {  // a single tap takes each output where it is to be
          memset(g, 0, sizeof g);
          g[0][0] = 1;
          for (size_t o = 0; o < h->outputs * w->outputs; o++) {
            const int64_t wanted = check_one_in(2) ? check_between(-end, end - 1) : check_one_in(2) ? -end : end - 1;
            d[o / w->outputs][o % w->outputs] = (int32_t)(wanted - total[o / w->outputs][o % w->outputs]);
          }
        }
        for (size_t p = 0; p < n_points; p++) at[p] += (uint32_t)weight_at(h, w, p, g) * (uint32_t)input_at(h, w, p, d);
        for (size_t o = 0; o < h->outputs * w->outputs; o++)
          total[o / w->outputs][o % w->outputs] += conv(g, d, taps_h, taps_w, o / w->outputs, o % w->outputs);
      }
      for (size_t o = 0; o < h->outputs * w->outputs; o++)
        layer.sums[(o / w->outputs * layer.n_cols + i * w->outputs + o % w->outputs) * n + c] = total[o / w->outputs][o % w->outputs];
      for (size_t p = 0; p < n_points; p++) {
        const bool has = table_has(h, p / table_points(w)) && table_has(w, p % table_points(w));
        written[p * point_stride + i * tile_stride + c] = has ? (int32_t)at[p] : (int32_t)check_random();
      }
    }
  }
  layer_draw_stage(&layer);
  const int32_t *bias = guard_at(&params, 0, n * 4, side), *multiplier = guard_at(&params, 1, n * 4, side), *shift = guard_at(&params, 2, n * 4, side);
  for (size_t c = 0; c < n; c++) {
    ((int32_t *)guard_writable(&params, bias))[c] = (int32_t)(uint32_t)layer.params[c].bias;
    ((int32_t *)guard_writable(&params, multiplier))[c] = layer.params[c].multiplier;
    ((int32_t *)guard_writable(&params, shift))[c] = layer.params[c].shift;
  }
  const struct tvmq_winograd_output_args args = {
      .sums = sums,
      .tile_stride = tile_stride,
      .point_stride = point_stride,
      .n_tiles = n_tiles,
      .tile_h = tile_h,
      .tile_w = tile_w,
      .n = n,
      .bias = bias,
      .multiplier = multiplier,
      .shift = shift,
      .out = layer_out(&layer, side),
      .out_col_stride = layer.col_stride,
      .out_row_stride = layer.row_stride,
      .stage = &layer.stage,
  };
  check_case("tiles %zu of %zu x %zu, tile_stride %zu, out strides %zu %zu, %s", n_tiles, tile_h, tile_w, tile_stride, layer.col_stride, layer.row_stride,
             layer_text(&layer));
  CHECK_CALL(variant->fn.winograd_output, &args);
  layer_compare(&layer);
}

static void check_output(const struct tvmq_variant *variant) {
  for (size_t i = 0; i < (check_quick ? 8 : 120); i++) {
    for (size_t tile_h = 0; tile_h < N_TABLES; tile_h++) {
      for (size_t tile_w = 0; tile_w < N_TABLES; tile_w++) check_output_tiles(variant, tile_h, tile_w);
    }
  }
}

// ---- bench

struct problem {
  const struct tvmq_variant *variant;
  union {
    struct tvmq_winograd_input_args input;
    struct tvmq_winograd_gemm_args gemm;
    struct tvmq_winograd_output_args output;
  } args;
};

enum { BENCH_TILES = 16, BENCH_CHANNELS = 128, BENCH_STRIDE = BENCH_TILES * BENCH_CHANNELS + 32, BENCH_VALUES = POINTS * BENCH_STRIDE };
static _Alignas(64) union {
  int16_t s16[BENCH_VALUES];
  int32_t s32[BENCH_VALUES];
} bench_in, bench_out;

static void run_input(void *context) {
  const struct problem *p = context;
  p->variant->fn.winograd_input(&p->args.input);
}

static void bench_input(const struct tvmq_variant *variant) {
  static uint8_t image[6 * (4 * BENCH_TILES + 2) * BENCH_CHANNELS];
  static const void *pixels[6 * (4 * BENCH_TILES + 2)];
  check_random_bytes(image, sizeof image);
  static const size_t tiles[][2] = {{4, 4}, {2, 4}, {0, 4}};
  for (size_t i = 0; i < sizeof tiles / sizeof tiles[0]; i++) {
    const struct table *h = &tables[tiles[i][0]], *w = &tables[tiles[i][1]];
    const size_t columns = 4 * BENCH_TILES + 2;
    for (size_t j = 0; j < sizeof pixels / sizeof pixels[0]; j++) pixels[j] = image + j * BENCH_CHANNELS;
    struct problem p = {variant,
                        {.input = {pixels, columns, BENCH_TILES, tiles[i][0], tiles[i][1], BENCH_CHANNELS, bench_out.s16, BENCH_CHANNELS, BENCH_STRIDE, 0}}};
    char shape[40];
    snprintf(shape, sizeof shape, "%zu x %zu, values", tiles[i][0], tiles[i][1]);
    check_bench(variant, shape, (double)(h->inputs * w->inputs * BENCH_TILES * BENCH_CHANNELS), run_input, &p);
  }
}

static void run_gemm(void *context) {
  const struct problem *p = context;
  p->variant->fn.winograd_gemm(&p->args.gemm);
}

static void bench_gemm(const struct tvmq_variant *variant) {
  static const size_t depths[] = {16, 32, 64, 128, 256};
  static _Alignas(64) int16_t weights[256 * 64];
  check_random_bytes(weights, sizeof weights);
  check_random_bytes(&bench_in, sizeof bench_in);
  for (size_t i = 0; i < sizeof depths / sizeof depths[0]; i++) {
    const size_t k = (depths[i] + variant->layout.ku - 1) / variant->layout.ku * variant->layout.ku;
    for (size_t rows = 24; rows <= 48; rows += 24) {
      struct problem p = {variant, {.gemm = {bench_in.s16, k, rows, k, weights, bench_out.s32}}};
      char shape[40];
      snprintf(shape, sizeof shape, "m %zu n %d k %zu", rows, variant->layout.nr, depths[i]);
      check_bench(variant, shape, (double)rows * variant->layout.nr * depths[i], run_gemm, &p);
    }
  }
}

static void run_output(void *context) {
  const struct problem *p = context;
  p->variant->fn.winograd_output(&p->args.output);
}

static void bench_output(const struct tvmq_variant *variant) {
  enum { N = 64 };
  static int32_t bias[N], multiplier[N], shift[N];
  static uint8_t out[4 * 4 * BENCH_TILES * N];
  const struct tvmq_stage stage = {.right_shifts = true, .headroom = true, .fits_int16 = true, .min = INT8_MIN, .max = INT8_MAX};
  for (size_t c = 0; c < N; c++) {
    multiplier[c] = (int32_t)check_between(1 << 30, INT32_MAX);
    shift[c] = -9;
  }
  check_random_bytes(&bench_in, sizeof bench_in);
  static const size_t tiles[][2] = {{4, 4}, {2, 4}, {0, 4}};
  for (size_t i = 0; i < sizeof tiles / sizeof tiles[0]; i++) {
    const struct table *h = &tables[tiles[i][0]], *w = &tables[tiles[i][1]];
    struct problem p = {
        variant,
        {.output = {bench_in.s32, N, BENCH_STRIDE, BENCH_TILES, tiles[i][0], tiles[i][1], N, bias, multiplier, shift, out, N, 4 * BENCH_TILES * N, &stage}}};
    char shape[40];
    snprintf(shape, sizeof shape, "%zu x %zu, values", tiles[i][0], tiles[i][1]);
    check_bench(variant, shape, (double)(h->inputs * w->inputs * BENCH_TILES * N), run_output, &p);
  }
}

const struct check_family check_winograd_input = {check_input, bench_input};
const struct check_family check_winograd_gemm = {check_gemm_point, bench_gemm};
const struct check_family check_winograd_output = {check_output, bench_output};
