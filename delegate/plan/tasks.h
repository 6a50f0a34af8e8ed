// Into how many tasks an operator's work is cut.
#pragma once

#include "base/arith.h"
#include "threads/threads.h"

// Several tasks per thread, so that fast cores take more of them than slow ones, and as many for each thread; but none so small that it is little beside what
// a task costs. With less work one task a thread, unless even that is less than a thread needs to learn of it: what other operators have left in its cache
// stays there. One for a single thread. `cycles` is what the operator takes on one thread, estimated.
static inline size_t tvmq_tasks_wanted(const struct tvmq_threads *threads, float cycles) {
  enum { TASKS_PER_THREAD = 4, TASK_CYCLES = 8 * 1024, LEAST_CYCLES = 1024 };
  const size_t n_threads = (size_t)tvmq_threads_count(threads), most = n_threads * TASKS_PER_THREAD;
  if (n_threads == 1 || cycles < 2.0f * LEAST_CYCLES) return 1;
  if (cycles >= (float)most * TASK_CYCLES) return most;
  const size_t tasks = (size_t)(cycles / TASK_CYCLES);
  return tasks > n_threads ? tvmq_round_up(tasks, n_threads) : tvmq_min(n_threads, (size_t)(cycles / LEAST_CYCLES));
}
