// Several arrays in one block of memory. The same code runs twice: the first time it adds up the bytes, the second time
// it assigns the allocated memory.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/arith.h"

struct tvmq_room {
  uint8_t *base;  // aligned for any of the arrays; NULL: only count bytes
  size_t used;    // bytes
};

// Reserves an array of `n` elements of `size` bytes. Returns NULL while only counting.
static inline void *tvmq_room_take(struct tvmq_room *room, size_t n, size_t size) {
  void *p = room->base != NULL ? room->base + room->used : NULL;
  room->used += tvmq_round_up(n * size, sizeof(uint64_t));
  return p;
}
