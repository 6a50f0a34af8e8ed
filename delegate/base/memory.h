// The one place that allocates. Everything the delegate owns comes from here, so that tests can make the n-th allocation fail and count what is left.
#pragma once

#include <stddef.h>

// Alignment of every block, and of the parts of a block that vectors read: a cache line.
enum { TVMQ_ALIGNMENT = 64 };

// Zero-filled, aligned to TVMQ_ALIGNMENT bytes. NULL when out of memory. size 0 gives a valid pointer.
void *tvmq_alloc(size_t size);
void *tvmq_alloc_unset(size_t size);  // the same, not filled: for what is written from end to end
void tvmq_free(void *p);              // NULL is fine

// A block for another library, which releases it by free(). It does not count as live.
void *tvmq_alloc_foreign(size_t size);

// For tests: make the allocation number `n` (1 = the next) fail, and all after it, or none of them. 0 turns the failure off. Both return the number of live
// blocks.
size_t tvmq_alloc_fail_at(size_t n);
size_t tvmq_alloc_fail_once(size_t n);
size_t tvmq_alloc_live(void);  // the number of live blocks
