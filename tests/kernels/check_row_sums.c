// Row sums: what a filter zero point owes for each row of a gemm.
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "engine.h"
#include "support/guard.h"
#include "support/oracle.h"

enum { POOL = 61, MAX_K = 2048, MAX_ROWS = 64 };

static void check_k(const struct tvmq_variant *variant, size_t k) {
  static struct guard pool, table, terms;
  static uint8_t background[1 << 12];
  if (!pool.first) {
    pool = guard_create(POOL, MAX_K, GUARD_READ_ONLY);
    table = guard_create(1, 1 << 14, GUARD_READ_ONLY);
    terms = guard_create(1, sizeof background, GUARD_READ_WRITE);
    check_random_bytes(background, sizeof background);
  }
  const enum guard_side side = check_one_in(2) ? GUARD_START : GUARD_END;
  const size_t mr = 1 + check_below(16), n_taps = 1 + check_below(9), n = 1 + check_below(check_one_in(2) ? 4 : 2 * (uint32_t)mr);
  const size_t n_pointers = (n + mr - 1) / mr * mr * n_taps;
  const bool extreme = check_one_in(4);  // all bytes 0 or 255
  for (size_t slot = 0; slot < POOL; slot++) {
    uint8_t *bytes = guard_writable(&pool, guard_at(&pool, slot, k, side));
    check_random_bytes(bytes, k);
    if (extreme) memset(bytes, slot % 2 ? 0xff : 0, k);
  }
  const void **rows = guard_at(&table, 0, n_pointers * sizeof *rows, side), **written = guard_writable(&table, rows);
  for (size_t i = 0; i < n_pointers; i++) written[i] = guard_at(&pool, check_below(POOL), k, side);

  uint8_t *slot = guard_slot(&terms, 0);
  memcpy(slot, background, sizeof background);
  const struct tvmq_row_sums_args args = {
      .rows = rows,
      .n = n,
      .mr = mr,
      .n_taps = n_taps,
      .k = k,
      .mask = check_one_in(2) ? 0x80 : 0,
      .offset = check_one_in(2) ? (int32_t)check_between(-1000000, 1000000) : (int32_t)check_random(),
      .factor = check_one_in(4) ? (int32_t)check_random() : (int32_t)check_between(-128, 128),
      .terms = guard_at(&terms, 0, n * sizeof(int32_t), side),
  };
  check_case("n %zu, mr %zu, taps %zu, k %zu, mask %#x, offset %d, factor %d, %s", n, mr, n_taps, k, args.mask, args.offset, args.factor,
             side == GUARD_END ? "end guarded" : "start guarded");
  CHECK_CALL(variant->fn.row_sums, &args);
  for (size_t m = 0; m < n; m++) {
    int64_t sum = 0;
    for (size_t t = 0; t < n_taps; t++) {
      const uint8_t *row = rows[(m / mr * n_taps + t) * mr + m % mr];
      for (size_t i = 0; i < k; i++) sum += row[i] ^ args.mask;
    }
    const int32_t wanted = oracle_wrap((__int128)args.factor * (sum - args.offset));
    if (args.terms[m] != wanted) check_fail("row %zu: got %d, want %d", m, args.terms[m], wanted);
  }
  const size_t at = (size_t)((uint8_t *)args.terms - slot);
  memcpy(slot + at, background + at, n * sizeof(int32_t));
  if (memcmp(slot, background, sizeof background) != 0) check_fail("bytes outside the terms were written");
}

static void check(const struct tvmq_variant *variant) {
  for (size_t k = 1; k <= 130; k++) {
    for (size_t i = 0; i < (check_quick ? 1 : 4); i++) check_k(variant, k);
  }
  for (size_t i = 0; i < (check_quick ? 4 : 60); i++) check_k(variant, 1 + check_below(MAX_K));
}

struct problem {
  const struct tvmq_variant *variant;
  struct tvmq_row_sums_args args;
};

static void run_problem(void *context) {
  const struct problem *p = context;
  p->variant->fn.row_sums(&p->args);
}

static void bench(const struct tvmq_variant *variant) {
  static const size_t depths[] = {16, 27, 96, 576};
  static uint8_t in[MAX_ROWS * 576];
  static const void *rows[MAX_ROWS];
  static int32_t terms[MAX_ROWS];
  check_random_bytes(in, sizeof in);
  for (size_t i = 0; i < sizeof depths / sizeof depths[0]; i++) {
    const size_t k = depths[i];
    for (size_t m = 0; m < MAX_ROWS; m++) rows[m] = in + m * k;
    struct problem p = {variant, {.rows = rows, .n = MAX_ROWS, .mr = 4, .n_taps = 1, .k = k, .mask = 0x80, .factor = -3, .terms = terms}};
    char shape[40];
    snprintf(shape, sizeof shape, "rows %d k %zu, bytes", MAX_ROWS, k);
    check_bench(variant, shape, (double)MAX_ROWS * k, run_problem, &p);
  }
}

const struct check_family check_row_sums = {check, bench};
