// Lists the pairs of bytes whose weighted sum lies near a multiple of a power of two. For these pairs, a slightly
// different sum might be shifted to another value.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/types.h"

// For x = 0 .. 255 the value (x * multiplier + constant) mod 2^shift, in ascending order.
struct tvmq_products {
  uint8_t x[TVMQ_N_BYTES];
  int32_t value[TVMQ_N_BYTES];
};

struct tvmq_near_pairs {
  int32_t modulus, width;
  struct tvmq_products a, b;
  int32_t i, j;   // the next pair may be a.x[i], b.x[j % 256]; past the end of b its values are `modulus` greater
  int32_t first;  // least j for this i whose sum is at least `modulus`
};

// Begins the list of pairs (a, b), each from 0 to 255, in no particular order. A pair is listed if a * multiplier[0] +
// b * multiplier[1] + constant is at most `reach` from a multiple of 2^shift. If `reach` is at least 2^(shift - 1), all
// pairs are listed. 0 < shift < 30.
void tvmq_near_pairs(const int32_t multiplier[2], int64_t constant, int32_t shift, int32_t reach, struct tvmq_near_pairs *pairs);

static inline int32_t tvmq_pair_sum(const struct tvmq_near_pairs *p, int32_t j) {
  return p->a.value[p->i] + p->b.value[j % TVMQ_N_BYTES] + (j < TVMQ_N_BYTES ? 0 : p->modulus);
}

// Moves to the first j for the current i. The value of i is at least that of the previous i, so j is the previous first
// j or an earlier one.
static inline void tvmq_near_pairs_seek(struct tvmq_near_pairs *p) {
  while (p->first > 0 && tvmq_pair_sum(p, p->first - 1) >= p->modulus) p->first--;
  p->j = p->first;
}

// Sets *a and *b to the next pair. Returns false if there are no more.
static inline bool tvmq_next_pair(struct tvmq_near_pairs *p, int32_t *a, int32_t *b) {
  while (p->j == p->first + TVMQ_N_BYTES || tvmq_pair_sum(p, p->j) - p->modulus > p->width) {
    if (++p->i == TVMQ_N_BYTES) return false;
    tvmq_near_pairs_seek(p);
  }
  *a = p->a.x[p->i];
  *b = p->b.x[p->j++ % TVMQ_N_BYTES];
  return true;
}
