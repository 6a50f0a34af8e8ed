// Interpolation between two rows.
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "engine.h"
#include "support/guard.h"
#include "support/oracle.h"

enum { MAX_N = 2048 };  // of int16 a page, as guards have it

// Nearest, ties away from zero, by the fraction itself.
static int64_t nearest(int64_t sum, int32_t shift) {
  const int64_t one = INT64_C(1) << shift, whole = sum / one, rest = sum % one;
  return whole + (2 * rest >= one) - (2 * rest <= -one);
}

static int32_t draw_value(int32_t most) { return check_one_in(8) ? (check_one_in(2) ? most : -most) : (int32_t)check_below(2 * (uint32_t)most + 1) - most; }

enum { MAX_PIXELS = 40 };

// Weights of an axis add up to a power of two, and one of them is up to half negative.
static void draw_weights(int32_t bits, int32_t weights[2]) {
  weights[1] = (int32_t)check_below((3u << bits) / 2 + 1) - (1 << bits) / 2;
  weights[0] = (1 << bits) - weights[1];
}

static int32_t sum_between(const struct tvmq_between *x, enum tvmq_type type, const void *in, size_t channels, size_t c) {
  const int64_t sum = (int64_t)oracle_load(type, in, (size_t)x->at[0] * channels + c) * x->weights[0] +
                      (int64_t)oracle_load(type, in, (size_t)x->at[1] * channels + c) * x->weights[1];
  return (int32_t)sum;
}

static void check_row(const struct tvmq_variant *variant, size_t n_columns, size_t channels) {
  static struct guard in_guard, rows_guard, out_guard;
  static uint8_t background[MAX_N * sizeof(int16_t)];
  static int32_t wanted_rows[2][MAX_N];
  const bool wide = variant->out_type == TVMQ_TYPE_S16, is_unsigned = !wide && check_one_in(2);
  const enum tvmq_type type = wide ? TVMQ_TYPE_S16 : is_unsigned ? TVMQ_TYPE_U8 : TVMQ_TYPE_S8;
  const size_t bytes = wide ? sizeof(int16_t) : 1, n = n_columns * channels;
  if (!rows_guard.first) {
    in_guard = guard_create(2, MAX_N * sizeof(int16_t), GUARD_READ_ONLY);
    rows_guard = guard_create(2, MAX_N * sizeof(int32_t), GUARD_READ_WRITE);
    out_guard = guard_create(1, sizeof background, GUARD_READ_WRITE);
    check_random_bytes(background, sizeof background);
  }
  const int32_t bits = (int32_t)check_below(11), most = (wide ? 1 << 15 : 1 << 8) << bits, shift = 2 * bits;
  const enum guard_side side = check_one_in(2) ? GUARD_START : GUARD_END;
  const size_t n_pixels = channels > 0 ? 1 + check_below((uint32_t)(MAX_N / channels < MAX_PIXELS ? MAX_N / channels : MAX_PIXELS)) : 1;
  struct tvmq_between columns[MAX_N];
  for (size_t x = 0; x < n_columns; x++) {
    columns[x].at[0] = (int32_t)check_below((uint32_t)n_pixels);
    columns[x].at[1] = check_one_in(2) ? columns[x].at[0] : (int32_t)check_below((uint32_t)n_pixels);
    draw_weights(bits, columns[x].weights);
  }
  uint8_t *const out = guard_at(&out_guard, 0, n * bytes, side), *const slot = guard_slot(&out_guard, 0);
  struct tvmq_interpolate_args args = {
      .is_unsigned = is_unsigned, .columns = columns, .n_columns = n_columns, .channels = channels, .shift = shift, .out = out};
  draw_weights(bits, args.weights);
  const bool one = check_one_in(4);
  for (size_t r = 0; r < 2; r++) {
    args.rows[r] = one && r == 1 ? args.rows[0] : guard_at(&rows_guard, r, n * sizeof(int32_t), side);
    const bool made = (one && r == 1) || check_one_in(2);
    const size_t in_bytes = n_pixels * channels * bytes;
    args.in[r] = made ? NULL : guard_at(&in_guard, r, in_bytes, side);
    if (!made) check_random_bytes(guard_writable(&in_guard, args.in[r]), in_bytes);
    if (one && r == 1) memcpy(wanted_rows[1], wanted_rows[0], n * sizeof(int32_t));
    for (size_t i = 0; i < n && !(one && r == 1); i++) {
      wanted_rows[r][i] = made ? draw_value(most) : sum_between(&columns[i / channels], type, args.in[r], channels, i % channels);
      args.rows[r][i] = made ? wanted_rows[r][i] : -1;
    }
  }
  memcpy(slot, background, sizeof background);
  check_case("%zu columns of %zu, unsigned %d, rows made %d %d, one row %d, weights %d %d, shift %d, %s", n_columns, channels, is_unsigned, args.in[0] == NULL,
             args.in[1] == NULL, one, args.weights[0], args.weights[1], shift, side == GUARD_END ? "end guarded" : "start guarded");
  CHECK_CALL(variant->fn.interpolate, (&args));
  for (size_t i = 0; i < n; i++) {
    const int64_t value = nearest((int64_t)wanted_rows[0][i] * args.weights[0] + (int64_t)wanted_rows[1][i] * args.weights[1], shift);
    int16_t stored = 0;
    memcpy(&stored, out + i * bytes, bytes);
    const int64_t wanted = wide ? (int16_t)value : (uint8_t)value;
    if (stored != wanted) check_fail("element %zu: got %d, want %lld", i, stored, (long long)wanted);
  }
  memcpy(out, background + (out - slot), n * bytes);
  if (memcmp(slot, background, sizeof background) != 0) check_fail("bytes outside the output were written");
}

static void check(const struct tvmq_variant *variant) {
  for (size_t n = 0; n <= 100; n++) check_row(variant, 1 + check_below(3), n);
  for (size_t i = 0; i < (check_quick ? 20 : 500); i++) {
    const size_t channels = 1 + check_below(MAX_N);
    check_row(variant, 1 + check_below((uint32_t)(MAX_N / channels)), channels);
  }
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
  enum { COLUMNS = 32, CHANNELS = MAX_N / COLUMNS };
  static _Alignas(64) int32_t rows[2][MAX_N];
  static _Alignas(64) int16_t out[MAX_N], in[MAX_N];
  struct tvmq_between columns[COLUMNS];
  for (int x = 0; x < COLUMNS; x++) columns[x] = (struct tvmq_between){{x / 2, x / 2 + 1}, {768, 256}};
  struct problem p = {
      variant, {.columns = columns, .n_columns = COLUMNS, .channels = CHANNELS, .rows = {rows[0], rows[1]}, .weights = {300, 724}, .shift = 20, .out = out}};
  for (int makes = 0; makes < 2; makes++) {
    if (makes) p.args.in[0] = in;
    char shape[40];
    snprintf(shape, sizeof shape, "%d elements%s", (int)MAX_N, makes ? ", a row made" : "");
    check_bench(variant, shape, (double)MAX_N, run_problem, &p);
  }
}

const struct check_family check_interpolate = {check, bench};
