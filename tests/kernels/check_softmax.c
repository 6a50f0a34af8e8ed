// SOFTMAX of rows of bytes.
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "engine.h"
#include "exact/softmax_exps.h"
#include "support/guard.h"
#include "support/oracle.h"

enum { MAX_IN = 1 << 14, MAX_DEPTH = TVMQ_SOFTMAX_MAX_DEPTH };

typedef __int128 wide;

// x / 2^n rounded: half up.
static wide halved(wide x, int n) {
  const wide unit = (wide)1 << n, rest = ((x % unit) + unit) % unit;
  return (x - rest) / unit + (2 * rest >= unit);
}

// A quotient of what is not negative, rounded: half up.
static wide rounded(wide x, wide by) { return (2 * x + by) / (2 * by); }

static int64_t high_product(int64_t a, int64_t b) { return (int64_t)halved((wide)a * b, 31); }

// 1 / (1 + a) as gemmlowp has it, numbers as they are defined: Q0.31 and Q2.29.
static int64_t oracle_reciprocal(int64_t a) {
  const int64_t one = INT32_MAX, sum = a + one, half = sum / 2 + sum % 2;
  int64_t z = 1515870810 + high_product(half, -1010580540);
  for (int i = 0; i < 3; i++) z += 4 * high_product(z, (1 << 29) - high_product(half, z));
  return 2 * z > INT32_MAX ? INT32_MAX : 2 * z;
}

// One output less the type's least value. The greatest and the sum are the row's.
static int64_t expected(const struct tvmq_softmax_args *args, int32_t difference, int64_t sum, int bits) {
  const int64_t exp = args->exps[UINT8_MAX + difference], most = (1 << bits) - 1;
  int zeros = 0;
  while (sum << zeros < INT64_C(1) << 31) zeros++;
  if (difference < args->least_difference) return 0;
  const int shift = 12 - zeros + 31 - bits;
  if (shift > 31) return (int64_t)rounded(exp == INT32_MAX ? (wide)1 << 31 : exp, (wide)sum << 4);
  const int64_t out = (int64_t)halved(high_product(exp, oracle_reciprocal((sum << zeros) - (INT64_C(1) << 31))), shift);
  return out > most ? most : out;
}

// As the kernels have it: uint8 lowered by 128.
static int32_t element(uint8_t flip, const uint8_t *in, size_t i) { return flip ? in[i] - 128 : (int8_t)in[i]; }

// Values all over the type, near each other, nearly all the same, or two, of which about 512 are one: it may be the sum.
static void draw_row(uint8_t *row, size_t n, uint8_t flip) {
  const uint32_t kind = check_below(4), many = 510 + check_below(4), range = 1 + check_below(64);
  const uint8_t base = (uint8_t)check_below(256);
  check_random_bytes(row, n);
  for (size_t i = 0; i < n; i++) {
    const uint8_t drawn[] = {row[i], (uint8_t)(base + row[i] % range), (uint8_t)(base + (check_one_in(32) ? row[i] : 0)), (i < many ? 0x7f : 0x80) ^ flip};
    row[i] = drawn[kind];
  }
}

static void check_row(const struct tvmq_variant *variant, const struct tvmq_softmax_args *args, size_t row, const uint8_t *in, const void *written) {
  const bool is_wide = variant->out_type == TVMQ_TYPE_S16;
  int32_t greatest = INT8_MIN;
  int64_t sum = 0;
  for (size_t i = 0; i < args->depth; i++) greatest = element(args->in_flip, in, i) > greatest ? element(args->in_flip, in, i) : greatest;
  for (size_t i = 0; i < args->depth; i++) sum += (int64_t)halved(args->exps[UINT8_MAX + element(args->in_flip, in, i) - greatest], 12);
  for (size_t i = 0; i < args->depth; i++) {
    const int32_t difference = element(args->in_flip, in, i) - greatest;
    const int64_t wanted = expected(args, difference, sum, is_wide ? 16 : 8) + (is_wide ? INT16_MIN : INT8_MIN);
    const size_t at = row * args->depth + i;
    const int64_t got = is_wide ? ((const int16_t *)written)[at] : (int8_t)(((const uint8_t *)written)[at] ^ args->out_flip);
    if (got != wanted) check_fail("row %zu, element %zu, %d from the greatest: got %d, want %d", row, i, difference, (int)got, (int)wanted);
  }
}

static void check_size(const struct tvmq_variant *variant, size_t rows, size_t depth) {
  static struct guard in_guard, out_guard, exps_guard;
  static uint8_t background[MAX_IN * 2], before[MAX_IN];
  if (!in_guard.first) {
    in_guard = guard_create(1, MAX_IN, GUARD_READ_ONLY);
    out_guard = guard_create(1, MAX_IN * 2, GUARD_READ_WRITE);
    exps_guard = guard_create(1, TVMQ_SOFTMAX_EXPS * sizeof(int32_t), GUARD_READ_ONLY);
    check_random_bytes(background, sizeof background);
  }
  const bool is_wide = variant->out_type == TVMQ_TYPE_S16, in_place = !is_wide && check_one_in(4);
  const size_t n = rows * depth, bytes = n * (is_wide ? 2 : 1);
  const enum guard_side side = check_one_in(2) ? GUARD_START : GUARD_END;
  uint8_t *const written = guard_at(&out_guard, 0, bytes, side), *const slot = guard_slot(&out_guard, 0);
  const uint8_t *const in = in_place ? written : guard_at(&in_guard, 0, n, side);
  const int32_t *const exps = guard_at(&exps_guard, 0, TVMQ_SOFTMAX_EXPS * sizeof(int32_t), side);
  const int32_t multiplier = check_one_in(4) ? 1 << 30 : (int32_t)check_between(1 << 30, INT32_MAX), shift = 1 + (int32_t)check_below(31);
  struct tvmq_softmax_args args = {
      .in = in,
      .out = written,
      .rows = rows,
      .depth = depth,
      .in_flip = check_one_in(2) ? 0x80 : 0,
      .out_flip = !is_wide && check_one_in(2) ? 0x80 : 0,
      .exps = exps,
      .least_difference = tvmq_softmax_exps(multiplier, shift, guard_writable(&exps_guard, exps)),
  };
  memcpy(slot, background, sizeof background);
  for (size_t row = 0; row < rows; row++) draw_row(before + row * depth, depth, args.in_flip);
  memcpy(in_place ? written : guard_writable(&in_guard, in), before, n);
  check_case("%zu rows of %zu, flips %d %d, exps %d %d, %s, %s", rows, depth, args.in_flip, args.out_flip, multiplier, shift, in_place ? "in place" : "apart",
             side == GUARD_END ? "end guarded" : "start guarded");
  CHECK_CALL(variant->fn.softmax, &args);
  for (size_t row = 0; row < rows; row++) check_row(variant, &args, row, before + row * depth, written);
  memcpy(written, background + (written - slot), bytes);
  if (memcmp(slot, background, sizeof background) != 0) check_fail("bytes outside the output were written");
}

static void check(const struct tvmq_variant *variant) {
  for (size_t depth = 1; depth <= 70; depth++) check_size(variant, 1 + check_below(40), depth);
  for (size_t i = 0; i < (check_quick ? 10 : 300); i++) {
    const size_t depth = 1 + (check_below(MAX_DEPTH) >> check_below(12));
    check_size(variant, 1 + check_below((uint32_t)(MAX_IN / depth < 64 ? MAX_IN / depth : 64)), depth);
  }
  check_size(variant, 1, MAX_DEPTH);
}

struct problem {
  const struct tvmq_variant *variant;
  struct tvmq_softmax_args args;
};

static void run_problem(void *context) {
  const struct problem *p = context;
  p->variant->fn.softmax(&p->args);
}

static void bench(const struct tvmq_variant *variant) {
  static uint8_t in[MAX_IN], out[MAX_IN * 2];
  static int32_t exps[TVMQ_SOFTMAX_EXPS];
  static const size_t shapes[][2] = {{256, 16}, {1, 1000}, {64, 21}, {1, 10}};
  check_random_bytes(in, sizeof in);
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
    const size_t rows = shapes[i][0], depth = shapes[i][1];
    struct problem p = {variant, {.in = in, .out = out, .rows = rows, .depth = depth, .exps = exps}};
    p.args.least_difference = tvmq_softmax_exps(0x60000000, 23, exps);
    char shape[40];
    snprintf(shape, sizeof shape, "%zu rows of %zu", rows, depth);
    check_bench(variant, shape, (double)(rows * depth), run_problem, &p);
  }
}

const struct check_family check_softmax = {check, bench};
