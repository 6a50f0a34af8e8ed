// Operations on two tensors: ADD, SUB, MUL, DIV, MAXIMUM, MINIMUM, PRELU, SQUARED_DIFFERENCE.
#include <math.h>

#include "operators/claims/claim.h"
#include "operators/claims/claim_rules.h"
#include "operators/integers.h"
#include "operators/operator.h"
#include "operators/pair_values.h"
#include "operators/quant_params.h"

static const char no_activation[] = "this operator takes no fused activation";
static const char too_many_dimensions[] = "some of the runtimes do not broadcast tensors of this rank";

// Returns whether the runtime may treat the scale as a power of two. The runtime compares its float32 logarithm within
// 0.001; this check uses 0.002, to be safe.
static bool near_power_of_two(float scale) {
  const double exponent = log2(scale);
  return fabs(exponent - round(exponent)) < 0.002;
}

static const char *zero_points(const struct tvmq_binary_desc *desc) {
  if (desc->type != TVMQ_TYPE_S16) return NULL;
  return desc->in[0].zero_point == 0 && desc->in[1].zero_point == 0 && desc->out.zero_point == 0 ? NULL : "int16 with a zero point other than 0";
}

// Refuses scales that are all powers of two with pot_scale_int16: the reference then shifts one input and adds, without
// rescaling.
static const char *powers_of_two(const struct tvmq_binary_desc *desc) {
  if (desc->type != TVMQ_TYPE_S16 || !desc->powers_of_two) return NULL;
  const bool all = near_power_of_two(desc->in[0].scale) && near_power_of_two(desc->in[1].scale) && near_power_of_two(desc->out.scale);
  return all ? "pot_scale_int16 with scales that are all powers of two is not supported" : NULL;
}

// Refuses multipliers outside (0, 1), for which the runtime aborts the process.
static const char *below_one(const double in[2], double out) {
  for (int i = 0; i < 2; i++) {
    if (!(in[i] > 0 && in[i] < 1)) return "the ratio of the input scales is out of range";
  }
  return out > 0 && out < 1 ? NULL : "input scale / output scale is out of range";
}

static const char *ratios(const struct tvmq_binary_desc *desc) {
  double in[2], out;
  tvmq_add_ratios(desc, in, &out);
  return below_one(in, out);
}

// Also checks out_scale: the output ratio may be so little below 1 that its multiplier rounds to 1.
static const char *square_ratios(const struct tvmq_binary_desc *desc) {
  double in[2], out;
  struct tvmq_scale in_scale[2], out_scale;
  tvmq_square_ratios(desc, in, &out);
  tvmq_square_scales(desc, in_scale, &out_scale);
  return below_one(in, out) ?: out_scale.shift > 0 ? "input scale / output scale is out of range" : NULL;
}

// Refuses ratios that need left shifts of more than 30 bits; smaller shifts equal the reference's. All ratios are
// computed in float32.
static const char *product_ratio(const struct tvmq_binary_desc *desc) {
  return desc->in[0].scale * desc->in[1].scale / desc->out.scale < 0x1p30f ? NULL : "input scales / output scale is too large";
}

static const char *prelu_ratios(const struct tvmq_binary_desc *desc) {
  return desc->in[0].scale / desc->out.scale < 0x1p30f ? product_ratio(desc) : "input scale / output scale is too large";
}

static const char *no_int16(const struct tvmq_binary_desc *desc) {
  return desc->type == TVMQ_TYPE_S16 ? "int16: some of the runtimes have no kernel for this operator" : NULL;
}

static const char *quants(const struct tvmq_binary_desc *desc) {
  return in_quant_rule(desc->in[0], desc->type) ?: in_quant_rule(desc->in[1], desc->type) ?: out_quant_rule(desc->out, desc->type) ?: zero_points(desc);
}

static const char *claim_sum(const struct tvmq_binary_desc *desc) {
  return quants(desc) ?: powers_of_two(desc) ?: ratios(desc) ?: activation_range_rule(desc->activation, desc->out);
}

static const char *claim_product(const struct tvmq_binary_desc *desc) {
  return quants(desc) ?: product_ratio(desc) ?: activation_range_rule(desc->activation, desc->out);
}

static const char *claim_prelu(const struct tvmq_binary_desc *desc) { return no_int16(desc) ?: quants(desc) ?: prelu_ratios(desc); }

static const char *claim_square(const struct tvmq_binary_desc *desc) {
  if (desc->type != TVMQ_TYPE_S8) return "the reference has no kernel for this type";
  if (desc->activation != TVMQ_ACTIVATION_NONE) return no_activation;
  return quants(desc) ?: square_ratios(desc);
}

// Accepts everything: elements are compared without rescaling.
static const char *claim_extremum(const struct tvmq_binary_desc *desc) { return (void)desc, NULL; }

// Refuses quantized DIV, which few networks have. The reference multiplies by fixed-point reciprocals.
static const char *claim_quotient(const struct tvmq_binary_desc *desc) { return (void)desc, "DIV is supported for float32 only"; }

// For each operation: the rule for quantized types, and the largest rank that every runtime broadcasts, for quantized
// types and for float32.
static const struct {
  const char *(*claim)(const struct tvmq_binary_desc *desc);
  int32_t most_rank, most_rank_of_floats;
} operations[] = {
    [TVMQ_OPERATION_ADD] = {claim_sum, TVMQ_MAX_RANK, 4}, [TVMQ_OPERATION_SUB] = {claim_sum, 5, 4},
    [TVMQ_OPERATION_MUL] = {claim_product, 4, 4},         [TVMQ_OPERATION_DIV] = {claim_quotient, 5, 5},
    [TVMQ_OPERATION_MAXIMUM] = {claim_extremum, 5, 5},    [TVMQ_OPERATION_MINIMUM] = {claim_extremum, 5, 5},
    [TVMQ_OPERATION_PRELU] = {claim_prelu, 4, 4},         [TVMQ_OPERATION_SQUARED_DIFFERENCE] = {claim_square, 4, 4},
};

static int32_t most_rank(const struct tvmq_binary_desc *desc) {
  if (desc->six_dims) return 6;
  return desc->type == TVMQ_TYPE_F32 ? operations[desc->operation].most_rank_of_floats : operations[desc->operation].most_rank;
}

static bool is_arithmetic(enum tvmq_operation operation) {
  return operation == TVMQ_OPERATION_ADD || operation == TVMQ_OPERATION_SUB || operation == TVMQ_OPERATION_MUL;
}

// Rule for int32 and int64, from which graphs compute shapes. The delegate is not faster for larger tensors.
static const char *claim_integers(const struct tvmq_binary_desc *desc) {
  enum { MOST = 256 };
  if (!is_arithmetic(desc->operation)) return "int32 and int64 are supported for ADD, SUB and MUL only";
  if (desc->rank > 4) return too_many_dimensions;
  if (desc->activation != TVMQ_ACTIVATION_NONE) return "int32 and int64 are not supported with a fused activation";
  return desc->n <= MOST ? NULL : "int32 and int64 are supported for up to 256 elements only";
}

// Rule for float32: the reference computes each element with one or two rounded operations. Scales and zero points have
// no meaning.
static const char *claim_floats(const struct tvmq_binary_desc *desc) {
  const bool has_activation = is_arithmetic(desc->operation) || desc->operation == TVMQ_OPERATION_DIV;
  if (desc->rank > most_rank(desc)) return too_many_dimensions;
  return has_activation || desc->activation == TVMQ_ACTIVATION_NONE ? activation_rule(desc->activation) : no_activation;
}

const char *tvmq_claim_binary(const struct tvmq_binary_desc *desc) {
  if (desc->type == TVMQ_TYPE_F32) return elements_rule(desc->n) ?: claim_floats(desc);
  if (desc->type == TVMQ_TYPE_S32 || desc->type == TVMQ_TYPE_S64) return elements_rule(desc->n) ?: claim_integers(desc);
  const char *reason = type_rule(desc->type) ?: elements_rule(desc->n) ?: activation_rule(desc->activation);
  if (reason == NULL && desc->rank > most_rank(desc)) reason = too_many_dimensions;
  return reason ?: operations[desc->operation].claim(desc);
}

static bool is_integer(const union tvmq_desc *desc) { return desc->binary.type == TVMQ_TYPE_S32 || desc->binary.type == TVMQ_TYPE_S64; }

static const char *claim(const union tvmq_desc *desc) { return tvmq_claim_binary(&desc->binary); }

static bool byte_function(const union tvmq_desc *desc, enum tvmq_rounding rounding, const uint8_t *const in[], uint8_t out[TVMQ_N_BYTES]) {
  struct tvmq_pair_formula formula;
  tvmq_set_pair_formula(&desc->binary, rounding, &formula);
  tvmq_pair_values(&formula, (const void *const[2]){in[0], in[1]}, out, TVMQ_N_BYTES);
  return true;
}

static enum tvmq_turning turn(union tvmq_desc *desc, bool in, bool out) {
  struct tvmq_binary_desc *d = &desc->binary;
  if (in || out) {
    for (int i = 0; i < 2; i++) tvmq_turn_value(d->type, &d->in[i].zero_point);
    tvmq_turn_tensor(&d->type, &d->out.zero_point);
  }
  return TVMQ_TURNS_ALL;
}

static bool evaluate(const union tvmq_desc *desc, const void *const in[], void *const outs[]) {
  if (!is_integer(desc) || in[0] == NULL || in[1] == NULL) return false;
  tvmq_integers(&desc->binary, (const void *const[2]){in[0], in[1]}, outs[0]);
  return true;
}

const struct tvmq_operator tvmq_operator_binary = {
    .claim = claim,
    .claim_fast_math = tvmq_claim_fast_math_binary,
    .turn = turn,
    .byte_function = byte_function,
    .evaluate = evaluate,
    .light_if_wide = TVMQ_LIGHT("combines elements of 32 or 64 bits"),
};
