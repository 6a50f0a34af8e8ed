// Sequences of stages (threads.h): the order of stages, numbers of runs, memory.
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "processors.h"
#include "threads/threads.h"
#include "unit.h"

// Each tile adds one to what a tile of the stage before has left. Nothing here is atomic, so that TSan sees a tile that begins too early.

enum { MAX_STAGES = 12, MAX_STAGE_TILES = 20 };

struct relay {
  struct relay_stage {
    struct relay *relay;
    size_t number, n_tiles;
  } stages[MAX_STAGES];
  size_t n;
  unsigned baton[MAX_STAGES + 1][MAX_STAGE_TILES];  // of what comes before the first stage, and of each stage's tiles
  struct tvmq_sequence *sequence;
};

static void hand_on(void *context, struct tvmq_tile tile) {
  const struct relay_stage *stage = context;
  struct relay *relay = stage->relay;
  const size_t before = stage->number > 0 ? relay->stages[stage->number - 1].n_tiles : 1;
  relay->baton[stage->number + 1][tile.index] = before == 0 ? 0 : relay->baton[stage->number][(7 * tile.index + 3) % before] + 1;
}

static bool relay_create(struct relay *relay, struct tvmq_threads *threads, size_t n, unsigned long long *state) {
  memset(relay, 0, sizeof *relay);
  struct tvmq_sequence_stage stages[MAX_STAGES];
  relay->n = n;
  for (size_t i = 0; i < n; i++) {
    const size_t n_tiles = unit_random(state) % 3 == 0 ? 1 : 1 + unit_random(state) % MAX_STAGE_TILES;  // stages of one tile are the caller's
    relay->stages[i] = (struct relay_stage){relay, i, n_tiles};
    stages[i] = (struct tvmq_sequence_stage){n_tiles, hand_on, &relay->stages[i]};
  }
  relay->sequence = tvmq_sequence_create(threads, stages, n);
  return relay->sequence != NULL;
}

// The whole of it, or in two parts.
static bool relay_run(struct relay *relay, unsigned start, size_t cut) {
  relay->baton[0][0] = start;
  if (cut > 0) tvmq_sequence_run(relay->sequence, 0, cut);
  tvmq_sequence_run(relay->sequence, cut, SIZE_MAX);
  bool right = true;
  for (size_t i = 0; i < relay->n; i++) {
    for (size_t t = 0; t < relay->stages[i].n_tiles; t++) right &= relay->baton[i + 1][t] == start + i + 1;
  }
  return right;
}

static void check_sequences(void) {
  for (int n = 1; n <= 6; n++) {
    struct tvmq_threads *threads = tvmq_threads_create(n);
    unsigned long long state = (unsigned long long)n;
    int wrong = 0;
    for (int i = 0; i < 60; i++) {
      struct relay a, b;  // take turns
      const bool created =
          relay_create(&a, threads, 1 + unit_random(&state) % MAX_STAGES, &state) && relay_create(&b, threads, unit_random(&state) % 3, &state);
      if (!CHECK(created, "sequences")) return;
      for (unsigned run = 0; run < 20; run++) {
        wrong += !relay_run(&a, run * 100, run % 4 == 0 ? unit_random(&state) % (a.n + 1) : 0) + !relay_run(&b, run * 100, 0);
        if (run % 8 == 0) {
          const struct timespec pause = {.tv_nsec = (long)(unit_random(&state) % 200000)};
          nanosleep(&pause, NULL);
        }
      }
      tvmq_sequence_destroy(a.sequence);
      tvmq_sequence_destroy(b.sequence);
    }
    CHECK(wrong == 0, "%d threads: %d runs", n, wrong);
    tvmq_threads_destroy(threads);
  }
  tvmq_sequence_destroy(NULL);
}

// More runs than there are numbers for, some of which not all stages, and so not all shares, have part in.
static void check_numbers(void) {
  enum { RUNS = (1 << 16) + 2000 };
  struct tvmq_threads *threads = tvmq_threads_create(3);
  unsigned long long state = 5;
  struct relay relay;
  CHECK(relay_create(&relay, threads, 3, &state), "created");
  int wrong = 0;
  for (unsigned i = 0; i < RUNS; i++) wrong += !relay_run(&relay, i, i % 2);
  CHECK(wrong == 0, "%d runs", wrong);
  tvmq_sequence_destroy(relay.sequence);
  tvmq_threads_destroy(threads);
}

static void check_no_memory(void) {
  struct tvmq_threads *threads = tvmq_threads_create(2);
  const size_t live = tvmq_alloc_live();
  for (size_t n = 1; n <= 2; n++) {
    tvmq_alloc_fail_at(n);
    CHECK(tvmq_sequence_create(threads, &(struct tvmq_sequence_stage){4, hand_on, NULL}, 1) == NULL, "allocation %zu", n);
    tvmq_alloc_fail_at(0);
    CHECK(tvmq_alloc_live() == live, "nothing left");
  }
  tvmq_threads_destroy(threads);
}

int main(void) {
  check_sequences();
  unit_processors(6);  // as many shares as threads, and workers that are late
  check_sequences();
  unit_processors(0);
  check_numbers();
  check_no_memory();
  return unit_report();
}
