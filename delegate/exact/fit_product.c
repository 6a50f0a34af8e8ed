#include "exact/fit_product.h"

#include <math.h>

#include "exact/progression.h"
#include "kernels/stage.h"

// Both are monotonic in x, so they are the same if they step at the same places. The multiplier errs by up to 2^-31 of itself, which moves few steps past an
// integer; its neighbours move others. A tie, which the product takes away from zero, takes the next larger one.

struct product {
  double real;
  int64_t bound;
  int32_t multiplier, shift;
};

static bool exact_reaches(const struct product *p, int64_t x, int32_t value) { return round((double)x * p->real) >= value; }
static bool fixed_reaches(const struct product *p, int64_t x, int32_t value) { return tvmq_rescale_single((int32_t)x, p->multiplier, p->shift) >= value; }

// The least x that reaches the value; bound + 1: none does.
static int64_t find_step(const struct product *p, int32_t value) {
  const double guess = ceil((value - 0.5) / p->real), bound = (double)p->bound;
  int64_t x = guess < -bound ? -p->bound : guess > bound ? p->bound + 1 : (int64_t)guess;
  while (x > -p->bound && exact_reaches(p, x - 1, value)) x--;
  while (x <= p->bound && !exact_reaches(p, x, value)) x++;
  return x;
}

static bool steps_alike(const struct product *p, int32_t value) {
  const int64_t x = find_step(p, value);
  return (x > p->bound || fixed_reaches(p, x, value)) && (x <= -p->bound || !fixed_reaches(p, x - 1, value));
}

#define ONE (INT64_C(1) << 60)

// The fraction of a number, above the integer below it, times ONE.
static int64_t fraction(double x) { return (int64_t)((x - floor(x)) * (double)ONE) & (ONE - 1); }

// Both step near where the real product does: float64 errs by up to 2^-53 of the product, a multiplier and its neighbours by less than 2^-28. Where no integer
// lies within 2^-27 of that, they step at the same one. The real steps are a progression, of which only the terms near an integer are looked at.
static bool is_exact(const struct product *p, int32_t min, int32_t max) {
  if (min >= max) return true;
  const double distance = 1 / p->real, first = (min + 0.5) * distance, farthest = fmax(fabs(first), fabs((max - 0.5) * distance));
  const struct tvmq_progression steps = tvmq_progression(fraction(first), fraction(distance), ONE, max - min);
  const double reach = farthest * 0x1p-27 + 0x1p-40;  // and what fractions lack: less than 2^-59 a place, and 2^-53 at the first
  const int64_t near = reach < 1 ? (int64_t)(reach * (double)ONE) : ONE;
  for (struct tvmq_term t = steps.least; t.value < ONE && t.value <= near; t = tvmq_term_above(&steps, t)) {
    if (!steps_alike(p, min + 1 + t.i)) return false;
  }
  for (struct tvmq_term t = steps.greatest; t.value >= 0 && t.value >= ONE - near; t = tvmq_term_below(&steps, t)) {
    if (!steps_alike(p, min + 1 + t.i)) return false;
  }
  return true;
}

// A few places beside a multiplier of [2^30, 2^31), in that range.
static struct product beside(const struct product *p, int32_t places) {
  const int64_t multiplier = (int64_t)p->multiplier + places;
  struct product neighbour = *p;
  neighbour.shift += multiplier < INT64_C(1) << 30 ? -1 : multiplier > INT32_MAX ? 1 : 0;
  neighbour.multiplier = (int32_t)(neighbour.shift < p->shift ? multiplier * 2 + 1 : neighbour.shift > p->shift ? multiplier / 2 : multiplier);
  return neighbour;
}

bool tvmq_fit_product(double real, int64_t bound, int32_t min, int32_t max, int32_t *multiplier, int32_t *shift) {
  static const int32_t places[] = {0, 1, -1, 2, -2};
  const double room = 0x1p31 - 0x1p17;  // for a zero point behind the product
  if (bound > INT32_MAX || (double)bound * real > room) return false;
  if (*multiplier == 0) return true;  // below 2^-32: less than a half
  const struct product nearest = {.real = real, .bound = bound, .multiplier = *multiplier, .shift = *shift};
  for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
    const struct product product = beside(&nearest, places[i]);
    if (!is_exact(&product, min, max)) continue;
    *multiplier = product.multiplier;
    *shift = product.shift;
    return true;
  }
  return false;
}
