#include "exact/progression.h"

static struct tvmq_move join(struct tvmq_move a, struct tvmq_move b) { return (struct tvmq_move){a.places + b.places, a.distance - b.distance}; }

struct tvmq_progression tvmq_progression(int64_t first, int64_t step, int64_t modulus, int32_t n) {
  struct tvmq_progression p = {.n = n, .ahead = {1, step}, .back = {1, modulus - step}, .least = {0, first}};
  // A move back leads to a greater term, so the same number of places ahead leads to a lesser term. The shortest move
  // to a term below the least so far has a smaller distance than all shorter moves. The moves back, in order, are
  // exactly these moves.
  for (;;) {
    while (p.least.value >= p.back.distance && p.least.i + p.back.places < n) {
      p.least.i += p.back.places;
      p.least.value -= p.back.distance;
    }
    if (p.ahead.places + p.back.places >= n) break;
    if (p.back.distance < p.ahead.distance)
      p.ahead = join(p.ahead, p.back);
    else
      p.back = join(p.back, p.ahead);
  }
  p.greatest = tvmq_term_below(&p, p.least);
  p.greatest.value += modulus;
  return p;
}
