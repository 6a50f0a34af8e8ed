// ARG_MAX.
#include "operators/claims/claim.h"
#include "operators/claims/claim_rules.h"
#include "operators/operator.h"

const char *tvmq_claim_arg_max(const struct tvmq_arg_max_desc *desc) {
  if (desc->in_type == TVMQ_TYPE_F32) return type_rule(desc->in_type);
  if (desc->in_type != TVMQ_TYPE_S8 && desc->in_type != TVMQ_TYPE_U8) return "activations are not int8 or uint8";
  if (desc->out_type != TVMQ_TYPE_S32 && desc->out_type != TVMQ_TYPE_S64) return "indices are neither int32 nor int64";
  if (desc->outer <= 0 || desc->depth <= 0 || desc->inner <= 0) return "empty tensor";
  return too_many(desc->outer, desc->depth, desc->inner, 1) ? "input has more than 2^31 - 1 elements" : NULL;
}

static const char *claim(const union tvmq_desc *desc) { return tvmq_claim_arg_max(&desc->arg_max); }

static enum tvmq_turning turn(union tvmq_desc *desc, bool in, bool out) {
  (void)out;  // indices are integers
  if (in) tvmq_turn_type(&desc->arg_max.in_type);
  return TVMQ_TURNS_EACH;
}

const struct tvmq_operator tvmq_operator_arg_max = {
    .claim = claim,
    .turn = turn,
};
