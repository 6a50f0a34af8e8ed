// Arithmetic progressions modulo 1, in units of 2^-32, and which of their terms lie near an integer. Proofs examine only
// these terms exactly.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arith.h"
#include "base/inline.h"

// Terms are shifted so that those near an integer, read as signed numbers, are below the limit.
struct tvmq_fractions {
  uint32_t first, step, n;
  int32_t limit;
};

// Returns the progression of `n` terms first + i * step. A term is near an integer if it is at most `near` away, and
// `near` is at most 2^29.
TVMQ_INLINE struct tvmq_fractions tvmq_fractions(uint32_t first, uint32_t step, uint32_t n, uint32_t near) {
  return (struct tvmq_fractions){.first = first + near - (UINT32_C(1) << 31), .step = step, .n = n, .limit = INT32_MIN + (int32_t)(2 * near + 1)};
}

TVMQ_INLINE int32_t tvmq_shifted_fraction(const struct tvmq_fractions *f, uint32_t i) { return (int32_t)(f->first + i * f->step); }
TVMQ_INLINE bool tvmq_is_near(const struct tvmq_fractions *f, uint32_t i) { return tvmq_shifted_fraction(f, i) < f->limit; }

// Returns whether no term is near an integer. Compilers vectorize the loop, which also looks at a few terms behind the
// last.
TVMQ_INLINE bool tvmq_none_is_near(const struct tvmq_fractions *f) {
  enum { GROUP = 32 };
  const uint32_t n = (uint32_t)tvmq_round_up(f->n, GROUP);
  int32_t least = INT32_MAX;
  for (uint32_t i = 0; i < n; i++) {
    const int32_t term = tvmq_shifted_fraction(f, i);
    least = term < least ? term : least;
  }
  return least >= f->limit;
}
