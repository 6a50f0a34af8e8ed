// Bytes mapped by a table.
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "engine.h"
#include "support/byte_slopes.h"
#include "support/guard.h"

enum { MAX_N = 4096 };

// Tables as functions give them, and any: each byte to itself, runs of one value, a permutation; half of them with one long run more, anywhere.
static void draw_map(struct tvmq_byte_map *map) {
  uint8_t *const table = map->table;
  const uint32_t kind = check_below(4), step = 1 + check_below(16);
  check_random_bytes(table, TVMQ_N_BYTES);
  for (uint32_t i = 0; i < TVMQ_N_BYTES && kind > 0; i++) table[i] = (uint8_t)(kind == 1 ? i : kind == 2 ? i / step : i * (2 * step + 1) + step);
  const uint32_t first = check_below(TVMQ_N_BYTES), n = check_one_in(2) ? 1 + check_below(TVMQ_N_BYTES) : 0;
  for (uint32_t i = 0; i < n; i++) table[(first + i) % TVMQ_N_BYTES] = table[first];
  tvmq_find_live_bytes(map);
}

// Draws any map by slopes.
static void draw_slopes(struct tvmq_byte_map *map) {
  struct tvmq_byte_slopes drawn, *const slopes = &drawn;
  check_random_bytes(slopes, sizeof *slopes);
  slopes->n = 1 + (int)check_below(2);
  slopes->offset = slopes->n == 2 || check_one_in(2) ? 0 : (int8_t)((int)check_below(2 * TVMQ_BYTE_GROUP - 1) - (TVMQ_BYTE_GROUP - 1));
  slopes->flip = slopes->offset != 0 && check_one_in(2) ? 0x80 : 0;
  for (int x = 0; x < TVMQ_N_BYTES; x++) map->table[x] = slopes_value(slopes, x);
  tvmq_find_live_bytes(map);
  map->slopes = drawn;
}

static void check_n(const struct tvmq_variant *variant, size_t n) {
  static struct guard in_guard, out_guard, map_guard;
  static uint8_t background[MAX_N], wanted[MAX_N];
  if (!in_guard.first) {
    in_guard = guard_create(1, MAX_N, GUARD_READ_ONLY);
    out_guard = guard_create(1, MAX_N, GUARD_READ_WRITE);
    map_guard = guard_create(1, sizeof(struct tvmq_byte_map), GUARD_READ_ONLY);
    check_random_bytes(background, sizeof background);
  }
  const bool in_place = check_one_in(2);
  const enum guard_side side = check_one_in(2) ? GUARD_START : GUARD_END;
  uint8_t *const written = guard_at(&out_guard, 0, n, side), *const slot = guard_slot(&out_guard, 0);
  const struct tvmq_byte_map *const map = guard_at(&map_guard, 0, sizeof *map, side);
  const uint8_t *const read = in_place ? written : guard_at(&in_guard, 0, n, side);
  (check_one_in(3) ? draw_slopes : draw_map)(guard_writable(&map_guard, map));
  memcpy(slot, background, sizeof background);
  check_random_bytes(in_place ? written : guard_writable(&in_guard, read), n);
  for (size_t i = 0; i < n; i++) wanted[i] = map->table[read[i]];
  check_case("n %zu, %zu bytes from %d on%s, %s, %s", n, map->n_live, map->first, map->slopes.n > 0 ? ", by slopes" : "",
             in_place ? "in place" : "from one tensor to another", side == GUARD_END ? "end guarded" : "start guarded");
  CHECK_CALL(variant->fn.byte_map, (&(struct tvmq_byte_map_args){.in = read, .out = written, .n = n, .map = map}));
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
  static _Alignas(64) uint8_t in[MAX_N], out[MAX_N];
  static const struct {
    size_t n, n_live;
    int n_extras;
    int8_t offset;
  } shapes[] = {{MAX_N, TVMQ_N_BYTES, 0, 0}, {MAX_N, 180, 0, 0},          {MAX_N, TVMQ_N_BYTES, 1, 0},
                {MAX_N, TVMQ_N_BYTES, 1, 1}, {MAX_N, TVMQ_N_BYTES, 2, 0}, {100, TVMQ_N_BYTES, 0, 0}};
  check_random_bytes(in, sizeof in);
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
    if (shapes[i].n_extras > 0 && (variant->flags & TVMQ_SLOPES) == 0) continue;
    const struct tvmq_byte_map map = {.n_live = shapes[i].n_live, .slopes = {.n = shapes[i].n_extras, .offset = shapes[i].offset}};
    struct problem p = {variant, {.in = in, .out = out, .n = shapes[i].n, .map = &map}};
    char shape[60];
    static const char *const slopes[] = {"", ", by slopes", ", by slopes and two extras"};
    snprintf(shape, sizeof shape, "%zu bytes, %zu live%s%s", shapes[i].n, shapes[i].n_live, slopes[shapes[i].n_extras],
             shapes[i].offset != 0 ? ", offset" : "");
    check_bench(variant, shape, (double)shapes[i].n, run_problem, &p);
  }
}

const struct check_family check_byte_map = {check, bench};
