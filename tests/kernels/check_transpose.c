// Transpositions of matrices: few rows and columns and many, dense and with gaps, and with rows in the opposite order.
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "engine.h"
#include "support/guard.h"

enum { MOST = 80, GAP = 8, MOST_BYTES = 8, MAX_BYTES = MOST * (MOST + GAP) * MOST_BYTES };

static void check_matrix(const struct tvmq_variant *variant, size_t rows, size_t columns, size_t element) {
  static struct guard in_guard, out_guard;
  static uint8_t background[1 << 17];  // a slot is at most that large
  if (!in_guard.first) {
    in_guard = guard_create(1, MAX_BYTES, GUARD_READ_ONLY);
    out_guard = guard_create(1, MAX_BYTES, GUARD_READ_WRITE);
    check_random_bytes(background, sizeof background);
  }
  const enum guard_side side = check_one_in(2) ? GUARD_START : GUARD_END;
  const size_t in_stride = (columns + (check_one_in(2) ? check_below(GAP) : 0)) * element,
               out_stride = (rows + (check_one_in(2) ? check_below(GAP) : 0)) * element;
  const size_t in_bytes = (rows - 1) * in_stride + columns * element, out_bytes = (columns - 1) * out_stride + rows * element;
  const uint8_t *const in = guard_at(&in_guard, 0, in_bytes, side);
  uint8_t *const out = guard_at(&out_guard, 0, out_bytes, side), *const slot = guard_slot(&out_guard, 0);
  const bool backwards = check_one_in(4);
  const struct tvmq_transpose_args args = {.in = backwards ? in + (rows - 1) * in_stride : in,
                                           .out = out,
                                           .element = element,
                                           .rows = rows,
                                           .columns = columns,
                                           .in_stride = backwards ? -(ptrdiff_t)in_stride : (ptrdiff_t)in_stride,
                                           .out_stride = out_stride};
  check_random_bytes(guard_writable(&in_guard, in), in_bytes);
  memcpy(slot, background, out_guard.slot_bytes);
  check_case("%zu x %zu elements of %zu bytes, strides %td and %zu", rows, columns, element, args.in_stride, out_stride);
  CHECK_CALL(variant->fn.transpose, &args);
  for (size_t row = 0; row < rows; row++) {
    for (size_t column = 0; column < columns; column++) {
      uint8_t *const got = out + column * out_stride + row * element;
      if (memcmp(got, args.in + (ptrdiff_t)row * args.in_stride + column * element, element) != 0) check_fail("row %zu, column %zu is wrong", row, column);
      memcpy(got, background + (got - slot), element);
    }
  }
  if (memcmp(slot, background, out_guard.slot_bytes) != 0) check_fail("bytes outside the output were written");
}

static void check(const struct tvmq_variant *variant) {
  for (size_t element = 1; element <= MOST_BYTES; element *= 2) {
    for (size_t few = 1; few <= 36; few++) {
      check_matrix(variant, few, 1 + check_below(MOST), element);
      check_matrix(variant, 1 + check_below(MOST), few, element);
    }
    for (size_t i = 0; i < (check_quick ? 20 : 400); i++) check_matrix(variant, 1 + check_below(MOST), 1 + check_below(MOST), element);
  }
}

struct problem {
  const struct tvmq_variant *variant;
  struct tvmq_transpose_args args;
};

static void run_problem(void *context) {
  const struct problem *p = context;
  p->variant->fn.transpose(&p->args);
}

static void bench(const struct tvmq_variant *variant) {
  enum { ROWS = 192, COLUMNS = 196 };
  static _Alignas(64) uint8_t in[ROWS * COLUMNS * MOST_BYTES], out[ROWS * COLUMNS * MOST_BYTES];
  for (size_t element = 1; element <= MOST_BYTES; element *= 2) {
    const struct tvmq_transpose_args args = {
        .in = in, .out = out, .element = element, .rows = ROWS, .columns = COLUMNS, .in_stride = (ptrdiff_t)(COLUMNS * element), .out_stride = ROWS * element};
    struct problem p = {variant, args};
    char shape[40];
    snprintf(shape, sizeof shape, "%d x %d of %zu bytes", ROWS, COLUMNS, element);
    check_bench(variant, shape, (double)(ROWS * COLUMNS * element), run_problem, &p);
  }
}

const struct check_family check_transpose = {check, bench};
