// Decides, by timing some runs, whether sharing the runs of a sequence between threads is faster than one thread.
//
// The cost of handing work to a thread depends on the threads' processors, on other load there, and on whether workers
// fall asleep between runs. No estimate knows these, and a network that takes a few microseconds may be slower with two
// threads than with one.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// A trial is PACE_HALF shared runs followed by PACE_HALF runs on one thread. The first runs of each half are not timed,
// because workers wake up and caches change hands. Trials are repeated, at first soon, because the scheduler may not
// have placed new threads yet. Runs longer than PACE_MOST_NS skip the second half, because they are worth
// sharing unless the machine has other load. If the pace is wary, they do the last PACE_LONG runs of it.
enum { PACE_FIRST = 4, PACE_UNTIMED = 2, PACE_TIMED = 6, PACE_HALF = PACE_UNTIMED + PACE_TIMED, PACE_LONG = 2, PACE_MOST_NS = 400 * 1000 };

// Runs between trials: PACE_LEAST_PERIOD after the first trial, then PACE_GROWTH times as many each time, up to
// PACE_PERIOD. Long runs stay at PACE_LONG_PERIOD, so that other load is noticed in time.
enum { PACE_LEAST_PERIOD = 64, PACE_GROWTH = 4, PACE_PERIOD = 4096, PACE_LONG_PERIOD = 256 };

// Initially all zero but `wary`, which stays.
struct tvmq_pace {
  bool wary;           // one thread is preferred, and trials compare long runs, too
  uint32_t run;        // number of the next run; each trial begins at run PACE_FIRST
  uint32_t period;     // run at which the next trial begins; 0: PACE_LEAST_PERIOD
  bool alone;          // decision of the last trial: one thread is faster
  uint64_t shared_ns;  // shortest time of a shared run in the current trial
  uint64_t alone_ns;   // shortest time of a run on one thread in the current trial
};

struct tvmq_pace_run {
  bool alone;  // run on one thread
  bool timed;  // measure the time
};

// Returns how to do the next run.
static inline struct tvmq_pace_run tvmq_pace_next(const struct tvmq_pace *pace) {
  const uint32_t at = pace->run - PACE_FIRST;
  if (pace->run < PACE_FIRST || at >= 2 * PACE_HALF) return (struct tvmq_pace_run){.alone = pace->alone};
  return (struct tvmq_pace_run){.alone = at >= PACE_HALF, .timed = at % PACE_HALF >= PACE_UNTIMED};
}

// Forgets all trials, for a sequence that has changed.
static inline void tvmq_pace_restart(struct tvmq_pace *pace) { *pace = (struct tvmq_pace){.wary = pace->wary}; }

// Records that `run` is done. ns: its duration if it was timed.
void tvmq_pace_done(struct tvmq_pace *pace, struct tvmq_pace_run run, uint64_t ns);
