// Kernels of arithmetic on float32.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arith.h"
#include "bench.h"
#include "engine.h"
#include "support/guard.h"

enum { MAX_N = 1000 };  // of float32 a page, as guards have it

static struct guard in_guard, out_guard;
static uint8_t background[1 << 16];  // of a slot, which is a page of at most so many bytes

static void prepare(void) {
  if (in_guard.first) return;
  in_guard = guard_create(2, MAX_N * sizeof(float), GUARD_READ_ONLY);
  out_guard = guard_create(1, MAX_N * sizeof(float), GUARD_READ_WRITE);
  check_random_bytes(background, sizeof background);
}

static enum guard_side draw_side(void) { return check_one_in(2) ? GUARD_START : GUARD_END; }

static float draw_float(float most) { return (float)check_between(-(1 << 24), 1 << 24) * most * 0x1p-24f; }

// Bit for bit, with what is no number, infinities and zeros of either sign.
static float draw_any_float(void) {
  static const float special[] = {NAN, INFINITY, -INFINITY, 0.0f, -0.0f, 3e38f, -3e38f, 1e-40f, -1e-40f, 1e-45f};
  return check_one_in(8) ? special[check_below(sizeof special / sizeof special[0])] : draw_float(8);
}

static float clamp(float x, float min, float max) { return x < min ? min : x > max ? max : x; }

static void compare_floats(const float *got, const float *wanted, size_t n) {
  for (size_t i = 0; i < n; i++) {
    const bool same = isnan(wanted[i]) ? isnan(got[i]) : memcmp(&got[i], &wanted[i], sizeof got[i]) == 0;
    if (!same) check_fail("element %zu: got %a, want %a", i, (double)got[i], (double)wanted[i]);
  }
  uint8_t *slot = guard_slot(&out_guard, 0);
  memcpy(guard_writable(&out_guard, got), background + ((const uint8_t *)got - slot), n * sizeof(float));
  if (memcmp(slot, background, out_guard.slot_bytes) != 0) check_fail("bytes outside the output were written");
}

// ---- float_pair

// Each operation rounds once what float64 gives, which is exact or so much finer that it does not matter.
static float wanted_pair(const struct tvmq_float_pair_args *args, float x, float y) {
  const double a = (double)x, b = (double)y;
  volatile float value = NAN, difference = (float)(a - b);
  switch (args->operation) {
    case TVMQ_FLOAT_ADD:
      value = (float)(a + b);
      break;
    case TVMQ_FLOAT_SUBTRACT:
      value = difference;
      break;
    case TVMQ_FLOAT_MULTIPLY:
      value = (float)(a * b);
      break;
    case TVMQ_FLOAT_DIVIDE:
      value = (float)(a / b);
      break;
    case TVMQ_FLOAT_SQUARE_DIFFERENCE:
      value = (float)((double)difference * (double)difference);
      break;
    case TVMQ_FLOAT_GREATER:
      value = isgreater(x, y) ? x : y;
      break;
    case TVMQ_FLOAT_LESSER:
      value = isless(x, y) ? x : y;
      break;
    case TVMQ_FLOAT_BEND:
      value = signbit(x) && x != 0 ? (float)(a * b) : x;
      break;
  }
  return clamp(value, args->min, args->max);
}

// Checks `rows` rows of `n` elements. Input `lone` has one element for each row; -1: neither input is lone.
static void check_pair_of(const struct tvmq_variant *variant, size_t n, size_t rows, int lone) {
  static float wanted[MAX_N];
  prepare();
  const enum guard_side side = draw_side();
  const float *in[2];
  for (int k = 0; k < 2; k++) {
    const size_t elements = k == lone ? rows : n * rows;
    in[k] = guard_at(&in_guard, (size_t)k, elements * sizeof(float), side);
    float *written = guard_writable(&in_guard, in[k]);
    for (size_t i = 0; i < elements; i++) written[i] = draw_any_float();
  }
  const bool clamps = check_one_in(2);
  const float most = check_one_in(2) ? FLT_MAX : INFINITY;
  const struct tvmq_float_pair_args args = {
      .in = {in[0], in[1]},
      .out = guard_at(&out_guard, 0, n * rows * sizeof(float), side),
      .n = n,
      .rows = rows,
      .lone = {lone == 0, lone == 1},
      .operation = (enum tvmq_float_operation)check_below(TVMQ_FLOAT_BEND + 1),
      .min = clamps ? -1 : -most,
      .max = clamps ? 6 : most,
  };
  memcpy(guard_slot(&out_guard, 0), background, out_guard.slot_bytes);
  check_case("%zu rows of %zu elements, lone input %d, operation %d, from %g to %g", rows, n, lone, (int)args.operation, (double)args.min, (double)args.max);
  CHECK_CALL(variant->fn.float_pair, (&args));
  for (size_t i = 0; i < n * rows; i++) wanted[i] = wanted_pair(&args, in[0][lone == 0 ? i / n : i], in[1][lone == 1 ? i / n : i]);
  compare_floats(args.out, wanted, n * rows);
}

static void check_pair(const struct tvmq_variant *variant) {
  for (size_t n = 0; n < 200; n++) check_pair_of(variant, n, 1, -1);
  for (size_t i = 0; i < (check_quick ? 20 : 300); i++) check_pair_of(variant, check_below(MAX_N), 1, -1);
  for (size_t i = 0; i < (check_quick ? 60 : 900); i++) {
    const size_t n = 1 + check_below(check_one_in(2) ? 100 : MAX_N);
    check_pair_of(variant, n, check_below((uint32_t)(MAX_N / n) + 1), (int)check_below(2));
  }
}

// ---- float_map and float_pool

static float wanted_map(const struct tvmq_float_map_args *args, float x) {
  volatile float gate = x + 3, product, root = (float)sqrt((double)x);
  switch (args->mapping) {
    case TVMQ_MAP_HARD_SWISH:
      break;
    case TVMQ_MAP_BEND:
      return x > 0 ? x : x * args->slope;
    case TVMQ_MAP_CLAMP:
      return clamp(x, args->min, args->max);
    case TVMQ_MAP_ABSOLUTE:
      return copysignf(x, 1);
    case TVMQ_MAP_NEGATIVE:
      return copysignf(x, signbit(x) ? 1 : -1);
    case TVMQ_MAP_SQUARE:
      return (float)((double)x * (double)x);
    case TVMQ_MAP_ROOT:
      return root;
    case TVMQ_MAP_INVERSE_ROOT:
      return (float)(1 / (double)root);
  }
  gate = gate > 0 ? gate < 6 ? gate : 6 : 0;
  product = x * gate;
  return product / 6;
}

static void check_map_of(const struct tvmq_variant *variant, size_t n) {
  static float wanted[MAX_N];
  prepare();
  const enum guard_side side = draw_side();
  float *out = guard_at(&out_guard, 0, n * sizeof(float), side), *in = guard_at(&in_guard, 0, n * sizeof(float), side),
        *written = guard_writable(&in_guard, in);
  const struct tvmq_float_map_args args = {.in = in,
                                           .out = out,
                                           .n = n,
                                           .mapping = (enum tvmq_float_mapping)check_below(TVMQ_MAP_INVERSE_ROOT + 1),
                                           .slope = draw_float(1),
                                           .min = check_one_in(2) ? 0 : -1,
                                           .max = 1};
  memcpy(guard_slot(&out_guard, 0), background, out_guard.slot_bytes);
  for (size_t i = 0; i < n; i++) {
    written[i] = draw_any_float();
    wanted[i] = wanted_map(&args, written[i]);
  }
  check_case("%zu elements, mapping %d", n, (int)args.mapping);
  CHECK_CALL(variant->fn.float_map, (&args));
  compare_floats(out, wanted, n);
}

static void check_map(const struct tvmq_variant *variant) {
  for (size_t n = 0; n < 200; n++) check_map_of(variant, n);
  for (size_t i = 0; i < (check_quick ? 20 : 300); i++) check_map_of(variant, check_below(MAX_N));
}

static void check_window_of(const struct tvmq_variant *variant, size_t channels) {
  static float wanted[MAX_N];
  prepare();
  const enum guard_side side = draw_side();
  const size_t most = MAX_N / channels, n_rows = 1 + check_below((uint32_t)tvmq_min(most, 5)), n_cols = 1 + check_below((uint32_t)tvmq_min(most / n_rows, 5));
  const size_t spare = MAX_N / n_rows / n_cols - channels;
  const size_t col_stride = channels + (n_cols > 1 && check_one_in(2) ? check_below((uint32_t)tvmq_min(spare, 20) + 1) : 0);
  const size_t row_stride = n_cols * col_stride, n = (n_rows - 1) * row_stride + (n_cols - 1) * col_stride + channels;
  const float *in = guard_at(&in_guard, 0, n * sizeof(float), side);
  float *written = guard_writable(&in_guard, in);
  for (size_t i = 0; i < n; i++) written[i] = draw_any_float();
  const bool clamps = check_one_in(2);
  const struct tvmq_float_pool_args args = {
      .in = in,
      .row_stride = row_stride,
      .col_stride = col_stride,
      .n_rows = n_rows,
      .n_cols = n_cols,
      .channels = channels,
      .out = guard_at(&out_guard, 0, channels * sizeof(float), side),
      .largest = check_one_in(2),
      .min = clamps ? 0 : -FLT_MAX,
      .max = clamps ? 6 : FLT_MAX,
  };
  for (size_t c = 0; c < channels; c++) {
    volatile float sum = 0;
    float largest = -FLT_MAX;
    for (size_t t = 0; t < n_rows * n_cols; t++) {
      const float x = in[t / n_cols * row_stride + t % n_cols * col_stride + c];
      sum = sum + x;
      largest = largest < x ? x : largest;
    }
    wanted[c] = clamp(args.largest ? largest : sum / (float)(n_rows * n_cols), args.min, args.max);
  }
  memcpy(guard_slot(&out_guard, 0), background, out_guard.slot_bytes);
  check_case("%zu x %zu of %zu channels, strides %zu %zu, %s", n_rows, n_cols, channels, row_stride, col_stride, args.largest ? "largest" : "mean");
  CHECK_CALL(variant->fn.float_pool, (&args));
  compare_floats(args.out, wanted, channels);
}

static void check_windows(const struct tvmq_variant *variant) {
  for (size_t channels = 1; channels < 200; channels++) check_window_of(variant, channels);
  for (size_t i = 0; i < (check_quick ? 20 : 300); i++) check_window_of(variant, 1 + check_below(MAX_N));
}

// ---- bench

enum { BENCHED = 4096 };

struct problem {
  const struct tvmq_variant *variant;
  struct tvmq_float_pair_args pair;
  struct tvmq_float_map_args map;
  struct tvmq_float_pool_args pool;
};

static void run_pair(void *context) {
  const struct problem *p = context;
  p->variant->fn.float_pair(&p->pair);
}

static void run_map(void *context) {
  const struct problem *p = context;
  p->variant->fn.float_map(&p->map);
}

static void run_pool(void *context) {
  const struct problem *p = context;
  p->variant->fn.float_pool(&p->pool);
}

static void bench(const struct tvmq_variant *variant) {
  static _Alignas(64) float in[BENCHED], out[BENCHED];
  for (size_t i = 0; i < BENCHED; i++) in[i] = draw_float(3);
  struct problem p = {
      .variant = variant,
      .pair = {.in = {in, in}, .out = out, .n = BENCHED, .rows = 1, .operation = TVMQ_FLOAT_MULTIPLY, .min = -6, .max = 6},
      .map = {.in = in, .out = out, .n = BENCHED, .mapping = TVMQ_MAP_HARD_SWISH},
      .pool =
          {.in = in, .row_stride = BENCHED / 4, .col_stride = BENCHED / 16, .n_rows = 4, .n_cols = 4, .channels = BENCHED / 16, .out = out, .largest = true},
  };
  check_bench(variant, "4096 elements", BENCHED,
              variant->family == TVMQ_FAMILY_FLOAT_PAIR  ? run_pair
              : variant->family == TVMQ_FAMILY_FLOAT_MAP ? run_map
                                                         : run_pool,
              &p);
}

const struct check_family check_float_pair = {check_pair, bench};
const struct check_family check_float_map = {check_map, bench};
const struct check_family check_float_pool = {check_windows, bench};
