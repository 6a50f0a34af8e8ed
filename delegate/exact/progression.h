// The terms of an arithmetic progression modulo a number in ascending order, without computing and sorting all of them.
//
// From one term to the next greater one it is always the same number of places ahead, or the same number back, or both (the three-gap theorem):
//
//   (i * 5) mod 13 for i = 0 .. 5:  0 5 10 2 7 12, ascending  i = 0 3 1 4 2 5:  3 places ahead add 2, 2 places back add 3
//
// Both are what Euclid's algorithm comes upon when it is stopped at the last place.
#pragma once

#include <stdint.h>

struct tvmq_move {
  int32_t places;    // between two terms
  int64_t distance;  // that the one is greater by than the other, modulo the modulus
};

struct tvmq_term {
  int32_t i;
  int64_t value;
};

struct tvmq_progression {
  int32_t n;
  struct tvmq_move ahead, back;      // to a greater term: so many places ahead, or back
  struct tvmq_term least, greatest;  // of equal terms, the first in the order of tvmq_term_above(), and the last
};

// The terms (first + i * step) mod modulus, 0 <= first, step < modulus, for i = 0 .. n - 1; n >= 1.
struct tvmq_progression tvmq_progression(int64_t first, int64_t step, int64_t modulus, int32_t n);

// The next greater term, or an equal one. Past the greatest the value is no less than the modulus.
static inline struct tvmq_term tvmq_term_above(const struct tvmq_progression *p, struct tvmq_term term) {
  const int32_t ahead = term.i + p->ahead.places, back = term.i - p->back.places;
  if (ahead < p->n) return (struct tvmq_term){ahead, term.value + p->ahead.distance};
  if (back >= 0) return (struct tvmq_term){back, term.value + p->back.distance};
  return (struct tvmq_term){ahead - p->back.places, term.value + p->ahead.distance + p->back.distance};
}

// The same the other way. Past the least the value is below 0.
static inline struct tvmq_term tvmq_term_below(const struct tvmq_progression *p, struct tvmq_term term) {
  const int32_t ahead = term.i + p->back.places, back = term.i - p->ahead.places;
  if (back >= 0) return (struct tvmq_term){back, term.value - p->ahead.distance};
  if (ahead < p->n) return (struct tvmq_term){ahead, term.value - p->back.distance};
  return (struct tvmq_term){ahead - p->ahead.places, term.value - p->ahead.distance - p->back.distance};
}
