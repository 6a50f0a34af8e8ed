// The terms of an arithmetic progression modulo a number in ascending order, without computing and sorting all of them.
//
// The next greater term is always a fixed number of places ahead, or a fixed number of places back, or both (the
// three-gap theorem):
//
//   (i * 5) mod 13 for i = 0 .. 5:  0 5 10 2 7 12, ascending  i = 0 3 1 4 2 5:  3 places ahead add 2, 2 places back add 3
//
// Euclid's algorithm, stopped at the last place, finds both numbers.
#pragma once

#include <stdint.h>

struct tvmq_move {
  int32_t places;    // from a term to another one
  int64_t distance;  // by which the other term is greater, modulo the modulus
};

struct tvmq_term {
  int32_t i;
  int64_t value;
};

struct tvmq_progression {
  int32_t n;
  struct tvmq_move ahead, back;      // moves to a greater term, ahead and back
  struct tvmq_term least, greatest;  // among equal terms, the first and the last in the order of tvmq_term_above()
};

// Returns the progression of the terms (first + i * step) mod modulus for i = 0 .. n - 1. 0 <= first, step < modulus; n
// >= 1.
struct tvmq_progression tvmq_progression(int64_t first, int64_t step, int64_t modulus, int32_t n);

// Returns the next greater term, or an equal one. After the greatest term, the returned value is at least the modulus.
static inline struct tvmq_term tvmq_term_above(const struct tvmq_progression *p, struct tvmq_term term) {
  const int32_t ahead = term.i + p->ahead.places, back = term.i - p->back.places;
  if (ahead < p->n) return (struct tvmq_term){ahead, term.value + p->ahead.distance};
  if (back >= 0) return (struct tvmq_term){back, term.value + p->back.distance};
  return (struct tvmq_term){ahead - p->back.places, term.value + p->ahead.distance + p->back.distance};
}

// Returns the next lesser term, or an equal one. After the least term, the returned value is negative.
static inline struct tvmq_term tvmq_term_below(const struct tvmq_progression *p, struct tvmq_term term) {
  const int32_t ahead = term.i + p->back.places, back = term.i - p->ahead.places;
  if (back >= 0) return (struct tvmq_term){back, term.value - p->ahead.distance};
  if (ahead < p->n) return (struct tvmq_term){ahead, term.value - p->back.distance};
  return (struct tvmq_term){ahead - p->ahead.places, term.value - p->ahead.distance - p->back.distance};
}
