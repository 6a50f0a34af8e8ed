// Whether it pays that threads share the runs of a sequence: found out by timing some of them.
//
// A hand-over costs more or less with the processors that the threads have got, with others who work there, and where workers sleep between two runs. No
// estimate knows that, and a network of some microseconds may be slower with two threads than with one.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// A trial is some runs that are shared and then some that are not. The first of either are not timed: workers wake up, and caches change hands. Trials begin
// again and again, soon at first, since new threads may not have found their processors yet when the first trial is made. Runs that take longer than
// PACE_MOST_NS are worth sharing anyway, and are spared the half that is done alone.
enum { PACE_FIRST = 4, PACE_UNTIMED = 2, PACE_TIMED = 6, PACE_HALF = PACE_UNTIMED + PACE_TIMED, PACE_MOST_NS = 400 * 1000 };

// Runs from one trial to the next: from the first trial PACE_LEAST_PERIOD, then PACE_GROWTH times as many each time, up to PACE_PERIOD.
enum { PACE_LEAST_PERIOD = 64, PACE_GROWTH = 4, PACE_PERIOD = 4096 };

// All zero at first.
struct tvmq_pace {
  uint32_t run;        // since the last trial began, which was at PACE_FIRST
  uint32_t period;     // when the next one begins; 0: after PACE_LEAST_PERIOD
  bool alone;          // what the last trial has found
  uint64_t shared_ns;  // least times of the trial under way
  uint64_t alone_ns;
};

// How the next run is to be done.
struct tvmq_pace_run {
  bool alone, timed;
};

static inline struct tvmq_pace_run tvmq_pace_next(const struct tvmq_pace *pace) {
  const uint32_t at = pace->run - PACE_FIRST;
  if (pace->run < PACE_FIRST || at >= 2 * PACE_HALF) return (struct tvmq_pace_run){.alone = pace->alone};
  return (struct tvmq_pace_run){.alone = at >= PACE_HALF, .timed = at % PACE_HALF >= PACE_UNTIMED};
}

// Says that it is done. ns: how long it took, if it was to be timed.
void tvmq_pace_done(struct tvmq_pace *pace, struct tvmq_pace_run run, uint64_t ns);
