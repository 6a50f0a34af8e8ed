#include <stdint.h>

#include "base/memory.h"
#include "graph/arena.h"
#include "unit.h"

enum { A = TVMQ_ALIGNMENT, MAX = 40 };
#define LIVES(bytes, from, to) {.size = (bytes), .first = (from), .last = (to)}

static void check_total(const char *name, struct tvmq_arena_buffer *buffers, size_t n, size_t wanted) {
  size_t total = 77;
  CHECK(tvmq_arena_plan(buffers, n, &total), "%s", name);
  CHECK(total == wanted, "%s: %zu instead of %zu", name, total, wanted);
}

static void check_tables(void) {
  size_t total = 77;
  CHECK(tvmq_arena_plan(NULL, 0, &total) && total == 0, "no buffers");
  check_total("one byte takes an aligned place", (struct tvmq_arena_buffer[]){{.size = 1}}, 1, A);
  check_total("a chain is as large as its largest neighbours",
              (struct tvmq_arena_buffer[]){LIVES(10 * A, 0, 1), LIVES(3 * A, 1, 2), LIVES(8 * A, 2, 3), LIVES(2 * A, 3, 4)}, 4, 13 * A);
  check_total("buffers of different times share a place", (struct tvmq_arena_buffer[]){LIVES(5 * A, 0, 1), LIVES(5 * A, 2, 3), LIVES(5 * A, 4, 4)}, 3, 5 * A);
  check_total("without bytes, without a place", (struct tvmq_arena_buffer[]){LIVES(0, 0, 9), LIVES(A, 0, 9)}, 2, A);
  // The long-lived one lies above the gap that the short-lived ones share.
  check_total("a gap is filled", (struct tvmq_arena_buffer[]){LIVES(4 * A, 0, 1), LIVES(3 * A, 1, 5), LIVES(4 * A, 2, 5)}, 3, 7 * A);

  struct tvmq_arena_buffer huge[] = {LIVES(SIZE_MAX, 0, 1)}, sum[] = {LIVES(SIZE_MAX / 2, 0, 1), LIVES(SIZE_MAX / 2, 0, 1), LIVES(4 * A, 0, 1)};
  CHECK(!tvmq_arena_plan(huge, 1, &total), "a size that cannot be aligned");
  CHECK(!tvmq_arena_plan(sum, 3, &total), "a sum that does not fit");
}

// The first pile's middle stays where it is: halves of all of its buffers meet there.
static void check_middles(void) {
  struct tvmq_arena_buffer chain[] = {LIVES(10 * A, 0, 1), LIVES(4 * A, 1, 2), LIVES(0, 2, 3), LIVES(2 * A, 2, 3), LIVES(8 * A, 3, 4)};
  size_t total = 77;
  CHECK(tvmq_arena_plan_middles(chain, 5, &total) && total == 2 * 6 * A + 2 * 5 * A, "%zu", total);
  CHECK(chain[0].offset + 5 * A == 6 * A && chain[3].offset + A == 6 * A, "%zu, %zu", chain[0].offset, chain[3].offset);
  CHECK(chain[1].offset + 2 * A == 17 * A && chain[4].offset + 4 * A == 17 * A, "%zu, %zu", chain[1].offset, chain[4].offset);
  CHECK(tvmq_arena_plan_middles(NULL, 0, &total) && total == 0, "no buffers");
  struct tvmq_arena_buffer sum[] = {LIVES(SIZE_MAX, 0, 1), LIVES(SIZE_MAX, 0, 1)};
  CHECK(!tvmq_arena_plan_middles(sum, 2, &total), "a sum that does not fit");
}

typedef bool (*plan_fn)(struct tvmq_arena_buffer *, size_t, size_t *);

static void check_random(plan_fn plan, bool in_order) {
  unsigned long long state = 20260801;
  for (int round = 0; round < 2000; round++) {
    struct tvmq_arena_buffer buffers[MAX] = {0};
    const size_t n = 1 + unit_random(&state) % MAX;
    size_t most = 0, total;
    for (size_t i = 0; i < n; i++) {
      buffers[i].size = unit_random(&state) % 5 == 0 ? 0 : unit_random(&state) % 1000;
      buffers[i].first = in_order ? i : unit_random(&state) % 50;
      buffers[i].last = buffers[i].first + unit_random(&state) % 8;
    }
    if (!CHECK(plan(buffers, n, &total), "round %d", round)) continue;
    bool overlap = false, misaligned = false, outside = false;
    for (size_t i = 0; i < n; i++) {
      const struct tvmq_arena_buffer *a = &buffers[i];
      misaligned |= a->offset % A != 0;
      outside |= a->offset + a->size > total;
      for (size_t j = 0; j < i; j++) {
        const struct tvmq_arena_buffer *b = &buffers[j];
        const bool together = a->first <= b->last && b->first <= a->last;
        overlap |= together && a->size > 0 && b->size > 0 && a->offset < b->offset + b->size && b->offset < a->offset + a->size;
      }
      most += (a->size + A - 1) / A * A + (in_order ? 4 * A : 0);
    }
    CHECK(!overlap && !misaligned && !outside && total <= most, "round %d: overlap %d, misaligned %d, outside %d, %zu of %zu", round, overlap, misaligned,
          outside, total, most);
  }
}

int main(void) {
  check_tables();
  check_middles();
  check_random(tvmq_arena_plan, false);
  check_random(tvmq_arena_plan_middles, true);
  return unit_report();
}
