// SHAPE.
#include "operators/claims/claim.h"
#include "operators/claims/claim_rules.h"

const char *tvmq_claim_shape(const struct tvmq_shape_desc *desc) {
  if (desc->out_type != TVMQ_TYPE_S32 && desc->out_type != TVMQ_TYPE_S64) return "the output is neither int32 nor int64";
  return desc->rank > 0 ? NULL : "the input is a scalar";
}
