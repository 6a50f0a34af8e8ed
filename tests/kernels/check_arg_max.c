// The place of the greatest byte of each row.
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "engine.h"
#include "support/guard.h"

enum { MAX_BYTES = 8192, MAX_ROWS = 64 };

static int32_t place_of_greatest(const uint8_t *row, size_t depth, uint8_t flip) {
  size_t place = 0;
  for (size_t k = 1; k < depth; k++) {
    if ((row[k] ^ flip) > (row[place] ^ flip)) place = k;
  }
  return (int32_t)place;
}

// Rows of few values, so that the greatest stands at several places, and rows whose greatest is the least byte there is, or stands last.
static void draw_rows(uint8_t *in, size_t rows, size_t depth, uint8_t flip) {
  check_random_bytes(in, rows * depth);
  for (size_t r = 0; r < rows; r++) {
    const uint32_t kind = check_below(4);
    uint8_t *const row = in + r * depth;
    for (size_t k = 0; k < depth && kind < 3; k++) row[k] = kind == 0 ? flip : kind == 1 ? (row[k] & 3) ^ flip : (uint8_t)((k + 1 == depth) ^ flip);
  }
}

static void check_rows(const struct tvmq_variant *variant, size_t rows, size_t depth) {
  static struct guard in_guard, out_guard;
  static uint8_t background[MAX_ROWS * sizeof(int32_t)];
  if (!in_guard.first) {
    in_guard = guard_create(1, MAX_BYTES, GUARD_READ_ONLY);
    out_guard = guard_create(1, sizeof background, GUARD_READ_WRITE);
    check_random_bytes(background, sizeof background);
  }
  const enum guard_side side = check_one_in(2) ? GUARD_START : GUARD_END;
  const uint8_t flip = check_one_in(2) ? 0x80 : 0, *const in = guard_at(&in_guard, 0, rows * depth, side);
  int32_t *const found = guard_at(&out_guard, 0, rows * sizeof *found, side);
  uint8_t *const slot = guard_slot(&out_guard, 0);
  draw_rows(guard_writable(&in_guard, in), rows, depth, flip);
  memcpy(slot, background, sizeof background);
  check_case("%zu rows of %zu, flip %d, %s", rows, depth, flip, side == GUARD_END ? "end guarded" : "start guarded");
  CHECK_CALL(variant->fn.arg_max, (&(struct tvmq_arg_max_args){.in = in, .rows = rows, .depth = depth, .flip = flip, .found = found}));
  for (size_t r = 0; r < rows; r++) {
    const int32_t wanted = place_of_greatest(in + r * depth, depth, flip);
    if (found[r] != wanted) check_fail("row %zu: got %d, want %d", r, found[r], wanted);
  }
  memcpy(found, background + ((uint8_t *)found - slot), rows * sizeof *found);
  if (memcmp(slot, background, sizeof background) != 0) check_fail("bytes outside the output were written");
}

static void check(const struct tvmq_variant *variant) {
  for (size_t depth = 1; depth <= 600; depth++) check_rows(variant, check_below(4), depth);
  for (size_t i = 0; i < (check_quick ? 20 : 800); i++) {
    const size_t rows = 1 + check_below(MAX_ROWS);
    check_rows(variant, rows, 1 + check_below((uint32_t)(MAX_BYTES / rows)));
  }
}

struct problem {
  const struct tvmq_variant *variant;
  struct tvmq_arg_max_args args;
};

static void run_problem(void *context) {
  const struct problem *p = context;
  p->variant->fn.arg_max(&p->args);
}

static void bench(const struct tvmq_variant *variant) {
  static _Alignas(64) uint8_t in[MAX_BYTES];
  static int32_t found[MAX_BYTES / 4];
  const size_t depths[] = {4, 21, 150, 1001};
  check_random_bytes(in, sizeof in);
  for (size_t i = 0; i < sizeof depths / sizeof depths[0]; i++) {
    struct problem p = {variant, {.in = in, .rows = MAX_BYTES / depths[i], .depth = depths[i], .found = found}};
    char shape[40];
    snprintf(shape, sizeof shape, "%zu rows of %zu", p.args.rows, depths[i]);
    check_bench(variant, shape, (double)(p.args.rows * depths[i]), run_problem, &p);
  }
}

const struct check_family check_arg_max = {check, bench};
