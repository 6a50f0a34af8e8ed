// Arrays in one block of memory, one behind the other. The same code lays them out twice: first it counts what they take, then it hands out what was allocated.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/arith.h"

struct tvmq_room {
  uint8_t *base;  // aligned for any of the arrays; NULL: to count only
  size_t used;    // bytes
};

// An array of `n` elements of `size` bytes. NULL: it was only counted.
static inline void *tvmq_room_take(struct tvmq_room *room, size_t n, size_t size) {
  void *p = room->base != NULL ? room->base + room->used : NULL;
  room->used += tvmq_round_up(n * size, sizeof(uint64_t));
  return p;
}
