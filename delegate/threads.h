// A pool of worker threads that share the tiles of one operator at a time.
//
// Each thread begins with a range of tiles of its own, so that neighbours stay in one core's cache from operator to operator, and goes on with what the others
// have left, so that fast and slow cores each take what they can. The calling thread works too.
#pragma once

#include <stddef.h>

#include "trace.h"

struct tvmq_threads;

struct tvmq_tile {
  size_t index;     // 0 to n_tiles - 1
  size_t previous;  // the one that the thread has done before in this run, whose results still lie in its scratch; SIZE_MAX: none
  int thread;       // 0 (the caller) to tvmq_threads_count() - 1; indexes per-thread scratch
};
typedef void (*tvmq_tile_fn)(void *context, struct tvmq_tile tile);

// A pool of `n` threads, the caller included. NULL for n < 2, when out of memory and when no thread can be started (work then runs on the caller). If some
// threads cannot be started, the pool has fewer.
struct tvmq_threads *tvmq_threads_create(int n);
void tvmq_threads_destroy(struct tvmq_threads *threads);  // NULL is fine

// From the next run on every tile that several threads share in is a span of `trace`, which has a ring for each thread of the pool and outlives it.
// NULL: nothing is recorded.
void tvmq_threads_trace(struct tvmq_threads *threads, struct tvmq_trace *trace);

int tvmq_threads_count(const struct tvmq_threads *threads);  // 1 for NULL

// Runs fn on every tile and returns when all are done. NULL threads: a plain loop. One run at a time per pool; concurrent callers queue. A tile must not wait
// for another: how many threads share in a run is not promised, and after fork() the child runs everything on the caller.
//
// Workers that have nothing to do fall asleep soon, and waking one costs microseconds: with less work than that, have one tile.
void tvmq_threads_run(struct tvmq_threads *threads, size_t n_tiles, tvmq_tile_fn fn, void *context);
