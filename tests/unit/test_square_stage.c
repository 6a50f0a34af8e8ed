// The output stage of squared differences: whatever form it has, every difference has the result that fixed point gives it.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arithmetic/stage.h"
#include "exact/mul_stage.h"
#include "operators/quant_params.h"
#include "unit.h"

static unsigned in_float, all;

static int32_t between(unsigned long long *state, int32_t low, int32_t high) { return low + (int32_t)((unit_random(state) >> 1) % (unsigned)(high - low + 1)); }

static void check(const struct tvmq_mul_args *fixed) {
  struct tvmq_mul_args args = *fixed;
  tvmq_mul_stage(TVMQ_TYPE_S8, true, &args);
  const bool line = args.multiplier < 0;
  in_float += line;
  all++;
  float slope = 0, intercept = 0;
  memcpy(&slope, &args.multiplier, sizeof slope);
  memcpy(&intercept, &args.shift, sizeof intercept);
  bool good = true;
  const int32_t most = abs(tvmq_difference(fixed, INT8_MAX, INT8_MIN)), other = abs(tvmq_difference(fixed, INT8_MIN, INT8_MAX));
  for (int32_t difference = 0; good && difference <= (most > other ? most : other); difference++) {
    const int32_t square = difference * difference, wanted = tvmq_stage_s32(&fixed->stage, square, fixed->multiplier, fixed->shift);
    const int32_t got = line ? tvmq_clamp(tvmq_float_value(-slope, intercept, false, square), INT8_MIN, INT8_MAX)
                             : tvmq_stage_s32(&args.stage, square, args.multiplier, args.shift);
    good = CHECK(got == wanted, "difference %d by %d %d: got %d, want %d", difference, fixed->multiplier, fixed->shift, got, wanted);
  }
}

int main(void) {
  const enum tvmq_rounding roundings[] = {TVMQ_ROUNDING_REFERENCE, TVMQ_ROUNDING_UPWARD, TVMQ_ROUNDING_SINGLE};
  unsigned long long state = 1;
  for (int i = 0; i < 600; i++) {
    const double lesser = (double)between(&state, 1, 1 << 20) * 0x1p-21;
    double ratio = (double)between(&state, 1 << 19, 1 << 20) * ldexp(1, -20 - (int)between(&state, 0, 30));
    if (i % 4 == 0) ratio = ldexp(1, -(int)between(&state, 1, 24));
    struct tvmq_mul_args args = {
        .difference = true,
        .rounding = roundings[i % 3],
        .in_zero_point = {(int32_t)between(&state, INT8_MIN, INT8_MAX), (int32_t)between(&state, INT8_MIN, INT8_MAX)},
        .in_scale[0] = {1 << 30, 0},
        .stage = {.rounding = roundings[i % 3],
                  .zero_point = i % 2 == 0 ? INT8_MIN : (int32_t)between(&state, INT8_MIN, INT8_MAX),
                  .min = INT8_MIN,
                  .max = INT8_MAX},
    };
    tvmq_quantize_multiplier(i % 5 == 0 ? 0.5 : lesser, &args.in_scale[1].multiplier, &args.in_scale[1].shift);
    tvmq_quantize_multiplier(i % 50 == 0 ? 0 : ratio, &args.multiplier, &args.shift);
    if (args.shift <= 0) check(&args);
  }
  CHECK(in_float * 10 > all * 9, "only %u of %u are lines", in_float, all);
  return unit_report();
}
