// Kernels of hybrid networks.
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
  in_guard = guard_create(4, MAX_N * sizeof(float), GUARD_READ_ONLY);
  out_guard = guard_create(1, MAX_N * sizeof(float), GUARD_READ_WRITE);
  check_random_bytes(background, sizeof background);
}

static enum guard_side draw_side(void) { return check_one_in(2) ? GUARD_START : GUARD_END; }

static float draw_float(float most) { return (float)check_between(-(1 << 24), 1 << 24) * most * 0x1p-24f; }

// ---- float_range

static void check_range_of(const struct tvmq_variant *variant, size_t n) {
  prepare();
  const enum guard_side side = draw_side();
  const float *in = guard_at(&in_guard, 0, n * sizeof *in, side);
  float *written = guard_writable(&in_guard, in), low = draw_float(1), high = low, wanted_low = low, wanted_high = high;
  for (size_t i = 0; i < n; i++) {
    written[i] = draw_float(4);
    wanted_low = fminf(wanted_low, written[i]);
    wanted_high = fmaxf(wanted_high, written[i]);
  }
  check_case("%zu elements", n);
  CHECK_CALL(variant->fn.float_range, (&(struct tvmq_float_range_args){.in = in, .n = n, .low = &low, .high = &high}));
  if (low != wanted_low || high != wanted_high) check_fail("got %g to %g, want %g to %g", (double)low, (double)high, (double)wanted_low, (double)wanted_high);
}

static void check_range(const struct tvmq_variant *variant) {
  for (size_t n = 0; n < 200; n++) check_range_of(variant, n);
  for (size_t i = 0; i < (check_quick ? 20 : 300); i++) check_range_of(variant, check_below(MAX_N));
}

// ---- float_steps: a product of float32 is exact in float64, and so is what the definitions round

static double away(double x) { return x < 0 ? -floor(0.5 - x) : floor(x + 0.5); }

static int8_t wanted_steps(const struct tvmq_float_steps_args *args, float x) {
  const double product = (float)((double)x * (double)args->inverse);
  double value = args->zero_point;
  switch (args->rounding) {
    case TVMQ_STEPS_HALF:
      value += trunc((double)(float)(product + (product < 0 ? -0.5 : 0.5)));
      break;
    case TVMQ_STEPS_OF_THE_SUM:
      value = away((double)(float)(value + product));
      break;
    case TVMQ_STEPS_AWAY:
    default:
      value += away(product);
      break;
  }
  return (int8_t)fmin(fmax(value, args->min), INT8_MAX);
}

// Ties and their neighbours, among others.
static float draw_step(float inverse) {
  if (check_one_in(4)) return draw_float(300) / inverse;
  const float tie = (float)check_between(-256, 255) + 0.5f, toward = check_one_in(2) ? INFINITY : -INFINITY;
  return (check_one_in(3) ? tie : nextafterf(tie, toward)) / inverse;
}

static void check_steps_of(const struct tvmq_variant *variant, size_t n) {
  prepare();
  const enum guard_side side = draw_side();
  const bool symmetric = check_one_in(2);
  const float *in = guard_at(&in_guard, 0, n * sizeof *in, side);
  int8_t *out = guard_at(&out_guard, 0, n, side);
  const struct tvmq_float_steps_args args = {
      .in = in,
      .out = out,
      .n = n,
      .rounding = (enum tvmq_steps_rounding)check_below(3),
      .inverse = check_one_in(2) ? ldexpf(1, (int)check_between(-8, 8)) : 0.01f + fabsf(draw_float(50)),
      .zero_point = symmetric ? 0 : (int32_t)check_between(INT8_MIN, INT8_MAX),
      .min = symmetric ? -INT8_MAX : INT8_MIN,
  };
  float *written = guard_writable(&in_guard, in);
  for (size_t i = 0; i < n; i++) written[i] = draw_step(args.inverse);
  uint8_t *slot = guard_slot(&out_guard, 0);
  memcpy(slot, background, out_guard.slot_bytes);
  check_case("%zu elements, rounding %d, inverse %a, zero point %d", n, (int)args.rounding, (double)args.inverse, args.zero_point);
  CHECK_CALL(variant->fn.float_steps, (&args));
  for (size_t i = 0; i < n; i++) {
    const int8_t wanted = wanted_steps(&args, in[i]);
    if (out[i] != wanted) check_fail("element %zu, %a: got %d, want %d", i, (double)in[i], out[i], wanted);
  }
  memcpy(out, background + ((uint8_t *)out - slot), n);
  if (memcmp(slot, background, out_guard.slot_bytes) != 0) check_fail("bytes outside the output were written");
}

static void check_steps(const struct tvmq_variant *variant) {
  for (size_t n = 0; n < 200; n++) check_steps_of(variant, n);
  for (size_t i = 0; i < (check_quick ? 20 : 500); i++) check_steps_of(variant, check_below(MAX_N));
}

// ---- float_sums: the volatile variables keep compilers from contracting

static float wanted_real(const struct tvmq_float_sums_args *args, int32_t sum, size_t n) {
  const int64_t acc = (int64_t)sum - (int64_t)args->zero_point * args->weight_sums[n];
  const float real = (float)(int32_t)(uint32_t)acc, w = args->weight_scales[n];
  volatile float product, value;
  if (args->form == TVMQ_REAL_IN_TURN) {
    product = real * w;
    product = product * args->scale;
  } else {
    product = w * args->scale;
    if (args->form == TVMQ_REAL_FUSED) return fminf(fmaxf(fmaf(real, product, args->bias[n]), args->min), args->max);
    product = real * product;
  }
  value = product + args->bias[n];
  return fminf(fmaxf(value, args->min), args->max);
}

static void check_sums_of(const struct tvmq_variant *variant, size_t rows, size_t channels) {
  prepare();
  const enum guard_side side = draw_side();
  float *scales = guard_at(&in_guard, 0, channels * sizeof *scales, side), *bias = guard_at(&in_guard, 1, channels * sizeof *bias, side);
  int32_t *weight_sums = guard_at(&in_guard, 2, channels * sizeof *weight_sums, side);
  void *sums = guard_at(&out_guard, 0, rows * channels * sizeof(float), side);
  const bool clamps = check_one_in(2);
  const struct tvmq_float_sums_args args = {
      .sums = sums,
      .rows = rows,
      .channels = channels,
      .weight_sums = weight_sums,
      .weight_scales = scales,
      .bias = bias,
      .zero_point = check_one_in(2) ? 0 : (int32_t)check_between(INT8_MIN, INT8_MAX),
      .scale = 0.001f + fabsf(draw_float(0.1f)),
      .form = (enum tvmq_real_form)check_below(3),
      .min = clamps ? 0 : -INFINITY,
      .max = clamps ? 6 : INFINITY,
  };
  static int32_t drawn[MAX_N];
  for (size_t i = 0; i < channels; i++) {
    ((float *)guard_writable(&in_guard, scales))[i] = 0.001f + fabsf(draw_float(0.1f));
    ((float *)guard_writable(&in_guard, bias))[i] = draw_float(3);
    ((int32_t *)guard_writable(&in_guard, weight_sums))[i] = (int32_t)check_between(-100000, 100000);
  }
  uint8_t *slot = guard_slot(&out_guard, 0);
  memcpy(slot, background, out_guard.slot_bytes);
  for (size_t i = 0; i < rows * channels; i++) drawn[i] = (int32_t)check_between(-(1 << 20), 1 << 20) * (check_one_in(4) ? 256 : 1);
  memcpy(sums, drawn, rows * channels * sizeof drawn[0]);
  check_case("%zu rows of %zu channels, form %d, zero point %d", rows, channels, (int)args.form, args.zero_point);
  CHECK_CALL(variant->fn.float_sums, (&args));
  for (size_t i = 0; i < rows * channels; i++) {
    const float wanted = wanted_real(&args, drawn[i], i % channels);
    float got;
    memcpy(&got, (char *)sums + i * sizeof got, sizeof got);
    if (got != wanted) check_fail("element %zu: got %a, want %a", i, (double)got, (double)wanted);
  }
  memcpy(sums, background + ((uint8_t *)sums - slot), rows * channels * sizeof(float));
  if (memcmp(slot, background, out_guard.slot_bytes) != 0) check_fail("bytes outside the output were written");
}

static void check_sums(const struct tvmq_variant *variant) {
  for (size_t n = 1; n <= 100; n++) check_sums_of(variant, 1 + check_below(9), n);
  for (size_t i = 0; i < (check_quick ? 20 : 300); i++) {
    const size_t channels = 1 + check_below(MAX_N);
    check_sums_of(variant, 1 + check_below((uint32_t)(MAX_N / channels)), channels);
  }
}

// ---- float_pair: bit for bit, with what is no number, infinities and zeros of either sign

static float draw_any_float(void) {
  static const float special[] = {NAN, INFINITY, -INFINITY, 0.0f, -0.0f, 3e38f, -3e38f, 1e-40f};
  return check_one_in(8) ? special[check_below(sizeof special / sizeof special[0])] : draw_float(8);
}

static float wanted_pair(const struct tvmq_float_pair_args *args, float x, float y) {
  volatile float value = args->operation == TVMQ_FLOAT_ADD ? x + y : args->operation == TVMQ_FLOAT_SUBTRACT ? x - y : x * y;
  if (value < args->min) return args->min;
  return value > args->max ? args->max : value;
}

static void check_pair_of(const struct tvmq_variant *variant, size_t n) {
  prepare();
  const enum guard_side side = draw_side();
  const float *in[2];
  for (size_t k = 0; k < 2; k++) {
    in[k] = guard_at(&in_guard, k, n * sizeof(float), side);
    float *written = guard_writable(&in_guard, in[k]);
    for (size_t i = 0; i < n; i++) written[i] = draw_any_float();
  }
  const bool clamps = check_one_in(2);
  const struct tvmq_float_pair_args args = {
      .in = {in[0], in[1]},
      .out = guard_at(&out_guard, 0, n * sizeof(float), side),
      .n = n,
      .operation = (enum tvmq_float_operation)check_below(3),
      .min = clamps ? -1 : -3.4028235e38f,
      .max = clamps ? 6 : 3.4028235e38f,
  };
  uint8_t *slot = guard_slot(&out_guard, 0);
  memcpy(slot, background, out_guard.slot_bytes);
  check_case("%zu elements, operation %d, from %g to %g", n, (int)args.operation, (double)args.min, (double)args.max);
  CHECK_CALL(variant->fn.float_pair, (&args));
  for (size_t i = 0; i < n; i++) {
    const float wanted = wanted_pair(&args, in[0][i], in[1][i]);
    const bool same = isnan(wanted) ? isnan(args.out[i]) : memcmp(&args.out[i], &wanted, sizeof wanted) == 0;
    if (!same) check_fail("element %zu of %a and %a: got %a, want %a", i, (double)in[0][i], (double)in[1][i], (double)args.out[i], (double)wanted);
  }
  memcpy(args.out, background + ((uint8_t *)args.out - slot), n * sizeof(float));
  if (memcmp(slot, background, out_guard.slot_bytes) != 0) check_fail("bytes outside the output were written");
}

static void check_pair(const struct tvmq_variant *variant) {
  for (size_t n = 0; n < 200; n++) check_pair_of(variant, n);
  for (size_t i = 0; i < (check_quick ? 20 : 300); i++) check_pair_of(variant, check_below(MAX_N));
}

// ---- float_map and float_pool, likewise

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

static float wanted_map(const struct tvmq_float_map_args *args, float x) {
  volatile float gate = x + 3, product;
  if (args->mapping == TVMQ_MAP_CLAMP) return clamp(x, args->min, args->max);
  if (args->mapping == TVMQ_MAP_ABSOLUTE) return fabsf(x);
  if (args->mapping == TVMQ_MAP_BEND) return x > 0 ? x : x * args->slope;
  gate = gate > 0 ? gate < 6 ? gate : 6 : 0;
  product = x * gate;
  return product / 6;
}

static void check_map_of(const struct tvmq_variant *variant, size_t n) {
  static float wanted[MAX_N];
  prepare();
  const enum guard_side side = draw_side();
  float *out = guard_at(&out_guard, 0, n * sizeof(float), side), *in = guard_at(&in_guard, 0, n * sizeof(float), side), *written = guard_writable(&in_guard, in);
  const struct tvmq_float_map_args args = {.in = check_one_in(2) ? in : out,
                                           .out = out,
                                           .n = n,
                                           .mapping = (enum tvmq_float_mapping)check_below(4),
                                           .min = (float)check_between(-1, 0),
                                           .max = check_one_in(2) ? 6 : INFINITY,
                                           .slope = draw_float(1)};
  memcpy(guard_slot(&out_guard, 0), background, out_guard.slot_bytes);
  for (size_t i = 0; i < n; i++) {
    written[i] = draw_any_float();
    wanted[i] = wanted_map(&args, written[i]);
  }
  if (args.in == out) memcpy(out, written, n * sizeof(float));
  check_case("%zu elements, mapping %d%s", n, (int)args.mapping, args.in == out ? ", in place" : "");
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

enum { BENCHED = 4096, CHANNELS = 64 };

struct problem {
  const struct tvmq_variant *variant;
  struct tvmq_float_range_args range;
  struct tvmq_float_steps_args steps;
  struct tvmq_float_sums_args sums;
  struct tvmq_float_pair_args pair;
  struct tvmq_float_map_args map;
  struct tvmq_float_pool_args pool;
};

static void run_range(void *context) {
  const struct problem *p = context;
  p->variant->fn.float_range(&p->range);
}

static void run_steps(void *context) {
  const struct problem *p = context;
  p->variant->fn.float_steps(&p->steps);
}

static void run_sums(void *context) {
  const struct problem *p = context;
  p->variant->fn.float_sums(&p->sums);
}

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
  static _Alignas(64) float in[BENCHED], out[BENCHED], scales[CHANNELS], bias[CHANNELS];
  static _Alignas(64) int32_t weight_sums[CHANNELS];
  static _Alignas(64) int8_t steps[BENCHED];
  float low = 0, high = 0;
  for (size_t i = 0; i < BENCHED; i++) in[i] = draw_float(3);
  struct problem p = {
      .variant = variant,
      .range = {.in = in, .n = BENCHED, .low = &low, .high = &high},
      .steps = {.in = in, .out = steps, .n = BENCHED, .inverse = 40, .zero_point = 3, .min = INT8_MIN},
      .sums = {.sums = in, .rows = BENCHED / CHANNELS, .channels = CHANNELS, .weight_sums = weight_sums, .weight_scales = scales, .bias = bias, .max = 6},
      .pair = {.in = {in, in}, .out = out, .n = BENCHED, .operation = TVMQ_FLOAT_MULTIPLY, .min = -6, .max = 6},
      .map = {.in = in, .out = out, .n = BENCHED, .mapping = TVMQ_MAP_HARD_SWISH},
      .pool = {.in = in,
               .row_stride = BENCHED / 4,
               .col_stride = BENCHED / 16,
               .n_rows = 4,
               .n_cols = 4,
               .channels = BENCHED / 16,
               .out = out,
               .largest = true,
               .min = -6,
               .max = 6},
  };
  check_bench(variant, "4096 elements", BENCHED,
              variant->family == TVMQ_FAMILY_FLOAT_RANGE   ? run_range
              : variant->family == TVMQ_FAMILY_FLOAT_STEPS ? run_steps
              : variant->family == TVMQ_FAMILY_FLOAT_SUMS  ? run_sums
              : variant->family == TVMQ_FAMILY_FLOAT_PAIR  ? run_pair
              : variant->family == TVMQ_FAMILY_FLOAT_MAP   ? run_map
                                                           : run_pool,
              &p);
}

const struct check_family check_float_range = {check_range, bench};
const struct check_family check_float_steps = {check_steps, bench};
const struct check_family check_float_sums = {check_sums, bench};
const struct check_family check_float_pair = {check_pair, bench};
const struct check_family check_float_map = {check_map, bench};
const struct check_family check_float_pool = {check_windows, bench};
