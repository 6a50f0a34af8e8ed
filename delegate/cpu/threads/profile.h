// Times of each operator: plain C, so that it works where the runtime's own profiler (a C++ object) is out of reach.
//
// The slots are allocated when the graph is planned; timing an operator allocates and locks nothing. A slot belongs to one operator, and whoever reads it does
// so while that operator does not run.
#pragma once

#include <stdint.h>

struct tvmq_profile_slot {
  uint64_t count;
  uint64_t total_ns, min_ns, max_ns, first_ns, last_ns;
  double square_sum;  // of the times in ns, for the standard deviation
};

void tvmq_profile_add(struct tvmq_profile_slot *slot, uint64_t ns);

double tvmq_profile_mean_ns(const struct tvmq_profile_slot *slot);    // 0 before the first run
double tvmq_profile_stddev_ns(const struct tvmq_profile_slot *slot);  // of the runs themselves (divided by count, not count - 1)
