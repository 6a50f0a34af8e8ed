// Into how many tasks an operator's work is cut.
#pragma once

#include "arith.h"
#include "threads.h"

// Several tasks per thread, so that fast cores take more of them than slow ones; but none so small that a thread takes longer to learn of it and to fetch its
// data from another core (some microseconds), and as many for each thread. One for a single thread. `cycles` is what the operator takes on one thread,
// estimated.
static inline size_t tvmq_tasks_wanted(const struct tvmq_threads *threads, float cycles) {
  enum { TASKS_PER_THREAD = 4, MIN_TASK_CYCLES = 8 * 1024 };
  const size_t n_threads = (size_t)tvmq_threads_count(threads), most = n_threads * TASKS_PER_THREAD;
  if (most == TASKS_PER_THREAD || cycles < 2.0f * MIN_TASK_CYCLES) return 1;
  if (cycles >= (float)most * MIN_TASK_CYCLES) return most;
  const size_t tasks = (size_t)(cycles / MIN_TASK_CYCLES);
  return tasks > n_threads ? tvmq_round_up(tasks, n_threads) : tasks;
}
