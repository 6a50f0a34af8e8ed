// Bytes mapped by a table.
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "engine.h"
#include "support/guard.h"

enum { MAX_N = 4096, N_BYTES = 256 };

// Tables as functions give them, and any: each byte to itself, runs of one value, a permutation.
static void draw_table(uint8_t table[N_BYTES]) {
  const uint32_t kind = check_below(4), step = 1 + check_below(16);
  check_random_bytes(table, N_BYTES);
  for (uint32_t i = 0; i < N_BYTES && kind > 0; i++) table[i] = (uint8_t)(kind == 1 ? i : kind == 2 ? i / step : i * (2 * step + 1) + step);
}

static void check_n(const struct tvmq_variant *variant, size_t n) {
  static struct guard in_guard, out_guard, table_guard;
  static uint8_t background[MAX_N], wanted[MAX_N];
  if (!in_guard.first) {
    in_guard = guard_create(1, MAX_N, GUARD_READ_ONLY);
    out_guard = guard_create(1, MAX_N, GUARD_READ_WRITE);
    table_guard = guard_create(1, N_BYTES, GUARD_READ_ONLY);
    check_random_bytes(background, sizeof background);
  }
  const bool in_place = check_one_in(2);
  const enum guard_side side = check_one_in(2) ? GUARD_START : GUARD_END;
  uint8_t *const written = guard_at(&out_guard, 0, n, side), *const slot = guard_slot(&out_guard, 0);
  const uint8_t *const table = guard_at(&table_guard, 0, N_BYTES, side), *const read = in_place ? written : guard_at(&in_guard, 0, n, side);
  draw_table(guard_writable(&table_guard, table));
  memcpy(slot, background, sizeof background);
  check_random_bytes(in_place ? written : guard_writable(&in_guard, read), n);
  for (size_t i = 0; i < n; i++) wanted[i] = table[read[i]];
  check_case("n %zu, %s, %s", n, in_place ? "in place" : "from one tensor to another", side == GUARD_END ? "end guarded" : "start guarded");
  CHECK_CALL(variant->fn.byte_map, (&(struct tvmq_byte_map_args){.in = read, .out = written, .n = n, .table = table}));
  for (size_t i = 0; i < n; i++) {
    if (written[i] != wanted[i]) check_fail("byte %zu: got %d, want %d", i, written[i], wanted[i]);
  }
  memcpy(written, background + (written - slot), n);
  if (memcmp(slot, background, sizeof background) != 0) check_fail("bytes outside the output were written");
}

static void check(const struct tvmq_variant *variant) {
  for (size_t n = 0; n <= 260; n++) check_n(variant, n);
  for (size_t i = 0; i < (check_quick ? 20 : 800); i++) check_n(variant, 1 + check_below(MAX_N));
}

struct problem {
  const struct tvmq_variant *variant;
  struct tvmq_byte_map_args args;
};

static void run_problem(void *context) {
  const struct problem *p = context;
  p->variant->fn.byte_map(&p->args);
}

static void bench(const struct tvmq_variant *variant) {
  static _Alignas(64) uint8_t in[MAX_N], out[MAX_N], table[N_BYTES];
  static const size_t sizes[] = {MAX_N, 100};
  check_random_bytes(in, sizeof in);
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    struct problem p = {variant, {.in = in, .out = out, .n = sizes[i], .table = table}};
    char shape[40];
    snprintf(shape, sizeof shape, "%zu bytes", sizes[i]);
    check_bench(variant, shape, (double)sizes[i], run_problem, &p);
  }
}

const struct check_family check_byte_map = {check, bench};
