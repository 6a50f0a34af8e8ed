// MEAN.
#include "ops/claims/claim.h"
#include "ops/claims/claim_rules.h"
#include "ops/quant_params.h"

static const char *not_wide(const struct tvmq_mean_desc *desc) { return desc->in_type == TVMQ_TYPE_S16 ? "the mean of int16" : NULL; }

// The reference sums in 32 bits.
static const char *sums(const struct tvmq_mean_desc *desc) {
  int32_t sum;
  const bool fits = desc->in_h > 0 && desc->in_w > 0 && !__builtin_mul_overflow(desc->in_h, desc->in_w, &sum) && !__builtin_mul_overflow(sum, UINT8_MAX, &sum);
  return fits ? NULL : "the sum may exceed 32 bits";
}

static const char *shape(const struct tvmq_mean_desc *desc) {
  if (desc->batch <= 0) return "batch is not positive";
  if (desc->channels <= 0) return "number of channels is not positive";
  return too_many(desc->batch, desc->in_h, desc->in_w, desc->channels) ? "input has more than 2^31 - 1 elements" : NULL;
}

static const char *multiplier(const struct tvmq_mean_desc *desc) {
  int32_t multiplier, shift;
  tvmq_mean_multiplier(desc, &multiplier, &shift);
  return shift <= MAX_SHIFT_32 ? NULL : "input scale / output scale is too large";
}

const char *tvmq_claim_mean(const struct tvmq_mean_desc *desc) {
  return type_rule(desc->in_type) ?: not_wide(desc) ?: same_type_rule(desc->in_type, desc->out_type) ?: sums(desc) ?: shape(desc)
             ?: in_quant_rule(desc->in, desc->in_type) ?: out_quant_rule(desc->out, desc->out_type) ?: multiplier(desc);
}
