// Sequences of passes (threads.h): the order of passes, numbers of runs, memory.
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "cpu/threads/threads.h"
#include "processors.h"
#include "unit.h"

// Each task adds one to what a task of the pass before has left. Nothing here is atomic, so that TSan sees a task that begins too early.

enum { MAX_PASSES = 12, MAX_PASS_TASKS = 20 };

struct relay {
  struct relay_pass {
    struct relay *relay;
    size_t number, n_tasks;
  } passes[MAX_PASSES];
  size_t n;
  unsigned baton[MAX_PASSES + 1][MAX_PASS_TASKS];  // of what comes before the first pass, and of each pass's tasks
  struct tvmq_sequence *sequence;
};

static void hand_on(void *context, struct tvmq_task task) {
  const struct relay_pass *pass = context;
  struct relay *relay = pass->relay;
  const size_t before = pass->number > 0 ? relay->passes[pass->number - 1].n_tasks : 1;
  relay->baton[pass->number + 1][task.index] = before == 0 ? 0 : relay->baton[pass->number][(7 * task.index + 3) % before] + 1;
}

static bool relay_create(struct relay *relay, struct tvmq_threads *threads, size_t n, unsigned long long *state) {
  memset(relay, 0, sizeof *relay);
  struct tvmq_sequence_pass passes[MAX_PASSES];
  relay->n = n;
  for (size_t i = 0; i < n; i++) {
    const size_t n_tasks = unit_random(state) % 3 == 0 ? 1 : 1 + unit_random(state) % MAX_PASS_TASKS;  // single-task passes run on the caller
    relay->passes[i] = (struct relay_pass){relay, i, n_tasks};
    passes[i] = (struct tvmq_sequence_pass){n_tasks, hand_on, &relay->passes[i]};
  }
  relay->sequence = tvmq_sequence_create(threads, passes, n);
  return relay->sequence != NULL;
}

// The whole of it, at times alone, or in two parts.
static bool relay_run(struct relay *relay, unsigned start, size_t cut) {
  relay->baton[0][0] = start;
  if (cut > 0) tvmq_sequence_run(relay->sequence, 0, cut);
  if (cut == 0 && start % 7 == 0) {
    tvmq_sequence_run_alone(relay->sequence);
  } else {
    tvmq_sequence_run(relay->sequence, cut, SIZE_MAX);
  }
  bool right = true;
  for (size_t i = 0; i < relay->n; i++) {
    for (size_t t = 0; t < relay->passes[i].n_tasks; t++) right &= relay->baton[i + 1][t] == start + i + 1;
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
          relay_create(&a, threads, 1 + unit_random(&state) % MAX_PASSES, &state) && relay_create(&b, threads, unit_random(&state) % 3, &state);
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

// More runs than there are numbers for, some of which not all passes, and so not all shares, have part in.
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
    CHECK(tvmq_sequence_create(threads, &(struct tvmq_sequence_pass){4, hand_on, NULL}, 1) == NULL, "allocation %zu", n);
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
