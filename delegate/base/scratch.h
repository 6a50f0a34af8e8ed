// Scratch memory that all operators of a delegate share, since only one of them runs at a time. Planning reserves; an inference only uses.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tvmq_scratch {
  uint8_t *memory;  // 64-byte aligned; contents do not survive from one operator to the next
  size_t size;
};

// Makes room for `shared` bytes and `slice` bytes for each of `n_threads` threads. False: out of memory, and what was reserved before stays.
bool tvmq_scratch_reserve(struct tvmq_scratch *scratch, size_t shared, size_t slice, size_t n_threads);
void tvmq_scratch_free(struct tvmq_scratch *scratch);

// Lays out one thread's slice: appends `count` objects of `bytes` bytes to a slice of *size bytes so far, aligned, and stores their offset. False: does not
// fit.
bool tvmq_scratch_append(size_t *size, size_t count, size_t bytes, size_t *offset);
