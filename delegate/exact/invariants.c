#include "exact/invariants.h"

#include "arithmetic/stage.h"

// Returns whether all results fit int16. Rescaling is monotonic unless it wraps or saturates, so the ends of the
// accumulator's range give the ends of the result's range.
static bool result_fits_int16(const struct tvmq_accumulators *accumulators, int32_t multiplier, int32_t shift, const struct tvmq_stage *stage) {
  const int32_t left = shift > 0 ? shift : 0;
  const int64_t limit = (int64_t)INT32_MAX >> left;
  if (accumulators->lo < -limit || accumulators->hi > limit) return false;
  const int64_t lo = tvmq_rescale(stage->rounding, (int32_t)accumulators->lo, multiplier, shift) + (int64_t)stage->zero_point;
  const int64_t hi = tvmq_rescale(stage->rounding, (int32_t)accumulators->hi, multiplier, shift) + (int64_t)stage->zero_point;
  // Values before and after the zero point is added must fit.
  return lo >= INT16_MIN + 256 && hi <= INT16_MAX - 256;
}

void tvmq_settle_constant(struct tvmq_accumulators *accumulators, enum tvmq_rounding rounding, struct tvmq_channel_params *params) {
  enum { BEYOND = 1 << 9, QUARTERS = 4 };  // BEYOND: greater than any byte minus any zero point
  const int64_t acc = accumulators->lo;
  if (acc != accumulators->hi || acc < INT32_MIN || acc > INT32_MAX) return;
  const int32_t value = tvmq_clamp(tvmq_rescale(rounding, (int32_t)acc, params->multiplier, params->shift), -BEYOND, BEYOND);
  params->bias += QUARTERS * value - acc;
  params->multiplier = 1 << 30;
  params->shift = -1;
  *accumulators = (struct tvmq_accumulators){QUARTERS * value, QUARTERS * value};
}

void tvmq_keep_invariants(const struct tvmq_accumulators *accumulators, int32_t multiplier, int32_t shift, struct tvmq_stage *stage) {
  const int64_t limit = INT64_C(1) << 30;
  if (shift > -1) stage->right_shifts = false;
  if (accumulators->lo < -limit || accumulators->hi > limit || shift < -22) stage->headroom = false;
  if (stage->fits_int16 && !result_fits_int16(accumulators, multiplier, shift, stage)) stage->fits_int16 = false;
}
