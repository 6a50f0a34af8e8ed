#include "exact/float_stage.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "exact/progression.h"
#include "kernels/stage.h"

enum { MAX_STEPS = 255, SLOPES = 16 };

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

// Where the reference steps from one value to the next, zero point not added: it reaches v from the least accumulator on whose product with the multiplier is
// unit * v - bias or more. By how much it is more is the step's excess. Below zero the steps of an odd line mirror those above, reaching -v at -acc; but where
// the excess would be 0, -v takes one accumulator more.
struct steps {
  int64_t unit, bias;
  int32_t first, n;  // v = first, first + 1, ...
  int32_t n_above;   // of an odd line: so many are reached above zero, the others below it alone
  struct tvmq_progression excess;
};

// A step that may decide whether a line serves, which is to be at least `half` at x, the place of `acc`, and less at x - 1.
struct place {
  int32_t acc;
  double x, half;
};

static int32_t reference(const struct channel *c, int32_t acc) { return tvmq_stage_s32(c->stage, acc, c->multiplier, c->shift); }

static int32_t on_line(const struct channel *c, const struct line *line, int32_t acc) {
  const int32_t value = tvmq_float_value(line->slope, line->intercept, c->is_odd, acc - line->origin);
  return tvmq_clamp(c->is_odd ? value + c->stage->zero_point : value, c->stage->min, c->stage->max);
}

static void find_steps(const struct channel *c, struct steps *steps) {
  const int32_t least = reference(c, c->lo) - c->stage->zero_point, most = reference(c, c->hi) - c->stage->zero_point;
  int32_t first = least + 1, last = most;
  if (c->is_odd) {
    first = least > 0 ? least + 1 : most < 0 ? 1 - most : 1;
    last = most > -least ? most : -least;
  }
  steps->first = first;
  steps->n = last >= first ? last - first + 1 : 0;
  steps->n_above = most >= first ? most - first + 1 : 0;
  steps->unit = INT64_C(1) << (31 - c->shift);
  // Half a value, and where the reference rounds twice half of the product's last place.
  const bool twice = c->stage->rounding != TVMQ_ROUNDING_SINGLE && c->shift < 0;
  steps->bias = steps->unit / 2 + (twice ? INT64_C(1) << 30 : 0);
  if (steps->n == 0) return;

  // How much the least multiple of the multiplier that reaches a value exceeds what the value needs.
  const int64_t excess = (steps->bias - steps->unit * first) % c->multiplier, fall = steps->unit % c->multiplier;
  steps->excess = tvmq_progression(excess + (excess < 0 ? c->multiplier : 0), fall > 0 ? c->multiplier - fall : 0, c->multiplier, steps->n);
}

static struct place place_of(const struct channel *c, const struct steps *steps, const struct line *line, struct tvmq_term excess) {
  const int32_t value = steps->first + excess.i;
  // A multiple of the multiplier, by less than 2^31: the quotient in double errs by less than a half.
  const double quotient = (double)(steps->unit * value - steps->bias + excess.value) / c->multiplier;
  int32_t acc = (int32_t)(quotient + copysign(0.5, quotient));
  if (c->is_odd && excess.value == 0 && excess.i >= steps->n_above) acc++;
  return (struct place){.acc = acc, .x = acc - line->origin, .half = value + (c->is_odd ? 0 : c->stage->zero_point) - 0.5};
}

// By how much two places may be moved against each other, in values: by a slope that is not the real one, and at either by the rounding of the result to float
// and that of an accumulator which float32 does not hold. No place is farther from where the line is 0 than 128 values, or 256 of an odd line.
static double doubt(const struct channel *c, const struct line *line) {
  const double beyond = 4 * c->real, farthest = (c->is_odd ? 0x1p8 : 0x1p7) + beyond;
  const int roundings = farthest < 0x1p24 * c->real ? 1 : 2;
  return fabs((double)line->slope / c->real - 1) * (0x1p8 + beyond) + 2 * roundings * 0x1p-24 * farthest;
}

// The first steps that may miss the line, those of least and of greatest excess: a line that rises reaches the one last, and one that falls leaves the other
// first. Where there is no intercept at all, there is hardly one for these.
static int find_ends(const struct channel *c, const struct steps *steps, const struct line *line, struct place places[MAX_STEPS]) {
  if (steps->n > 0) places[0] = place_of(c, steps, line, steps->excess.least);
  if (steps->n > 1) places[1] = place_of(c, steps, line, steps->excess.greatest);
  return steps->n < 2 ? steps->n : 2;
}

// Behind the `n` ends, the other steps of which one may miss the line where no other does. The rest is farther from it than the doubt. All, if mirrored ones
// differ from what they mirror.
static int find_places(const struct channel *c, const struct steps *steps, const struct line *line, struct place places[MAX_STEPS], int n) {
  const struct tvmq_progression *p = &steps->excess;
  const double near = doubt(c, line) * (double)steps->unit;
  const int64_t all = p->greatest.value - p->least.value, band = near < (double)all && !(c->is_odd && p->least.value == 0) ? (int64_t)near + 1 : all;
  for (struct tvmq_term t = tvmq_term_above(p, p->least); n < steps->n && t.value <= p->least.value + band; t = tvmq_term_above(p, t))
    places[n++] = place_of(c, steps, line, t);
  for (struct tvmq_term t = tvmq_term_below(p, p->greatest); n < steps->n && t.value >= p->greatest.value - band; t = tvmq_term_below(p, t))
    places[n++] = place_of(c, steps, line, t);
  return n;
}

// The middle of the intercepts with which the line, not rounded, passes every place; false: there are none.
static bool find_intercept(const struct channel *c, const struct place *places, int n, struct line *line) {
  const double slope = (double)line->slope;
  double least = c->is_odd ? 0 : -2 * slope, most = 2 * slope;
  for (int i = 0; i < n; i++) {
    const double needed = places[i].half - slope * places[i].x;
    least = needed > least ? needed : least;
    most = needed + slope < most ? needed + slope : most;
  }
  line->intercept = (float)((least + most) / 2);
  return least <= most;
}

// Whether they agree at the accumulator, or it cannot occur.
static bool agree_at(const struct channel *c, const struct line *line, int32_t acc) {
  return acc < c->lo || acc > c->hi || on_line(c, line, acc) == reference(c, acc);
}

static bool agree(const struct channel *c, const struct line *line, const struct place *places, int n) {
  for (int i = 0; i < n; i++) {
    const int32_t acc = places[i].acc;
    if (!agree_at(c, line, acc) || !agree_at(c, line, acc - 1)) return false;
    if (c->is_odd && !(agree_at(c, line, -acc) && agree_at(c, line, 1 - acc))) return false;
  }
  return agree_at(c, line, c->lo) && agree_at(c, line, c->hi);
}

static bool find_line(const struct channel *c, struct place places[MAX_STEPS], struct line *line) {
  const double origin = c->is_odd ? 0 : nearbyint(-c->stage->zero_point / c->real);
  if (!(fabs(origin) < 0x1p30)) return false;
  line->origin = (int32_t)origin;
  struct steps steps = {0};
  find_steps(c, &steps);
  float above = (float)c->real, below = above;
  for (int i = 0; i < SLOPES; i++) {
    line->slope = i % 2 != 0 ? above : below;
    int n = find_ends(c, &steps, line, places);
    if (find_intercept(c, places, n, line)) {
      n = find_places(c, &steps, line, places, n);
      if (find_intercept(c, places, n, line) && agree(c, line, places, n)) return true;
    }
    if (i % 2 == 0)
      above = nextafterf(above, INFINITY);
    else
      below = nextafterf(below, 0);
  }
  return false;
}

// A channel whose result is the same for all accumulators, as of one whose weights are all zero: a level line. An odd one takes its sign from the accumulators,
// which are counted from beyond one of their ends. The multiplier may be 0. Nothing wraps up to the limit, zero point included.
static bool find_level(const struct tvmq_stage *stage, const struct tvmq_accumulators *a, int32_t multiplier, int32_t shift, struct line *line) {
  const int64_t limit = INT64_C(3) << 29;
  if (shift > 0 || a->lo < -limit || a->hi > limit || a->hi - a->lo >= INT32_MAX) return false;
  const int32_t value = tvmq_stage_s32(stage, (int32_t)a->lo, multiplier, shift);
  if (value != tvmq_stage_s32(stage, (int32_t)a->hi, multiplier, shift)) return false;
  const int32_t above = value - stage->zero_point;
  const bool is_odd = tvmq_stage_is_odd(stage);
  *line = (struct line){
      .slope = 0,
      .intercept = (float)(!is_odd     ? value
                           : above < 0 ? -above
                                       : above),
      .origin = (int32_t)(!is_odd     ? 0
                          : above < 0 ? a->hi + 1
                                      : a->lo),
  };
  return true;
}

static int32_t bits_of(float x) {
  int32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

// The line for channels [first, end) of one multiplier and shift, over all their accumulators.
static bool find_common_line(const struct tvmq_stage *stage, const struct tvmq_accumulators *accumulators, const struct tvmq_channel_params *params,
                             size_t first, size_t end, struct place places[MAX_STEPS], struct line *line) {
  const int32_t multiplier = params[first].multiplier, shift = params[first].shift;
  struct tvmq_accumulators all = accumulators[first];
  for (size_t j = first + 1; j < end; j++) {
    if (accumulators[j].lo < all.lo) all.lo = accumulators[j].lo;
    if (accumulators[j].hi > all.hi) all.hi = accumulators[j].hi;
  }
  if (find_level(stage, &all, multiplier, shift, line)) return true;
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
  return find_line(&channel, places, line);
}

static bool find_lines(const struct tvmq_stage *stage, const struct tvmq_accumulators *accumulators, struct place places[MAX_STEPS],
                       struct tvmq_channel_params *params, size_t n) {
  struct tvmq_channel_params lines[TVMQ_MAX_NR];
  assert(n <= TVMQ_MAX_NR);
  for (size_t j = 0, end; j < n; j = end) {
    for (end = j + 1; end < n && params[end].multiplier == params[j].multiplier && params[end].shift == params[j].shift;) end++;
    struct line line;
    if (!find_common_line(stage, accumulators, params, j, end, places, &line)) return false;
    for (size_t i = j; i < end; i++)
      lines[i] = (struct tvmq_channel_params){
          .bias = tvmq_sub_wrap(params[i].bias, line.origin), .multiplier = bits_of(-line.slope), .shift = bits_of(line.intercept)};
  }
  memcpy(params, lines, n * sizeof *params);
  return true;
}

bool tvmq_float_panel(const struct tvmq_stage *stage, const struct tvmq_accumulators *accumulators, struct tvmq_channel_params *params, size_t n) {
  struct place *places = tvmq_alloc_unset(MAX_STEPS * sizeof *places);  // more than a small stack has room for
  const bool found = places != NULL && find_lines(stage, accumulators, places, params, n);
  tvmq_free(places);
  return found;
}
