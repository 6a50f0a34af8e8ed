// Scratch memory that all operators of a delegate share, because only one of them runs at a time. Planning reserves it;
// inferences do not allocate.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tvmq_scratch {
  uint8_t *memory;  // 64-byte aligned; contents do not survive from one operator to the next
  size_t size;
};

// Reserves `shared` bytes, and `slice` bytes for each of `n_threads` threads. If out of memory, returns false and keeps
// the previous reservation.
bool tvmq_scratch_reserve(struct tvmq_scratch *scratch, size_t shared, size_t slice, size_t n_threads);
void tvmq_scratch_free(struct tvmq_scratch *scratch);

// Lays out one thread's slice: appends `count` objects of `bytes` bytes to a slice of *size bytes, aligns the end and
// stores their offset. Returns false if the size overflows.
bool tvmq_scratch_append(size_t *size, size_t count, size_t bytes, size_t *offset);
