// Interpolation between two rows.
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "engine.h"
#include "support/guard.h"

enum { MAX_N = 2048 };  // of int16 a page, as guards have it

// Nearest, ties away from zero, by the fraction itself.
static int64_t nearest(int64_t sum, int32_t shift) {
  const int64_t one = INT64_C(1) << shift, whole = sum / one, rest = sum % one;
  return whole + (2 * rest >= one) - (2 * rest <= -one);
}

static int32_t draw_value(int32_t most) { return check_one_in(8) ? (check_one_in(2) ? most : -most) : (int32_t)check_below(2 * (uint32_t)most + 1) - most; }

static void check_n(const struct tvmq_variant *variant, size_t n) {
  static struct guard rows_guard, out_guard;
  static uint8_t background[MAX_N * sizeof(int16_t)];
  const bool wide = variant->out_type == TVMQ_TYPE_S16;
  const size_t bytes = wide ? sizeof(int16_t) : 1;
  if (!rows_guard.first) {
    rows_guard = guard_create(2, MAX_N * sizeof(int32_t), GUARD_READ_ONLY);
    out_guard = guard_create(1, sizeof background, GUARD_READ_WRITE);
    check_random_bytes(background, sizeof background);
  }
  // The weights of both axes: values of 8 or 16 bits times weights that add up to a power of two, one of them up to half negative.
  const int32_t bits = (int32_t)check_below(11), most = (wide ? 1 << 15 : 1 << 8) << bits, shift = 2 * bits;
  const int32_t second_weight = (int32_t)check_below((3u << bits) / 2 + 1) - (1 << bits) / 2, weights[2] = {(1 << bits) - second_weight, second_weight};
  const enum guard_side side = check_one_in(2) ? GUARD_START : GUARD_END;
  const int32_t *rows[2];
  for (size_t r = 0; r < 2; r++) {
    rows[r] = guard_at(&rows_guard, r, n * sizeof(int32_t), side);
    int32_t *const row = guard_writable(&rows_guard, rows[r]);
    for (size_t i = 0; i < n; i++) row[i] = draw_value(most);
  }
  uint8_t *const out = guard_at(&out_guard, 0, n * bytes, side), *const slot = guard_slot(&out_guard, 0);
  memcpy(slot, background, sizeof background);
  check_case("n %zu, weights %d %d, shift %d, %s", n, weights[0], weights[1], shift, side == GUARD_END ? "end guarded" : "start guarded");
  const struct tvmq_interpolate_args args = {.rows = {rows[0], rows[1]}, .weights = {weights[0], weights[1]}, .shift = shift, .out = out, .n = n};
  CHECK_CALL(variant->fn.interpolate, (&args));
  for (size_t i = 0; i < n; i++) {
    const int64_t value = nearest((int64_t)rows[0][i] * weights[0] + (int64_t)rows[1][i] * weights[1], shift);
    int16_t stored = 0;
    memcpy(&stored, out + i * bytes, bytes);
    const int64_t wanted = wide ? (int16_t)value : (uint8_t)value;
    if (stored != wanted) check_fail("element %zu: got %d, want %lld", i, stored, (long long)wanted);
  }
  memcpy(out, background + (out - slot), n * bytes);
  if (memcmp(slot, background, sizeof background) != 0) check_fail("bytes outside the output were written");
}

static void check(const struct tvmq_variant *variant) {
  for (size_t n = 0; n <= 100; n++) check_n(variant, n);
  for (size_t i = 0; i < (check_quick ? 20 : 500); i++) check_n(variant, 1 + check_below(MAX_N));
}

struct problem {
  const struct tvmq_variant *variant;
  struct tvmq_interpolate_args args;
};

static void run_problem(void *context) {
  const struct problem *p = context;
  p->variant->fn.interpolate(&p->args);
}

static void bench(const struct tvmq_variant *variant) {
  static _Alignas(64) int32_t rows[2][MAX_N];
  static _Alignas(64) int16_t out[MAX_N];
  struct problem p = {variant, {.rows = {rows[0], rows[1]}, .weights = {300, 724}, .shift = 20, .out = out, .n = MAX_N}};
  char shape[40];
  snprintf(shape, sizeof shape, "%d elements", (int)MAX_N);
  check_bench(variant, shape, (double)MAX_N, run_problem, &p);
}

const struct check_family check_interpolate = {check, bench};
