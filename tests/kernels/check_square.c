// Squared differences of two quantized tensors.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "engine.h"
#include "exact/square_stage.h"
#include "support/guard.h"
#include "support/oracle.h"

enum { MAX_N = 4096, LINE = 64 };

// As the kernels have it: uint8 lowered by 128.
static int32_t element(uint8_t flip, const void *tensor, size_t i) {
  return flip ? oracle_load(TVMQ_TYPE_U8, tensor, i) - 128 : oracle_load(TVMQ_TYPE_S8, tensor, i);
}

// The result for arguments in fixed point.
static int32_t expected(const struct tvmq_square_args *args, int32_t a, int32_t b) {
  const int32_t elements[2] = {a, b};
  int32_t raised[2];
  for (int i = 0; i < 2; i++) {
    const struct tvmq_scale *scale = &args->in_scale[i];
    raised[i] = oracle_round_s32(args->rounding, (elements[i] - args->in_zero_point[i]) * 128, scale->multiplier, scale->shift);
  }
  const int32_t difference = raised[0] - raised[1], value = oracle_round_s32(args->stage.rounding, difference * difference, args->multiplier, args->shift);
  const int32_t moved = oracle_wrap((__int128)value + args->stage.zero_point);
  return moved < args->stage.min ? args->stage.min : moved > args->stage.max ? args->stage.max : moved;
}

static int32_t draw_zero_point(void) { return check_one_in(4) ? (check_one_in(2) ? INT8_MIN : INT8_MAX) : (int32_t)check_between(INT8_MIN, INT8_MAX); }

// One scale is a half, the other no more; the square's ratio mostly fills the output's range, ties among it; now and then it is any, or none.
static void draw_scales(struct tvmq_square_args *args) {
  const size_t greater = check_below(2);
  const double lesser = check_one_in(4) ? ldexp(1, -1 - (int)check_below(34)) : (double)check_between(1, 1 << 20) * 0x1p-21;
  oracle_fixed_point(0.5, &args->in_scale[greater].multiplier, &args->in_scale[greater].shift);
  oracle_fixed_point(lesser, &args->in_scale[!greater].multiplier, &args->in_scale[!greater].shift);
  const double ratio = check_one_in(4) ? ldexp(1, (int)check_below(16) - 8) : (double)check_between(1, 1 << 20) * 0x1p-19;
  oracle_fixed_point(ldexp(ratio, -20), &args->multiplier, &args->shift);
  if (check_one_in(8)) {
    args->multiplier = (int32_t)check_between(1 << 30, INT32_MAX);
    args->shift = (int32_t)check_between(-31, 0);
  }
  if (check_one_in(32)) args->multiplier = args->shift = 0;
}

static void draw_args(struct tvmq_square_args *args) {
  struct tvmq_stage *stage = &args->stage;
  args->rounding = (enum tvmq_rounding[]){TVMQ_ROUNDING_REFERENCE, TVMQ_ROUNDING_REFERENCE, TVMQ_ROUNDING_UPWARD, TVMQ_ROUNDING_SINGLE}[check_below(4)];
  stage->rounding = args->rounding;
  stage->flip = check_one_in(2) ? 0x80 : 0;
  for (int i = 0; i < 2; i++) args->in_zero_point[i] = draw_zero_point();
  stage->zero_point = draw_zero_point();
  stage->min = INT8_MIN;
  stage->max = INT8_MAX;
  draw_scales(args);
}

// A form of the arguments that gives the same: most of them as planning finds it, some without what it promises.
static struct tvmq_square_args draw_form(const struct tvmq_variant *variant, const struct tvmq_square_args *fixed) {
  struct tvmq_variant plain = *variant;
  if (check_one_in(4)) plain.flags &= ~(uint32_t)TVMQ_FLOAT_STAGE;
  struct tvmq_square_args args = *fixed;
  tvmq_square_stage(&plain, &args);
  if (check_one_in(8)) args.stage.right_shifts = args.stage.headroom = args.stage.fits_int16 = false;
  return args;
}

static void check_rows(const struct tvmq_variant *variant, size_t rows, size_t n) {
  static struct guard in_guard, out_guard;
  static uint8_t background[MAX_N];
  if (!in_guard.first) {
    in_guard = guard_create(2, MAX_N, GUARD_READ_ONLY);
    out_guard = guard_create(1, MAX_N, GUARD_READ_WRITE);
    check_random_bytes(background, sizeof background);
  }
  const size_t counts[2] = {rows * n, n};
  const enum guard_side side = check_one_in(2) ? GUARD_START : GUARD_END;
  uint8_t *const written = guard_at(&out_guard, 0, rows * n, side), *const slot = guard_slot(&out_guard, 0);
  struct tvmq_square_args fixed = {.out = written, .n = n, .rows = rows};
  draw_args(&fixed);
  memcpy(slot, background, sizeof background);
  for (int i = 0; i < 2; i++) {
    fixed.in[i] = guard_at(&in_guard, (size_t)i, counts[i], side);
    check_random_bytes(guard_writable(&in_guard, fixed.in[i]), counts[i]);
  }
  if (rows == 1 && check_one_in(8)) fixed.in[1] = fixed.in[0];
  const struct tvmq_square_args args = draw_form(variant, &fixed);
  check_case("%zu rows of %zu, rounding %d, flip %d, scales %d %d and %d %d, %d %d (%d %d, promises %d %d %d), zero points %d, %d -> %d, %s", rows, n,
             args.rounding, args.stage.flip, fixed.in_scale[0].multiplier, fixed.in_scale[0].shift, fixed.in_scale[1].multiplier, fixed.in_scale[1].shift,
             fixed.multiplier, fixed.shift, args.multiplier, args.shift, args.stage.right_shifts, args.stage.headroom, args.stage.fits_int16,
             args.in_zero_point[0], args.in_zero_point[1], args.stage.zero_point, side == GUARD_END ? "end guarded" : "start guarded");
  CHECK_CALL(variant->fn.square, &args);
  for (size_t i = 0; i < rows * n; i++) {
    const int32_t a = element(args.stage.flip, fixed.in[0], i), b = element(args.stage.flip, fixed.in[1], i % n);
    const int32_t got = element(args.stage.flip, written, i), wanted = expected(&fixed, a, b);
    if (got != wanted) check_fail("element %zu of %d and %d: got %d, want %d", i, a, b, got, wanted);
  }
  memcpy(written, background + (written - slot), rows * n);
  if (memcmp(slot, background, sizeof background) != 0) check_fail("bytes outside the output were written");
}

static void check(const struct tvmq_variant *variant) {
  for (size_t n = 0; n <= 130; n++) check_rows(variant, 1, n);
  for (size_t i = 0; i < (check_quick ? 20 : 800); i++) {
    check_rows(variant, 1, 1 + check_below(MAX_N));
    const size_t rows = 1 + check_below(MAX_N / LINE);
    check_rows(variant, rows, LINE * (1 + check_below(MAX_N / LINE / rows)));
  }
}

struct problem {
  const struct tvmq_variant *variant;
  struct tvmq_square_args args;
};

static void run_problem(void *context) {
  const struct problem *p = context;
  p->variant->fn.square(&p->args);
}

static void bench(const struct tvmq_variant *variant) {
  static _Alignas(64) uint8_t in[2][MAX_N], out[MAX_N];
  check_random_bytes(in, sizeof in);
  const struct tvmq_scale half = {1 << 30, 0}, less = {0x5a827999, -1};
  const struct tvmq_square_args rows = {
      .in = {in[0], in[1]},
      .out = out,
      .n = 4 * LINE,
      .rows = MAX_N / LINE / 4,
      .in_zero_point = {-3, 5},
      .in_scale = {half, less},
      .multiplier = 0x5a827999,
      .shift = -20,
      .stage = {.zero_point = INT8_MIN, .min = INT8_MIN, .max = INT8_MAX},
  };
  // Rows as planned, without float form, and of the lesser scale; one row of either.
  for (int way = 0; way < 4; way++) {
    struct tvmq_variant plain = *variant;
    if (way == 1) plain.flags = 0;
    struct problem p = {variant, rows};
    if (way == 2) p.args.in_scale[0] = less, p.args.in_scale[1] = half;
    if (way == 3) p.args.n = MAX_N, p.args.rows = 1;
    tvmq_square_stage(&plain, &p.args);
    char shape[60];
    snprintf(shape, sizeof shape, "%s, %d elements", (const char *[]){"rows", "rows, fixed point", "rows of the lesser scale", "no rows"}[way], MAX_N);
    check_bench(variant, shape, MAX_N, run_problem, &p);
  }
}

const struct check_family check_square = {check, bench};
