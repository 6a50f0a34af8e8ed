// The clock for all time measurements.
#pragma once

#include <stdint.h>
#include <time.h>

// Returns monotonic time in nanoseconds.
static inline uint64_t tvmq_now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}
