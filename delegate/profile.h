// A clock for each operator: plain C, so that it works where the runtime's own profiler (a C++ object) is out of reach.
//
// The slots are allocated when the graph is planned; timing an operator allocates and locks nothing. A slot belongs to one operator, and whoever reads it does
// so while that operator does not run.
#pragma once

#include <stdint.h>
#include <time.h>

struct tvmq_profile_slot {
  uint64_t count;
  uint64_t total_ns, min_ns, max_ns, first_ns, last_ns;
  double square_sum;  // of the times in ns, for the standard deviation
};

static inline uint64_t tvmq_profile_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

void tvmq_profile_add(struct tvmq_profile_slot *slot, uint64_t ns);

// Around an operator. NULL: not profiled, and the clock is not read.
static inline uint64_t tvmq_profile_start(const struct tvmq_profile_slot *slot) { return slot ? tvmq_profile_now() : 0; }
static inline void tvmq_profile_stop(struct tvmq_profile_slot *slot, uint64_t start) {
  if (slot) tvmq_profile_add(slot, tvmq_profile_now() - start);
}

double tvmq_profile_mean_ns(const struct tvmq_profile_slot *slot);    // 0 before the first run
double tvmq_profile_stddev_ns(const struct tvmq_profile_slot *slot);  // of the runs themselves (divided by count, not count - 1)
