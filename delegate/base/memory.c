#define _GNU_SOURCE
#include "base/memory.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/arith.h"
#include "base/recording.h"

static _Atomic size_t countdown;  // allocations until the one that fails; 1: the next one fails; 0: none fails
static _Atomic size_t last;       // value at which the countdown stops; 1: all further allocations fail; 0: no more fail
static _Atomic size_t live;

// Counts an allocation and returns whether it must fail. Costs one relaxed load while no failure is requested.
static bool must_fail(void) {
  size_t left = atomic_load_explicit(&countdown, memory_order_relaxed);
  const size_t end = left > 0 ? atomic_load_explicit(&last, memory_order_relaxed) : 0;
  while (left > end && !atomic_compare_exchange_weak_explicit(&countdown, &left, left - 1, memory_order_relaxed, memory_order_relaxed)) continue;
  return left == 1;
}

// Large blocks, mostly weights, get huge pages: each inference streams them, and huge pages need fewer address
// translations. The kernel also provides a huge page faster than half as many bytes in small pages, so a page of which
// half is used is huge, too.
enum { HUGE_PAGE = 2 << 20 };

static size_t whole_pages(size_t size) { return size % HUGE_PAGE >= HUGE_PAGE / 2 ? tvmq_round_up(size, HUGE_PAGE) : size; }

void *tvmq_alloc_unset(size_t size) {
  if (size <= PTRDIFF_MAX) size = whole_pages(size);
  const bool huge = size >= HUGE_PAGE;
  void *p;
  // No C object is larger than PTRDIFF_MAX. Checked here because sanitizers abort the process where posix_memalign
  // would return an error.
  if (must_fail() || size > PTRDIFF_MAX || posix_memalign(&p, huge ? HUGE_PAGE : TVMQ_ALIGNMENT, size > 0 ? size : 1) != 0) return NULL;
  atomic_fetch_add_explicit(&live, 1, memory_order_relaxed);
  if (huge) madvise(p, size, MADV_HUGEPAGE);  // only a hint, so errors are ignored
  if (tvmq_recording_is_on()) memset(p, 0, size);
  tvmq_recording_note(p, size);
  return p;
}

void *tvmq_alloc(size_t size) {
  void *p = tvmq_alloc_unset(size);
  return p != NULL ? memset(p, 0, size) : NULL;
}

void *tvmq_alloc_foreign(size_t size) { return must_fail() ? NULL : malloc(size); }

void tvmq_free(void *p) {
  if (p == NULL) return;
  tvmq_recording_forget(p);
  atomic_fetch_sub_explicit(&live, 1, memory_order_relaxed);
  free(p);
}

static size_t set_failures(size_t n, size_t end) {
  atomic_store_explicit(&last, end, memory_order_relaxed);
  atomic_store_explicit(&countdown, n, memory_order_relaxed);
  return atomic_load_explicit(&live, memory_order_relaxed);
}

size_t tvmq_alloc_fail_at(size_t n) { return set_failures(n, 1); }

size_t tvmq_alloc_fail_once(size_t n) { return set_failures(n, 0); }

size_t tvmq_alloc_live(void) { return atomic_load_explicit(&live, memory_order_relaxed); }
