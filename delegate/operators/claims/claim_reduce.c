// MEAN, SUM, REDUCE_MAX and REDUCE_MIN.
#include "operators/claims/claim.h"
#include "operators/claims/claim_rules.h"
#include "operators/operator.h"
#include "operators/reduction.h"

static bool is_extreme(const struct tvmq_reduce_desc *desc) { return desc->reduction == TVMQ_REDUCTION_MAX || desc->reduction == TVMQ_REDUCTION_MIN; }

static const char *shape(const struct tvmq_reduce_desc *desc) {
  int32_t n = 1;
  for (int i = 0; i < desc->n_dims; i++) {
    if (desc->dims[i] <= 0) return "empty tensor";
    if (__builtin_mul_overflow(n, desc->dims[i], &n)) return "input has more than 2^31 - 1 elements";
  }
  return desc->n_dims >= 3 && desc->n_dims % 2 == 1 ? NULL : "kept and reduced dimensions do not alternate";
}

// Refuses SUM of other types: the reference treats int8 as uint8, and reads int16 as bytes.
static const char *sum_type(const struct tvmq_reduce_desc *desc) {
  return desc->reduction == TVMQ_REDUCTION_SUM && desc->in_type != TVMQ_TYPE_U8 ? "SUM is supported for uint8 only" : NULL;
}

// Refuses sums that may exceed int32, in which the reference adds both elements and zero points.
static const char *sums(const struct tvmq_reduce_desc *desc) {
  const struct tvmq_range range = tvmq_type_range(desc->in_type);
  return is_extreme(desc) || tvmq_reduction_count(desc) <= INT32_MAX / (range.max - range.min) ? NULL : "the sum may exceed 32 bits";
}

static const char *zero_points(const struct tvmq_reduce_desc *desc) {
  const bool wide = desc->in_type == TVMQ_TYPE_S16 && (desc->in.zero_point != 0 || desc->out.zero_point != 0);
  return wide ? "int16 with a zero point other than 0" : NULL;
}

static const char *scales(const struct tvmq_reduce_desc *desc) {
  if (is_extreme(desc)) return tvmq_same_quant(desc->in, desc->out) ? NULL : "input and output scales or zero points differ";
  int32_t multiplier, shift;
  tvmq_reduction_scale(desc, &multiplier, &shift);
  return shift <= MAX_SHIFT_32 ? NULL : "input scale / output scale is too large";
}

// Rule for float32: the reference adds elements in the order of memory, then divides.
static const char *claim_floats(const struct tvmq_reduce_desc *desc) {
  return desc->reduction != TVMQ_REDUCTION_MEAN ? "float32 is supported for MEAN only" : same_type_rule(desc->in_type, desc->out_type) ?: shape(desc);
}

const char *tvmq_claim_reduce(const struct tvmq_reduce_desc *desc) {
  if (desc->in_type == TVMQ_TYPE_F32) return claim_floats(desc);
  return type_rule(desc->in_type) ?: same_type_rule(desc->in_type, desc->out_type) ?: sum_type(desc) ?: shape(desc) ?: sums(desc)
             ?: in_quant_rule(desc->in, desc->in_type) ?: out_quant_rule(desc->out, desc->out_type) ?: zero_points(desc) ?: scales(desc);
}

static const char *claim(const union tvmq_desc *desc) { return tvmq_claim_reduce(&desc->reduce); }

static enum tvmq_turning turn(union tvmq_desc *desc, bool in, bool out) {
  if (in || out) {
    tvmq_turn_tensor(&desc->reduce.in_type, &desc->reduce.in.zero_point);
    tvmq_turn_tensor(&desc->reduce.out_type, &desc->reduce.out.zero_point);
  }
  return TVMQ_TURNS_ALL;
}

const struct tvmq_operator tvmq_operator_reduce = {
    .claim = claim,
    .claim_fast_math = tvmq_claim_fast_math_reduce,
    .turn = turn,
    .light_if_wide = TVMQ_LIGHT("reduces elements of 32 bits"),
};
