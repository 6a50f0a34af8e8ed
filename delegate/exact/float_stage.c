#include "exact/float_stage.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arith.h"
#include "base/memory.h"
#include "cpu/cpu.h"
#include "exact/progression.h"
#include "kernels/inline.h"
#include "kernels/stage.h"

enum { MAX_STEPS = 255, SLOPES = 16 };

struct line {
  float slope, intercept;
  int32_t origin;
};

// One channel as the proof sees it.
struct channel {
  const struct tvmq_stage *stage;
  int32_t multiplier, shift;
  bool is_odd;
  int32_t on_line;      // the zero point that a line adds by itself: 0 of an odd one
  int32_t lo, hi;       // accumulators
  int32_t least, most;  // their values, clamped, the zero point not added
  int64_t unit;         // 2^(31 - shift)
  double inverse;       // 1 / multiplier
  double real;          // multiplier / unit
};

// Where the reference steps from one value to the next, zero point not added: it reaches v from the least accumulator on whose product with the multiplier is
// unit * v - bias or more. By how much it is more is the step's excess. Below zero the steps of an odd line mirror those above, reaching -v at -acc; but where
// the excess would be 0, -v takes one accumulator more.
struct steps {
  int64_t bias;
  int32_t first, n;               // v = first, first + 1, ...
  int64_t excess_of_first, rise;  // modulo the multiplier, from one step to the next
  int32_t n_above, n_below;       // of an odd line: so many are reached above zero, and so many below it
};

// A step that may decide whether a line serves, which is to reach the value at the accumulator, x from the line's origin, and not before. None does where an
// odd one would have to reach it later below zero than above.
struct place {
  int32_t acc, value;
  double x;
  bool is_lost;
};

// x modulo the multiplier. The quotient in double, less than 2^33, errs by far less than one.
static int64_t excess_of(const struct channel *c, int64_t x) {
  const int64_t rest = x - (int64_t)lrint((double)x * c->inverse) * c->multiplier;
  return rest < 0 ? rest + c->multiplier : rest;
}

static void find_steps(const struct channel *c, struct steps *steps) {
  int32_t first = c->least + 1, last = c->most;
  if (c->is_odd) {
    first = c->least > 0 ? c->least + 1 : c->most < 0 ? 1 - c->most : 1;
    last = c->most > -c->least ? c->most : -c->least;
  }
  steps->first = first;
  steps->n = last >= first ? last - first + 1 : 0;
  steps->n_above = c->most >= first ? c->most - first + 1 : 0;
  steps->n_below = -c->least >= first ? -c->least - first + 1 : 0;
  // Half a value, and where the reference rounds twice half of the product's last place.
  const bool twice = c->stage->rounding != TVMQ_ROUNDING_SINGLE && c->shift < 0;
  steps->bias = c->unit / 2 + (twice ? INT64_C(1) << 30 : 0);
  // How much the least multiple of the multiplier that reaches a value exceeds what the value needs.
  steps->excess_of_first = steps->n > 0 ? excess_of(c, steps->bias - c->unit * first) : 0;
  steps->rise = excess_of(c, -c->unit);
}

static struct place place_of(const struct channel *c, const struct steps *steps, const struct line *line, struct tvmq_term excess) {
  const int32_t value = steps->first + excess.i;
  // A multiple of the multiplier, by less than 2^31: the quotient in double errs by less than a half.
  int32_t acc = (int32_t)lrint((double)(c->unit * value - steps->bias + excess.value) * c->inverse);
  const bool is_later = c->is_odd && excess.value == 0, is_above = excess.i < steps->n_above;
  if (is_later && !is_above) acc++;
  return (struct place){.acc = acc, .value = value + c->on_line, .x = acc - line->origin, .is_lost = is_later && is_above && excess.i < steps->n_below};
}

// The greatest power of two that is no greater; x is a normal number above 0.
static double power_within(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  bits &= UINT64_C(0x7ff) << 52;
  memcpy(&x, &bits, sizeof x);
  return x;
}

// By how much a result on the line may be rounded, in values: to float, as may be an accumulator which float32 does not hold. No place is farther from where
// the line is 0 than the first or the last step.
static double rounding(const struct channel *c, const struct steps *steps) {
  const double first = fabs(steps->first + c->on_line - 0.5), last = fabs(steps->first + steps->n - 1 + c->on_line - 0.5);
  const double farthest = (first > last ? first : last) + 0x1p-8 + 4 * c->real;
  return 0x1p-24 * power_within(farthest) + (farthest < 0x1p24 * c->real ? 0 : 0x1p-24 * farthest);
}

// By how much two places may be moved against each other by a slope that is not the real one.
static double tilt(const struct channel *c, const struct steps *steps, const struct line *line) {
  return fabs((double)line->slope - c->real) * ((double)c->unit * c->inverse) * (steps->n + 4 * c->real);
}

// The steps that may miss the line first: by ascending excess from the least on, and by descending from the greatest. A line that rises reaches the one last,
// and one that falls leaves the other first.
struct search {
  struct steps steps;
  double rounding;
  struct tvmq_progression excess;
  struct tvmq_term above, below;  // the next ones
  int n;                          // so many are known
  struct place *places;           // MAX_STEPS
};

static void begin(const struct channel *c, struct search *search) {
  const struct steps *steps = &search->steps;
  if (steps->n == 0) return;
  search->excess = tvmq_progression(steps->excess_of_first, steps->rise, c->multiplier, steps->n);
  search->above = search->excess.least;
  search->below = search->excess.greatest;
}

static void add(const struct channel *c, const struct line *line, struct search *search, struct tvmq_term excess) {
  search->places[search->n++] = place_of(c, &search->steps, line, excess);
}

// Adds the steps of which one may miss the line where no other does. The rest is farther from it than the doubt. All, if mirrored ones differ from what they
// mirror.
static void add_places(const struct channel *c, const struct line *line, struct search *search) {
  const struct steps *steps = &search->steps;
  const struct tvmq_progression *p = &search->excess;
  const double near = (tilt(c, steps, line) + 2 * search->rounding) * (double)c->unit;
  const int64_t all = p->greatest.value - p->least.value, band = near < (double)all && !(c->is_odd && p->least.value == 0) ? (int64_t)near + 1 : all;
  for (; search->n < steps->n && search->above.value <= p->least.value + band; search->above = tvmq_term_above(p, search->above))
    add(c, line, search, search->above);
  for (; search->n < steps->n && search->below.value >= p->greatest.value - band; search->below = tvmq_term_below(p, search->below))
    add(c, line, search, search->below);
}

// The middle of the intercepts with which the line, not rounded, passes every place; false: there are none.
static bool find_intercept(const struct channel *c, const struct place *places, int n, struct line *line) {
  const double slope = (double)line->slope;
  double least = c->is_odd ? 0 : -2 * slope, most = 2 * slope;
  for (int i = 0; i < n; i++) {
    const double needed = places[i].value - 0.5 - slope * places[i].x;
    least = needed > least ? needed : least;
    most = needed + slope < most ? needed + slope : most;
    if (least > most) return false;
  }
  line->intercept = (float)((least + most) / 2);
  return least <= most;
}

static int32_t value_on(const struct channel *c, const struct line *line, int32_t acc) {
  return tvmq_float_value(line->slope, line->intercept, c->is_odd, acc - line->origin);
}

// Below zero an odd line mirrors itself, as the steps do.
static bool passes(const struct channel *c, const struct line *line, const struct place *places, int n) {
  for (int i = 0; i < n; i++) {
    const struct place *place = &places[i];
    if (place->is_lost || value_on(c, line, place->acc) < place->value || value_on(c, line, place->acc - 1) >= place->value) return false;
  }
  return true;
}

static bool gives(const struct channel *c, const struct line *line, int32_t acc, int32_t value) {
  const int32_t zero_point = c->stage->zero_point, result = value_on(c, line, acc) + zero_point - c->on_line;
  return tvmq_clamp(result, c->stage->min, c->stage->max) == value + zero_point;
}

// Excesses as fractions of the multiplier, of 32 bits, by which each is off by less than BLUR.
struct fractions {
  uint32_t least, greatest;
};
enum { BLUR = 130 };

TVMQ_INLINE struct fractions bounds_of(uint32_t first, uint32_t rise, uint32_t n) {
  struct fractions bounds = {UINT32_MAX, 0};
  uint32_t fraction = first;
  for (uint32_t i = 0; i < n; i++, fraction += rise) {
    bounds.least = fraction < bounds.least ? fraction : bounds.least;
    bounds.greatest = fraction > bounds.greatest ? fraction : bounds.greatest;
  }
  return bounds;
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static struct fractions bounds_by_avx2(uint32_t first, uint32_t rise, uint32_t n) { return bounds_of(first, rise, n); }
#endif

static struct fractions bounds(uint32_t first, uint32_t rise, uint32_t n) {
#if defined(__x86_64__)
  if ((tvmq_cpu_detect() & TVMQ_CPU_AVX2) != 0) return bounds_by_avx2(first, rise, n);
#endif
  return bounds_of(first, rise, n);
}

// Most channels leave a line so much room that no step needs to be looked at: the extremes of the excesses decide. Those of some steps more do no harm, and
// make whole vectors.
static bool find_roomy_line(const struct channel *c, const struct search *search, struct line *line) {
  enum { VECTOR = 16 };
  const struct steps *steps = &search->steps;
  if (steps->n == 0) return false;
  const double scale = 0x1p32 * c->inverse, fraction = c->real * 0x1p-32;
  const struct fractions excess = bounds((uint32_t)((double)steps->excess_of_first * scale), (uint32_t)((double)steps->rise * scale + 0.5),
                                         (uint32_t)tvmq_round_up((size_t)steps->n, VECTOR));
  if (excess.least < BLUR || excess.greatest > UINT32_MAX - BLUR) return false;
  line->slope = (float)c->real;
  const double bias = (double)steps->bias / (double)c->unit, middle = steps->first + c->on_line + 0.5 * (steps->n - 1) - bias;
  const double tilted = (1 - (double)line->slope * ((double)c->unit * c->inverse)) * middle;
  const double none = c->on_line - 0.5 + bias + c->real * line->origin + tilted, off = 0.5 * tilt(c, steps, line) + search->rounding + 0x1p-40;
  const double least = none - fraction * (excess.least - BLUR) + off, most = none - fraction * ((double)excess.greatest + BLUR) + (double)line->slope - off;
  line->intercept = (float)(0.5 * (least + most));
  const double slope = (double)line->slope, intercept = (double)line->intercept;
  return intercept >= least && intercept <= most && intercept >= (c->is_odd ? 0 : -2 * slope) && intercept <= 2 * slope;
}

static bool find_line(const struct channel *c, struct place places[MAX_STEPS], struct line *line) {
  const double origin = -c->on_line * ((double)c->unit * c->inverse);
  if (!(fabs(origin) < 0x1p30)) return false;
  line->origin = (int32_t)lrint(origin);
  struct search search = {.places = places};
  find_steps(c, &search.steps);
  search.rounding = rounding(c, &search.steps);
  if (find_roomy_line(c, &search, line) && gives(c, line, c->lo, c->least) && gives(c, line, c->hi, c->most)) return true;
  begin(c, &search);
  float above = (float)c->real, below = above;
  for (int i = 0; i < SLOPES; i++) {
    line->slope = i % 2 != 0 ? above : below;
    add_places(c, line, &search);
    if (find_intercept(c, places, search.n, line) && passes(c, line, places, search.n) && gives(c, line, c->lo, c->least) && gives(c, line, c->hi, c->most))
      return true;
    if (i % 2 == 0)
      above = nextafterf(above, INFINITY);
    else
      below = nextafterf(below, 0);
  }
  return false;
}

// A channel whose value is the same for all accumulators, as of one whose weights are all zero: a level line. An odd one takes its sign from the accumulators,
// which are counted from beyond one of their ends. The multiplier may be 0.
static struct line level_line(const struct channel *c) {
  const int32_t sign = c->is_odd && c->least < 0 ? -1 : 1;
  return (struct line){.slope = 0, .intercept = (float)(sign * (c->least + c->on_line)), .origin = !c->is_odd ? 0 : sign < 0 ? c->hi + 1 : c->lo};
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
  // Nothing wraps up to the limit of a level line, zero point included; below the other there is a bit to spare for the origin.
  const int64_t limit = (INT64_C(1) << 30) >> (shift > 0 ? shift : 0), level_limit = shift > 0 ? limit : INT64_C(3) << 29;
  if (all.lo < -level_limit || all.hi > level_limit) return false;
  const bool is_odd = tvmq_stage_is_odd(stage);
  const int64_t unit = INT64_C(1) << (31 - shift);
  const struct channel channel = {
      .stage = stage,
      .multiplier = multiplier,
      .shift = shift,
      .is_odd = is_odd,
      .on_line = is_odd ? 0 : stage->zero_point,
      .lo = (int32_t)all.lo,
      .hi = (int32_t)all.hi,
      .least = tvmq_stage_s32(stage, (int32_t)all.lo, multiplier, shift) - stage->zero_point,
      .most = tvmq_stage_s32(stage, (int32_t)all.hi, multiplier, shift) - stage->zero_point,
      .unit = unit,
      .inverse = 1.0 / multiplier,
      .real = multiplier / (double)unit,
  };
  if (channel.least == channel.most && shift <= 0 && all.hi - all.lo < INT32_MAX) {
    *line = level_line(&channel);
    return true;
  }
  return multiplier != 0 && all.lo >= -limit && all.hi <= limit && find_line(&channel, places, line);
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
