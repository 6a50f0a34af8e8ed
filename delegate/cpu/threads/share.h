// A share: the chunk of a pass's tickets (threads.c) that one thread starts with and other threads may steal from. It
// is one word in memory.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "cpu/threads/spin.h"

// Fields of the word, from the high bits down: number of the last run that took a ticket, tickets left to take, tickets
// not yet done. For a run with a higher number, the share counts as full.
enum { TVMQ_RUN_SHIFT = 32, TVMQ_LEFT_SHIFT = 16, TVMQ_MOST_TICKETS = UINT16_MAX };

struct tvmq_share {
  _Alignas(64) _Atomic uint64_t word;
};

// Converts a share's word to its value for `run`: if the word is from an earlier run, the share is full. Returns false
// if the word belongs to a later run. size: tickets of a full share.
static inline bool tvmq_in_run(uint64_t *word, uint32_t run, uint32_t size) {
  const uint32_t last = (uint32_t)(*word >> TVMQ_RUN_SHIFT);
  if (last < run) *word = (uint64_t)run << TVMQ_RUN_SHIFT | size << TVMQ_LEFT_SHIFT | size;
  return last <= run;
}

static inline uint32_t tvmq_left_of(uint64_t word) { return (uint32_t)word >> TVMQ_LEFT_SHIFT; }
static inline uint32_t tvmq_undone_of(uint64_t word) { return (uint16_t)word; }

// Takes a ticket. Returns how many were left, including the one taken, or 0 if there was none.
static inline uint32_t tvmq_take(struct tvmq_share *share, uint32_t run, uint32_t size) {
  uint64_t seen = atomic_load_explicit(&share->word, memory_order_acquire);
  for (;;) {
    uint64_t word = seen;
    if (!tvmq_in_run(&word, run, size) || tvmq_left_of(word) == 0) return 0;
    if (atomic_compare_exchange_weak_explicit(&share->word, &seen, word - (1 << TVMQ_LEFT_SHIFT), memory_order_acquire, memory_order_acquire))
      return tvmq_left_of(word);
  }
}

// Prefetches a share's cache line for writing. Other cores have read it in the last run.
static inline void tvmq_prefetch_share(struct tvmq_share *share) {
#if defined(__x86_64__)
  __asm__ volatile("prefetchw %0" : : "m"(*share));  // the builtin emits this only with a newer -march
#else
  __builtin_prefetch(share, 1);
#endif
}

// Marks a share as done without taking from it, for single-ticket passes.
static inline void tvmq_finish_share(struct tvmq_share *share, uint32_t run) {
  atomic_store_explicit(&share->word, (uint64_t)run << TVMQ_RUN_SHIFT, memory_order_release);
}

// Waits until all tickets of a share are done. Returns false if the whole run is over.
static inline bool tvmq_await_share(const struct tvmq_share *share, uint32_t run, uint32_t size) {
  for (struct tvmq_spin spin = {0};;) {
    uint64_t word = atomic_load_explicit(&share->word, memory_order_acquire);
    if (!tvmq_in_run(&word, run, size)) return false;
    if (tvmq_undone_of(word) == 0) return true;
    if (!tvmq_spin_on(&spin)) tvmq_nap();
  }
}
