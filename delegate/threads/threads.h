// A pool of worker threads that go through a sequence of stages together, and share the tiles of each.
//
// Each thread begins with a range of tiles of its own, so that neighbours stay in one core's cache from stage to stage, and goes on with what the others have
// left, so that fast and slow cores each take what they can. The calling thread works too.
#pragma once

#include <stddef.h>

#include "threads/trace.h"

struct tvmq_threads;

struct tvmq_tile {
  size_t index;     // 0 to n_tiles - 1
  size_t previous;  // the one that the thread has done before in this stage, whose results still lie in its scratch; SIZE_MAX: none
  int thread;       // 0 (the caller) to tvmq_threads_count() - 1; indexes per-thread scratch
};
typedef void (*tvmq_tile_fn)(void *context, struct tvmq_tile tile);

// A pool of `n` threads, the caller included. NULL for n < 2, when out of memory and when no thread can be started (work then runs on the caller). If some
// threads cannot be started, the pool has fewer.
struct tvmq_threads *tvmq_threads_create(int n);
void tvmq_threads_destroy(struct tvmq_threads *threads);  // NULL is fine. Its sequences are gone by then

// From the next stage on every tile of a stage that several threads share in is a span of `trace`, which has a ring for each thread of the pool and outlives
// it. NULL: nothing is recorded.
void tvmq_threads_trace(struct tvmq_threads *threads, struct tvmq_trace *trace);

int tvmq_threads_count(const struct tvmq_threads *threads);  // 1 for NULL

struct tvmq_sequence_stage {
  size_t n_tiles;
  tvmq_tile_fn fn;
  void *context;
};

// Stages of which each begins when all tiles of the one before are done. They are copied. NULL: out of memory.
struct tvmq_sequence *tvmq_sequence_create(struct tvmq_threads *threads, const struct tvmq_sequence_stage *stages, size_t n);
void tvmq_sequence_destroy(struct tvmq_sequence *sequence);  // NULL is fine

// Runs fn on every tile of stages [begin, end), or as far as there are any, and returns when all are done. Without a pool: a plain loop. One run at a time per
// pool; concurrent callers queue. A tile must not wait for another: how many threads share in a stage is not promised, and after fork() the child runs
// everything on the caller.
//
// Workers that have nothing to do fall asleep soon, and waking one costs microseconds: with less work than that, have one tile, which the caller runs.
void tvmq_sequence_run(struct tvmq_sequence *sequence, size_t begin, size_t end);

// The same for one stage, made for the purpose; a plain loop where there is no memory for that. NULL threads are fine. Not for inferences: it allocates.
void tvmq_threads_run(struct tvmq_threads *threads, size_t n_tiles, tvmq_tile_fn fn, void *context);
