#include "exact/square_line.h"

#include <math.h>

#include "arithmetic/stage.h"
#include "base/float_bits.h"

// The reference's result and the line's result are both non-decreasing in the difference. So they are equal for all
// differences if they are equal at 0, at the greatest difference and at each step. A step is the least difference that
// has a result, and the difference before it. The steps also bound the intercept for a given slope.

static int32_t result_of(const struct tvmq_mul_args *args, int32_t difference) {
  return tvmq_stage_s32(&args->stage, difference * difference, args->multiplier, args->shift);
}

static bool is_on_line(const struct tvmq_mul_args *args, float slope, float intercept, int32_t difference) {
  const int32_t value = tvmq_float_value(slope, intercept, false, difference * difference);
  return tvmq_clamp(value, args->stage.min, args->stage.max) == result_of(args, difference);
}

enum { MOST_STEPS = UINT8_MAX };

// Steps: the least difference of each result above the first.
struct steps {
  int32_t n, first_result, places[MOST_STEPS];
};

static void find_steps(const struct tvmq_mul_args *args, int32_t most, struct steps *steps) {
  const int32_t last_result = result_of(args, most);
  steps->first_result = result_of(args, 0);
  steps->n = 0;
  for (int32_t result = steps->first_result + 1, below = 0; result <= last_result; result++) {
    int32_t above = most;
    while (above - below > 1) {
      const int32_t middle = below + (above - below) / 2;
      if (result_of(args, middle) < result)
        below = middle;
      else
        above = middle;
    }
    steps->places[steps->n++] = above;
  }
}

// Returns the middle of the intercepts with which the line changes from one result to the next at every step.
static float intercept_of(const struct steps *steps, float slope) {
  double least = steps->first_result - 0.25, most = steps->first_result + 0.25;
  for (int32_t i = 0; i < steps->n; i++) {
    const double half = steps->first_result + i + 0.5, at = steps->places[i], before = at - 1;
    const double needed = half - (double)slope * at * at, allowed = half - (double)slope * before * before;
    if (needed > least) least = needed;
    if (allowed < most) most = allowed;
  }
  return (float)((least + most) / 2);
}

static bool passes(const struct tvmq_mul_args *args, const struct steps *steps, int32_t most, float slope, float intercept) {
  bool good = is_on_line(args, slope, intercept, 0) && is_on_line(args, slope, intercept, most);
  for (int32_t i = 0; i < steps->n && good; i++)
    good = is_on_line(args, slope, intercept, steps->places[i]) && is_on_line(args, slope, intercept, steps->places[i] - 1);
  return good;
}

// Tries the slopes next to the real one.
void tvmq_square_line(struct tvmq_mul_args *args, int32_t most) {
  enum { SLOPES = 8 };
  struct steps steps;
  find_steps(args, most, &steps);
  float above = (float)ldexp((double)(float)args->multiplier, args->shift - 31), below = above;
  for (int i = 0; i < SLOPES; i++) {
    const float slope = i % 2 != 0 ? above : below, intercept = intercept_of(&steps, slope);
    if (passes(args, &steps, most, slope, intercept)) {
      args->multiplier = tvmq_float_bits(-slope);
      args->shift = tvmq_float_bits(intercept);
      return;
    }
    if (i % 2 == 0)
      above = nextafterf(above, INFINITY);
    else
      below = nextafterf(below, 0);
  }
}
