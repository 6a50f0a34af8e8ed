// MEAN.
#include "claim.h"
#include "claim_rules.h"
#include "mean_conv.h"

// The reference sums in 32 bits, depthwise kernels for int16 in 64.
static const char *not_wide(const struct tvmq_mean_desc *desc) { return desc->in_type == TVMQ_TYPE_S16 ? "the mean of int16" : NULL; }

static const char *sums(const struct tvmq_mean_desc *desc) {
  int32_t sum;
  const bool fits = desc->in_h > 0 && desc->in_w > 0 && !__builtin_mul_overflow(desc->in_h, desc->in_w, &sum) && !__builtin_mul_overflow(sum, UINT8_MAX, &sum);
  return fits ? NULL : "the sum may exceed 32 bits";
}

static const char *convolution(const struct tvmq_mean_desc *desc) {
  static const uint8_t one = 1;
  struct tvmq_conv_desc conv = tvmq_mean_conv(desc);
  conv.filter = &one;  // rules do not look at weights
  return tvmq_claim_conv(&conv);
}

const char *tvmq_claim_mean(const struct tvmq_mean_desc *desc) {
  return type_rule(desc->in_type) ?: not_wide(desc) ?: same_type_rule(desc->in_type, desc->out_type) ?: sums(desc) ?: convolution(desc);
}
