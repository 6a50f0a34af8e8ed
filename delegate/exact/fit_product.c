#include "exact/fit_product.h"

#include <math.h>
#include <stdlib.h>

#include "arithmetic/stage.h"
#include "base/inline.h"
#include "cpu/cpu.h"
#include "exact/fractions.h"

// The float64 product and the fixed-point product are monotonic in x, so they are equal if they step at the same x. The
// multiplier errs by up to 2^-31 of itself, which moves few steps past an integer. Neighbouring multipliers move other
// steps. A tie, which the float64 product rounds away from zero, needs the next larger multiplier.

struct product {
  double real;
  int64_t bound;
  int32_t multiplier, shift;
};

static bool exact_reaches(const struct product *p, int64_t x, int32_t value) { return round((double)x * p->real) >= value; }
static bool fixed_reaches(const struct product *p, int64_t x, int32_t value) { return tvmq_rescale_single((int32_t)x, p->multiplier, p->shift) >= value; }

// Returns the least x whose product reaches the value, or bound + 1 if none does.
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

// Returns x - floor(x) in units of 2^-32, rounded down. Just below an integer the result may be 0.
TVMQ_INLINE uint32_t fraction(double x) { return (uint32_t)(uint64_t)((x - floor(x)) * 0x1p32); }

// Finds the fractions of the steps; where they are near an integer, the products might step differently. Returns false if
// all steps might.
TVMQ_INLINE bool find_fractions(const struct product *p, double off, int32_t min, int32_t max, struct tvmq_fractions *f) {
  const uint32_t n = (uint32_t)max - (uint32_t)min;
  const double distance = 1 / p->real, first = (min + 0.5) * distance, last = (max - 0.5) * distance, farthest = fabs(first) > fabs(last) ? first : last;
  const double reach = 2 * off * fabs(farthest) + ((double)n + 2) * 0x1p-32;  // fractions are too small by less than 2^-32 per step
  if (reach >= 0.125) return false;
  *f = tvmq_fractions(fraction(first), fraction(distance), n, (uint32_t)(reach * 0x1p32) + 1);
  return true;
}

TVMQ_INLINE bool none_is_near_in(const struct product *p, double off, int32_t min, int32_t max) {
  struct tvmq_fractions f;
  return find_fractions(p, off, min, max, &f) && tvmq_none_is_near(&f);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static bool none_is_near_by_avx2(const struct product *p, double off, int32_t min, int32_t max) {
  return none_is_near_in(p, off, min, max);
}
#endif

static bool none_is_near(const struct product *p, double off, int32_t min, int32_t max) {
#if defined(__x86_64__)
  if ((tvmq_cpu_detect() & TVMQ_CPU_AVX2) != 0) return none_is_near_by_avx2(p, off, min, max);
#endif
  return none_is_near_in(p, off, min, max);
}

// Returns whether both products are equal within [min, max]. Both step near each step of the real product: float64 errs
// by up to 2^-53 of the product, the multiplier by at most `off`. If no integer lies within twice that distance, both
// step at the same x. The steps of the real product are an arithmetic progression; only steps near an integer are
// examined.
static bool is_exact(const struct product *p, double off, int32_t min, int32_t max) {
  if (min >= max || none_is_near(p, off, min, max)) return true;
  struct tvmq_fractions f;
  const bool some = find_fractions(p, off, min, max, &f);
  for (uint32_t i = 0; i < (uint32_t)max - (uint32_t)min; i++) {
    if ((!some || tvmq_is_near(&f, i)) && !steps_alike(p, min + 1 + (int32_t)i)) return false;
  }
  return true;
}

// Returns a product whose multiplier is `places` units away, normalized to [2^30, 2^31) by its shift.
static struct product beside(const struct product *p, int32_t places) {
  const int64_t multiplier = (int64_t)p->multiplier + places;
  struct product neighbour = *p;
  neighbour.shift += multiplier < INT64_C(1) << 30 ? -1 : multiplier > INT32_MAX ? 1 : 0;
  neighbour.multiplier = (int32_t)(neighbour.shift < p->shift ? multiplier * 2 + 1 : neighbour.shift > p->shift ? multiplier / 2 : multiplier);
  return neighbour;
}

bool tvmq_fit_product(double real, int64_t bound, int32_t min, int32_t max, int32_t *multiplier, int32_t *shift) {
  static const int32_t places[] = {0, 1, -1, 2, -2};
  const double room = 0x1p31 - 0x1p17;  // leaves room to add a zero point to the product
  if (bound > INT32_MAX || (double)bound * real > room) return false;
  if (*multiplier == 0) return true;  // the scale is below 2^-32, so products are below 1/2
  const struct product nearest = {.real = real, .bound = bound, .multiplier = *multiplier, .shift = *shift};
  for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
    const struct product product = beside(&nearest, places[i]);
    const double off = (abs(places[i]) + 0.5) * 0x1p-30;  // the nearest multiplier errs by at most half a unit
    if (!is_exact(&product, off, min, max)) continue;
    *multiplier = product.multiplier;
    *shift = product.shift;
    return true;
  }
  return false;
}
