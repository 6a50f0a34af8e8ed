#include "exact/float_stage.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "arithmetic/stage.h"
#include "base/arith.h"
#include "base/float_bits.h"
#include "base/inline.h"
#include "base/memory.h"
#include "cpu/cpu.h"
#include "exact/fused_line.h"

enum { SLOPES = 16, VECTOR = 16, MAX_STEPS = 256 };  // 255 steps, rounded up to whole vectors

struct line {
  float slope, intercept;
  int32_t origin;                // subtracted from every accumulator
  struct tvmq_fused_line fused;  // fused form only; takes accumulators minus the origin
};
#define MOST_SLOPE 0x1p20  // results next to a step are less than 2^22

// Parameters of one channel in the proof.
struct channel {
  const struct tvmq_stage *stage;
  int32_t multiplier, shift;
  bool is_odd, is_fused;
  int32_t on_line;      // zero point that the line includes; odd lines: 0
  int32_t lo, hi;       // least and greatest accumulator
  int32_t least, most;  // outputs for `lo` and `hi`, clamped, minus the zero point
  int64_t unit;         // 2^(31 - shift)
  double inverse;       // 1 / multiplier
  double real;          // multiplier / unit
};

// Steps of the reference from one value to the next, without the zero point. The reference reaches v at the least
// accumulator whose product with the multiplier is at least unit * v - bias. The step's excess is that accumulator
// minus (unit * v - bias) / multiplier. Below zero, the steps of an odd line mirror the steps above: -v is reached at
// -acc. If the excess is 0, -v is reached at -(acc + 1).
struct steps {
  int32_t first, n;          // v = first, first + 1, ...
  int32_t n_above, n_below;  // odd lines: number of steps above zero and below zero
  int64_t bias;
  uint64_t quotient, rise;        // quotient of the first step, minus the origin, and increase per step, in 2^-32
  int32_t places[MAX_STEPS];      // accumulators minus the origin; the last one fills the last vector
  int32_t thresholds[MAX_STEPS];  // see threshold_of()
};

// Largest error of a step's quotient, in 2^-32. The quotient of the last step is a sum with 255 rises.
enum { BLUR = 132 };

// Returns x / multiplier in units of 2^-32, modulo 2^64, with an error of little more than half a unit.
TVMQ_INLINE uint64_t quotient_of(const struct channel *c, int64_t x) {
  const int64_t whole = lrint((double)x * c->inverse), rest = x - whole * c->multiplier;
  return ((uint64_t)whole << 32) + (uint64_t)lrint((double)rest * c->inverse * 0x1p32);
}

TVMQ_INLINE void begin(const struct channel *c, int32_t origin, struct steps *steps) {
  int32_t first = c->least + 1, last = c->most;
  if (c->is_odd) {
    first = c->least > 0 ? c->least + 1 : c->most < 0 ? 1 - c->most : 1;
    last = c->most > -c->least ? c->most : -c->least;
  }
  steps->first = first;
  steps->n = last >= first ? last - first + 1 : 0;
  steps->n_above = c->most >= first ? c->most - first + 1 : 0;
  steps->n_below = -c->least >= first ? -c->least - first + 1 : 0;
  // Half an output unit. If the reference rounds twice, half of the product's last place is added.
  const bool twice = c->stage->rounding != TVMQ_ROUNDING_SINGLE && c->shift < 0;
  steps->bias = c->unit / 2 + (twice ? INT64_C(1) << 30 : 0);
  if (steps->n == 0) return;
  steps->quotient = quotient_of(c, c->unit * first - steps->bias) - ((uint64_t)origin << 32);
  steps->rise = quotient_of(c, c->unit);
}

TVMQ_INLINE bool is_near_whole(uint32_t excess) { return excess + BLUR <= 2 * BLUR; }

// Returns half a unit in the last place of a float32 between 1/2 and 1, in units of thresholds; at most 2^21. An
// accumulator is 2^30 units of thresholds. Returns 0 for fused lines, whose results are rounded only once, to integers.
TVMQ_INLINE float half_place(const struct channel *c) { return c->is_fused ? 0 : c->real > 0x1p-16 ? (float)(0x1p30 * 0x1p-25 / c->real) : 0x1p21f; }

// Returns by how much a line must exceed its required height at a step with excess 0. The step's excess reduces this
// amount. The result is rounded to float32: for an even value, a result half a unit in the last place lower still
// rounds to the value. For an odd value, the result must be half a unit higher.
TVMQ_INLINE int32_t threshold_of(int32_t value, uint32_t excess, float half_place) {
  const int32_t exponent = 0xff << 23;
  const int32_t rounded = (int32_t)(2 * half_place * tvmq_float_of(tvmq_float_bits((float)value - 0.5f) & exponent));
  return (value % 2 != 0 ? rounded : -rounded) - (int32_t)(excess >> 2);
}

// Finds the places. Returns true if a quotient is so near an integer that its place may be wrong.
TVMQ_INLINE bool find_places(const struct channel *c, struct steps *steps) {
  const int32_t n = (int32_t)tvmq_round_up((size_t)steps->n, VECTOR), first = steps->first + c->on_line;
  const float half = half_place(c);
  uint64_t quotient = steps->quotient;
  int near = 0;
  for (int32_t i = 0; i < n; i++, quotient += steps->rise) {
    const uint32_t excess = (uint32_t)(0 - quotient);
    steps->places[i] = (int32_t)((quotient + UINT32_MAX) >> 32);
    steps->thresholds[i] = threshold_of(first + i, excess, half);
    near |= is_near_whole(excess);
  }
  return near;
}

// Recomputes place i in exact integers. Returns false if an odd line would have to reach the value later below zero than
// above.
static bool find_near_place(const struct channel *c, int32_t origin, int32_t i, struct steps *steps) {
  const int64_t needed = c->unit * (steps->first + i) - steps->bias;
  int64_t acc = needed / c->multiplier;
  if (acc * c->multiplier < needed) acc++;
  int64_t excess = acc * c->multiplier - needed;
  if (c->is_odd && excess == 0) {
    if (i < steps->n_above && i < steps->n_below) return false;
    if (i >= steps->n_above) {
      acc++;
      excess = c->multiplier - 1;  // exactly c->multiplier, at least 2^30; 1 less fits 32 bits below
    }
  }
  steps->places[i] = (int32_t)(acc - origin);
  steps->thresholds[i] = threshold_of(steps->first + c->on_line + i, (uint32_t)(((uint64_t)excess << 32) / (uint64_t)c->multiplier), half_place(c));
  return true;
}

TVMQ_INLINE bool find_steps(const struct channel *c, int32_t origin, struct steps *steps) {
  if (steps->n == 0) return true;
  if (find_places(c, steps)) {
    for (int32_t i = 0; i < steps->n; i++) {
      const uint64_t quotient = steps->quotient + (uint64_t)i * steps->rise;
      if (is_near_whole((uint32_t)(0 - quotient)) && !find_near_place(c, origin, i, steps)) return false;
    }
  }
  for (int32_t i = steps->n; i % VECTOR != 0; i++) {
    steps->places[i] = steps->places[steps->n - 1];
    steps->thresholds[i] = steps->thresholds[steps->n - 1];
  }
  return true;
}

// Returns the greatest power of two that is at most x. x is normal and positive.
TVMQ_INLINE double power_within(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  bits &= UINT64_C(0x7ff) << 52;
  memcpy(&x, &bits, sizeof x);
  return x;
}

// Returns the largest rounding error of a result on the line, in output units. Results are rounded to float32, and so
// are accumulators that float32 cannot represent. No place is farther from the zero of the line than the first or the
// last step.
TVMQ_INLINE double rounding(const struct channel *c, const struct steps *steps) {
  if (c->is_fused) return 0;
  const double first = fabs(steps->first + c->on_line - 0.5), last = fabs(steps->first + steps->n - 1 + c->on_line - 0.5);
  const double farthest = (first > last ? first : last) + 0x1p-8 + 4 * c->real;
  return 0x1p-24 * power_within(farthest) + (farthest < 0x1p24 * c->real ? 0 : 0x1p-24 * farthest);
}

// Range of intercepts. With these, the line reaches the middle between two values at every place, and does not reach it
// one accumulator earlier.
struct window {
  double least, most;
};

// Returns the window for the greatest and the least intercept that any step requires, in output units.
TVMQ_INLINE struct window window_of(const struct channel *c, float slope, double most_needed, double least_needed) {
  const double least = c->is_odd ? 0 : -2 * (double)slope, most = least_needed + (double)slope;
  return (struct window){most_needed > least ? most_needed : least, most < 2 * (double)slope ? most : 2 * (double)slope};
}

// Returns the intercept that the first step would require without its excess.
TVMQ_INLINE double first_needed(const struct channel *c, const struct steps *steps, float slope) {
  return steps->first + c->on_line - 0.5 - (double)slope * 0x1p-32 * (double)(int64_t)steps->quotient;
}

// Returns by how much the required intercept grows from one step to the next, without excesses. It is 0 for the real
// slope.
TVMQ_INLINE double tilt(const struct channel *c, float slope) { return 1 - (double)slope * ((double)c->unit * c->inverse); }

// Returns a window for unrounded results. It may be smaller than necessary: only the least and the greatest excess are
// used, as if the first and the last step had both. Excesses of a few more steps, which fill the last vector, can only
// make the window smaller.
TVMQ_INLINE struct window bound_window(const struct channel *c, const struct steps *steps, float slope) {
  if (steps->n == 0) return window_of(c, slope, 0, 0);
  // Excesses minus 1/2.
  const int32_t n = (int32_t)tvmq_round_up((size_t)steps->n, VECTOR);
  const uint32_t first_excess = UINT32_C(1) << 31 ^ (uint32_t)(0 - steps->quotient), rise = (uint32_t)(0 - steps->rise);
  int32_t least = INT32_MAX, most = INT32_MIN;
  for (int32_t i = 0; i < n; i++) {
    const int32_t excess = (int32_t)(first_excess + (uint32_t)i * rise);
    least = excess < least ? excess : least;
    most = excess > most ? excess : most;
  }
  if (least < INT32_MIN + BLUR || most > INT32_MAX - BLUR) return (struct window){0, -1};
  const double first = first_needed(c, steps, slope) - 0.5 * (double)slope, last = first + (steps->n - 1) * tilt(c, slope), unit = (double)slope * 0x1p-32;
  return window_of(c, slope, (first > last ? first : last) - unit * least, (first < last ? first : last) - unit * most);
}

// Returns the window for results as kernels round them. Its errors are far smaller than the change from one accumulator
// to the next.
TVMQ_INLINE struct window find_window(const struct channel *c, const struct steps *steps, float slope) {
  if (steps->n == 0) return window_of(c, slope, 0, 0);
  const double tilts = 0x1p30 * tilt(c, slope) / (double)slope;
  if (!(fabs(tilts) * MAX_STEPS < 0x1p28)) return (struct window){0, -1};
  const int32_t n = (int32_t)tvmq_round_up((size_t)steps->n, VECTOR), per_step = (int32_t)lrint(tilts);
  int32_t least = INT32_MAX, most = INT32_MIN, tilted = 0;
  for (int32_t i = 0; i < n; i++, tilted += per_step) {
    const int32_t needed = tilted + steps->thresholds[i];
    least = needed < least ? needed : least;
    most = needed > most ? needed : most;
  }
  const double first = first_needed(c, steps, slope), unit = (double)slope * 0x1p-30;
  return window_of(c, slope, first + unit * most, first + unit * least);
}

// Returns the result of the line, below 2^22, without the flip of a fused line. Adding `whole` leaves an integer in the
// lowest bits.
TVMQ_INLINE int32_t result_on(const struct channel *c, const struct line *line, int32_t acc) {
  const float whole = TVMQ_FUSED_ZERO;
  const float result =
      c->is_fused ? fmaf(line->slope, (float)(acc + line->fused.lift), line->fused.addend) : fmaf(line->slope, (float)acc, line->intercept) + whole;
  return tvmq_sub_wrap(tvmq_float_bits(result), tvmq_float_bits(whole));
}

// Returns whether the line steps at every place: it reaches the value there, and does not reach it one accumulator
// earlier. Below zero an odd line mirrors itself, as the steps do.
TVMQ_INLINE bool passes(const struct channel *c, const struct steps *steps, const struct line *line) {
  const int32_t n = (int32_t)tvmq_round_up((size_t)steps->n, VECTOR), first = steps->first + c->on_line, last = first + steps->n - 1;
  int32_t signs = 0;
  for (int32_t i = 0; i < n; i++) {
    const int32_t value = first + i < last ? first + i : last;
    signs |= (result_on(c, line, steps->places[i]) - value) | (value - 1 - result_on(c, line, steps->places[i] - 1));
  }
  return signs >= 0;
}

TVMQ_INLINE bool gives(const struct channel *c, const struct line *line, int32_t acc, int32_t value) {
  const int32_t zero_point = c->stage->zero_point, x = acc - line->origin;
  const int32_t result = (c->is_fused ? result_on(c, line, x) : tvmq_float_value(line->slope, line->intercept, c->is_odd, x)) + zero_point - c->on_line;
  if (c->is_fused && (result < INT16_MIN || result + c->stage->flip > INT16_MAX)) return false;
  return tvmq_clamp(result, c->stage->min, c->stage->max) == value + zero_point;
}

TVMQ_INLINE bool gives_ends(const struct channel *c, const struct line *line) { return gives(c, line, c->lo, c->least) && gives(c, line, c->hi, c->most); }

// Sets the intercept of a line with a given slope, at least `room` from both ends of the window. Returns false if there
// is none.
TVMQ_INLINE bool settle(const struct channel *c, const struct window *window, double room, struct line *line) {
  const double least = window->least + room, most = window->most - room;
  if (c->is_fused) return tvmq_fuse_line(line->slope, least, most, (int64_t)c->lo - line->origin, (int64_t)c->hi - line->origin, &line->fused);
  line->intercept = (float)((window->least + window->most) / 2);
  return (double)line->intercept >= least && (double)line->intercept <= most;
}

// Finds a line. The windows of most channels are so wide that no step has to be examined. For the other channels,
// slopes next to the real slope are tried too.
TVMQ_INLINE bool find_line_in(const struct channel *c, struct steps *steps, struct line *line) {
  const double origin = -c->on_line * ((double)c->unit * c->inverse);
  if (!(fabs(origin) < 0x1p30) || c->real > MOST_SLOPE) return false;
  line->origin = (int32_t)lrint(origin);
  line->slope = (float)c->real;
  begin(c, line->origin, steps);
  const struct window bound = bound_window(c, steps, line->slope);
  if (settle(c, &bound, rounding(c, steps) + 0x1p-20 * (double)line->slope, line) && gives_ends(c, line)) return true;
  if (!find_steps(c, line->origin, steps)) return false;
  float above = line->slope, below = above;
  for (int i = 0; i < SLOPES; i++) {
    line->slope = i % 2 != 0 ? above : below;
    const struct window window = find_window(c, steps, line->slope);
    if (settle(c, &window, 0, line) && passes(c, steps, line) && gives_ends(c, line)) return true;
    if (i % 2 == 0)
      above = nextafterf(above, INFINITY);
    else
      below = nextafterf(below, 0);
  }
  return false;
}

#if defined(__x86_64__)
#if defined(__clang__)
#define AVX512 "avx512f,avx512bw,avx512dq,avx512vl,fma"
#else
#define AVX512 "avx512f,avx512bw,avx512dq,avx512vl,fma,prefer-vector-width=512"
#endif

__attribute__((target("avx2,fma"))) static bool find_line_by_avx2(const struct channel *c, struct steps *steps, struct line *line) {
  return find_line_in(c, steps, line);
}

__attribute__((target(AVX512))) static bool find_line_by_avx512(const struct channel *c, struct steps *steps, struct line *line) {
  return find_line_in(c, steps, line);
}
#endif

static bool find_line(const struct channel *c, struct steps *steps, struct line *line) {
#if defined(__x86_64__)
  const uint32_t cpu = tvmq_cpu_detect();
  if ((cpu & TVMQ_CPU_AVX512VNNI) != 0) return find_line_by_avx512(c, steps, line);
  if ((cpu & TVMQ_CPU_AVX2) != 0) return find_line_by_avx2(c, steps, line);
#endif
  return find_line_in(c, steps, line);
}

// Returns a level line for a channel whose value is the same for all accumulators, for example because all weights are
// zero. The sign of an odd line is the sign of acc - origin, so the origin is chosen to give all accumulators one sign.
// The multiplier may be 0.
static struct line level_line(const struct channel *c) {
  const int32_t sign = c->is_odd && c->least < 0 ? -1 : 1, value = sign * (c->least + c->on_line);
  return (struct line){
      .slope = 0,
      .intercept = (float)value,
      .origin = !c->is_odd ? 0
                : sign < 0 ? c->hi + 1
                           : c->lo,
      .fused = tvmq_fused_level(value, c->lo),
  };
}

// Finds one line for channels [first, end), which have the same multiplier and shift, over the accumulators of all.
static bool find_common_line(enum tvmq_form form, const struct tvmq_stage *stage, const struct tvmq_accumulators *accumulators,
                             const struct tvmq_channel_params *params, size_t first, size_t end, struct steps *steps, struct line *line) {
  const int32_t multiplier = params[first].multiplier, shift = params[first].shift;
  struct tvmq_accumulators all = accumulators[first];
  for (size_t j = first + 1; j < end; j++) {
    if (accumulators[j].lo < all.lo) all.lo = accumulators[j].lo;
    if (accumulators[j].hi > all.hi) all.hi = accumulators[j].hi;
  }
  // Nothing wraps up to level_limit, zero point included. The lower `limit` leaves a spare bit for the origin.
  const int64_t limit = (INT64_C(1) << 30) >> (shift > 0 ? shift : 0), level_limit = shift > 0 ? limit : INT64_C(3) << 29;
  if (all.lo < -level_limit || all.hi > level_limit) return false;
  const bool is_odd = tvmq_stage_is_odd(stage), is_fused = form == TVMQ_FORM_FUSED;
  if (is_fused && (shift > 0 || all.hi - all.lo >= TVMQ_FUSED_ACCUMULATORS)) return false;
  const int64_t unit = INT64_C(1) << (31 - shift);
  const struct channel channel = {
      .stage = stage,
      .multiplier = multiplier,
      .shift = shift,
      .is_odd = is_odd,
      .is_fused = is_fused,
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
  return multiplier != 0 && all.lo >= -limit && all.hi <= limit && find_line(&channel, steps, line);
}

static bool find_lines(enum tvmq_form form, const struct tvmq_stage *stage, const struct tvmq_accumulators *accumulators, struct steps *steps,
                       struct tvmq_channel_params *params, size_t n) {
  struct tvmq_channel_params lines[TVMQ_MAX_NR];
  assert(n <= TVMQ_MAX_NR);
  for (size_t j = 0, end; j < n; j = end) {
    for (end = j + 1; end < n && params[end].multiplier == params[j].multiplier && params[end].shift == params[j].shift;) end++;
    struct line line;
    if (!find_common_line(form, stage, accumulators, params, j, end, steps, &line)) return false;
    const bool is_fused = form == TVMQ_FORM_FUSED;
    const int32_t below = is_fused ? tvmq_sub_wrap(line.origin, tvmq_fused_bits(&line.fused)) : line.origin;
    const float shift = is_fused ? line.fused.addend + (float)stage->flip : line.intercept;
    for (size_t i = j; i < end; i++)
      lines[i] = (struct tvmq_channel_params){
          .bias = tvmq_sub_wrap(params[i].bias, below), .multiplier = tvmq_float_bits(-line.slope), .shift = tvmq_float_bits(shift)};
  }
  memcpy(params, lines, n * sizeof *params);
  return true;
}

bool tvmq_float_panel(enum tvmq_form form, const struct tvmq_stage *stage, const struct tvmq_accumulators *accumulators, struct tvmq_channel_params *params,
                      size_t n) {
  if (form == TVMQ_FORM_FIXED || (form == TVMQ_FORM_FUSED && (tvmq_stage_clamps(stage) || tvmq_stage_is_odd(stage)))) return false;
  struct steps *steps = tvmq_alloc_unset(sizeof *steps);  // too large for a small stack
  const bool found = steps != NULL && find_lines(form, stage, accumulators, steps, params, n);
  tvmq_free(steps);
  return found;
}
