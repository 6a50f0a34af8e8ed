// Waiting for a write by another thread.
#pragma once

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "base/clock.h"

// TVMQ_SPIN_NS: how long to spin before sleeping. Longer than the runtime needs between two operators of the delegate,
// but much shorter than a scheduler's time slice. The first TVMQ_SPINS_AT_ONCE polls have no pause, because a pause may
// take longer than another core's store.
enum { TVMQ_SPIN_NS = 150 * 1000, TVMQ_SPINS_PER_YIELD = 64, TVMQ_SPINS_AT_ONCE = 256 };

// How long to sleep between polls when no thread will wake this one.
enum { TVMQ_NAP_NS = 50 * 1000 };

// Pauses the core briefly.
static inline void tvmq_relax(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb" ::: "memory");  // unlike yield, which is a no-op on most cores, isb waits briefly
#endif
}

struct tvmq_spin {
  int looks;     // polls so far
  uint64_t end;  // time in ns at which the spin budget is used up
};

// Call between two polls. Returns false once the spin budget is used up. Yields at intervals: if processors are scarce,
// the spinning thread may occupy the processor that the other thread needs.
static inline bool tvmq_spin_on(struct tvmq_spin *spin) {
  if (++spin->looks < TVMQ_SPINS_AT_ONCE) return true;
  if (spin->looks == TVMQ_SPINS_AT_ONCE) spin->end = tvmq_now_ns() + TVMQ_SPIN_NS;
  tvmq_relax();
  if (spin->looks % TVMQ_SPINS_PER_YIELD != 0) return true;
  sched_yield();
  return tvmq_now_ns() < spin->end;
}

static inline void tvmq_nap(void) { nanosleep(&(struct timespec){.tv_nsec = TVMQ_NAP_NS}, NULL); }
