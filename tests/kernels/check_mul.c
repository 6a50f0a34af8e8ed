// Products of two quantized tensors, and squares of their difference.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "engine.h"
#include "exact/mul_stage.h"
#include "support/guard.h"
#include "support/oracle.h"

enum { MAX_N = 4096, LINE = 64 };

static size_t bytes_of(const struct tvmq_variant *variant) { return variant->in_type == TVMQ_TYPE_S16 ? 2 : 1; }

// As the kernels have it: uint8 lowered by 128.
static int32_t element(const struct tvmq_variant *variant, uint8_t flip, const void *tensor, size_t i) {
  return flip ? oracle_load(TVMQ_TYPE_U8, tensor, i) - 128 : oracle_load(variant->in_type, tensor, i);
}

// The square of a difference; x and y are elements less their zero points.
static int32_t squared(const struct tvmq_mul_args *args, int32_t x, int32_t y) {
  const struct tvmq_scale *scale = args->in_scale;
  const int32_t difference = oracle_round_s32(args->rounding, x * 128, scale[0].multiplier, scale[0].shift) -
                             oracle_round_s32(args->rounding, y * 128, scale[1].multiplier, scale[1].shift);
  return difference * difference;
}

// The result for arguments in fixed point.
static int32_t expected(const struct tvmq_mul_args *args, int32_t a, int32_t b) {
  const int32_t x = a - args->in_zero_point[0], y = b - args->in_zero_point[1];
  const int32_t product = args->difference ? squared(args, x, y) : oracle_wrap((__int128)x * y);
  const int32_t value = oracle_wrap((__int128)oracle_round_s32(args->stage.rounding, product, args->multiplier, args->shift) + args->stage.zero_point);
  return value < args->stage.min ? args->stage.min : value > args->stage.max ? args->stage.max : value;
}

static int32_t draw_zero_point(int32_t min, int32_t max) { return check_one_in(4) ? (check_one_in(2) ? min : max) : (int32_t)check_between(min, max); }

// Ratios that mostly fill the output's range, ties and left shifts among them; now and then any, or none.
static void draw_scale(bool wide, struct tvmq_mul_args *args) {
  const double ratio = check_one_in(4) ? ldexp(1, (int)check_below(12) - 6) : (double)check_between(1, 1 << 20) * 0x1p-19;
  oracle_fixed_point(ldexp(ratio, wide ? -15 : args->difference ? -20 : -8), &args->multiplier, &args->shift);
  if (check_one_in(8)) {
    args->multiplier = (int32_t)check_between(1 << 30, INT32_MAX);
    args->shift = (int32_t)check_between(-31, args->difference ? 0 : 30);
  }
  if (check_one_in(32)) args->multiplier = args->shift = 0;
}

// Draws scales of which one is a half and the other no more; the clamp is the type's.
static void draw_difference(struct tvmq_mul_args *args) {
  const size_t greater = check_below(2);
  const double lesser = check_one_in(4) ? ldexp(1, -1 - (int)check_below(34)) : (double)check_between(1, 1 << 20) * 0x1p-21;
  oracle_fixed_point(0.5, &args->in_scale[greater].multiplier, &args->in_scale[greater].shift);
  oracle_fixed_point(lesser, &args->in_scale[!greater].multiplier, &args->in_scale[!greater].shift);
  args->rounding = args->stage.rounding;
  args->stage.min = INT8_MIN;
  args->stage.max = INT8_MAX;
}

static void draw_args(const struct tvmq_variant *variant, struct tvmq_mul_args *args) {
  const bool wide = variant->in_type == TVMQ_TYPE_S16;
  const int32_t min = wide ? INT16_MIN : INT8_MIN, max = wide ? INT16_MAX : INT8_MAX;
  struct tvmq_stage *stage = &args->stage;
  stage->rounding = (enum tvmq_rounding[]){TVMQ_ROUNDING_REFERENCE, TVMQ_ROUNDING_REFERENCE, TVMQ_ROUNDING_UPWARD, TVMQ_ROUNDING_SINGLE}[check_below(4)];
  stage->flip = !wide && check_one_in(2) ? 0x80 : 0;
  for (int i = 0; i < 2; i++) args->in_zero_point[i] = wide ? 0 : draw_zero_point(min, max);
  stage->zero_point = wide ? 0 : draw_zero_point(min, max);
  stage->min = check_one_in(2) ? min : check_one_in(2) ? stage->zero_point : (int32_t)check_between(min, max);
  stage->max = check_one_in(2) ? max : (int32_t)check_between(stage->min, max);
  args->difference = !wide && check_one_in(2);
  if (args->difference) draw_difference(args);
  draw_scale(wide, args);
}

// A form of the arguments that gives the same: most of them as planning finds it, some without what planning has proven.
static struct tvmq_mul_args draw_form(const struct tvmq_variant *variant, const struct tvmq_mul_args *fixed) {
  struct tvmq_mul_args args = *fixed;
  const bool is_plain = check_one_in(4);
  tvmq_mul_stage(variant->in_type, !is_plain && (variant->flags & TVMQ_FLOAT_STAGE) != 0, &args);
  if (check_one_in(8)) args.stage.right_shifts = args.stage.headroom = args.stage.fits_int16 = false;
  return args;
}

static void check_rows(const struct tvmq_variant *variant, size_t rows, size_t n) {
  static struct guard in_guard, out_guard;
  static uint8_t background[MAX_N * 2], before[2][MAX_N * 2];
  if (!in_guard.first) {
    in_guard = guard_create(2, MAX_N * 2, GUARD_READ_ONLY);
    out_guard = guard_create(1, MAX_N * 2, GUARD_READ_WRITE);
    check_random_bytes(background, sizeof background);
  }
  const size_t bytes = bytes_of(variant), counts[2] = {rows * n, n};
  const enum guard_side side = check_one_in(2) ? GUARD_START : GUARD_END;
  uint8_t *const written = guard_at(&out_guard, 0, rows * n * bytes, side), *const slot = guard_slot(&out_guard, 0);
  struct tvmq_mul_args fixed = {.out = written, .n = n, .rows = rows};
  draw_args(variant, &fixed);
  const int in_place = check_one_in(4) ? (rows == 1 ? (int)check_below(2) : 0) : -1;
  memcpy(slot, background, sizeof background);
  for (int i = 0; i < 2; i++) {
    fixed.in[i] = i == in_place ? written : guard_at(&in_guard, (size_t)i, counts[i] * bytes, side);
    check_random_bytes(before[i], counts[i] * bytes);
    memcpy(i == in_place ? written : guard_writable(&in_guard, fixed.in[i]), before[i], counts[i] * bytes);
  }
  const bool square = rows == 1 && in_place < 0 && check_one_in(8);
  if (square) fixed.in[1] = fixed.in[0];
  const struct tvmq_mul_args args = draw_form(variant, &fixed);
  check_case(
      "%s, %zu rows of %zu, rounding %d, flip %d, scale %d %d (%d %d %d, invariants %d %d %d), scales %d %d and %d %d, zero points %d * %d -> %d, "
      "clamp %d %d, in place %d, %s",
      args.difference ? "difference" : "product", rows, n, args.stage.rounding, args.stage.flip, fixed.multiplier, fixed.shift, args.bias, args.multiplier,
      args.shift, args.stage.right_shifts, args.stage.headroom, args.stage.fits_int16, args.in_scale[0].multiplier, args.in_scale[0].shift,
      args.in_scale[1].multiplier, args.in_scale[1].shift, args.in_zero_point[0], args.in_zero_point[1], args.stage.zero_point, args.stage.min, args.stage.max,
      in_place, side == GUARD_END ? "end guarded" : "start guarded");
  CHECK_CALL(variant->fn.mul, &args);
  for (size_t i = 0; i < rows * n; i++) {
    const int32_t a = element(variant, args.stage.flip, before[0], i), b = element(variant, args.stage.flip, before[square ? 0 : 1], i % n);
    const int32_t got = element(variant, args.stage.flip, written, i), wanted = expected(&fixed, a, b);
    if (got != wanted) check_fail("element %zu, %d * %d: got %d, want %d", i, a, b, got, wanted);
  }
  memcpy(written, background + (written - slot), rows * n * bytes);
  if (memcmp(slot, background, sizeof background) != 0) check_fail("bytes outside the output were written");
}

static void check(const struct tvmq_variant *variant) {
  for (size_t n = 0; n <= 130; n++) check_rows(variant, 1, n);
  for (size_t i = 0; i < (check_quick ? 40 : 1600); i++) {
    check_rows(variant, 1, 1 + check_below(MAX_N));
    const size_t rows = 1 + check_below(MAX_N / LINE);
    check_rows(variant, rows, LINE * (1 + check_below(MAX_N / LINE / rows)));
  }
}

struct problem {
  const struct tvmq_variant *variant;
  struct tvmq_mul_args args;
};

static void run_problem(void *context) {
  const struct problem *p = context;
  p->variant->fn.mul(&p->args);
}

static void bench_shape(const struct tvmq_variant *variant, uint32_t flags, struct tvmq_mul_args args, const char *way) {
  struct problem p = {variant, args};
  tvmq_mul_stage(variant->in_type, flags & TVMQ_FLOAT_STAGE, &p.args);
  char shape[60];
  snprintf(shape, sizeof shape, "%s, %d elements", way, MAX_N);
  check_bench(variant, shape, MAX_N, run_problem, &p);
}

static void bench(const struct tvmq_variant *variant) {
  static _Alignas(64) uint8_t in[2][MAX_N * 2], out[MAX_N * 2];
  check_random_bytes(in, sizeof in);
  const bool wide = variant->in_type == TVMQ_TYPE_S16;
  const struct tvmq_scale half = {1 << 30, 0}, less = {0x5a827999, -1};
  const struct tvmq_mul_args product = {
      .in = {in[0], in[1]},
      .out = out,
      .n = MAX_N,
      .rows = 1,
      .in_zero_point = {wide ? 0 : -3, wide ? 0 : 5},
      .multiplier = 0x5a827999,
      .shift = wide ? -14 : -7,
      .stage = {.zero_point = wide ? 0 : 7, .min = wide ? INT16_MIN : INT8_MIN, .max = wide ? INT16_MAX : INT8_MAX},
  };
  bench_shape(variant, variant->flags, product, "as planned");
  if (wide) return;
  struct tvmq_mul_args gate = product, square = product;
  gate.in_zero_point[1] = INT8_MIN;  // as gates have it
  bench_shape(variant, variant->flags, gate, "from zero");
  bench_shape(variant, 0, product, "fixed point");
  square.difference = true;
  square.in_scale[0] = half;
  square.in_scale[1] = less;
  square.shift = -20;
  square.stage.zero_point = INT8_MIN;
  bench_shape(variant, variant->flags, square, "difference");
  square.n = 4 * LINE;
  square.rows = MAX_N / LINE / 4;
  bench_shape(variant, variant->flags, square, "difference of rows");
  bench_shape(variant, 0, square, "difference of rows, fixed point");
  square.in_scale[0] = less;
  square.in_scale[1] = half;
  bench_shape(variant, variant->flags, square, "difference of rows of the lesser scale");
}

const struct check_family check_mul = {check, bench};
