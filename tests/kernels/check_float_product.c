// Products of matrices of float32, bit for bit.
#include <math.h>
#include <string.h>

#include "bench.h"
#include "engine.h"
#include "support/guard.h"

enum { MAX_N = 4096 };  // floats of a matrix

static struct guard in_guard, out_guard;
static uint8_t background[1 << 16];  // of a slot

static void prepare(void) {
  if (in_guard.first) return;
  in_guard = guard_create(3, MAX_N * sizeof(float), GUARD_READ_ONLY);
  out_guard = guard_create(1, MAX_N * sizeof(float), GUARD_READ_WRITE);
  check_random_bytes(background, sizeof background);
}

// Draws numbers of sizes so different that sums depend on the order of their terms, and now and then what is no number.
static float draw_float(void) {
  static const float special[] = {NAN, INFINITY, -INFINITY, 0.0f, -0.0f, 3e38f, -3e38f, 1e-40f};
  if (check_one_in(200)) return special[check_below(sizeof special / sizeof special[0])];
  return ldexpf((float)check_between(-(1 << 24), 1 << 24), (int)check_between(-30, -18));
}

static const float *draw_matrix(uint32_t slot, size_t n, enum guard_side side) {
  float *const matrix = guard_at(&in_guard, slot, n * sizeof *matrix, side), *written = guard_writable(&in_guard, matrix);
  for (size_t i = 0; i < n; i++) written[i] = draw_float();
  return matrix;
}

// The volatile variables keep compilers from contracting.
static float wanted(const struct tvmq_float_product_args *args, size_t m, size_t n) {
  volatile float sum = 0, product;
  for (size_t k = 0; k < args->separate; k++) {
    product = args->left[m * args->depth + k] * args->right[k * args->columns + n];
    sum = sum + product;
  }
  for (size_t k = args->separate; k < args->depth; k++) sum = fmaf(args->left[m * args->depth + k], args->right[k * args->columns + n], sum);
  if (args->bias != NULL) sum = sum + args->bias[n];
  return sum < args->min ? args->min : sum > args->max ? args->max : sum;
}

static void check_product(const struct tvmq_variant *variant, size_t rows, size_t depth, size_t columns) {
  prepare();
  const enum guard_side side = check_one_in(2) ? GUARD_START : GUARD_END;
  const bool clamps = check_one_in(2), has_bias = check_one_in(2);
  float *const out = guard_at(&out_guard, 0, rows * columns * sizeof *out, side);
  const struct tvmq_float_product_args args = {
      .left = draw_matrix(0, rows * depth, side),
      .right = draw_matrix(1, depth * columns, side),
      .rows = rows,
      .depth = depth,
      .separate = check_one_in(2) ? depth : check_below((uint32_t)depth),
      .columns = columns,
      .bias = has_bias ? draw_matrix(2, columns, side) : NULL,
      .out = out,
      .min = clamps ? 0 : -INFINITY,
      .max = clamps ? 6 : INFINITY,
  };
  uint8_t *const slot = guard_slot(&out_guard, 0);
  memcpy(slot, background, out_guard.slot_bytes);
  check_case("%zu rows, %zu depths, %zu separate, %zu columns, bias %d, clamped %d", rows, depth, args.separate, columns, has_bias, clamps);
  CHECK_CALL(variant->fn.float_product, (&args));
  for (size_t i = 0; i < rows * columns; i++) {
    const float want = wanted(&args, i / columns, i % columns);
    const bool same = isnan(want) ? isnan(out[i]) : memcmp(&out[i], &want, sizeof want) == 0;
    if (!same) check_fail("element %zu: got %a, want %a", i, (double)out[i], (double)want);
  }
  memcpy(out, background + ((uint8_t *)out - slot), rows * columns * sizeof *out);
  if (memcmp(slot, background, out_guard.slot_bytes) != 0) check_fail("bytes outside the output were written");
}

static void check(const struct tvmq_variant *variant) {
  for (size_t columns = 1; columns <= 70; columns++) check_product(variant, 1 + check_below(9), 1 + check_below(50), columns);
  for (size_t i = 0; i < (check_quick ? 20 : 300); i++) check_product(variant, 1 + check_below(40), 1 + check_below(100), 1 + check_below(40));
}

enum { ROWS = 64, DEPTH = 64, COLUMNS = 64 };

struct problem {
  const struct tvmq_variant *variant;
  struct tvmq_float_product_args args;
};

static void run(void *context) {
  const struct problem *p = context;
  p->variant->fn.float_product(&p->args);
}

static void bench(const struct tvmq_variant *variant) {
  static _Alignas(64) float left[ROWS * DEPTH], right[DEPTH * COLUMNS], out[ROWS * COLUMNS];
  struct problem p = {variant, {.left = left, .right = right, .rows = ROWS, .depth = DEPTH, .columns = COLUMNS, .out = out, .min = -1, .max = 1}};
  check_bench(variant, "64x64x64", (double)ROWS * DEPTH * COLUMNS, run, &p);
}

const struct check_family check_float_product = {check, bench};
