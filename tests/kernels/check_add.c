// Sums and differences of two quantized tensors.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "engine.h"
#include "support/guard.h"
#include "support/oracle.h"

enum { MAX_N = 4096 };

static size_t bytes_of(const struct tvmq_variant *variant) { return variant->in_type == TVMQ_TYPE_S16 ? 2 : 1; }

// As the kernels have it: uint8 lowered by 128.
static int32_t element(const struct tvmq_variant *variant, uint8_t flip, const void *tensor, size_t i) {
  return flip ? oracle_load(TVMQ_TYPE_U8, tensor, i) - 128 : oracle_load(variant->in_type, tensor, i);
}

static int32_t clamp_s32(int64_t x) { return x < INT32_MIN ? INT32_MIN : x > INT32_MAX ? INT32_MAX : (int32_t)x; }
static int32_t at_least(int32_t min, int32_t x) { return x < min ? min : x; }
static int32_t at_most(int32_t max, int32_t x) { return x > max ? max : x; }

static int32_t expected(const struct tvmq_add_args *args, int32_t a, int32_t b) {
  int64_t value;
  if (args->planar) {
    const struct tvmq_plane *p = &args->plane;
    const double sum = (double)a * p->multiplier[0] + (double)b * p->multiplier[1] + p->bias;
    value = (int64_t)floor(ldexp(sum < p->knee ? sum - p->drop : sum, -p->shift));
    for (int32_t e = 0; e < p->n_exceptions; e++) {
      if (a == p->exceptions[e].in[0] && b == p->exceptions[e].in[1]) return p->exceptions[e].value;
    }
  } else {
    const int32_t in[2] = {a, b};
    int32_t sum = 0;
    for (int i = 0; i < 2; i++) {
      const int32_t raised = oracle_wrap((__int128)(in[i] - args->in_zero_point[i]) * (1 << args->left_shift));
      const __int128 scaled = oracle_round_s32(args->rounding, raised, args->in_scale[i].multiplier, args->in_scale[i].shift);
      sum = oracle_wrap(args->minus[i] ? sum - scaled : sum + scaled);
    }
    value = oracle_wrap((__int128)oracle_round_s32(args->rounding, sum, args->out_scale.multiplier, args->out_scale.shift) + args->out_zero_point);
  }
  return at_most(args->max, at_least(args->min, clamp_s32(value)));
}

// Any plane that keeps its invariants.
static void draw_plane(struct tvmq_plane *p, const bool minus[2]) {
  const bool extreme = check_one_in(4);
  for (int i = 0; i < 2; i++) {
    p->multiplier[i] = extreme ? (check_one_in(2) ? TVMQ_PLANE_MAX_MULTIPLIER : 0) : (int32_t)(check_below(TVMQ_PLANE_MAX_MULTIPLIER) >> check_below(16));
    if (check_one_in(4)) p->multiplier[i] = (p->multiplier[i] & ~0xff) | (check_one_in(2) ? 127 : 129);
    p->multiplier[i] = at_most(TVMQ_PLANE_MAX_MULTIPLIER, p->multiplier[i]);
    if (p->multiplier[i] % 256 == 128) p->multiplier[i]--;
  }
  const int64_t lows = (minus[0] ? 127 : 128) * (int64_t)p->multiplier[0] + (minus[1] ? 127 : 128) * (int64_t)p->multiplier[1];
  const int64_t highs = (minus[0] ? 128 : 127) * (int64_t)p->multiplier[0] + (minus[1] ? 128 : 127) * (int64_t)p->multiplier[1];
  p->bias = (int32_t)check_between(INT32_MIN + lows, INT32_MAX - highs);
  for (int i = 0; i < 2; i++) p->multiplier[i] *= minus[i] ? -1 : 1;
  if (!check_one_in(4)) p->bias /= 64;
  p->shift = (int32_t)check_between(TVMQ_PLANE_MIN_SHIFT, TVMQ_PLANE_MAX_SHIFT);
  if (check_one_in(2)) return;
  const int64_t least = p->bias - lows, most = p->bias + highs;
  p->knee = (int32_t)(check_one_in(4) ? p->bias : check_between(least, most));
  p->drop = (int32_t)check_between(at_least(-(1 << p->shift), clamp_s32(most - INT32_MAX)), at_most(1 << p->shift, clamp_s32(least - INT32_MIN)));
}

// Draws exceptions among pairs that the first elements are, so that they are met.
static void draw_exceptions(struct tvmq_add_args *args) {
  struct tvmq_plane *p = &args->plane;
  const uint32_t n = check_one_in(2) ? 0 : check_below(TVMQ_PLANE_MAX_EXCEPTIONS + 1);
  for (p->n_exceptions = 0; (uint32_t)p->n_exceptions < n && (size_t)p->n_exceptions < args->n * args->rows; p->n_exceptions++) {
    struct tvmq_plane_exception *x = &p->exceptions[p->n_exceptions];
    for (int i = 0; i < 2; i++) {
      const size_t element = (size_t)p->n_exceptions / (args->lone[i] ? args->n : 1);
      x->in[i] = (int8_t)(((const uint8_t *)args->in[i])[element] ^ args->flip);
    }
    x->value = (int8_t)check_between(args->min, args->max);
    for (int32_t e = 0; e < p->n_exceptions; e++) {
      if (memcmp(x->in, p->exceptions[e].in, sizeof x->in) == 0) return;  // exceptions are of different pairs
    }
  }
}

static int32_t draw_zero_point(int32_t min, int32_t max) { return check_one_in(4) ? (check_one_in(2) ? min : max) : (int32_t)check_between(min, max); }

static struct tvmq_scale draw_scale(double real) {
  struct tvmq_scale scale;
  oracle_fixed_point(real, &scale.multiplier, &scale.shift);
  return scale;
}

// Scales as planning finds them: the first input's is a half and the other at most that; the sum's ratio mostly fills the output's range.
static void draw_args(const struct tvmq_variant *variant, struct tvmq_add_args *args) {
  const bool wide = variant->in_type == TVMQ_TYPE_S16;
  const int32_t min = wide ? INT16_MIN : INT8_MIN, max = wide ? INT16_MAX : INT8_MAX;
  args->rounding = check_below(3);
  args->flip = !wide && check_one_in(2) ? 0x80 : 0;
  args->planar = !wide && check_one_in(2);
  if (check_one_in(2)) args->minus[check_below(2)] = true;
  if (args->planar) draw_plane(&args->plane, args->minus);
  args->left_shift = wide ? 15 : 20;
  for (int i = 0; i < 2; i++) args->in_zero_point[i] = wide ? 0 : draw_zero_point(min, max);
  args->out_zero_point = wide ? 0 : draw_zero_point(min, max);
  args->in_scale[0] = draw_scale(0.5);
  args->in_scale[1] = draw_scale(check_one_in(4) ? ldexp(1, -1 - (int)check_below(34)) : (double)check_between(1, 1 << 20) * 0x1p-21);
  const double ratio = check_one_in(4) ? ldexp(1, (int)check_below(30) - 15) : (double)check_between(1, 1 << 20) * 0x1p-19;
  args->out_scale = draw_scale(check_one_in(16) ? (double)check_between(1, (1 << 20) - 1) * 0x1p-20 : ldexp(ratio, 1 - args->left_shift));
  args->min = check_one_in(2) ? min : (int32_t)check_between(min, max);
  args->max = check_one_in(2) ? max : (int32_t)check_between(args->min, max);
}

// Checks `rows` rows of `n` elements. Input `lone` has one element for each row; -1: neither input is lone.
static void check_rows(const struct tvmq_variant *variant, size_t n, size_t rows, int lone) {
  static struct guard in_guard, out_guard;
  static uint8_t background[MAX_N * 2];
  if (!in_guard.first) {
    in_guard = guard_create(2, MAX_N * 2, GUARD_READ_ONLY);
    out_guard = guard_create(1, MAX_N * 2, GUARD_READ_WRITE);
    check_random_bytes(background, sizeof background);
  }
  const size_t bytes = bytes_of(variant);
  const enum guard_side side = check_one_in(2) ? GUARD_START : GUARD_END;
  uint8_t *const written = guard_at(&out_guard, 0, n * rows * bytes, side), *const slot = guard_slot(&out_guard, 0);
  struct tvmq_add_args args = {.out = written, .n = n, .rows = rows, .lone = {lone == 0, lone == 1}};
  draw_args(variant, &args);
  for (int i = 0; i < 2; i++) {
    const size_t in_bytes = (i == lone ? rows : n * rows) * bytes;
    args.in[i] = guard_at(&in_guard, (size_t)i, in_bytes, side);
    check_random_bytes(guard_writable(&in_guard, args.in[i]), in_bytes);
  }
  if (lone < 0 && check_one_in(8)) args.in[1] = args.in[0];
  if (args.planar && args.plane.drop == 0) draw_exceptions(&args);
  memcpy(slot, background, sizeof background);
  check_case(
      "n %zu, %zu rows, lone %d, minus %d %d, rounding %d, flip %d, plane %d: %d %d %d %d, %d below %d, and %d exceptions, scales %d %d + %d %d -> %d %d, "
      "zero points %d + %d -> %d, clamp %d %d, %s",
      n, rows, lone, args.minus[0], args.minus[1], args.rounding, args.flip, args.planar, args.plane.multiplier[0], args.plane.multiplier[1], args.plane.bias,
      args.plane.shift, args.plane.drop, args.plane.knee, args.plane.n_exceptions, args.in_scale[0].multiplier, args.in_scale[0].shift,
      args.in_scale[1].multiplier, args.in_scale[1].shift, args.out_scale.multiplier, args.out_scale.shift, args.in_zero_point[0], args.in_zero_point[1],
      args.out_zero_point, args.min, args.max, side == GUARD_END ? "end guarded" : "start guarded");
  CHECK_CALL(variant->fn.add, &args);
  for (size_t i = 0; i < n * rows; i++) {
    const int32_t a = element(variant, args.flip, args.in[0], lone == 0 ? i / n : i), b = element(variant, args.flip, args.in[1], lone == 1 ? i / n : i);
    const int32_t got = element(variant, args.flip, written, i), wanted = expected(&args, a, b);
    if (got != wanted) check_fail("element %zu, %d + %d: got %d, want %d", i, a, b, got, wanted);
  }
  memcpy(slot + (written - slot), background + (written - slot), n * rows * bytes);
  if (memcmp(slot, background, sizeof background) != 0) check_fail("bytes outside the output were written");
}

static void check(const struct tvmq_variant *variant) {
  for (size_t n = 0; n <= 130; n++) check_rows(variant, n, 1, -1);
  for (size_t i = 0; i < (check_quick ? 20 : 800); i++) check_rows(variant, 1 + check_below(MAX_N), 1, -1);
  for (size_t i = 0; i < (check_quick ? 120 : 2400); i++) {
    const size_t n = 1 + check_below(check_one_in(2) ? 100 : MAX_N);
    check_rows(variant, n, check_below((uint32_t)(MAX_N / n) + 1), (int)check_below(2));
  }
}

struct problem {
  const struct tvmq_variant *variant;
  struct tvmq_add_args args;
};

static void run_problem(void *context) {
  const struct problem *p = context;
  p->variant->fn.add(&p->args);
}

static void bench(const struct tvmq_variant *variant) {
  static _Alignas(64) uint8_t in[2][MAX_N * 2], out[MAX_N * 2];
  check_random_bytes(in, sizeof in);
  struct problem p = {variant, {.in = {in[0], in[1]}, .out = out, .n = MAX_N, .rows = 1, .left_shift = 15, .out_scale = {0x50000000, -13}}};
  for (int i = 0; i < 2; i++) p.args.in_scale[i] = (struct tvmq_scale){0x40000000 + 0x10000000 * i, -i};
  p.args.plane = (struct tvmq_plane){.multiplier = {3000001, 2500003}, .bias = 4194304, .shift = 22};
  p.args.min = variant->in_type == TVMQ_TYPE_S16 ? INT16_MIN : INT8_MIN;
  p.args.max = variant->in_type == TVMQ_TYPE_S16 ? INT16_MAX : INT8_MAX;
  for (int planar = variant->in_type != TVMQ_TYPE_S16; planar >= 0; planar--) {
    p.args.planar = planar;
    char shape[40];
    for (int drops = planar; drops >= 0; drops--) {
      p.args.plane.drop = drops ? 64 : 0;
      snprintf(shape, sizeof shape, "%s, %d elements", drops ? "plane with a drop" : planar ? "plane" : "steps", MAX_N);
      check_bench(variant, shape, MAX_N, run_problem, &p);
    }
  }
}

const struct check_family check_add = {check, bench};
