// Channels without weights: what replaces their bias, multiplier and shift gives the same output, on the short paths.
#include "arithmetic/stage.h"
#include "exact/invariants.h"
#include "unit.h"

enum { FAR = 512 };  // beyond every byte, whatever the zero point

static int32_t output(enum tvmq_rounding rounding, int64_t acc, int32_t multiplier, int32_t shift) {
  return tvmq_clamp(tvmq_rescale(rounding, (int32_t)acc, multiplier, shift), -FAR, FAR);
}

static void check_constants(void) {
  static const enum tvmq_rounding roundings[] = {TVMQ_ROUNDING_REFERENCE, TVMQ_ROUNDING_UPWARD, TVMQ_ROUNDING_SINGLE};
  unsigned long long state = 7;
  for (size_t r = 0; r < N_ELEMENTS(roundings); r++) {
    for (int i = 0; i < 20000; i++) {
      const int64_t folded = (int64_t)(int32_t)(unit_random(&state) >> 32) >> (i % 24);
      const int64_t offset = (int32_t)(unit_random(&state) >> 44);  // between the panel's bias and the accumulator
      const struct tvmq_channel_params before = {.bias = folded - offset, .multiplier = (1 << 30) + (int32_t)(unit_random(&state) >> 34), .shift = -(i % 32)};
      struct tvmq_channel_params after = before;
      struct tvmq_accumulators accumulators = {folded, folded};
      tvmq_settle_constant(&accumulators, roundings[r], &after);
      const int64_t acc = after.bias + offset;
      const int32_t wanted = output(roundings[r], folded, before.multiplier, before.shift), got = output(roundings[r], acc, after.multiplier, after.shift);
      if (!CHECK(got == wanted, "rounding %zu, %lld by %d, %d: %d, not %d", r, (long long)folded, before.multiplier, before.shift, got, wanted)) return;
      CHECK(accumulators.lo == acc && accumulators.hi == acc, "accumulators");
      struct tvmq_stage stage = {.rounding = roundings[r], .right_shifts = true, .headroom = true, .fits_int16 = true};
      tvmq_keep_invariants(&accumulators, after.multiplier, after.shift, &stage);
      CHECK(stage.right_shifts && stage.headroom && stage.fits_int16, "invariants");
    }
  }
}

static void check_others(void) {
  const struct tvmq_channel_params before = {.bias = 1 << 30, .multiplier = 1 << 30, .shift = -30};
  static const struct tvmq_accumulators kept[] = {{1 << 30, (1 << 30) + 1}, {INT64_C(1) << 31, INT64_C(1) << 31}};
  for (size_t i = 0; i < N_ELEMENTS(kept); i++) {
    struct tvmq_channel_params after = before;
    struct tvmq_accumulators accumulators = kept[i];
    tvmq_settle_constant(&accumulators, TVMQ_ROUNDING_REFERENCE, &after);
    CHECK(memcmp(&after, &before, sizeof after) == 0 && memcmp(&accumulators, &kept[i], sizeof accumulators) == 0, "case %zu: one with weights, one that wraps",
          i);
  }
}

int main(void) {
  check_constants();
  check_others();
  return unit_report();
}
