#include "base/clock.h"
#include "base/memory.h"
#include "cpu/threads/threads.h"
#include "unit.h"

static void check_ring(void) {
  static const size_t counts[] = {0, 1, TVMQ_TRACE_SPANS - 1, TVMQ_TRACE_SPANS, TVMQ_TRACE_SPANS + 1, 3 * TVMQ_TRACE_SPANS + 5};
  struct tvmq_trace *trace = tvmq_trace_create(3);
  for (size_t i = 0; i < N_ELEMENTS(counts); i++) {
    const size_t n = counts[i], kept = n < TVMQ_TRACE_SPANS ? n : TVMQ_TRACE_SPANS;
    tvmq_trace_reset(trace);
    CHECK(tvmq_trace_at(trace, 0) == NULL, "reset");
    tvmq_trace_add(trace, 2, -1, 5, 6);
    for (size_t j = 0; j < n; j++) tvmq_trace_add(trace, 1, (int)j, j, j + 1);
    size_t right = 0;
    for (size_t j = 0; j < kept; j++) {
      const struct tvmq_span_info *span = tvmq_trace_at(trace, j);
      right += span->thread == 1 && (size_t)span->task == n - kept + j && span->start_ns == n - kept + j && span->end_ns == span->start_ns + 1;
    }
    CHECK(right == kept, "%zu of the last %zu of %zu", right, kept, n);
    const struct tvmq_span_info *last = tvmq_trace_at(trace, kept);
    CHECK(last != NULL && last->thread == 2 && last->task == -1 && last->start_ns == 5 && last->end_ns == 6, "after %zu", n);
    CHECK(tvmq_trace_at(trace, kept + 1) == NULL, "past the end");
  }
  tvmq_free(trace);
}

static void check_clock(void) {
  const uint64_t before = tvmq_now_ns();
  const struct timespec pause = {.tv_nsec = 2000000};
  nanosleep(&pause, NULL);
  const uint64_t elapsed = tvmq_now_ns() - before;
  CHECK(elapsed >= 2000000, "%llu ns", (unsigned long long)elapsed);
}

static void some_work(void *context, struct tvmq_task task) {
  volatile unsigned *sinks = context;
  for (unsigned i = 0; i < 1000; i++) sinks[task.index] += i;
}

// Each task is one span, between start and end of its run, on the ring of the thread that computed it; spans of a thread follow each other.
static void check_pool(void) {
  enum { RUNS = 50, TASKS = 40 };
  static unsigned sinks[TASKS];
  struct tvmq_threads *threads = tvmq_threads_create(4);
  struct tvmq_trace *trace = tvmq_trace_create(tvmq_threads_count(threads));
  tvmq_threads_trace(threads, trace);
  for (int run = 0; run < RUNS; run++) {
    tvmq_trace_reset(trace);
    trace->subgraph = 7;
    trace->node = run;
    const uint64_t start = tvmq_now_ns();
    tvmq_threads_run(threads, TASKS, some_work, sinks);
    const uint64_t end = tvmq_now_ns();
    int seen[TASKS] = {0}, good = 0;
    const struct tvmq_span_info *span, *previous = NULL;
    for (size_t i = 0; (span = tvmq_trace_at(trace, i)) != NULL; previous = span, i++) {
      seen[span->task]++;
      const bool first = previous == NULL || previous->thread != span->thread;
      good += span->subgraph == 7 && span->node == run && span->start_ns >= (first ? start : previous->end_ns) && span->end_ns >= span->start_ns &&
              span->end_ns <= end && (!first || previous == NULL || span->thread > previous->thread);
    }
    int once = 0;
    for (int i = 0; i < TASKS; i++) once += seen[i] == 1;
    // With one processor the caller works alone, and nothing is shared.
    const int shared = tvmq_trace_at(trace, 0) != NULL ? TASKS : 0;
    if (!CHECK(once == shared && good == shared, "run %d: %d tasks once, %d good spans of %d", run, once, good, shared)) break;
  }
  tvmq_trace_reset(trace);
  tvmq_threads_run(threads, 1, some_work, sinks);
  CHECK(tvmq_trace_at(trace, 0) == NULL, "one task is not shared");
  tvmq_threads_trace(threads, NULL);
  tvmq_threads_run(threads, TASKS, some_work, sinks);
  CHECK(tvmq_trace_at(trace, 0) == NULL, "not traced any more");
  tvmq_threads_destroy(threads);
  tvmq_free(trace);
}

static void check_memory(void) {
  const size_t live = tvmq_alloc_fail_at(1);
  struct tvmq_trace *trace = tvmq_trace_create(2);
  tvmq_alloc_fail_at(0);
  CHECK(trace == NULL && tvmq_alloc_live() == live, "out of memory");
}

int main(void) {
  check_ring();
  check_clock();
  check_pool();
  check_memory();
  return unit_report();
}
