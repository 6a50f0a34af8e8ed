// Times of each operator. Plain C, so that it works without access to the runtime's own profiler, a C++ object.
//
// Planning allocates the slots; timing an operator neither allocates nor locks. A slot belongs to one operator and may
// be read only while that operator is not running.
#pragma once

#include <stdint.h>

struct tvmq_profile_slot {
  uint64_t count;
  uint64_t total_ns, min_ns, max_ns, first_ns, last_ns;
  double square_sum;  // sum of the squared times in ns^2, for the standard deviation
};

void tvmq_profile_add(struct tvmq_profile_slot *slot, uint64_t ns);

double tvmq_profile_mean_ns(const struct tvmq_profile_slot *slot);    // 0 before the first run
double tvmq_profile_stddev_ns(const struct tvmq_profile_slot *slot);  // divides by count, not by count - 1
