// TRANSPOSE_CONV: rules for the convolution of one phase, and for all phases together.
#include "operators/claims/claim.h"
#include "operators/claims/claim_rules.h"
#include "operators/operator.h"
#include "operators/subpixels.h"

// Largest ratio of all phases' taps to the filter's taps. If the stride does not divide the filter size, phases have
// absent taps, whose multiplications are wasted. Larger strides have more of them.
enum { MOST_GROWTH = 16 };

static const char *channels(const struct tvmq_conv_desc *desc) {
  return desc->filter_c == desc->in_c ? NULL : "the filter's input channels do not match the input";
}

// Checks the sizes of all phases together. int64 holds the products: a phase has at most the filter's taps, the
// filter's weights fit int32, and strides fit int16.
static const char *phases(const struct tvmq_conv_desc *desc, const struct tvmq_subpixels *h, const struct tvmq_subpixels *w) {
  if (too_many(desc->batch, desc->out_h, desc->out_w, desc->out_c)) return "output has more than 2^31 - 1 elements";
  if (too_many(desc->out_c, desc->filter_h, desc->filter_w, desc->filter_c)) return "weights have more than 2^31 - 1 elements";
  const int64_t n = (int64_t)desc->stride_h * desc->stride_w, taps = (int64_t)h->taps * w->taps, weights = n * taps;
  if (weights > MOST_GROWTH * (int64_t)desc->filter_h * desc->filter_w) return "stride is much larger than the filter";
  const int64_t most = INT32_MAX / ((int64_t)desc->out_c * desc->filter_c);
  if (weights > most) return "weights of all phases have more than 2^31 - 1 elements";
  return n > INT32_MAX / desc->out_c || too_many(desc->batch, h->out, w->out, (int32_t)n * desc->out_c)
             ? "outputs of all phases have more than 2^31 - 1 elements"
             : NULL;
}

const char *tvmq_claim_transpose_conv(const struct tvmq_conv_desc *desc) {
  if (is_hybrid(desc->in_type, desc->filter_type)) return "hybrid: TRANSPOSE_CONV is not supported: the reference adds each product in float32";
  if (desc->in_type == TVMQ_TYPE_F32) return type_rule(desc->in_type);
  struct tvmq_subpixels h, w;
  const char *reason = tvmq_find_subpixels(desc, &h, &w);
  if (reason != NULL) return reason;
  const struct tvmq_conv_desc phase = tvmq_subpixel_phase(desc, &h, &w);
  return channels(desc) ?: tvmq_claim_conv(&phase) ?: phases(desc, &h, &w);
}

static const char *claim(const union tvmq_desc *desc) { return tvmq_claim_transpose_conv(&desc->conv); }

const struct tvmq_operator tvmq_operator_transpose_conv = {
    .claim = claim,
    .claim_fast_math = tvmq_claim_fast_math_conv,
    .turn = tvmq_turn_conv,
};
