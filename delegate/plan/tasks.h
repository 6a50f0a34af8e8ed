// Into how many tasks an operator's work is cut.
#pragma once

#include "base/arith.h"
#include "cpu/machine.h"
#include "threads/threads.h"

// Several tasks per thread, so that fast cores take more of them than slow ones, and as many for each thread; but none so small that it is little beside what
// a task costs. With less work one task a thread, unless even that is less than a thread needs to learn of it: what other operators have left in its cache
// stays there. One for a single thread. `cycles` is what the operator takes on one thread, estimated.
static inline size_t tvmq_tasks_wanted(const struct tvmq_machine *machine, const struct tvmq_threads *threads, float cycles) {
  const size_t n_threads = (size_t)tvmq_threads_count(threads), most = n_threads * machine->plain_tasks;
  if (n_threads == 1 || cycles < 2 * machine->least_thread_cycles) return 1;
  if (cycles >= (float)most * machine->plain_task_cycles) return most;
  const size_t tasks = (size_t)(cycles / machine->plain_task_cycles);
  return tasks > n_threads ? tvmq_round_up(tasks, n_threads) : tvmq_min(n_threads, (size_t)(cycles / machine->least_thread_cycles));
}
