// A thread's share of the tickets of a stage (threads.c), from which others take too: one word in memory.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "threads/spin.h"

// A word of a share: the number of the last run that has taken of it, below it how many tickets are left, and how many are not done. To a run with a greater
// number it is whole.
enum { TVMQ_RUN_SHIFT = 32, TVMQ_LEFT_SHIFT = 16, TVMQ_MOST_TICKETS = UINT16_MAX };

struct tvmq_share {
  _Alignas(64) _Atomic uint64_t word;
};

// Turns what has been read of a share of that size into what it says to those of a run. False: it is of a later run.
static inline bool tvmq_in_run(uint64_t *word, uint32_t run, uint32_t size) {
  const uint32_t last = (uint32_t)(*word >> TVMQ_RUN_SHIFT);
  if (last < run) *word = (uint64_t)run << TVMQ_RUN_SHIFT | size << TVMQ_LEFT_SHIFT | size;
  return last <= run;
}

static inline uint32_t tvmq_left_of(uint64_t word) { return (uint32_t)word >> TVMQ_LEFT_SHIFT; }
static inline uint32_t tvmq_undone_of(uint64_t word) { return (uint16_t)word; }

// Takes a ticket; returns how many there were left, 0: none.
static inline uint32_t tvmq_take(struct tvmq_share *share, uint32_t run, uint32_t size) {
  uint64_t seen = atomic_load_explicit(&share->word, memory_order_acquire);
  for (;;) {
    uint64_t word = seen;
    if (!tvmq_in_run(&word, run, size) || tvmq_left_of(word) == 0) return 0;
    if (atomic_compare_exchange_weak_explicit(&share->word, &seen, word - (1 << TVMQ_LEFT_SHIFT), memory_order_acquire, memory_order_acquire))
      return tvmq_left_of(word);
  }
}

// Fetches a share that is about to be taken from: others looked at it in the last run.
static inline void tvmq_prefetch_share(struct tvmq_share *share) {
#if defined(__x86_64__)
  __asm__ volatile("prefetchw %0" : : "m"(*share));  // what the builtin comes to only where it may use later instructions
#else
  __builtin_prefetch(share, 1);
#endif
}

// Says that all of a share is done, which nobody has taken anything of.
static inline void tvmq_finish_share(struct tvmq_share *share, uint32_t run) {
  atomic_store_explicit(&share->word, (uint64_t)run << TVMQ_RUN_SHIFT, memory_order_release);
}

// Waits until all tickets of a share are done. False: the run is over.
static inline bool tvmq_await_share(const struct tvmq_share *share, uint32_t run, uint32_t size) {
  for (struct tvmq_spin spin = {0};;) {
    uint64_t word = atomic_load_explicit(&share->word, memory_order_acquire);
    if (!tvmq_in_run(&word, run, size)) return false;
    if (tvmq_undone_of(word) == 0) return true;
    if (!tvmq_spin_on(&spin)) tvmq_nap();
  }
}
