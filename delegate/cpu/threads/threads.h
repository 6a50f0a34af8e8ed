// A pool of worker threads that run a sequence of passes together and share the tasks of each pass.
//
// Each thread starts with a range of tasks of its own, so that neighbouring tasks stay in one core's cache from pass to
// pass. It then steals remaining tasks from other threads, so that fast cores do more than slow ones. The calling
// thread works too.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/threads/trace.h"

struct tvmq_threads;

// A task is passed by value, in two registers.
struct tvmq_task {
  size_t index;    // 0 to n_tasks - 1
  uint32_t since;  // difference to the index of the thread's previous task in this pass, whose results are still in the thread's scratch; 0: no such task
  int thread;      // 0 (the caller) to tvmq_threads_count() - 1; indexes per-thread scratch
};
typedef void (*tvmq_task_fn)(void *context, struct tvmq_task task);

// Creates a pool of `n` threads, including the caller. The pool has fewer threads if some cannot be started. Returns
// NULL if n < 2, if out of memory, or if no thread can be started; all work then runs on the caller.
struct tvmq_threads *tvmq_threads_create(int n);

// As tvmq_threads_create, for callers that already know the number of processors, because counting them reads system
// files.
struct tvmq_threads *tvmq_threads_create_on(int processors, int n);
void tvmq_threads_destroy(struct tvmq_threads *threads);  // NULL is fine; destroy the pool's sequences first

// From the next run on, records each task of a shared pass as a span of `trace`, or nothing if NULL. `trace` must have
// a ring for each thread of the pool and outlive the pool.
void tvmq_threads_trace(struct tvmq_threads *threads, struct tvmq_trace *trace);
bool tvmq_threads_traced(const struct tvmq_threads *threads);  // NULL is fine

int tvmq_threads_count(const struct tvmq_threads *threads);  // 1 for NULL

struct tvmq_sequence_pass {
  size_t n_tasks;
  tvmq_task_fn fn;
  void *context;
};

// Creates a sequence from copies of `passes`. Each pass begins when all tasks of the previous pass are done. Returns
// NULL if out of memory.
struct tvmq_sequence *tvmq_sequence_create(struct tvmq_threads *threads, const struct tvmq_sequence_pass *passes, size_t n);
void tvmq_sequence_destroy(struct tvmq_sequence *sequence);  // NULL is fine

// Runs every task of passes [begin, end), where `end` may exceed the number of passes, and returns when all are done.
// Without a pool this is a plain loop. A pool has one run at a time; concurrent callers queue. A task must not wait for
// another task: any number of threads may share a pass, and after fork() the child runs everything on the calling
// thread.
//
// Idle workers soon fall asleep, and waking one takes microseconds. A pass with less work than that should have a
// single task, which the calling thread runs.
void tvmq_sequence_run(struct tvmq_sequence *sequence, size_t begin, size_t end);

// Runs all passes on the calling thread and wakes no workers.
void tvmq_sequence_run_alone(struct tvmq_sequence *sequence);

// Runs a single pass through a temporary sequence, or as a plain loop if there is no memory for one. NULL threads are
// fine. Allocates, so do not use it in inferences.
void tvmq_threads_run(struct tvmq_threads *threads, size_t n_tasks, tvmq_task_fn fn, void *context);
