// SHAPE.
#include "operators/claims/claim.h"
#include "operators/claims/claim_rules.h"
#include "operators/operator.h"

const char *tvmq_claim_shape(const struct tvmq_shape_desc *desc) {
  if (desc->out_type != TVMQ_TYPE_S32 && desc->out_type != TVMQ_TYPE_S64) return "the output is neither int32 nor int64";
  return desc->rank > 0 ? NULL : "the input is a scalar";
}

static void write_dims(const struct tvmq_shape_desc *desc, void *out) {
  for (int d = 0; d < desc->rank; d++) {
    if (desc->out_type == TVMQ_TYPE_S64) {
      ((int64_t *)out)[d] = desc->dims[d];
    } else {
      ((int32_t *)out)[d] = desc->dims[d];
    }
  }
}

static const char *claim(const union tvmq_desc *desc) { return tvmq_claim_shape(&desc->shape); }

static bool evaluate(const union tvmq_desc *desc, const void *const in[], void *const outs[]) {
  (void)in;
  write_dims(&desc->shape, outs[0]);
  return true;
}

const struct tvmq_operator tvmq_operator_shape = {
    .claim = claim,
    .evaluate = evaluate,
    .light = TVMQ_LIGHT("tells a shape"),
};
