#include "float_stage.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "kernels/requant.h"

enum { MAX_CODES = 256, SLOPES = 16 };

struct line {
  float slope, intercept;
  int32_t origin;
};

// One channel as the proof sees it.
struct channel {
  const struct tvmq_stage *stage;
  int32_t multiplier, shift, lo, hi;
  bool is_odd;
  double real;  // multiplier * 2^(shift - 31)
};

// A place beside a step of the reference: with slope * x + intercept the line is to lie above the half before the step's code, or below it. Of an odd line the
// places below zero are mirrored, which exchanges above and below.
struct place {
  double x, half;
  int32_t acc, code;
};

// The first accumulators of codes, and those before. lo is not at the first code yet, hi is at the last.
struct steps {
  int32_t origin;
  int n_above, n_below;
  struct place above[2 * MAX_CODES], below[2 * MAX_CODES];
};

static int32_t reference(const struct channel *c, int32_t acc) { return tvmq_stage_s32(c->stage, acc, c->multiplier, c->shift); }

static int32_t on_line(const struct channel *c, const struct line *line, int32_t acc) {
  const int32_t value = tvmq_float_value(line->slope, line->intercept, c->is_odd, acc - line->origin);
  return tvmq_clamp(c->is_odd ? value + c->stage->zero_point : value, c->stage->min, c->stage->max);
}

static void add_place(const struct channel *c, struct steps *steps, int32_t acc, int32_t code, bool reached) {
  const int32_t x = acc - steps->origin;
  const double half = (double)(code - (c->is_odd ? c->stage->zero_point : 0)) - 0.5;
  const bool mirrored = c->is_odd && x < 0;
  struct place *const place = reached != mirrored ? &steps->above[steps->n_above++] : &steps->below[steps->n_below++];
  *place = (struct place){.x = mirrored ? -(double)x : x, .half = mirrored ? -half : half, .acc = acc, .code = code};
}

static void find_steps(const struct channel *c, struct steps *steps) {
  const int32_t least = reference(c, c->lo), most = reference(c, c->hi), zero_point = c->stage->zero_point;
  // What half of the last place before the shift is worth: it rounds up, too, and on an odd line down below zero.
  const double width = 1 / c->real, half_place = 0x1p30 / c->multiplier;
  steps->n_above = steps->n_below = 0;
  for (int32_t code = least + 1; code <= most; code++) {
    const double guess = (code - zero_point - 0.5) * width + (c->is_odd && code <= zero_point ? half_place : -half_place);
    int32_t acc = guess <= c->lo ? c->lo + 1 : guess >= c->hi ? c->hi : (int32_t)guess + (guess > 0);
    while (tvmq_rescale(c->stage->rounding, acc, c->multiplier, c->shift) < code - zero_point) acc++;
    while (tvmq_rescale(c->stage->rounding, acc - 1, c->multiplier, c->shift) >= code - zero_point) acc--;
    add_place(c, steps, acc, code, true);
    add_place(c, steps, acc - 1, code, false);
  }
}

// Keeps the places that any of the slopes may bring nearest to the line; the others lie farther from it than a float can be off. `side` is 1 for those that the
// line is to lie above, -1 for the others.
static int keep_nearest(struct place *places, int n, double slope, double side) {
  // Slopes differ by up to SLOPES / 2 steps of 2^-23 of themselves and two places by 2^9 codes, of which a float and a sum of floats are both 2^-25 off.
  const double near = SLOPES * 0x1p-15 + 0x1p-15;
  double intercepts[MAX_CODES * 2], nearest = -INFINITY;
  for (int i = 0; i < n; i++) {
    intercepts[i] = side * (places[i].half - slope * places[i].x);
    nearest = intercepts[i] > nearest ? intercepts[i] : nearest;
  }
  int kept = 0;
  for (int i = 0; i < n; i++) {
    if (intercepts[i] >= nearest - near) places[kept++] = places[i];
  }
  return kept;
}

static bool agree_at(const struct channel *c, const struct line *line, const struct place *places, int n) {
  for (int i = 0; i < n; i++) {
    if ((on_line(c, line, places[i].acc) >= places[i].code) != (reference(c, places[i].acc) >= places[i].code)) return false;
  }
  return on_line(c, line, c->lo) == reference(c, c->lo) && on_line(c, line, c->hi) == reference(c, c->hi);
}

// The middle of the intercepts with which the line, not rounded, passes every place; false: there are none.
static bool find_intercept(const struct channel *c, const struct steps *steps, struct line *line) {
  const double slope = (double)line->slope;
  double least = c->is_odd ? 0 : -2 * slope, most = 2 * slope;
  for (int i = 0; i < steps->n_above; i++) least = fmax(least, steps->above[i].half - slope * steps->above[i].x);
  for (int i = 0; i < steps->n_below; i++) most = fmin(most, steps->below[i].half - slope * steps->below[i].x);
  line->intercept = (float)((least + most) / 2);
  return least <= most;
}

static bool find_line(const struct channel *c, struct line *line) {
  const double origin = c->is_odd ? 0 : nearbyint(-c->stage->zero_point / c->real);
  if (!(fabs(origin) < 0x1p30)) return false;
  struct steps steps;  // not cleared: it is large
  line->origin = steps.origin = (int32_t)origin;
  find_steps(c, &steps);
  float above = (float)c->real, below = above;
  steps.n_above = keep_nearest(steps.above, steps.n_above, (double)above, 1);
  steps.n_below = keep_nearest(steps.below, steps.n_below, (double)above, -1);
  for (int i = 0; i < SLOPES; i++) {
    line->slope = i % 2 != 0 ? above : below;
    if (find_intercept(c, &steps, line) && agree_at(c, line, steps.above, steps.n_above) && agree_at(c, line, steps.below, steps.n_below)) return true;
    if (i % 2 == 0)
      above = nextafterf(above, INFINITY);
    else
      below = nextafterf(below, 0);
  }
  return false;
}

static int32_t bits_of(float x) {
  int32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

// The line for channels [first, end) of one multiplier and shift, over all their accumulators.
static bool find_common_line(const struct tvmq_stage *stage, const struct tvmq_accumulators *accumulators, const struct tvmq_channel_params *params,
                             size_t first, size_t end, struct line *line) {
  const int32_t multiplier = params[first].multiplier, shift = params[first].shift;
  struct tvmq_accumulators all = accumulators[first];
  for (size_t j = first + 1; j < end; j++) {
    if (accumulators[j].lo < all.lo) all.lo = accumulators[j].lo;
    if (accumulators[j].hi > all.hi) all.hi = accumulators[j].hi;
  }
  // Nothing wraps, with a bit to spare for the origin.
  const int64_t limit = (INT64_C(1) << 30) >> (shift > 0 ? shift : 0);
  if (multiplier == 0 || all.lo < -limit || all.hi > limit) return false;
  const struct channel channel = {
      .stage = stage,
      .multiplier = multiplier,
      .shift = shift,
      .lo = (int32_t)all.lo,
      .hi = (int32_t)all.hi,
      .is_odd = tvmq_stage_is_odd(stage),
      .real = ldexp(multiplier, shift - 31),
  };
  return find_line(&channel, line);
}

bool tvmq_float_panel(const struct tvmq_stage *stage, const struct tvmq_accumulators *accumulators, struct tvmq_channel_params *params, size_t n) {
  struct tvmq_channel_params lines[TVMQ_MAX_NR];
  assert(n <= TVMQ_MAX_NR);
  for (size_t j = 0, end; j < n; j = end) {
    for (end = j + 1; end < n && params[end].multiplier == params[j].multiplier && params[end].shift == params[j].shift;) end++;
    struct line line;
    if (!find_common_line(stage, accumulators, params, j, end, &line)) return false;
    for (size_t i = j; i < end; i++)
      lines[i] = (struct tvmq_channel_params){.bias = params[i].bias - line.origin, .multiplier = bits_of(-line.slope), .shift = bits_of(line.intercept)};
  }
  memcpy(params, lines, n * sizeof *params);
  return true;
}
