// Kernels of hybrid convolutions.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "engine.h"
#include "support/guard.h"

enum { MAX_N = 1000 };  // of float32 a page, as guards have it

static struct guard in_guard, out_guard;
static uint8_t background[1 << 16];  // of a slot, which is a page of at most so many bytes

static void prepare(void) {
  if (in_guard.first) return;
  in_guard = guard_create(4, MAX_N * sizeof(struct tvmq_float_scale), GUARD_READ_ONLY);
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

// ---- float_quantize: a product of float32 is exact in float64, and so is what the definitions round

static double away(double x) { return x < 0 ? -floor(0.5 - x) : floor(x + 0.5); }

static int8_t wanted_steps(const struct tvmq_float_quantize_args *args, float x) {
  const double product = (float)((double)x * (double)args->inverse);
  double value = args->zero_point;
  switch (args->rounding) {
    case TVMQ_FLOAT_ROUNDING_HALF:
      value += trunc((double)(float)(product + (product < 0 ? -0.5 : 0.5)));
      break;
    case TVMQ_FLOAT_ROUNDING_OF_THE_SUM:
      value = away((double)(float)(value + product));
      break;
    case TVMQ_FLOAT_ROUNDING_AWAY:
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
  const struct tvmq_float_quantize_args args = {
      .in = in,
      .out = out,
      .n = n,
      .rounding = (enum tvmq_float_rounding)check_below(3),
      .inverse = check_one_in(2) ? ldexpf(1, (int)check_between(-8, 8)) : 0.01f + fabsf(draw_float(50)),
      .zero_point = symmetric ? 0 : (int32_t)check_between(INT8_MIN, INT8_MAX),
      .min = symmetric ? -INT8_MAX : INT8_MIN,
  };
  float *written = guard_writable(&in_guard, in);
  for (size_t i = 0; i < n; i++) written[i] = draw_step(args.inverse);
  uint8_t *slot = guard_slot(&out_guard, 0);
  memcpy(slot, background, out_guard.slot_bytes);
  check_case("%zu elements, rounding %d, inverse %a, zero point %d", n, (int)args.rounding, (double)args.inverse, args.zero_point);
  CHECK_CALL(variant->fn.float_quantize, (&args));
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

// ---- float_dequantize: the volatile variables keep compilers from contracting

static float wanted_real(const struct tvmq_float_dequantize_args *args, const struct tvmq_float_scale *scale, int32_t sum, size_t n) {
  const int64_t acc = (int64_t)sum - (int64_t)scale->zero_point * args->weight_sums[n];
  const float real = (float)(int32_t)(uint32_t)acc, w = args->weight_scales[n];
  volatile float product, value;
  if (args->form == TVMQ_REAL_IN_TURN) {
    product = real * w;
    product = product * scale->scale;
  } else {
    product = w * scale->scale;
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
  const size_t spare = rows > 1 ? (MAX_N - rows * channels) / (rows - 1) : 0, stride = channels + (check_one_in(2) ? 0 : check_below((uint32_t)spare + 1));
  const size_t n = (rows - 1) * stride + channels;
  char *sums = guard_at(&out_guard, 0, n * sizeof(float), side);
  const bool clamps = check_one_in(2), own_scales = check_one_in(2);
  const size_t n_row_scales = own_scales ? rows : 1;
  struct tvmq_float_scale *row_scales = guard_at(&in_guard, 3, n_row_scales * sizeof *row_scales, side);
  const struct tvmq_float_dequantize_args args = {
      .sums = sums,
      .rows = rows,
      .stride = stride,
      .channels = channels,
      .weight_sums = weight_sums,
      .weight_scales = scales,
      .bias = bias,
      .scales = row_scales,
      .scale_step = own_scales ? 1 : 0,
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
  for (size_t m = 0; m < n_row_scales; m++) {
    const int32_t zero_point = check_one_in(2) ? 0 : (int32_t)check_between(INT8_MIN, INT8_MAX);
    ((struct tvmq_float_scale *)guard_writable(&in_guard, row_scales))[m] =
        (struct tvmq_float_scale){.scale = 0.001f + fabsf(draw_float(0.1f)), .zero_point = zero_point};
  }
  uint8_t *slot = guard_slot(&out_guard, 0);
  memcpy(slot, background, out_guard.slot_bytes);
  for (size_t i = 0; i < rows * channels; i++) {
    drawn[i] = (int32_t)check_between(-(1 << 20), 1 << 20) * (check_one_in(4) ? 256 : 1);
    memcpy(sums + (i / channels * stride + i % channels) * sizeof drawn[i], &drawn[i], sizeof drawn[i]);
  }
  check_case("%zu rows of %zu channels, stride %zu, form %d, %zu scales", rows, channels, stride, (int)args.form, n_row_scales);
  CHECK_CALL(variant->fn.float_dequantize, (&args));
  for (size_t i = 0; i < rows * channels; i++) {
    char *const at = sums + (i / channels * stride + i % channels) * sizeof(float);
    const float wanted = wanted_real(&args, &row_scales[i / channels * args.scale_step], drawn[i], i % channels);
    float got;
    memcpy(&got, at, sizeof got);
    if (got != wanted) check_fail("element %zu: got %a, want %a", i, (double)got, (double)wanted);
    memcpy(at, background + ((uint8_t *)at - slot), sizeof got);
  }
  if (memcmp(slot, background, out_guard.slot_bytes) != 0) check_fail("bytes outside the output were written");
}

static void check_sums(const struct tvmq_variant *variant) {
  for (size_t n = 1; n <= 100; n++) check_sums_of(variant, 1 + check_below(9), n);
  for (size_t i = 0; i < (check_quick ? 20 : 300); i++) {
    const size_t channels = 1 + check_below(MAX_N);
    check_sums_of(variant, 1 + check_below((uint32_t)(MAX_N / channels)), channels);
  }
}

// ---- bench

enum { BENCHED = 4096, CHANNELS = 64 };

struct problem {
  const struct tvmq_variant *variant;
  struct tvmq_float_range_args range;
  struct tvmq_float_quantize_args steps;
  struct tvmq_float_dequantize_args sums;
};

static void run_range(void *context) {
  const struct problem *p = context;
  p->variant->fn.float_range(&p->range);
}

static void run_steps(void *context) {
  const struct problem *p = context;
  p->variant->fn.float_quantize(&p->steps);
}

static void run_sums(void *context) {
  const struct problem *p = context;
  p->variant->fn.float_dequantize(&p->sums);
}

static void bench(const struct tvmq_variant *variant) {
  static _Alignas(64) float in[BENCHED], scales[CHANNELS], bias[CHANNELS];
  static _Alignas(64) int32_t weight_sums[CHANNELS];
  static _Alignas(64) int8_t steps[BENCHED];
  static const struct tvmq_float_scale row_scale = {.scale = 0.01f, .zero_point = 3};
  float low = 0, high = 0;
  for (size_t i = 0; i < BENCHED; i++) in[i] = draw_float(3);
  struct problem p = {
      .variant = variant,
      .range = {.in = in, .n = BENCHED, .low = &low, .high = &high},
      .steps = {.in = in, .out = steps, .n = BENCHED, .inverse = 40, .zero_point = 3, .min = INT8_MIN},
      .sums = {.sums = in,
               .rows = BENCHED / CHANNELS,
               .stride = CHANNELS,
               .channels = CHANNELS,
               .weight_sums = weight_sums,
               .weight_scales = scales,
               .bias = bias,
               .scales = &row_scale,
               .max = 6},
  };
  check_bench(variant, "4096 elements", BENCHED,
              variant->family == TVMQ_FAMILY_FLOAT_RANGE      ? run_range
              : variant->family == TVMQ_FAMILY_FLOAT_QUANTIZE ? run_steps
                                                              : run_sums,
              &p);
}

const struct check_family check_float_range = {check_range, bench};
const struct check_family check_float_quantize = {check_steps, bench};
const struct check_family check_float_dequantize = {check_sums, bench};
