#include <math.h>

#include "cpu/threads/profile.h"
#include "unit.h"

static void check_times(void) {
  static const uint64_t times[] = {300, 100, 500, 100};
  struct tvmq_profile_slot slot = {0};
  CHECK(tvmq_profile_mean_ns(&slot) == 0 && tvmq_profile_stddev_ns(&slot) == 0, "before the first run");
  for (size_t i = 0; i < N_ELEMENTS(times); i++) tvmq_profile_add(&slot, times[i]);
  CHECK(slot.count == 4, "%llu", (unsigned long long)slot.count);
  CHECK(slot.total_ns == 1000, "%llu", (unsigned long long)slot.total_ns);
  CHECK(slot.first_ns == 300, "%llu", (unsigned long long)slot.first_ns);
  CHECK(slot.last_ns == 100, "%llu", (unsigned long long)slot.last_ns);
  CHECK(slot.min_ns == 100, "%llu", (unsigned long long)slot.min_ns);
  CHECK(slot.max_ns == 500, "%llu", (unsigned long long)slot.max_ns);
  CHECK(tvmq_profile_mean_ns(&slot) == 250, "%g", tvmq_profile_mean_ns(&slot));
  CHECK(fabs(tvmq_profile_stddev_ns(&slot) - sqrt(27500)) < 1e-9, "%g", tvmq_profile_stddev_ns(&slot));
}

// Equal times must not give the root of a negative rounding error.
static void check_constant(void) {
  struct tvmq_profile_slot slot = {0};
  for (int i = 0; i < 1000; i++) tvmq_profile_add(&slot, 123456789);
  const double deviation = tvmq_profile_stddev_ns(&slot);
  CHECK(deviation >= 0 && deviation < 100, "%g", deviation);
}

int main(void) {
  check_times();
  check_constant();
  return unit_report();
}
