// Maxima and minima of two tensors.
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "engine.h"
#include "support/guard.h"
#include "support/oracle.h"

enum { MAX_N = 4096 };

// The requests that a caller may make: the type of the tensors, the greater or the lesser, and the flip that makes it so.
static const struct {
  enum tvmq_type type;
  bool lesser;
  uint8_t flip;
} tasks[] = {
    {TVMQ_TYPE_S8, false, 0},   {TVMQ_TYPE_S8, true, 0xff}, {TVMQ_TYPE_U8, false, 0x80},
    {TVMQ_TYPE_U8, true, 0x7f}, {TVMQ_TYPE_S16, false, 0},  {TVMQ_TYPE_S16, true, 0xff},
};

static size_t bytes_of(const struct tvmq_variant *variant) { return variant->in_type == TVMQ_TYPE_S16 ? 2 : 1; }

static void check_n(const struct tvmq_variant *variant, size_t n) {
  static struct guard in_guard, out_guard;
  static uint8_t background[MAX_N * 2], before[2][MAX_N * 2];
  if (!in_guard.first) {
    in_guard = guard_create(2, MAX_N * 2, GUARD_READ_ONLY);
    out_guard = guard_create(1, MAX_N * 2, GUARD_READ_WRITE);
    check_random_bytes(background, sizeof background);
  }
  const size_t bytes = bytes_of(variant), task = bytes == 2 ? 4 + check_below(2) : check_below(4);
  const enum guard_side side = check_one_in(2) ? GUARD_START : GUARD_END;
  uint8_t *const written = guard_at(&out_guard, 0, n * bytes, side), *const slot = guard_slot(&out_guard, 0);
  struct tvmq_maximum_args args = {.out = written, .n = n, .flip = tasks[task].flip};
  const int in_place = check_one_in(4) ? (int)check_below(2) : -1;
  memcpy(slot, background, sizeof background);
  for (int i = 0; i < 2; i++) {
    args.in[i] = i == in_place ? written : guard_at(&in_guard, (size_t)i, n * bytes, side);
    check_random_bytes(before[i], n * bytes);
    if (i == 1 && check_one_in(4)) memcpy(before[1], before[0], n * bytes / 2);
    memcpy(i == in_place ? written : guard_writable(&in_guard, args.in[i]), before[i], n * bytes);
  }
  check_case("n %zu, type %d, %s, in place %d, %s", n, tasks[task].type, tasks[task].lesser ? "minimum" : "maximum", in_place,
             side == GUARD_END ? "end guarded" : "start guarded");
  CHECK_CALL(variant->fn.maximum, &args);
  for (size_t i = 0; i < n; i++) {
    const int32_t a = oracle_load(tasks[task].type, before[0], i), b = oracle_load(tasks[task].type, before[1], i);
    const int32_t got = oracle_load(tasks[task].type, written, i), wanted = (a > b) != tasks[task].lesser ? a : b;
    if (got != wanted) check_fail("element %zu of %d and %d: got %d, want %d", i, a, b, got, wanted);
  }
  memcpy(written, background + (written - slot), n * bytes);
  if (memcmp(slot, background, sizeof background) != 0) check_fail("bytes outside the output were written");
}

static void check(const struct tvmq_variant *variant) {
  for (size_t n = 0; n <= 130; n++) check_n(variant, n);
  for (size_t i = 0; i < (check_quick ? 20 : 400); i++) check_n(variant, 1 + check_below(MAX_N));
}

struct problem {
  const struct tvmq_variant *variant;
  struct tvmq_maximum_args args;
};

static void run_problem(void *context) {
  const struct problem *p = context;
  p->variant->fn.maximum(&p->args);
}

static void bench(const struct tvmq_variant *variant) {
  static _Alignas(64) uint8_t in[2][MAX_N * 2], out[MAX_N * 2];
  struct problem p = {variant, {.in = {in[0], in[1]}, .out = out, .n = MAX_N}};
  char shape[40];
  snprintf(shape, sizeof shape, "%d elements", MAX_N);
  check_bench(variant, shape, MAX_N, run_problem, &p);
}

const struct check_family check_maximum = {check, bench};
