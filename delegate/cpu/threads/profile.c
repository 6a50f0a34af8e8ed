#include "cpu/threads/profile.h"

#include <math.h>

void tvmq_profile_add(struct tvmq_profile_slot *slot, uint64_t ns) {
  if (slot->count == 0) {
    slot->first_ns = slot->min_ns = ns;
  }
  slot->count++;
  slot->total_ns += ns;
  slot->last_ns = ns;
  if (ns < slot->min_ns) slot->min_ns = ns;
  if (ns > slot->max_ns) slot->max_ns = ns;
  slot->square_sum += (double)ns * (double)ns;
}

double tvmq_profile_mean_ns(const struct tvmq_profile_slot *slot) { return slot->count > 0 ? (double)slot->total_ns / (double)slot->count : 0; }

double tvmq_profile_stddev_ns(const struct tvmq_profile_slot *slot) {
  if (slot->count == 0) return 0;
  const double mean = tvmq_profile_mean_ns(slot);
  const double variance = slot->square_sum / (double)slot->count - mean * mean;
  return variance > 0 ? sqrt(variance) : 0;  // rounding errors can make it slightly negative
}
