// The form that kernels of mul take gives every product of two bytes what fixed point gives, has invariants that hold, and is a float form nearly always.
#include <math.h>
#include <string.h>

#include "arithmetic/stage.h"
#include "exact/mul_stage.h"
#include "operators/quant_params.h"
#include "unit.h"

static int64_t below(unsigned long long *state, int64_t n) { return (int64_t)(unit_random(state) >> 1) % n; }

static float float_of(int32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

// A kernel's output for a product.
static int32_t computed(const struct tvmq_mul_args *args, int32_t product) {
  const struct tvmq_stage *stage = &args->stage;
  if (args->multiplier >= 0) return tvmq_stage_s32(stage, product, args->multiplier, args->shift);
  const bool is_odd = tvmq_stage_is_odd(stage);
  const int32_t value = tvmq_float_value(-float_of(args->multiplier), float_of(args->shift), is_odd, product + args->bias);
  return tvmq_clamp(is_odd ? value + stage->zero_point : value, stage->min, stage->max);
}

static void draw(unsigned long long *state, struct tvmq_mul_args *args) {
  *args = (struct tvmq_mul_args){.stage = {.rounding = (enum tvmq_rounding)below(state, 3), .min = INT8_MIN, .max = INT8_MAX}};
  for (int i = 0; i < 2; i++) args->in_zero_point[i] = (int32_t)below(state, 256) - 128;
  args->stage.zero_point = (int32_t)below(state, 256) - 128;
  if (below(state, 3) == 0) args->stage.min = args->stage.zero_point;
  tvmq_quantize_multiplier(ldexp(0.5 + (double)below(state, 1000) / 1000, (int)below(state, 3) - 9), &args->multiplier, &args->shift);
}

static bool check(bool takes_floats, const struct tvmq_mul_args *fixed) {
  struct tvmq_mul_args args = *fixed;
  tvmq_mul_stage(TVMQ_TYPE_S8, takes_floats, &args);
  const bool in_float = args.multiplier < 0;
  int wrong = 0, broken = 0;
  for (int32_t a = INT8_MIN; a <= INT8_MAX; a++) {
    for (int32_t b = INT8_MIN; b <= INT8_MAX; b++) {
      const int32_t product = (a - args.in_zero_point[0]) * (b - args.in_zero_point[1]);
      const int32_t value = tvmq_rescale(fixed->stage.rounding, product, fixed->multiplier, fixed->shift) + fixed->stage.zero_point;
      wrong += computed(&args, product) != tvmq_stage_s32(&fixed->stage, product, fixed->multiplier, fixed->shift);
      broken += args.stage.fits_int16 && (value < INT16_MIN || value > INT16_MAX - args.stage.flip);
    }
  }
  CHECK(wrong == 0 && broken == 0, "multiplier %d, shift %d, zero points %d * %d -> %d, at least %d, rounding %d: %d wrong, %d invariants broken",
        fixed->multiplier, fixed->shift, fixed->in_zero_point[0], fixed->in_zero_point[1], fixed->stage.zero_point, fixed->stage.min, fixed->stage.rounding,
        wrong, broken);
  CHECK(in_float || args.bias == 0, "a bias of %d in fixed point", args.bias);
  CHECK(args.stage.right_shifts == (fixed->shift < 0) && args.stage.headroom == (fixed->shift >= -22), "shift %d", fixed->shift);
  return in_float;
}

// int16: products reach 2^30, which is headroom still.
static void check_s16(void) {
  struct tvmq_mul_args args = {.multiplier = 1 << 30, .shift = -14, .stage = {.min = INT16_MIN, .max = INT16_MAX}};
  tvmq_mul_stage(TVMQ_TYPE_S16, false, &args);
  CHECK(args.stage.right_shifts && args.stage.headroom && !args.stage.fits_int16 && args.multiplier == 1 << 30, "%d", args.multiplier);
}

int main(void) {
  enum { ROUNDS = 100 };
  unsigned long long state = 1;
  int found = 0;
  for (int i = 0; i < ROUNDS; i++) {
    struct tvmq_mul_args args;
    draw(&state, &args);
    found += check(true, &args);
    CHECK(!check(false, &args), "a float form for a kernel that takes none");
  }
  CHECK(found >= 95, "%d of %d in float", found, ROUNDS);
  check_s16();
  return unit_report();
}
