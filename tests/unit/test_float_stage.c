// Where a panel gets the float or the fused form, every accumulator gives what fixed point gives; and those of usual networks do get it.
#include <math.h>
#include <string.h>

#include "arithmetic/stage.h"
#include "exact/float_stage.h"
#include "operators/quant_params.h"
#include "unit.h"

static float float_of(int32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

// A kernel's output, as int8, for accumulator `acc` of the panel's channel.
static int32_t in_form(enum tvmq_form form, const struct tvmq_stage *stage, const struct tvmq_channel_params *p, int64_t acc) {
  const int32_t x = (int32_t)(acc + p->bias);
  const float slope = -float_of(p->multiplier), addend = float_of(p->shift);
  if (form == TVMQ_FORM_FUSED) {
    const int32_t zero = stage->flip ? 128 : 0, stored = tvmq_fused_value(slope, addend, x);
    return tvmq_clamp(stored, INT8_MIN + zero, INT8_MAX + zero) - zero;
  }
  const bool is_odd = tvmq_stage_is_odd(stage);
  const int32_t value = tvmq_float_value(slope, addend, is_odd, x);
  return tvmq_clamp(is_odd ? value + stage->zero_point : value, stage->min, stage->max);
}

static bool check(enum tvmq_form form, const struct tvmq_stage *stage, int32_t multiplier, int32_t shift, const struct tvmq_accumulators *a) {
  const struct tvmq_channel_params fixed = {.multiplier = multiplier, .shift = shift};
  struct tvmq_channel_params p = fixed;
  if (!tvmq_float_panel(form, stage, a, &p, 1)) {
    CHECK(memcmp(&p, &fixed, sizeof p) == 0, "a panel that stays in fixed point is left alone");
    return false;
  }
  int wrong = p.multiplier >= 0;
  for (int64_t acc = a->lo; acc <= a->hi; acc++) wrong += in_form(form, stage, &p, acc) != tvmq_stage_s32(stage, (int32_t)acc, multiplier, shift);
  CHECK(wrong == 0, "form %d, multiplier %d, shift %d, zero point %d in [%d, %d], flip %d, rounding %d, accumulators %lld to %lld: %d wrong", form, multiplier,
        shift, stage->zero_point, stage->min, stage->max, stage->flip, stage->rounding, (long long)a->lo, (long long)a->hi, wrong);
  return true;
}

static bool check_float(const struct tvmq_stage *stage, int32_t multiplier, int32_t shift, const struct tvmq_accumulators *a) {
  return check(TVMQ_FORM_FLOAT, stage, multiplier, shift, a);
}

static int64_t below(unsigned long long *state, int64_t n) { return (int64_t)(unit_random(state) >> 1) % n; }

// Counts how many of `rounds` channels whose steps are about `step` get the float form. The accumulators reach beyond the codes, or some of them.
static int found(unsigned long long *state, int rounds, double step) {
  int n = 0;
  for (int i = 0; i < rounds; i++) {
    struct tvmq_stage stage = {.rounding = (enum tvmq_rounding)below(state, 3), .min = INT8_MIN, .max = INT8_MAX};
    stage.zero_point = (int32_t)below(state, 256) - 128;
    if (i % 2) stage.min = stage.zero_point;
    if (i % 4 == 3) stage.max = stage.min + (int32_t)below(state, 128 - stage.min);
    int32_t multiplier, shift;
    tvmq_quantize_multiplier(step * (0.5 + (double)below(state, 1000) / 1000), &multiplier, &shift);
    const int64_t reach = (int64_t)(400 / step);
    const struct tvmq_accumulators a = {-below(state, reach), below(state, reach)};
    n += check_float(&stage, multiplier, shift, &a);
  }
  return n;
}

// The same of the fused form: ties that go up or might as well, no clamp within the type's range, and accumulators that leave room for a lift.
static int found_fused(unsigned long long *state, int rounds, double step) {
  int n = 0;
  for (int i = 0; i < rounds; i++) {
    struct tvmq_stage stage = {.rounding = (enum tvmq_rounding)below(state, 3), .min = INT8_MIN, .max = INT8_MAX, .flip = i % 2 ? 0x80 : 0};
    stage.zero_point = stage.rounding == TVMQ_ROUNDING_REFERENCE ? INT8_MIN : (int32_t)below(state, 256) - 128;
    int32_t multiplier, shift;
    tvmq_quantize_multiplier(step * (0.5 + (double)below(state, 1000) / 1000), &multiplier, &shift);
    const int64_t reach = (int64_t)(400 / step);
    const struct tvmq_accumulators a = {-below(state, reach), below(state, reach)};
    n += check(TVMQ_FORM_FUSED, &stage, multiplier, shift, &a);
  }
  return n;
}

static void check_fused(void) {
  unsigned long long state = 2;
  enum { ROUNDS = 200 };
  static const double steps[] = {0.5, 0.05, 0.01, 0.002, 0.0005};
  for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
    const int n = found_fused(&state, ROUNDS, steps[i]);
    CHECK(n * 10 >= ROUNDS * (steps[i] < 0.001 ? 8 : 9), "steps of about %g: %d of %d", steps[i], n, ROUNDS);
  }
  // Multipliers of few bits: sums of products and intercepts recur.
  for (int32_t shift = -15; shift <= 0; shift++) {
    const struct tvmq_stage stage = {.zero_point = INT8_MIN, .min = INT8_MIN, .max = INT8_MAX};
    const int64_t reach = INT64_C(300) << -shift;
    for (int32_t eighths = 4; eighths < 8; eighths++) check(TVMQ_FORM_FUSED, &stage, eighths << 28, shift, &(struct tvmq_accumulators){-reach, reach});
  }
  const struct tvmq_stage relu = {.zero_point = INT8_MIN, .min = INT8_MIN, .max = INT8_MAX};
  struct tvmq_stage other = relu;
  const struct tvmq_accumulators usual = {-100000, 100000}, most = {-(1 << 22), 1 << 22};
  CHECK(check(TVMQ_FORM_FUSED, &relu, 1717986918, -9, &usual), "a usual channel");
  CHECK(!check(TVMQ_FORM_FUSED, &relu, 1717986918, -9, &most), "more accumulators than there are numbers");
  CHECK(!check(TVMQ_FORM_FUSED, &relu, 1717986918, -1, &usual), "results beyond int16");
  CHECK(!check(TVMQ_FORM_FUSED, &relu, 1717986918, 1, &usual), "a slope above 1");
  for (int64_t k = 20; k < 80; k++) {
    const int64_t lo = -(k << 20);
    CHECK(!check(TVMQ_FORM_FUSED, &relu, 1 << 30, 1, &(struct tvmq_accumulators){lo, lo + 100}), "a slope of 1, far from zero");
  }
  CHECK(!check(TVMQ_FORM_FUSED, &relu, 1717986918, -15, &(struct tvmq_accumulators){-100000, 4000000}), "a slope below 2^-15");
  other.max = 100;
  CHECK(!check(TVMQ_FORM_FUSED, &other, 1717986918, -9, &usual), "a clamp");
  other = relu;
  other.zero_point = 3;
  CHECK(!check(TVMQ_FORM_FUSED, &other, 1717986918, -9, &usual), "ties that go away from zero on both sides");
  // Level lines, wherever the accumulators lie.
  const struct tvmq_accumulators ranges[] = {
      {0, 0}, {-70000, -70000}, {INT64_C(3) << 29, INT64_C(3) << 29}, {-(INT64_C(3) << 29), -(INT64_C(3) << 29)}, {-3, 5}};
  for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
    CHECK(check(TVMQ_FORM_FUSED, &relu, 0, 0, &ranges[i]), "range %zu", i);
    CHECK(check(TVMQ_FORM_FUSED, &relu, 1 << 30, -26, &(struct tvmq_accumulators){ranges[i].lo, ranges[i].lo}), "range %zu", i);
  }
}

// Channels of one result have a level line: their weights are all zero, whose bias may be as large as converters make it, or a clamp holds them.
static void check_levels(void) {
  const int64_t limit = INT64_C(3) << 29;
  const struct tvmq_accumulators ranges[] = {{0, 0}, {-70000, -70000}, {limit, limit}, {-limit, -limit}, {-3, 5}, {900000, 900100}, {-900100, -900000}};
  for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
    for (int32_t zero_point = INT8_MIN; zero_point <= INT8_MAX; zero_point += 51) {
      for (int32_t rounding = 0; rounding < 3; rounding++) {
        for (int32_t clamped = 0; clamped < 2; clamped++) {
          const struct tvmq_stage stage = {
              .rounding = (enum tvmq_rounding)rounding, .zero_point = zero_point, .min = clamped ? zero_point : INT8_MIN, .max = INT8_MAX};
          CHECK(check_float(&stage, 1717986918, -9 - (i == 4), &ranges[i]), "range %zu", i);
          CHECK(check_float(&stage, 1 << 30, -26, &(struct tvmq_accumulators){ranges[i].lo, ranges[i].lo}), "range %zu", i);
          CHECK(check_float(&stage, 0, -(int32_t)i, &ranges[i]), "a multiplier of 0, which is its own negative");
        }
      }
    }
  }
  const struct tvmq_stage stage = {.zero_point = 3, .min = INT8_MIN, .max = INT8_MAX};
  CHECK(!check_float(&stage, 0, -1, &(struct tvmq_accumulators){limit, limit + 1}), "accumulators beyond the limit");
  CHECK(!check_float(&stage, 0, 1, &(struct tvmq_accumulators){1, 2}), "a shift to the left, which may wrap");
}

// Ties: products with these multipliers come to lie half way between two values, on both sides of zero, above it or below it.
static void check_ties(void) {
  static const int32_t multipliers[] = {1 << 30, 3 << 29, 5 << 28};
  int found = 0;
  for (size_t i = 0; i < sizeof multipliers / sizeof multipliers[0]; i++) {
    for (int32_t rounding = 0; rounding < 3; rounding++) {
      for (int32_t side = -1; side <= 1; side++) {
        const struct tvmq_stage stage = {.rounding = (enum tvmq_rounding)rounding, .zero_point = 3, .min = INT8_MIN, .max = INT8_MAX};
        const struct tvmq_accumulators a = {side > 0 ? 10 : -20000, side < 0 ? -10 : 20000};
        found += check_float(&stage, multipliers[i], -5, &a);
      }
    }
  }
  CHECK(found > 9 && found < 27, "%d: ties that go away from zero on both sides have no line", found);
}

int main(void) {
  unsigned long long state = 1;
  enum { ROUNDS = 100 };
  const int coarse = found(&state, ROUNDS, 0.05), usual = found(&state, ROUNDS, 0.01), thin = found(&state, ROUNDS, 0.002),
            fine = found(&state, ROUNDS, 0.0005), whole = found(&state, ROUNDS, 1.5);
  CHECK(coarse == ROUNDS, "%d of %d", coarse, ROUNDS);
  CHECK(usual > ROUNDS * 9 / 10 && whole > ROUNDS * 9 / 10, "%d and %d of %d", usual, whole, ROUNDS);
  CHECK(thin > ROUNDS * 9 / 10, "%d of %d", thin, ROUNDS);
  CHECK(fine > ROUNDS * 8 / 10 && fine < ROUNDS, "%d of %d: thresholds too many and too close for a float, for some", fine, ROUNDS);

  const struct tvmq_stage stage = {.zero_point = 3, .min = INT8_MIN, .max = INT8_MAX};
  const int64_t limit = INT64_C(1) << 30;
  CHECK(check_float(&stage, 1 << 30, -31, &(struct tvmq_accumulators){limit - 1000, limit}), "the largest accumulators");
  CHECK(!check_float(&stage, 1 << 30, -31, &(struct tvmq_accumulators){-limit - 1, limit}), "larger ones");
  CHECK(!check_float(&stage, 1 << 30, 3, &(struct tvmq_accumulators){limit / 8, limit / 8 + 1}), "one that is shifted beyond them");
  CHECK(check_float(&stage, 1 << 30, -9, &(struct tvmq_accumulators){5, 5}), "one accumulator");
  check_levels();
  check_ties();
  check_fused();

  // All channels of a panel or none.
  struct tvmq_channel_params pair[] = {{.bias = 1, .multiplier = 1 << 30, .shift = -5}, {.bias = 2, .multiplier = 1 << 30, .shift = 4}}, copy[2];
  memcpy(copy, pair, sizeof pair);
  const struct tvmq_accumulators range = {-5000, 5000}, both[] = {range, range};
  CHECK(!tvmq_float_panel(TVMQ_FORM_FLOAT, &stage, both, pair, 2) && memcmp(pair, copy, sizeof pair) == 0, "the second channel of two does not get it");
  return unit_report();
}
