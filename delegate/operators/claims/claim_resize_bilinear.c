// RESIZE_BILINEAR.
#include "operators/claims/claim.h"
#include "operators/claims/claim_rules.h"
#include "operators/operator.h"
#include "operators/resize_weights.h"

// Largest number of bits in products of both axes' weights for uint8: float32 has 24 bits, and values need 8.
enum { MOST_BITS = 16 };

// Returns the bits of an axis's weights. Before the first input, one weight is negative and the other exceeds 1. The
// sum of their sizes is below 2, so they need one more bit.
static int32_t bits(const struct tvmq_resize_desc *desc, int32_t in, int32_t out) {
  return tvmq_resize_shift(desc, in, out) + (desc->half_pixel_centers && out > in);
}

static const char *shape(const struct tvmq_resize_desc *desc) {
  if (desc->batch <= 0 || desc->channels <= 0 || desc->in_h <= 0 || desc->in_w <= 0) return "empty tensor";
  if (desc->out_h <= 0 || desc->out_w <= 0) return "size is not positive";
  if (too_many(desc->batch, desc->in_h, desc->in_w, desc->channels)) return "input has more than 2^31 - 1 elements";
  return too_many(desc->batch, desc->out_h, desc->out_w, desc->channels) ? "output has more than 2^31 - 1 elements" : NULL;
}

static const char *weights(const struct tvmq_resize_desc *desc) {
  const int32_t rows = tvmq_resize_shift(desc, desc->in_h, desc->out_h), columns = tvmq_resize_shift(desc, desc->in_w, desc->out_w);
  if (desc->in_type != TVMQ_TYPE_U8) return rows < 0 || columns < 0 ? "the reference reads past the end of the input" : NULL;
  const bool exact = rows >= 0 && columns >= 0 && bits(desc, desc->in_h, desc->out_h) + bits(desc, desc->in_w, desc->out_w) <= MOST_BITS;
  return !exact ? "interpolation weights are not exact in float32, and runtimes round them differently" : NULL;
}

const char *tvmq_claim_resize_bilinear(const struct tvmq_resize_desc *desc) {
  return type_rule(desc->in_type) ?: same_type_rule(desc->in_type, desc->out_type) ?: shape(desc) ?: weights(desc);
}

static const char *claim(const union tvmq_desc *desc) { return tvmq_claim_resize_bilinear(&desc->resize); }

const struct tvmq_operator tvmq_operator_resize_bilinear = {
    .claim = claim,
};
