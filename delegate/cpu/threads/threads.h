// A pool of worker threads that walk through a sequence of passes together, and share the tasks of each.
//
// Each thread begins with a range of tasks of its own, so that neighbouring tasks stay in one core's cache from pass to pass, and goes on with tasks that the
// others have left, so that fast and slow cores each take what they can. The calling thread works too.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/threads/trace.h"

struct tvmq_threads;

// A task is passed by value, in two registers.
struct tvmq_task {
  size_t index;    // 0 to n_tasks - 1
  uint32_t since;  // by so much the index exceeds that of the thread's last task of this pass, whose results still lie in its scratch; 0: there is none
  int thread;      // 0 (the caller) to tvmq_threads_count() - 1; indexes per-thread scratch
};
typedef void (*tvmq_task_fn)(void *context, struct tvmq_task task);

// A pool of `n` threads, the caller included. If some threads cannot be started, the pool has fewer. NULL for n < 2, when out of memory and when no thread can
// be started: all work then runs on the caller.
struct tvmq_threads *tvmq_threads_create(int n);

// The same by a caller that has counted the processors, which reads files of the system.
struct tvmq_threads *tvmq_threads_create_on(int processors, int n);
void tvmq_threads_destroy(struct tvmq_threads *threads);  // NULL is fine. Its sequences are gone by then

// From the next run on, each task of a pass that threads share is recorded as a span of `trace`, which has a ring for each thread of the pool and outlives it.
// NULL: nothing is recorded.
void tvmq_threads_trace(struct tvmq_threads *threads, struct tvmq_trace *trace);
bool tvmq_threads_traced(const struct tvmq_threads *threads);  // NULL is fine

int tvmq_threads_count(const struct tvmq_threads *threads);  // 1 for NULL

struct tvmq_sequence_pass {
  size_t n_tasks;
  tvmq_task_fn fn;
  void *context;
};

// Makes a sequence of passes, which are copied. Each pass begins when all tasks of the one before are done. NULL: out of memory.
struct tvmq_sequence *tvmq_sequence_create(struct tvmq_threads *threads, const struct tvmq_sequence_pass *passes, size_t n);
void tvmq_sequence_destroy(struct tvmq_sequence *sequence);  // NULL is fine

// Runs every task of passes [begin, end), or as many passes as there are, and returns when all are done. Without a pool this is a plain loop. A pool has one
// run at a time; concurrent callers queue. A task must not wait for another: how many threads share a pass is not promised, and after fork() the child runs
// everything on the calling thread.
//
// Workers that have nothing to do soon fall asleep, and waking one costs microseconds. A pass of less work than that should have a single task, which the
// calling thread runs.
void tvmq_sequence_run(struct tvmq_sequence *sequence, size_t begin, size_t end);

// Runs all passes on the calling thread, whatever threads there are, and disturbs none of them.
void tvmq_sequence_run_alone(struct tvmq_sequence *sequence);

// Runs a single pass, for which it makes a sequence; without memory for one it is a plain loop. NULL threads are fine. Not for inferences: it allocates.
void tvmq_threads_run(struct tvmq_threads *threads, size_t n_tasks, tvmq_task_fn fn, void *context);
