// Waiting for what another thread is about to write.
#pragma once

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "base/clock.h"

// How long to spin before sleeping: longer than what the runtime does between two operators of the delegate, much shorter than a scheduler's time slice.
// At first without a pause, which alone may take longer than another core's store.
enum { TVMQ_SPIN_NS = 150 * 1000, TVMQ_SPINS_PER_YIELD = 64, TVMQ_SPINS_AT_ONCE = 256 };

// How long to sleep where nobody wakes.
enum { TVMQ_NAP_NS = 50 * 1000 };

static inline void tvmq_relax(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb" ::: "memory");  // yield is a no-op on most cores, isb waits a little
#endif
}

struct tvmq_spin {
  int looks;
  uint64_t end;
};

// Between two looks at what is waited for; false: it has been for long enough. Yields now and then: where processors are short, the one that spins may hold the
// very processor that the one it waits for needs.
static inline bool tvmq_spin_on(struct tvmq_spin *spin) {
  if (++spin->looks < TVMQ_SPINS_AT_ONCE) return true;
  if (spin->looks == TVMQ_SPINS_AT_ONCE) spin->end = tvmq_now_ns() + TVMQ_SPIN_NS;
  tvmq_relax();
  if (spin->looks % TVMQ_SPINS_PER_YIELD != 0) return true;
  sched_yield();
  return tvmq_now_ns() < spin->end;
}

static inline void tvmq_nap(void) { nanosleep(&(struct timespec){.tv_nsec = TVMQ_NAP_NS}, NULL); }
