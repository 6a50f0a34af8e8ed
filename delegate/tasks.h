// Into how many tasks an operator's work is cut.
#pragma once

#include <stdint.h>

#include "threads.h"

// Several tasks per thread, so that fast cores take more of them than slow ones; but none so small that waking a thread for it costs more than it saves (some
// microseconds). One for a single thread.
static inline size_t tvmq_tasks_wanted(const struct tvmq_threads *threads, uint64_t macs) {
  enum { TASKS_PER_THREAD = 4, MIN_TASK_MACS = 64 * 1024 };
  const size_t most = (size_t)tvmq_threads_count(threads) * TASKS_PER_THREAD;
  if (most == TASKS_PER_THREAD || macs < 2 * MIN_TASK_MACS) return 1;
  return macs / MIN_TASK_MACS < most ? (size_t)(macs / MIN_TASK_MACS) : most;
}
