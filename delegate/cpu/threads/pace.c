#include "cpu/threads/pace.h"

#include "base/arith.h"

// A trial changes the decision only if the other mode is faster by more than 1/CLEAR. A wary pace shares only what is
// faster by more than 1/WORTH.
enum { CLEAR = 32, WORTH = 16 };

static bool decide(const struct tvmq_pace *pace) {
  if (pace->wary) return pace->shared_ns >= pace->alone_ns - pace->alone_ns / WORTH;
  const uint64_t now = pace->alone ? pace->alone_ns : pace->shared_ns, other = pace->alone ? pace->shared_ns : pace->alone_ns;
  return other < now - now / CLEAR ? !pace->alone : pace->alone;
}

void tvmq_pace_done(struct tvmq_pace *pace, struct tvmq_pace_run run, uint64_t ns) {
  const uint32_t at = pace->run++ - PACE_FIRST;
  const size_t period = tvmq_max(pace->period, PACE_LEAST_PERIOD);
  if (run.timed) {
    uint64_t *least = run.alone ? &pace->alone_ns : &pace->shared_ns;
    if (*least == 0 || ns < *least) *least = tvmq_max(ns, 1);
  }
  const bool is_long = pace->shared_ns > PACE_MOST_NS;
  if (at + 1 == PACE_HALF && is_long && pace->wary) {
    pace->run = PACE_FIRST + 2 * PACE_HALF - PACE_LONG;
  } else if (at + 1 == PACE_HALF && is_long) {
    pace->alone = false;
    pace->run = PACE_FIRST + 2 * PACE_HALF;
  } else if (at + 1 == 2 * PACE_HALF) {
    pace->alone = decide(pace);
  } else if (pace->run == period) {
    pace->run = PACE_FIRST;
    pace->period = (uint32_t)tvmq_min(PACE_GROWTH * period, is_long && pace->wary ? PACE_LONG_PERIOD : PACE_PERIOD);
    pace->shared_ns = pace->alone_ns = 0;
  }
}
