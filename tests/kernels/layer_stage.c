// The output stage of a random layer: scales chosen from the accumulators that the layer really has, biases that steer results onto ties and limits, and the
// invariants of `struct tvmq_stage` only where they hold.
#include <math.h>
#include <string.h>

#include "layer.h"
#include "support/oracle.h"

static bool wide(const struct layer *layer) { return layer->variant->layout.acc_bytes == 8; }

int64_t layer_accumulator(const struct layer *layer, size_t i, size_t n) {
  const int64_t acc = layer->sums[i * layer->n + n] + layer->params[n].bias;
  return wide(layer) ? acc : oracle_wrap(acc);
}

static double float64_scale(const struct tvmq_channel_params *p) {
  const int32_t halves[2] = {p->multiplier, p->shift};  // little-endian
  double real;
  memcpy(&real, halves, sizeof real);
  return real;
}

int32_t layer_requantized(const struct layer *layer, size_t i, size_t n) {
  const struct tvmq_channel_params *p = &layer->params[n];
  const int64_t acc = layer_accumulator(layer, i, n);
  if (layer->stage.in_float64) return (int32_t)fmax(fmin(round((double)acc * float64_scale(p)), INT32_MAX), INT32_MIN);
  const int32_t value =
      wide(layer) ? oracle_round_s64(acc, p->multiplier, p->shift) : oracle_round_s32(layer->stage.rounding, (int32_t)acc, p->multiplier, p->shift);
  return oracle_wrap((int64_t)value + layer->stage.zero_point);
}

// The ranges that a channel's multiplier may lead to.
enum scale {
  SPAN,       // results span the output's codes
  SPAN16,     // results span int16
  SATURATE,   // most results saturate
  TIES,       // as SPAN, by a power of two
  SHIFT_0,    // between one half and one
  LEFT,       // one to 128
  ANY,        // every shift there is
  FAR_RIGHT,  // shifts of 16 and more
  ZERO,
  N_SCALES
};

// One channel while it is being drawn: its sums, and the invariants that the whole layer is to keep. An invariant holds only if every channel keeps it, so
// which ones do is drawn once for all.
struct plan {
  bool right_shifts, headroom, fits_int16;
  int64_t lo, hi;
};

static int32_t draw_multiplier(void) {
  static const int32_t edges[] = {1 << 30, (1 << 30) + 1, INT32_MAX, INT32_MAX - 1, 0x7fff0000, 0x7ffeffff, 0x7fff7fff, 0x40008000, 0x60000000};
  if (check_one_in(8)) return edges[check_below(sizeof edges / sizeof edges[0])];
  return (int32_t)check_between(1 << 30, INT32_MAX);
}

static double real_scale(const struct tvmq_channel_params *p) { return ldexp(p->multiplier, p->shift - 31); }

static void draw_scale(const struct layer *layer, const struct plan *plan, enum scale scale, struct tvmq_channel_params *p) {
  const double spread = plan->hi > plan->lo ? (double)(plan->hi - plan->lo) : 1, jitter = (double)check_between(50, 150) / 100;
  const double codes = scale == SPAN16 ? 65000 : (layer->value_max - layer->value_min) * (scale == SATURATE ? 64.0 : 1.0);
  int32_t min_shift = plan->headroom ? -22 : -31, max_shift = plan->right_shifts ? -1 : wide(layer) ? 14 : 30;
  oracle_fixed_point(codes / spread * jitter, &p->multiplier, &p->shift);
  if (scale > TIES || check_one_in(8)) p->multiplier = draw_multiplier();
  switch (scale) {
    case TIES:
      p->multiplier = 1 << 30;
      break;
    case SHIFT_0:
      p->shift = 0;
      break;
    case LEFT:
      p->shift = (int32_t)check_between(1, 7);
      break;
    case ANY:
      p->shift = (int32_t)check_between(min_shift, max_shift);
      break;
    case FAR_RIGHT:
      p->shift = (int32_t)check_between(-31, -16);
      break;
    case ZERO:
      p->multiplier = p->shift = 0;
      break;
    default:
      break;
  }
  if (plan->fits_int16) {
    while (spread * real_scale(p) > 65000 && p->shift > min_shift) p->shift--;
  }
  if (p->shift < min_shift) p->shift = min_shift;
  if (p->shift > max_shift) p->shift = max_shift;
}

// The bias that takes `sum` to the accumulator, at most `limit`, whose result is `code`.
static int64_t bias_for(double code, const struct layer *layer, const struct tvmq_channel_params *p, int64_t sum, int64_t limit) {
  const double acc = (code - layer->stage.zero_point) / real_scale(p);
  return (int64_t)fmin(fmax(round(acc), (double)-limit), (double)limit) - sum;
}

static int64_t clamp(int64_t x, int64_t min, int64_t max) { return x < min ? min : x > max ? max : x; }

// Biases that int32 (int64) models could hold, kept small enough that the sum stays one that the wide kernels' definition covers.
static int64_t draw_bias(const struct layer *layer, const struct plan *plan, const struct tvmq_channel_params *p, size_t n) {
  const int64_t sum = layer->sums[check_below((uint32_t)(layer->n_rows * layer->n_cols)) * layer->n + n];
  const int64_t limit = wide(layer) ? INT64_C(1) << 46 : INT32_MAX, headroom = INT64_C(1) << 30;
  int64_t bias = 0;
  switch (check_below(8)) {
    case 0:
      break;
    case 1:  // anything, wrapping included
      bias = check_between(-limit, limit);
      break;
    case 2:  // one result at the end of an invariant, or of int32
      if (check_one_in(2)) {
        bias = check_one_in(2) ? headroom - plan->hi : -headroom - plan->lo;
      } else if (p->multiplier == 0 || check_one_in(2)) {
        bias = check_one_in(2) ? INT32_MAX - plan->hi : INT32_MIN - plan->lo;
      } else {
        bias = check_one_in(2) ? bias_for(INT16_MAX, layer, p, plan->hi, limit) : bias_for(INT16_MIN, layer, p, plan->lo, limit);
      }
      break;
    case 3:
    case 4:
    case 5:  // one result on a tie, or next to it
      if (p->multiplier == 0) break;
      bias = bias_for((double)check_between(layer->value_min - 2, layer->value_max + 2) + 0.5, layer, p, sum, limit) + check_between(-1, 1);
      break;
    default:  // results in the middle of the output's range
      if (p->multiplier == 0) break;
      bias = bias_for(-0.5, layer, p, (plan->lo + plan->hi) / 2, limit) + check_between(-99, 99);
      break;
  }
  if (plan->fits_int16 && p->multiplier != 0) {
    bias = clamp(bias, bias_for(INT16_MIN, layer, p, plan->lo, limit), bias_for(INT16_MAX - layer->stage.flip, layer, p, plan->hi, limit));
  }
  if (plan->headroom) bias = clamp(bias, -headroom - plan->lo, headroom - plan->hi);
  return clamp(bias, -limit, limit);
}

static void draw_clamp(struct layer *layer) {
  struct tvmq_stage *stage = &layer->stage;
  stage->min = layer->value_min;
  stage->max = layer->value_max;
  switch (check_below(4)) {
    case 0:  // ReLU
      stage->min = stage->zero_point;
      break;
    case 1:
      stage->min = (int32_t)check_between(layer->value_min, layer->value_max);
      stage->max = (int32_t)check_between(stage->min, layer->value_max);
      break;
    default:
      break;
  }
}

// Promises are made where they hold, planned or not; one that holds need not be made.
static bool made(bool holds) { return holds && check_below(8) != 0; }

static void draw_invariants(struct layer *layer) {
  bool right_shifts = true, headroom = layer->stage.zero_point >= INT8_MIN && layer->stage.zero_point <= INT8_MAX, fits_int16 = true;
  const int64_t limit = INT64_C(1) << 30;
  for (size_t n = 0; n < layer->n; n++) {
    const int32_t shift = layer->params[n].shift;
    right_shifts &= shift <= -1;
    headroom &= shift >= -22;
    for (size_t i = 0; i < layer->n_rows * layer->n_cols; i++) {
      const int64_t acc = layer_accumulator(layer, i, n);
      const int32_t value = layer_requantized(layer, i, n);
      headroom &= -limit <= acc && acc <= limit;
      fits_int16 &= INT16_MIN <= value && value <= INT16_MAX - layer->stage.flip;
    }
  }
  layer->stage.right_shifts = made(right_shifts);
  layer->stage.headroom = made(headroom);
  layer->stage.fits_int16 = made(fits_int16);
}

// Scales in float64 in place of the multipliers: the same, with which there are ties, or anything near them.
static void draw_float64(struct layer *layer) {
  layer->stage.in_float64 = true;
  layer->stage.zero_point = 0;
  for (size_t n = 0; n < layer->n; n++) {
    struct tvmq_channel_params *p = &layer->params[n];
    const double real = real_scale(p), drawn = check_one_in(2) ? real : real * (1 + (double)check_between(-1000, 1000) * 0x1p-40);
    const struct tvmq_scale scale = tvmq_float64_scale(drawn);
    p->multiplier = scale.multiplier;
    p->shift = scale.shift;
  }
}

void layer_draw_stage(struct layer *layer) {
  layer->stage.rounding = (enum tvmq_rounding[]){TVMQ_ROUNDING_REFERENCE, TVMQ_ROUNDING_REFERENCE, TVMQ_ROUNDING_UPWARD, TVMQ_ROUNDING_SINGLE}[check_below(4)];
  layer->stage.in_float64 = false;
  layer->stage.flip = layer->element == 1 && check_one_in(2) ? 0x80 : 0;
  struct plan plan = {.right_shifts = check_below(4) != 0, .headroom = check_below(4) != 0, .fits_int16 = check_one_in(2)};
  const int32_t zero_point_min = plan.headroom ? INT8_MIN : layer->value_min, zero_point_max = plan.headroom ? INT8_MAX : layer->value_max;
  layer->stage.zero_point = check_one_in(4) ? 0 : (int32_t)check_between(zero_point_min, zero_point_max);
  const enum scale common = check_one_in(2) ? SPAN : check_below(N_SCALES);
  const bool mixed = check_one_in(4);
  for (size_t n = 0; n < layer->n; n++) {
    plan.lo = INT64_MAX;
    plan.hi = INT64_MIN;
    for (size_t i = 0; i < layer->n_rows * layer->n_cols; i++) {
      const int64_t sum = layer->sums[i * layer->n + n];
      plan.lo = sum < plan.lo ? sum : plan.lo;
      plan.hi = sum > plan.hi ? sum : plan.hi;
    }
    draw_scale(layer, &plan, mixed ? check_below(N_SCALES) : common, &layer->params[n]);
    layer->params[n].bias = draw_bias(layer, &plan, &layer->params[n], n);
  }
  if (layer->variant->family == TVMQ_FAMILY_GEMM_S16 && wide(layer) && check_one_in(2)) draw_float64(layer);
  draw_clamp(layer);
  draw_invariants(layer);
}
