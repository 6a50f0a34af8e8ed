// The allocator for everything that the delegate owns. Tests can make the n-th allocation fail and count the live
// blocks.
#pragma once

#include <stddef.h>

// Alignment in bytes of every block, and of the parts of a block that vector loads read: one cache line.
enum { TVMQ_ALIGNMENT = 64 };

// Returns a zero-filled block aligned to TVMQ_ALIGNMENT bytes, or NULL if out of memory. Size 0 gives a valid pointer.
void *tvmq_alloc(size_t size);
void *tvmq_alloc_unset(size_t size);  // as tvmq_alloc, but uninitialized
void tvmq_free(void *p);              // NULL is fine

// Allocates a block that another owner releases with free(). It does not count as live.
void *tvmq_alloc_foreign(size_t size);

// For tests: makes allocation number `n` fail, where 1 is the next one and 0 cancels the failure. With fail_at, all
// later allocations fail too. Both functions return the number of live blocks.
size_t tvmq_alloc_fail_at(size_t n);
size_t tvmq_alloc_fail_once(size_t n);
size_t tvmq_alloc_live(void);  // returns the number of live blocks
