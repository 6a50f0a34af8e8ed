#include "exact/fit_product.h"

#include <math.h>
#include <stdlib.h>

#include "arithmetic/stage.h"
#include "base/memo.h"

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
static uint32_t fraction(double x) { return (uint32_t)(uint64_t)((x - floor(x)) * 0x1p32); }

typedef uint32_t lanes __attribute__((vector_size(16)));
typedef int32_t signed_lanes __attribute__((vector_size(16)));
typedef uint64_t halves __attribute__((vector_size(16)));
enum { LANES = sizeof(lanes) / sizeof(uint32_t), GROUP = 4 * LANES };

// Fractions first + i * step, modulo 1, in units of 2^-32. They are shifted so that fractions near an integer, read as
// signed numbers, are below the limit.
struct fractions {
  uint32_t first, step;
  int32_t limit;
};

static bool is_near(const struct fractions *f, uint32_t i) { return (int32_t)(f->first + i * f->step) < f->limit; }

// Returns whether any fraction of a group is near an integer. `at` has the group's first fractions and is moved to the
// next group.
static bool any_is_near(const struct fractions *f, lanes *at) {
  signed_lanes near = {0};
  for (int i = 0; i < GROUP / LANES; i++, *at += LANES * f->step) near |= (signed_lanes)*at < f->limit;
  const halves found = (halves)near;
  return (found[0] | found[1]) != 0;
}

// Returns whether both products are equal within [min, max]. Both step near each step of the real product: float64 errs
// by up to 2^-53 of the product, the multiplier by at most `off`. If no integer lies within twice that distance, both
// step at the same x. The steps of the real product are an arithmetic progression; only steps near an integer are
// examined.
static bool is_exact(const struct product *p, double off, int32_t min, int32_t max) {
  if (min >= max) return true;
  const uint32_t n = (uint32_t)max - (uint32_t)min;
  const double distance = 1 / p->real, first = (min + 0.5) * distance, farthest = fmax(fabs(first), fabs((max - 0.5) * distance));
  const double reach = 2 * off * farthest + ((double)n + 2) * 0x1p-32;  // fractions are too small by less than 2^-32 per step
  const bool all = reach >= 0.125;
  const uint32_t near = all ? 0 : (uint32_t)(reach * 0x1p32) + 1;
  const struct fractions f = {.first = fraction(first) + near - (UINT32_C(1) << 31), .step = fraction(distance), .limit = INT32_MIN + (int32_t)(2 * near + 1)};
  lanes at = {f.first, f.first + f.step, f.first + 2 * f.step, f.first + 3 * f.step};
  for (uint32_t begin = 0; begin < n; begin += GROUP) {
    if (!any_is_near(&f, &at) && !all) continue;
    for (uint32_t i = begin; i < begin + GROUP && i < n; i++) {
      if ((all || is_near(&f, i)) && !steps_alike(p, min + 1 + (int32_t)i)) return false;
    }
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

struct question {
  double real;
  int64_t bound;
  int32_t min, max;
};

struct answer {
  int32_t found, multiplier, shift;
};

static struct answer fit(const struct question *q, int32_t multiplier, int32_t shift) {
  static const int32_t places[] = {0, 1, -1, 2, -2};
  const struct product nearest = {.real = q->real, .bound = q->bound, .multiplier = multiplier, .shift = shift};
  for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
    const struct product product = beside(&nearest, places[i]);
    const double off = (abs(places[i]) + 0.5) * 0x1p-30;  // the nearest multiplier errs by at most half a unit
    if (is_exact(&product, off, q->min, q->max)) return (struct answer){true, product.multiplier, product.shift};
  }
  return (struct answer){false, multiplier, shift};
}

// Claiming and packing ask for the same channels, and so do the nodes of an unrolled loop.
TVMQ_MEMO(products, struct question, struct answer, 4096);

bool tvmq_fit_product(double real, int64_t bound, int32_t min, int32_t max, int32_t *multiplier, int32_t *shift) {
  const double room = 0x1p31 - 0x1p17;  // leaves room to add a zero point to the product
  if (bound > INT32_MAX || (double)bound * real > room) return false;
  if (*multiplier == 0) return true;  // the scale is below 2^-32, so products are below 1/2
  const struct question question = {real, bound, min, max};
  struct answer answer;
  if (!tvmq_memo_find(&products, &question, &answer)) {
    answer = fit(&question, *multiplier, *shift);
    tvmq_memo_keep(&products, &question, &answer);
  }
  *multiplier = answer.multiplier;
  *shift = answer.shift;
  return answer.found;
}
