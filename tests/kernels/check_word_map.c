// Functions of int16, against the reference's formulas in 64 bits.
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "engine.h"
#include "support/guard.h"

enum { MAX_N = 2048 };

static int32_t draw_between(int32_t least, int32_t most) { return least + (int32_t)check_below((uint32_t)(most - least + 1)); }

// Draws tables without regard to a function, extremes as often as all others.
static void draw_map(struct tvmq_word_map *map) {
  *map = (struct tvmq_word_map){.is_folded = check_one_in(2), .bits = 7, .out_bits = 7};
  for (int i = 0; i < TVMQ_WORD_MAP_ENTRIES; i++) {
    const int32_t base = check_one_in(3) ? (check_one_in(2) ? INT16_MIN : INT16_MAX) : draw_between(INT16_MIN, INT16_MAX);
    const int32_t slope = check_one_in(3) ? (check_one_in(2) ? INT16_MIN : INT16_MAX) : draw_between(INT16_MIN, INT16_MAX);
    map->entries[i] = tvmq_word_map_entry(base, slope);
  }
  if (!map->is_folded) return;
  const bool shifts = check_one_in(2);
  map->bits = draw_between(8, 9);
  map->out_bits = draw_between(8, 10);
  map->offset = check_one_in(2) ? 1 << 14 : 0;
  map->multiplier = shifts ? draw_between(1, INT16_MAX) : draw_between(1, UINT16_MAX);
  map->shift = shifts ? draw_between(1, 31) : 0;
}

static int64_t floor_shift(int64_t x, int bits) { return x >= 0 ? x >> bits : -((-x + (INT64_C(1) << bits) - 1) >> bits); }

static int16_t wanted_value(const struct tvmq_word_map *map, int16_t x) {
  const int64_t half = map->is_folded && map->shift > 0 ? INT64_C(1) << (map->shift - 1) : 0;
  const int64_t steps = map->is_folded ? floor_shift((int64_t)x * map->multiplier + half, map->shift) : x;
  const bool negative = map->is_folded && steps < 0;
  int64_t entry = floor_shift(negative ? -steps : steps, map->bits), rest = (negative ? -steps : steps) - entry * (INT64_C(1) << map->bits);
  if (map->is_folded && entry >= TVMQ_WORD_MAP_MIDDLE - 1) {
    entry = TVMQ_WORD_MAP_MIDDLE - 1;
    rest = 0;
  }
  int16_t line[2];
  memcpy(line, &map->entries[TVMQ_WORD_MAP_MIDDLE + entry], sizeof line);
  const int64_t p = line[0] * (INT64_C(1) << map->bits) + line[1] * rest, round = INT64_C(1) << (map->out_bits - 1);
  return (int16_t)(map->offset + floor_shift(negative ? round - 1 - p : p + round, map->out_bits));
}

static void check_n(const struct tvmq_variant *variant, size_t n) {
  static struct guard in_guard, out_guard, map_guard;
  static int16_t background[MAX_N], wanted[MAX_N];
  if (!in_guard.first) {
    in_guard = guard_create(1, sizeof background, GUARD_READ_ONLY);
    out_guard = guard_create(1, sizeof background, GUARD_READ_WRITE);
    map_guard = guard_create(1, sizeof(struct tvmq_word_map), GUARD_READ_ONLY);
    check_random_bytes((uint8_t *)background, sizeof background);
  }
  const bool in_place = check_one_in(2);
  const enum guard_side side = check_one_in(2) ? GUARD_START : GUARD_END;
  const size_t bytes = n * sizeof(int16_t);
  uint8_t *const written = guard_at(&out_guard, 0, bytes, side), *const slot = guard_slot(&out_guard, 0);
  const struct tvmq_word_map *const map = guard_at(&map_guard, 0, sizeof *map, side);
  const uint8_t *const read = in_place ? written : guard_at(&in_guard, 0, bytes, side);
  draw_map(guard_writable(&map_guard, map));
  memcpy(slot, background, sizeof background);
  int16_t *const elements = (int16_t *)(in_place ? written : guard_writable(&in_guard, read));
  for (size_t i = 0; i < n; i++) elements[i] = (int16_t)(check_one_in(8) ? (check_one_in(2) ? INT16_MIN : INT16_MAX) : draw_between(INT16_MIN, INT16_MAX));
  for (size_t i = 0; i < n; i++) wanted[i] = wanted_value(map, elements[i]);
  check_case("n %zu, %s, multiplier %d, shift %d, bits %d to %d, %s, %s", n, map->is_folded ? "folded" : "by index", map->multiplier, map->shift, map->bits,
             map->out_bits, in_place ? "in place" : "from one tensor to another", side == GUARD_END ? "end guarded" : "start guarded");
  CHECK_CALL(variant->fn.word_map, (&(struct tvmq_word_map_args){.in = (const int16_t *)read, .out = (int16_t *)written, .n = n, .map = map}));
  for (size_t i = 0; i < n; i++) {
    if (((int16_t *)written)[i] != wanted[i]) check_fail("element %zu: got %d, want %d", i, ((int16_t *)written)[i], wanted[i]);
  }
  memcpy(written, (uint8_t *)background + (written - slot), bytes);
  if (memcmp(slot, background, sizeof background) != 0) check_fail("bytes outside the output were written");
}

static void check(const struct tvmq_variant *variant) {
  for (size_t n = 0; n <= 70; n++) check_n(variant, n);
  for (size_t i = 0; i < (check_quick ? 20 : 400); i++) check_n(variant, 1 + check_below(MAX_N));
}

struct problem {
  const struct tvmq_variant *variant;
  struct tvmq_word_map_args args;
};

static void run_problem(void *context) {
  const struct problem *p = context;
  p->variant->fn.word_map(&p->args);
}

static void bench(const struct tvmq_variant *variant) {
  static _Alignas(64) int16_t in[MAX_N], out[MAX_N];
  check_random_bytes((uint8_t *)in, sizeof in);
  for (int folded = 0; folded < 2; folded++) {
    const struct tvmq_word_map map = {.is_folded = folded != 0, .multiplier = 20000, .shift = 3, .bits = 7, .out_bits = 7};
    struct problem p = {variant, {.in = in, .out = out, .n = MAX_N, .map = &map}};
    check_bench(variant, folded ? "2048 elements, folded" : "2048 elements", MAX_N, run_problem, &p);
  }
}

const struct check_family check_word_map = {check, bench};
